const show = {
  Here: news => { users = new Set(news.users); },
  Said: news => line(news.from + ": " + news.said),
  Seen: news => {
    if (news.isHere) users.add(news.user); else users.delete(news.user);
    line(news.user + (news.isHere ? " is here" : " has left"), "seen");
  },
};
let socket, users = new Set(), attempts = 0;

function line(text, kind = "said") {
  const item = document.createElement("li");
  item.textContent = text;
  item.className = kind;
  said.append(item);
}

function enter() {
  const address = new URL("rooms/" + encodeURIComponent(room.value), location.href.replace(/^http/, "ws"));
  address.searchParams.set("as", user.value);
  socket = new WebSocket(address);
  socket.onopen = () => {
    attempts = 0;
    state.textContent = "connected";
    said.replaceChildren();
  };
  socket.onmessage = message => {
    const news = JSON.parse(message.data);
    show[news.kind](news);
    here.textContent = [...users].sort().join(", ");
  };
  socket.onclose = close => {
    if (close.code === 4001) { state.textContent = close.reason; return; }
    const most = Math.min(30_000, 500 * 2 ** attempts++);
    const millis = most / 2 + Math.random() * most / 2;
    state.textContent = "away, back in " + Math.ceil(millis / 1000) + " s";
    setTimeout(enter, millis);
  };
}

door.onsubmit = event => { event.preventDefault(); door.hidden = true; enter(); };
speech.onsubmit = event => {
  event.preventDefault();
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(say.value);
  say.value = "";
};
