// The page: gets a state each second, and shows it.

import {ask} from '/asking.js';
import {brief, bytes, bytesPerSecond, count, left, rate, share, span, time} from '/formats.js';
import {Charts} from '/charts.js';
import {Serving, SOON_DAYS} from '/serving.js';
import {bar, setText, Table} from '/tables.js';

const MOST_MOMENTS = 300;
const SILENT_MILLIS = 6_000;
const $ = id => document.getElementById(id);

let moments = [];
let state = null;
let token = '';
let isPaused = false;
let isLost = false;

// What is shown.

const failing = moment => moment.requestsPerSecond['5xx'] + moment.requestsPerSecond.none;
const requests = moment => Object.entries(moment.requestsPerSecond)
    .reduce((sum, [name, value]) => name === 'cut' ? sum : sum + value, 0);
const status = name => ({name: name === 'none' ? 'no response' : name, style: 'status-' + name, of: moment => moment.requestsPerSecond[name]});
const quantile = (name, key) => ({name, style: 'latency-' + key, of: moment => moment.latencyMicros[key]});
const memory = (name, style, of) => ({name, style, of: moment => of(moment.memoryBytes)});

const charts = new Charts($('charts'), [
  {title: 'Requests per second', format: rate, isStacked: true, least: 1,
    series: ['2xx', '3xx', '4xx', '5xx', 'none'].map(status)},
  {title: 'Latency', format: time, isLog: true, least: 100,
    series: [quantile('p50', 'p50'), quantile('p90', 'p90'), quantile('p99', 'p99'), quantile('p99.9', 'p999')]},
  {title: 'Traffic, clients and backends', format: bytesPerSecond, isBinary: true, least: 1024,
    series: [{name: 'received', style: 'received', of: moment => moment.receivedBytesPerSecond},
      {name: 'sent', style: 'sent', of: moment => moment.sentBytesPerSecond}]},
  {title: 'Memory by owner', format: bytes, isStacked: true, isBinary: true, least: 1 << 20,
    series: [memory('slabs of connections', 'slabs-used', of => of.connections), memory('slabs in the pool', 'slabs-free', of => of.pool),
      memory('heap, used', 'heap-used', of => of.heapUsed), memory('heap, free', 'heap-free', of => of.heapFree)]},
]);

const has = layer => state.upstreams.some(upstream => upstream.layer === layer);
const servesRequests = () => has(7) || !has(4) || state.requests > 0;

const serving = new Serving(async path => {
  const response = await fetch(path, {headers: authorization(), cache: 'no-store'});
  if (!response.ok) throw new Error(response.status);
  return response.json();
});

const tiles = [
  tile('Requests/s', now => rate(requests(now)), () => count(state.requests) + ' since the start', () => false, servesRequests),
  tile('Layer 4', () => rate(layer4('requestsPerSecond')) + '/s', () => 'connections, ' + count(layer4('active')) + ' open', () => false,
      () => has(4)),
  tile('Latency, p99', now => time(now.latencyMicros.p99), now => 'half of them ' + time(now.latencyMicros.p50), () => false, servesRequests),
  tile('Failing', now => share(requests(now) ? failing(now) / requests(now) : 0), now => '5xx or no response, ' + rate(failing(now)) + '/s',
      now => failing(now) > 0, servesRequests),
  tile('Backends up', () => backends().length - state.backendsOut + ' of ' + backends().length,
      () => state.backendsOut === 0 ? 'all get requests' : state.backendsOut === 1 ? '1 gets none' : state.backendsOut + ' get none', () => state.backendsOut > 0),
  tile('Connections', now => count(now.connections), now => 'busiest loop ' + share(now.busiestLoop)),
  tile('Memory', now => bytes(now.memoryBytes.resident || now.memoryBytes.heapUsed + now.memoryBytes.connections + now.memoryBytes.pool),
      now => 'heap ' + bytes(now.memoryBytes.heapUsed) + ' used'),
  tile('First certificate', now => expiry(now) < 0 ? 'expired' : left(expiry(now)),
      now => (expiry(now) < 0 ? '' : expiry(now) < SOON_DAYS ? 'left, renew it: ' : 'left: ') + serving.soonest(now.time).name,
      now => expiry(now) < SOON_DAYS, () => serving.soonest(state.now.time) !== null),
];

const expiry = now => serving.soonest(now.time).days;

function tile(name, value, more, isBad = () => false, isThere = () => true) {
  const box = document.createElement('div');
  const [dt, dd, small] = ['dt', 'dd', 'dd'].map(tag => document.createElement(tag));
  dt.textContent = name;
  small.className = 'more';
  box.append(dt, dd, small);
  $('tiles').append(box);
  return now => {
    box.hidden = !isThere();
    if (box.hidden) return;
    setText(dd, value(now));
    setText(small, more(now));
    box.classList.toggle('bad', isBad(now));
  };
}

const layer4 = figure => state.upstreams.filter(upstream => upstream.layer === 4)
    .flatMap(upstream => upstream.backends).reduce((sum, backend) => sum + backend[figure], 0);
const backends = () => state.upstreams.flatMap(upstream => upstream.backends).filter(one => one.state !== 'leaving');

const loops = new Table($('loops'), 'Event loops', [
  {name: 'Loop', of: loop => loop.name},
  {name: 'Connections', write: (cell, loop) =>
    bar(cell, loop.connections / Math.max(1, ...state.loops.map(one => one.connections)), count(loop.connections))},
  {name: 'Busy', write: (cell, loop) => bar(cell, loop.busy, share(loop.busy))},
  {name: 'Received', isNumber: true, of: loop => bytesPerSecond(loop.receivedBytesPerSecond)},
  {name: 'Sent', isNumber: true, of: loop => bytesPerSecond(loop.sentBytesPerSecond)},
  {name: 'Accepted', isNumber: true, of: loop => count(loop.accepted)},
  {name: 'Stalls', isNumber: true, of: loop => count(loop.stalls)},
]);

const guards = new Table($('guards'), 'Limits that acted since the start', [
  {name: 'Guard', of: guard => guard.name},
  {name: 'Times', isNumber: true, of: guard => count(guard.count)},
  {name: 'In the last second', isNumber: true, of: guard => guard.lately ? count(guard.lately) : '–'},
  {name: 'Last cause', of: guard => brief(guard.last)},
], 'No limit has acted since the start.');

const SYMBOLS = {up: '●', warming: '◐', ejected: '▲', down: '✕', out: '❚❚', leaving: '○'};

function badge(cell, backend) {
  if (!cell.firstElementChild) {
    const mark = document.createElement('span');
    const why = document.createElement('small');
    cell.append(mark, why);
  }
  const [mark, why] = cell.children;
  setText(mark, SYMBOLS[backend.state] + ' ' + backend.state);
  mark.className = 'badge ' + backend.state;
  setText(why, backend.why);
}

function failures(cell, backend) {
  setText(cell, count(backend.failures));
  cell.classList.toggle('bad', backend.failuresPerSecond > 0);
}

const upstreamTables = new Map();

function showUpstreams() {
  const keys = new Set(state.upstreams.map(keyOf));
  for (const [key, shown] of upstreamTables) {
    if (keys.has(key)) continue;
    shown.box.remove();
    upstreamTables.delete(key);
  }
  for (const upstream of state.upstreams) {
    const shown = upstreamTables.get(keyOf(upstream)) ?? madeUpstream(upstream);
    const able = upstream.backends.filter(one => one.state === 'up' || one.state === 'warming').length;
    setText(shown.summary, (upstream.backends.length ? able + ' of ' + (upstream.backends.length + upstream.more) + ' in service'
        : 'not used yet')
      + (upstream.webSockets ? ', ' + count(upstream.webSockets) + ' WebSocket' + (upstream.webSockets === 1 ? '' : 's') : '')
      + (upstream.retries ? ', ' + count(upstream.retries) + ' retries' : '') + (upstream.more ? ', ' + upstream.more + ' not shown' : ''));
    shown.table.show(upstream.backends, backend => backend.name);
  }
  $('upstreams').querySelector(':scope > .note').hidden = state.upstreams.length > 0;
}

const keyOf = upstream => upstream.layer + ' ' + upstream.name;

function madeUpstream(upstream) {
  const box = document.createElement('section');
  box.className = 'card';
  const title = document.createElement('h3');
  const summary = document.createElement('span');
  summary.className = 'when';
  title.append(upstream.name + (upstream.layer === 4 ? ' (layer 4)' : ''), summary);
  box.append(title);
  $('upstreams').append(box);
  const things = upstream.layer === 4 ? 'Connections' : 'Requests';
  const table = new Table(box, 'Backends of ' + upstream.name, [
    {name: 'Backend', of: backend => backend.name},
    {name: 'State', write: badge},
    {name: things + '/s', isNumber: true, of: backend => rate(backend.requestsPerSecond)},
    {name: upstream.layer === 4 ? 'Open' : 'In flight', isNumber: true, of: backend => count(backend.active)
        + (backend.waiting ? ' + ' + count(backend.waiting) + ' waiting' : '')},
    {name: 'p50', isNumber: true, of: backend => time(backend.p50Micros)},
    {name: 'p99', isNumber: true, of: backend => time(backend.p99Micros)},
    {name: things, isNumber: true, of: backend => count(backend.requests)},
    {name: 'Failed', isNumber: true, write: failures},
    {name: 'Weight', isNumber: true, of: backend => backend.weight
        + (backend.priority ? ', priority ' + backend.priority : '') + (backend.zone ? ', ' + backend.zone : '')},
    {name: 'Change', write: (cell, backend) => change(cell, upstream.name, backend)},
  ], 'No backends.');
  const shown = {box, table, summary};
  upstreamTables.set(keyOf(upstream), shown);
  return shown;
}

function change(cell, upstream, backend) {
  const mayChange = token !== '' && state.changes.includes('backends') && backend.state !== 'leaving';
  let button = cell.querySelector('button');
  if (!button) {
    button = document.createElement('button');
    button.type = 'button';
    button.addEventListener('click', () => put(upstream, backend.name, button.dataset.to));
    cell.append(button);
  }
  button.hidden = !mayChange;
  button.dataset.to = backend.state === 'out' ? 'in' : 'out';
  setText(button, backend.state === 'out' ? 'Enable' : 'Disable');
  button.setAttribute('aria-label', button.textContent + ' ' + backend.name);
}

function show() {
  if (!state || isPaused) return;
  for (const one of tiles) one(state.now);
  charts.show(moments);
  loops.show(state.loops, loop => loop.name);
  guards.show([...state.guards].sort((a, b) => b.lately - a.lately || b.count - a.count), guard => guard.name);
  showUpstreams();
  serving.show(state);
  const mayUnlock = state.changes.length > 0;
  document.body.classList.toggle('unlocked', mayUnlock && token !== '');
  $('lock').hidden = !mayUnlock;
  setText($('lock'), token ? 'Lock changes' : 'Unlock changes');
  for (const name of ['reload', 'logs']) $(name).hidden = token === '' || !state.changes.includes(name);
}

// Screen readers read it aloud, so it changes only for news.
function condition() {
  const out = state?.backendsOut ?? 0;
  const [kind, text, title] = isLost ? ['lost', '✕ connection lost, retrying', '✕ no connection · Millrace proxy']
    : out > 0 ? ['bad', '▲ ' + out + (out === 1 ? ' backend' : ' backends') + ' out', null]
      : ['good', '● live', 'Millrace proxy'];
  $('condition').className = 'condition ' + kind;
  setText($('condition'), text + (isPaused && !isLost ? ', paused' : ''));
  document.title = title ?? text + ' · Millrace proxy';
  document.body.classList.toggle('lost', isLost);
}

// Events.

// EventSource cannot send a token, so the stream is read here.
async function* events(body) {
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const field = name => block.split('\n').filter(line => line.startsWith(name + ': ')).map(line => line.slice(name.length + 2)).join('\n');
      yield {name: field('event'), data: JSON.parse(field('data'))};
    }
  }
}

const authorization = () => token ? {Authorization: 'Bearer ' + token} : {};
const pause = millis => new Promise(resolve => setTimeout(resolve, millis));
let tokenCame = () => {};

async function listen() {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENT_MILLIS);
  try {
    const response = await fetch('/api/events', {headers: authorization(), signal: silence.signal, cache: 'no-store'});
    if (response.status === 401) {
      clearTimeout(timer);
      return await askForToken();
    }
    if (!response.ok) say((await response.text()).trim(), true);
    if (!response.ok) throw new Error('refused');
    for await (const {name, data} of events(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MILLIS);
      heard(name, data);
    }
    throw new Error('ended');
  } finally {
    clearTimeout(timer);
  }
}

function heard(name, data) {
  isLost = false;
  // After another process has taken over, its numbers may be the same.
  if (name === 'history') {
    moments = data;
    serving.forget();
  }
  if (name === 'state') {
    state = data;
    if (moments.at(-1)?.time !== data.now.time) moments.push(data.now);
    moments = moments.slice(-MOST_MOMENTS);
    show();
    condition();
  }
}

async function askForToken() {
  say(token ? 'Wrong token.' : 'This page needs the token.', token !== '');
  token = '';
  $('condition').className = 'condition bad';
  setText($('condition'), '▲ locked');
  showForm(true);
  await new Promise(resolve => { tokenCame = resolve; });
}

async function listenForEver() {
  for (let wait = 500; ;) {
    const before = state;
    try {
      await listen();
      continue;
    } catch {
      isLost = true;
      condition();
    }
    if (state !== before) wait = 500;
    await pause(wait);
    wait = Math.min(8000, 2 * wait);
  }
}

// Changes.

async function post(path, fields = {}) {
  try {
    const response = await fetch(path, {method: 'POST', headers: authorization(), body: new URLSearchParams(fields)});
    const text = (await response.text()).trim();
    if (response.status === 401) token = '';
    say(response.status === 401 ? 'Wrong token.' : text, !response.ok);
  } catch {
    say('The proxy did not respond.', true);
  }
  show();
}

// A wrong token shows now, not at the first change.
async function isToken() {
  try {
    const response = await fetch('/api/token', {headers: authorization(), cache: 'no-store'});
    if (response.ok) return true;
    token = '';
    say(response.status === 401 ? 'Wrong token.' : (await response.text()).trim(), true);
    showForm(true);
  } catch {
    say('The proxy did not respond.', true);
  }
  return false;
}

async function put(upstream, backend, to) {
  const able = state.upstreams.filter(one => one.name === upstream).flatMap(one => one.backends)
      .filter(one => one.name !== backend && (one.state === 'up' || one.state === 'warming'));
  const [title, text, action] = to === 'in' ? ['Enable ' + backend + '?', 'It gets requests of ' + upstream + ' again.', 'Enable']
    : ['Disable ' + backend + '?', (able.length ? '' : 'It is the last one of ' + upstream + ' that works: requests will fail. ')
        + 'It gets no new requests, and finishes those it has, until somebody enables it.', 'Disable'];
  if (await ask(title, text, action)) post('/api/backend', {upstream, backend, state: to});
}

async function askAndPost(path, ...question) {
  if (await ask(...question)) post(path);
}

function say(text, isBad = false) {
  $('token').setAttribute('aria-invalid', isBad && token === '');
  setText($('message'), text);
  $('message').classList.toggle('bad', isBad);
}

function showForm(isShown) {
  $('unlock').hidden = !isShown;
  $('lock').setAttribute('aria-expanded', isShown);
  if (isShown) $('token').focus();
}

$('lock').addEventListener('click', () => {
  if (token === '') return showForm($('unlock').hidden);
  token = '';
  say('Locked.');
  show();
});
$('unlock').addEventListener('submit', async event => {
  event.preventDefault();
  token = $('token').value;
  $('token').value = '';
  showForm(false);
  say('');
  if (await isToken()) {
    say('Changes are unlocked.');
    serving.forget();
    tokenCame();
    $('lock').focus();
  }
  show();
});
$('unlock').addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  showForm(false);
  $('lock').focus();
});
$('reload').addEventListener('click', () => askAndPost('/api/reload', 'Reload the configuration?',
    'The file is read again, as by SIGHUP. If it has an error, nothing changes.', 'Reload'));
$('logs').addEventListener('click', () => askAndPost('/api/logs', 'Reopen the logs?',
    'The access log goes on in a new file if the old one was moved away, as by SIGUSR1.', 'Reopen'));
$('pause').addEventListener('click', () => {
  isPaused = !isPaused;
  $('pause').setAttribute('aria-pressed', isPaused);
  setText($('pause'), isPaused ? 'Resume' : 'Pause');
  show();
  condition();
});

listenForEver();
