// Asks before a change, in a dialog that keeps the focus and gives it back.

const $ = id => document.getElementById(id);
let decide = () => {};

// Resolves to whether the user wants it.
export function ask(title, text, action) {
  $('ask-title').textContent = title;
  $('ask-text').textContent = text;
  $('ask-yes').textContent = action;
  const before = document.activeElement;
  $('ask').showModal();
  $('ask-no').focus();
  return new Promise(resolve => {
    decide = isWanted => {
      decide = () => {};
      $('ask').close();
      before?.focus();
      resolve(isWanted);
    };
  });
}

$('ask-yes').addEventListener('click', () => decide(true));
$('ask-no').addEventListener('click', () => decide(false));
// Escape.
$('ask').addEventListener('cancel', event => { event.preventDefault(); decide(false); });
$('ask').addEventListener('close', () => { if (!$('ask').open) decide(false); });
// Tab would otherwise leave for the browser's own buttons.
$('ask').addEventListener('keydown', event => {
  if (event.key !== 'Tab') return;
  event.preventDefault();
  (document.activeElement === $('ask-no') ? $('ask-yes') : $('ask-no')).focus();
});
