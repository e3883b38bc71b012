// Elements. Text always becomes a text node: nothing here, or anywhere else in the
// page, makes markup of text.

// Characters that are not seen, or change how others are seen.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function visible(text) {
  return String(text).replace(unseen, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
}

// el makes an element: attributes whose value is a function are listeners.
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// shape makes an element of a drawing.
function shape(name, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

// tip gives a shape a text that shows when the pointer rests on it.
function tip(node, text) {
  node.append(shape('title', {}, text));
  return node;
}

function button(text, onclick, attributes) {
  return el('button', { type: 'button', click: onclick, ...attributes }, text);
}

// table makes one of rows of cells. Cells may be nodes; columns say name and whether
// they are numbers.
function table(columns, rows, attributes) {
  const cell = (c, i) => el('td', { class: columns[i].number ? 'number' : columns[i].class }, c);
  return el(
    'div',
    { class: 'scroll-x' },
    el(
      'table',
      attributes,
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          columns.map(c => el('th', { scope: 'col', class: c.number ? 'number' : null, title: c.about }, c.name)),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map(r => el('tr', r.attributes || {}, (r.cells || r).map(cell))),
      ),
    ),
  );
}

// choice makes a labelled select.
function choice(label, options, value, onchange) {
  const select = el(
    'select',
    { change: () => onchange(select.value) },
    options.map(([v, text]) => el('option', { value: v, selected: String(v) === String(value) }, text)),
  );
  return el('label', { class: 'field' }, el('span', {}, label), select);
}

// soon calls a function once the user has stopped typing.
function soon(call, ms = 150) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...args), ms);
  };
}
