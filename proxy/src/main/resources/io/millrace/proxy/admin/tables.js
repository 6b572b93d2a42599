// Tables that change in place, so that keyboard users keep their position. On a narrow screen
// rows become cards; the roles keep them tables for screen readers then.

export class Table {
  #columns; #body; #rows = new Map(); #empty;

  // columns: {name, isNumber, of: item => text, or write: (cell, item) => …}; the first one names the row
  constructor(parent, caption, columns, empty = '') {
    this.#columns = columns;
    const table = document.createElement('table');
    table.setAttribute('role', 'table');
    table.createCaption().textContent = caption;
    const head = table.createTHead();
    head.setAttribute('role', 'rowgroup');
    const row = head.insertRow();
    row.setAttribute('role', 'row');
    for (const column of columns) {
      const cell = document.createElement('th');
      cell.scope = 'col';
      cell.setAttribute('role', 'columnheader');
      cell.textContent = cell.dataset.name = column.name;
      if (column.isNumber) cell.className = 'number';
      row.append(cell);
    }
    this.#body = table.createTBody();
    this.#body.setAttribute('role', 'rowgroup');
    this.#empty = document.createElement('p');
    this.#empty.className = 'note';
    this.#empty.textContent = empty;
    // Until it is known what there is.
    table.hidden = this.#empty.hidden = true;
    parent.append(table, this.#empty);
  }

  show(items, keyOf) {
    const keys = new Set(items.map(keyOf));
    for (const [key, row] of this.#rows) {
      if (keys.has(key)) continue;
      row.remove();
      this.#rows.delete(key);
    }
    items.forEach((item, i) => {
      const row = this.#rows.get(keyOf(item)) ?? this.#made(keyOf(item));
      if (this.#body.rows[i] !== row) this.#body.insertBefore(row, this.#body.rows[i] ?? null);
      this.#columns.forEach((column, c) => {
        if (column.write) column.write(row.cells[c], item);
        else setText(row.cells[c], column.of(item));
      });
    });
    this.#body.parentElement.hidden = items.length === 0;
    this.#empty.hidden = items.length > 0;
  }

  #made(key) {
    const row = document.createElement('tr');
    row.setAttribute('role', 'row');
    this.#columns.forEach((column, c) => {
      const cell = document.createElement(c === 0 ? 'th' : 'td');
      if (c === 0) cell.scope = 'row';
      cell.setAttribute('role', c === 0 ? 'rowheader' : 'cell');
      cell.dataset.name = column.name;
      if (column.isNumber) cell.className = 'number';
      row.append(cell);
    });
    this.#rows.set(key, row);
    return row;
  }
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A bar with its value.
export function bar(cell, part, text) {
  let line = cell.querySelector('.bar');
  if (!line) {
    line = document.createElement('span');
    line.className = 'bar';
    line.append(document.createElement('span'));
    const value = document.createElement('span');
    cell.append(value, line);
  }
  setText(cell.firstElementChild, text);
  line.firstElementChild.style.width = (100 * Math.min(1, part)).toFixed(1) + '%';
}
