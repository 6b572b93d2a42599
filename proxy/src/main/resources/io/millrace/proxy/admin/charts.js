// Charts of the last five minutes, as SVG. They share a cursor: every legend shows the values under it.

import {span} from '/formats.js';

const LEAST_MILLIS = 60_000, MOST_MILLIS = 300_000;
const GAP_MILLIS = 5_000;
const LEFT = 64, RIGHT = 10, TOP = 8, BOTTOM = 20, HEIGHT = 190;
const SVG = 'http://www.w3.org/2000/svg';

const make = (name, attributes = {}, ...children) => {
  const element = name.startsWith('svg:') ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

export class Charts {
  #moments = [];
  #cursor = null; // the time of a moment
  #all;

  // specs: {title, format, isStacked, isLog, isBinary, series: [{name, style, of: moment => number or null}]}
  constructor(parent, specs) {
    this.#all = specs.map(spec => new Chart(parent, spec, this));
    new ResizeObserver(() => this.draw()).observe(parent);
  }

  show(moments) {
    this.#moments = moments;
    this.draw();
  }

  get moments() { return this.#moments; }

  // The moment under the cursor, or the last one.
  get index() {
    if (this.#cursor === null) return this.#moments.length - 1;
    let best = 0;
    this.#moments.forEach((moment, i) => {
      if (Math.abs(moment.time - this.#cursor) < Math.abs(this.#moments[best].time - this.#cursor)) best = i;
    });
    return best;
  }

  // How far back the charts go: whole minutes, as many as there are.
  get millis() {
    const known = this.#moments.at(-1).time - this.#moments[0].time;
    return Math.min(MOST_MILLIS, Math.max(LEAST_MILLIS, Math.ceil(known / 60_000) * 60_000));
  }

  get hasCursor() { return this.#cursor !== null; }

  pointAt(time) {
    this.#cursor = time;
    this.draw();
  }

  step(by) {
    if (this.#moments.length === 0) return;
    const next = Math.min(this.#moments.length - 1, Math.max(0, this.index + by));
    this.pointAt(this.#moments[next].time);
  }

  draw() {
    for (const chart of this.#all) chart.draw();
  }
}

class Chart {
  #spec; #charts; #plot; #values = []; #when;

  constructor(parent, spec, charts) {
    this.#spec = spec;
    this.#charts = charts;
    this.#when = make('span', {class: 'when'});
    const title = make('h3', {}, spec.title, this.#when);
    const legend = make('ul', {class: 'legend'});
    for (const series of spec.series) {
      const value = make('b');
      this.#values.push(value);
      legend.append(make('li', {}, make('i', {class: series.style}), series.name + ' ', value));
    }
    this.#plot = make('div', {
      class: 'plot', tabindex: 0, role: 'slider', 'aria-label': spec.title + ', second by second',
      'aria-valuemin': -MOST_MILLIS / 1000, 'aria-valuemax': 0, 'aria-valuenow': 0, 'aria-valuetext': 'no figures yet',
    });
    parent.append(make('section', {class: 'card chart'}, title, legend, this.#plot));
    this.#plot.addEventListener('pointermove', event => this.#charts.moments.length && this.#charts.pointAt(this.#timeAt(event)));
    this.#plot.addEventListener('pointerleave', () => this.#charts.pointAt(null));
    this.#plot.addEventListener('focus', () => this.#tell());
    this.#plot.addEventListener('blur', () => this.#charts.pointAt(null));
    this.#plot.addEventListener('keydown', event => this.#key(event));
  }

  #key(event) {
    const far = event.shiftKey ? 10 : 1;
    const steps = {ArrowLeft: -far, ArrowDown: -far, ArrowRight: far, ArrowUp: far,
      PageDown: -30, PageUp: 30, Home: -Infinity, End: Infinity};
    if (event.key === 'Escape') this.#charts.pointAt(null);
    else if (event.key in steps) this.#charts.step(steps[event.key]);
    else return;
    event.preventDefault();
    this.#tell();
  }

  // Only on request: a screen reader should not read each second.
  #tell() {
    const moment = this.#charts.moments[this.#charts.index];
    if (!moment) return;
    const ago = this.#secondsAgo(moment);
    this.#plot.setAttribute('aria-valuenow', -ago);
    this.#plot.setAttribute('aria-valuetext', (ago === 0 ? 'now' : span(ago) + ' ago') + ': '
        + this.#spec.series.map(series => series.name + ' ' + this.#spec.format(series.of(moment))).join(', '));
  }

  #secondsAgo(moment) {
    return Math.round((this.#charts.moments.at(-1).time - moment.time) / 1000);
  }

  #timeAt(event) {
    const box = this.#plot.getBoundingClientRect();
    const end = this.#charts.moments.at(-1).time;
    return end - this.#charts.millis * (1 - (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT));
  }

  draw() {
    const moments = this.#charts.moments;
    const width = this.#plot.clientWidth;
    if (moments.length === 0 || width < 100) return;
    const current = moments[this.#charts.index];
    const spec = this.#spec;
    spec.series.forEach((series, i) => { this.#values[i].textContent = spec.format(series.of(current)); });
    this.#when.textContent = this.#charts.hasCursor ? span(this.#secondsAgo(current)) + ' ago' : '';
    const end = moments.at(-1).time, millis = this.#charts.millis;
    const x = time => LEFT + (width - LEFT - RIGHT) * (1 - (end - time) / millis);
    const columns = moments.map(moment => spec.series.map(series => series.of(moment)));
    const scale = (spec.isLog ? logScale : linearScale)(spec, columns);
    const y = value => TOP + (HEIGHT - TOP - BOTTOM) * (1 - scale.part(value));
    const svg = make('svg:svg', {width, height: HEIGHT, 'aria-hidden': true, focusable: false});
    for (const tick of scale.ticks) {
      svg.append(make('svg:line', {class: 'grid', x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick)}),
          make('svg:text', {x: LEFT - 7, y: y(tick) + 4, 'text-anchor': 'end'}, spec.format(tick)));
    }
    const parts = width < 420 ? 2 : Math.max(4, millis / 60_000);
    for (let i = 0; i <= parts; i++) {
      const ago = millis * i / parts;
      svg.append(make('svg:text', {x: x(end - ago), y: HEIGHT - 4,
        'text-anchor': i === 0 ? 'end' : i === parts ? 'start' : 'middle'}, ago === 0 ? 'now' : '−' + spanned(ago)));
    }
    const runs = unbroken(moments);
    if (spec.isStacked) this.#areas(svg, runs, moments, columns, x, y);
    else this.#lines(svg, runs, moments, columns, x, y);
    if (this.#charts.hasCursor) {
      const at = x(current.time);
      svg.append(make('svg:line', {class: 'cursor', x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM}));
    }
    this.#plot.replaceChildren(svg);
  }

  #areas(svg, runs, moments, columns, x, y) {
    const tops = columns.map(column => { let sum = 0; return column.map(value => sum += value ?? 0); });
    const last = this.#spec.series.length - 1;
    for (let s = last; s >= 0; s--) {
      if (columns.every(column => !column[s])) continue;
      const path = runs.map(run => {
        const over = run.map(i => x(moments[i].time).toFixed(1) + ' ' + y(tops[i][s]).toFixed(1));
        const under = run.map(i => x(moments[i].time).toFixed(1) + ' ' + y(s === 0 ? 0 : tops[i][s - 1]).toFixed(1)).reverse();
        return 'M' + over.concat(under).join('L') + 'Z';
      }).join('');
      svg.append(make('svg:path', {class: 'area ' + this.#spec.series[s].style, d: path}));
    }
  }

  #lines(svg, runs, moments, columns, x, y) {
    this.#spec.series.forEach((series, s) => {
      let path = '';
      for (const run of runs) {
        let isDown = false;
        for (const i of run) {
          const value = columns[i][s];
          if (value === null) { isDown = false; continue; }
          path += (isDown ? 'L' : 'M') + x(moments[i].time).toFixed(1) + ' ' + y(value).toFixed(1);
          // A single second is a dot.
          if (!isDown) path += 'h.01';
          isDown = true;
        }
      }
      if (path) svg.append(make('svg:path', {class: 'line ' + series.style, d: path}));
    });
  }
}

const spanned = millis => millis % 30_000 === 0 && millis >= 60_000 ? millis / 60_000 + ' min' : millis / 1000 + ' s';

// Indexes of moments that follow each other without a gap.
function unbroken(moments) {
  const runs = [[]];
  moments.forEach((moment, i) => {
    if (i > 0 && moment.time - moments[i - 1].time > GAP_MILLIS) runs.push([]);
    runs.at(-1).push(i);
  });
  return runs;
}

function linearScale(spec, columns) {
  const most = Math.max(...columns.map(column => spec.isStacked
    ? column.reduce((sum, value) => sum + (value ?? 0), 0) : Math.max(...column.map(value => value ?? 0))), spec.least);
  const unit = spec.isBinary ? 1024 ** Math.floor(Math.log2(most) / 10) : 1;
  const rough = most / unit / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = unit * power * [1, 2, 2.5, 5, 10].find(nice => nice * power >= rough - 1e-9);
  const ticks = [0, 1, 2, 3, 4].map(i => i * step).filter(tick => tick < most + step);
  return {ticks, part: value => value / ticks.at(-1)};
}

function logScale(spec, columns) {
  const all = columns.flat().filter(value => value > 0);
  const low = Math.min(...all, spec.least), high = Math.max(...all, spec.least * 10);
  const nice = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high * 10; power *= 10) nice.push(power, 2 * power, 5 * power);
  const from = nice.findLastIndex(value => value <= low), to = nice.findIndex(value => value >= high);
  let ticks = nice.slice(Math.max(0, from), to + 1);
  const bottom = Math.log(ticks[0]), top = Math.log(ticks.at(-1));
  if (ticks.length > 7) ticks = ticks.filter(value => Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6));
  return {ticks, part: value => (Math.log(Math.max(value, ticks[0] / 10)) - bottom) / (top - bottom)};
}
