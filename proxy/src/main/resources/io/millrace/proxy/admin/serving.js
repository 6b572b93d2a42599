// What changes seldom: the process, listeners, routes, certificates, and the last events. It is fetched
// when a state says that there is something new.

import {count, left, moment, span} from '/formats.js';
import {setText, Table} from '/tables.js';

const $ = id => document.getElementById(id);
export const SOON_DAYS = 14;
const FEW_EVENTS = 12;
const ROUTES = 20;
const DAY_MILLIS = 86_400_000;
const MARKS = {reload: '↻', backend: '◆', guard: '▲', certificate: '✦', change: '✎'};

const any = (texts, none) => texts.length ? texts.join(', ') : none;

export class Serving {
  #fetchJson;
  #serving = null;
  #journal = null;
  #isBusy = false;
  #proxy = null;
  #events = [];
  #from = 0;
  #search = 0;
  #hasAll = false;

  // fetchJson: path => promise of JSON, which fails when it cannot be had
  constructor(fetchJson) {
    this.#fetchJson = fetchJson;
    $('find').addEventListener('input', () => this.#later());
    $('routes-before').addEventListener('click', event => this.#page(event.currentTarget, -1));
    $('routes-after').addEventListener('click', event => this.#page(event.currentTarget, 1));
    $('events-all').addEventListener('click', () => {
      this.#hasAll = !this.#hasAll;
      this.#showEvents();
    });
  }

  // Other figures may have been missed, or a token is needed now.
  forget() {
    this.#serving = this.#journal = null;
  }

  async show(state) {
    if (this.#proxy) this.#showProcess(state.now.time);
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      if (state.journal !== this.#journal) {
        this.#events = (await this.#fetchJson('/api/journal')).reverse();
        this.#journal = state.journal;
        this.#showEvents();
      }
      if (state.serving !== this.#serving) {
        this.#proxy = await this.#fetchJson('/api/proxy');
        this.#serving = state.serving;
        this.#showProcess(state.now.time);
        await this.#routes();
      }
    } catch {
      // The next state tries again.
    } finally {
      this.#isBusy = false;
    }
  }

  // The certificate that expires first, with its days, or null.
  soonest(now) {
    const first = this.#proxy?.certificates[0];
    return first ? {name: any(first.names, first.subject), days: (first.expires - now) / DAY_MILLIS} : null;
  }

  #showProcess(now) {
    const proxy = this.#proxy;
    setText($('process'), 'version ' + proxy.version + ' · pid ' + proxy.pid + ' · up ' + span((now - proxy.started) / 1000)
        + ', since ' + moment(proxy.started, now));
    listeners.show(proxy.listeners, listener => listener.name);
    setText($('listeners-more'), more(proxy.moreListeners, 'listeners'));
    certificates.show(proxy.certificates.map((one, i) => ({...one, now, key: i + one.listener + one.subject})), one => one.key);
    setText($('certificates-more'), more(proxy.moreCertificates, 'certificates, which expire later,'));
  }

  // While somebody types, only the last text is looked for.
  #later() {
    clearTimeout(this.#search);
    this.#search = setTimeout(() => {
      this.#from = 0;
      this.#routes().catch(() => {});
    }, 200);
  }

  #page(button, by) {
    if (button.getAttribute('aria-disabled') === 'true') return;
    this.#from = Math.max(0, this.#from + by * ROUTES);
    this.#routes().catch(() => {});
  }

  async #routes() {
    const find = $('find').value;
    const found = await this.#fetchJson('/api/routes?' + new URLSearchParams({find, from: this.#from, count: ROUTES}));
    // The text has changed meanwhile: another answer is on its way.
    if (find !== $('find').value) return;
    if (found.from > 0 && found.routes.length === 0) {
      this.#from = 0;
      return this.#routes();
    }
    routes.show(found.routes.map((one, i) => ({...one, key: found.from + i})), one => one.key);
    const to = found.from + found.routes.length;
    setText($('routes-shown'), (found.found === 0 ? 'None' : count(found.from + 1) + ' to ' + count(to) + ' of ' + count(found.found))
        + (found.found === found.all ? '' : ' found, of ' + count(found.all)));
    // Disabled ones would lose the focus.
    $('routes-before').setAttribute('aria-disabled', found.from === 0);
    $('routes-after').setAttribute('aria-disabled', to >= found.found);
    $('routes-pages').hidden = found.found <= found.routes.length;
    $('routes-find').hidden = found.all <= 5;
  }


  #showEvents() {
    const seen = new Map();
    const shown = (this.#hasAll ? this.#events : this.#events.slice(0, FEW_EVENTS)).map(event => {
      const base = [event.since, event.kind, event.what, event.who].join(' ');
      seen.set(base, (seen.get(base) ?? 0) + 1);
      return {...event, key: base + ' ' + seen.get(base)};
    });
    events.show(shown, event => event.key);
    $('events-all').hidden = this.#events.length <= FEW_EVENTS;
    setText($('events-all'), this.#hasAll ? 'Show the last ' + FEW_EVENTS : 'Show all ' + this.#events.length);
  }
}

const more = (number, what) => number ? count(number) + ' more ' + what + ' are not shown.' : '';

function when(cell, event) {
  if (!cell.firstElementChild) cell.append(document.createElement('time'));
  const time = cell.firstElementChild;
  time.dateTime = new Date(event.time).toISOString();
  setText(time, moment(event.time, Date.now()));
}

function kind(cell, event) {
  if (!cell.firstElementChild) cell.append(document.createElement('span'));
  const mark = cell.firstElementChild;
  mark.className = 'badge ' + (event.trouble ? 'ejected' : event.kind);
  setText(mark, MARKS[event.kind] + ' ' + event.kind);
}

const what = event => event.what + (event.times > 1 ? ' (' + count(event.times) + ' times since ' + moment(event.since, Date.now()) + ')' : '');

function expiry(cell, certificate) {
  if (!cell.firstElementChild) cell.append(document.createElement('span'), document.createElement('small'));
  const [mark, date] = cell.children;
  const days = (certificate.expires - certificate.now) / DAY_MILLIS;
  mark.className = 'badge ' + (days < 0 ? 'down' : days < SOON_DAYS ? 'ejected' : 'up');
  setText(mark, days < 0 ? '✕ expired ' + left(-days) + ' ago' : days < SOON_DAYS ? '▲ only ' + left(days) + ' left: renew it' : '● ' + left(days) + ' left');
  setText(date, new Date(certificate.expires).toISOString().replace('T', ' ').slice(0, 16) + ' UTC');
}

const events = new Table($('events'), 'The last events, newest first', [
  {name: 'Time', write: when},
  {name: 'Kind', write: kind},
  {name: 'What', of: what},
  {name: 'Who', of: event => event.who || '–'},
], 'Nothing has happened yet.');

const listeners = new Table($('listeners'), 'Listeners', [
  {name: 'Listener', of: listener => listener.name},
  {name: 'Address', of: listener => listener.address},
  {name: 'Protocol', of: listener => listener.protocol},
  {name: 'TLS', of: listener => listener.tls},
], 'This proxy was made by a program, which does not tell.');

const routes = new Table($('routes'), 'Routes, in the order of the configuration', [
  {name: 'Route', of: route => route.name},
  {name: 'Listeners', of: route => any(route.listeners, 'all')},
  {name: 'Hosts', of: route => any(route.hosts, 'any')},
  {name: 'Requests', of: route => route.match},
  {name: 'Action', of: route => route.action},
  {name: 'To', of: route => route.target},
], 'No routes.');

const certificates = new Table($('certificates'), 'Certificates, the first to expire first', [
  {name: 'Certificate', of: one => any(one.names, one.subject)},
  {name: 'Listener', of: one => one.listener},
  {name: 'Expires', write: expiry},
], 'TLS does not end here.');
