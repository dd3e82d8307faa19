// The script of the page that `show --format html` writes. The page's data are the layout's own map, as stages (see
// explorer.h); every place, padding and difference on the page is found here by evaluating them. It asks nothing of the
// network. window.layoutPage is for tests.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("layout").textContent);
const MOST = 1 << 17; // elements that are placed one by one
const ROWS = 24;
const byId = id => document.getElementById(id);
const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
const show = point => `[${point.join(", ")}]`;
const product = extents => extents.reduce((a, b) => a * b, 1);
const pointOf = (number, extents) => {
  const point = new Array(extents.length);
  for (let d = extents.length - 1; d >= 0; d--) {
    point[d] = number % extents[d];
    number = Math.floor(number / extents[d]);
  }
  return point;
};
const numberOf = (point, extents) => point.reduce((sum, x, d) => sum * extents[d] + x, 0);
const inside = (point, extents) => extents.every((extent, d) => point[d] >= 0 && point[d] < extent);

function apply(stage, x) {
  if (stage.rows) return stage.rows.map(row => row.terms.reduce((sum, [input, times]) => sum + times * x[input], row.constant));
  const y = x.slice();
  if (stage.weights) {
    let left = x[stage.input];
    y.splice(stage.input, 1, ...stage.weights.map(weight => {
      const digit = Math.floor(left / weight);
      left -= digit * weight;
      return digit;
    }));
    return y;
  }
  const value = BigInt(x[stage.input]), shift = BigInt(stage.shift);
  const field = ((1n << BigInt(stage.bits)) - 1n) << BigInt(stage.base);
  y[stage.input] = Number(stage.down ? value ^ ((value >> shift) & field) : value ^ ((value & field) << shift));
  return y;
}
const trace = (stages, point) => stages.reduce((all, stage) => [...all, apply(stage, all[all.length - 1])], [point]);
const run = (stages, point) => stages.reduce((x, stage) => apply(stage, x), point);

// One layout with its tensor.
class Side {
  constructor(of) {
    Object.assign(this, of);
    this.elements = product(this.logical.extents);
    this.copies = product(this.replicas);
    this.rank = this.physical.extents.length;
    this.slots = product(this.physical.extents);
    this.last = this.rank ? this.physical.extents[this.rank - 1] : 1;
    const line = this.rank === 1 && this.bits ? Math.max(1, Math.floor(1024 / this.bits)) : 64; // a line of 32 banks
    this.columns = Math.max(1, Math.min(this.last, line, 64));
    this.pieces = Math.ceil(this.last / this.columns);
    this.rows = this.slots ? this.slots / this.last * this.pieces : 0;
    this.owners = this.physical.units.flatMap((unit, d) => unit === "core" || unit === "lane" ? [d] : []);
    this.whole = this.elements * this.copies <= MOST;
    this.index = new Map();
    if (this.whole || !this.decode) this.fill();
  }
  fill() {
    const most = Math.min(this.elements, Math.floor(MOST / Math.max(1, this.copies)));
    for (let n = 0; n < most; n++)
      for (const slot of this.places(pointOf(n, this.logical.extents))) {
        const at = numberOf(slot, this.physical.extents), there = this.index.get(at);
        if (!there) this.index.set(at, [n]);
        else if (!there.includes(n)) there.push(n);
      }
  }
  outputs(element, copy) { return run(this.map, [...element, ...pointOf(copy, this.replicas)]); }
  isSlot(outputs) {
    return outputs.slice(this.rank).every(guard => guard === 0) && inside(outputs, this.physical.extents);
  }
  places(element) {
    const out = [];
    for (let copy = 0; copy < Math.min(this.copies, 64); copy++) {
      const outputs = this.outputs(element, copy);
      if (this.isSlot(outputs)) out.push(outputs.slice(0, this.rank));
    }
    return out;
  }
  // The numbers of the elements in a slot; where not all elements were placed, those that decoding finds.
  holds(slot) {
    if (this.whole || !this.decode) return this.index.get(slot) || [];
    const point = run(this.decode, pointOf(slot, this.physical.extents));
    const rank = this.logical.extents.length, free = rank + this.replicas.length;
    const domain = [...this.logical.extents, ...this.replicas];
    if (!point.slice(free).every(guard => guard === 0) || !inside(point, domain)) return [];
    const outputs = run(this.map, point.slice(0, free));
    if (!this.isSlot(outputs) || numberOf(outputs.slice(0, this.rank), this.physical.extents) !== slot) return [];
    return [numberOf(point.slice(0, rank), this.logical.extents)];
  }
  row(slot) { return Math.floor(slot / this.last) * this.pieces + Math.floor(slot % this.last / this.columns); }
  slotAt(row, column) {
    const lane = row % this.pieces * this.columns + column;
    return lane < this.last ? Math.floor(row / this.pieces) * this.last + lane : -1;
  }
  byte(slot) { return this.bits % 8 === 0 && this.bits ? slot * this.bits / 8 : null; }
  // The memory of one owner begins at 0.
  local(slot) { return this.owners.length ? slot % product(this.physical.extents.slice(this.owners[this.owners.length - 1] + 1)) : slot; }
  bank(slot) {
    const byte = this.byte(this.local(slot));
    return byte === null ? null : Math.floor(byte / 4) % 32;
  }
  owner(slot) {
    const point = pointOf(slot, this.physical.extents);
    return this.owners.map(d => point[d]);
  }
  // The slot at the ragged edge: the last element before padding in the first row that has both; else the first slot of
  // the first row with padding; else slot 0.
  edge() {
    const row = this.ragged();
    for (let column = 1; column < this.columns; column++) {
      const before = this.slotAt(row, column - 1), slot = this.slotAt(row, column);
      if (slot >= 0 && this.holds(before).length && !this.holds(slot).length) return before;
    }
    return Math.max(0, this.slotAt(row, 0));
  }
  ragged() {
    let padded = -1;
    for (let row = 0; row < Math.min(this.rows, MOST / this.columns); row++) {
      let full = 0, empty = 0;
      for (let column = 0; column < this.columns; column++) {
        const slot = this.slotAt(row, column);
        if (slot >= 0) this.holds(slot).length ? full++ : empty++;
      }
      if (full && empty) return row;
      if (empty && padded < 0) padded = row;
    }
    return Math.max(padded, 0);
  }
}

const sides = data.sides.map(side => new Side(side));
const first = sides[0];
const state = {view: "elements", element: null, moved: null};
const sameShape = sides.length === 2 && show(sides[0].logical.extents) === show(sides[1].logical.extents);
// Places in words, to compare two layouts: by axis where the axes have names, else by the number in memory.
const placesOf = (side, element) => side.places(element).map(slot => side.named
  ? side.physical.names.map((name, d) => slot[d] ? name + slot[d] : "").join(" ") : String(numberOf(slot, side.physical.extents))).sort().join(";");
const moves = element => sameShape && placesOf(sides[0], element) !== placesOf(sides[1], element);

if (sameShape) {
  const most = Math.min(first.elements, MOST);
  let count = 0;
  state.moved = [];
  for (let n = 0; n < most; n++)
    if (moves(pointOf(n, first.logical.extents))) {
      if (state.moved.length < 1000) state.moved.push(n);
      count++;
    }
  byId("moved").textContent = `${count} of ${most < first.elements ? `the first ${most} of ` : ""}${first.elements} elements move`;
}

const marks = new Map(); // by side and slot: the names of what a refutation names
sides.forEach((side, k) => data.marks.forEach(mark => {
  if (k > 0) return;
  const slots = mark.slot ? (inside(mark.slot, side.physical.extents) ? [mark.slot] : []) : side.places(mark.element);
  for (const slot of slots) {
    const key = `${k}:${numberOf(slot, side.physical.extents)}`;
    marks.set(key, [...(marks.get(key) || []), mark.name]);
  }
}));

const grids = sides.map((side, k) => {
  const root = byId(`grid${k}`);
  const grid = {side, k, root, top: 0, cursor: 0};
  root.addEventListener("keydown", event => keyed(grid, event));
  root.addEventListener("pointerover", event => hovered(grid, event));
  root.addEventListener("click", event => hovered(grid, event));
  root.addEventListener("focus", () => select(grid, grid.cursor));
  root.addEventListener("wheel", event => {
    event.preventDefault();
    scroll(grid, grid.top + Math.sign(event.deltaY) * 3);
  }, {passive: false});
  return grid;
});

function text(side, slot) {
  const held = side.holds(slot);
  if (state.view === "bytes") return side.byte(side.local(slot)) ?? "?";
  if (state.view === "banks") return side.bank(slot) ?? "?";
  if (state.view === "cores") return side.owners.length ? side.owner(slot).join(",") : "–";
  if (!held.length) return "·";
  const element = pointOf(held[0], side.logical.extents).join(",") || "[]";
  return held.length > 1 ? `${element} +${held.length - 1}!` : element;
}

// A lightness from 0 to 1 in the order of what the view shows.
function level(side, slot, held) {
  if (state.view === "banks") return (side.bank(slot) ?? 0) / 31;
  if (state.view === "bytes") return (side.byte(side.local(slot)) ?? 0) / 4 % 32 / 31;
  if (state.view === "cores") {
    const extents = side.owners.map(d => side.physical.extents[d]);
    return extents.length ? numberOf(side.owner(slot), extents) / Math.max(1, product(extents) - 1) : 0;
  }
  return held.length ? held[0] / Math.max(1, side.elements - 1) : 0;
}

function draw(grid) {
  const {side, root} = grid;
  grid.top = Math.max(0, Math.min(grid.top, side.rows - ROWS));
  const body = make("table", {role: "presentation"});
  const head = make("tr", {}, make("th", {}, side.physical.names.slice(0, -1).join(",") || side.physical.names[0] || ""));
  for (let column = 0; column < side.columns; column++) head.append(make("th", {}, String(column)));
  body.append(head);
  for (let row = grid.top; row < Math.min(side.rows, grid.top + ROWS); row++) {
    const start = side.slotAt(row, 0), at = pointOf(start, side.physical.extents);
    const header = side.rank > 1 ? at.slice(0, -1).join(",") + (side.pieces > 1 ? ` +${at[side.rank - 1]}` : "") : String(start);
    const line = make("tr", {role: "row"}, make("th", {role: "rowheader"}, header));
    for (let column = 0; column < side.columns; column++) {
      const slot = side.slotAt(row, column);
      if (slot < 0) break;
      const held = side.holds(slot), named = marks.get(`${grid.k}:${slot}`);
      const cell = make("td", {role: "gridcell", id: `s${grid.k}-${slot}`, "data-slot": slot}, String(text(side, slot)));
      if (named) cell.append(make("sup", {}, named.join(",")));
      if (!held.length) cell.classList.add("padding");
      else cell.style.setProperty("--level", level(side, slot, held).toFixed(3));
      if (held.length > 1) cell.classList.add("shared");
      if (named) cell.classList.add("marked");
      if (held.some(n => moves(pointOf(n, side.logical.extents)))) cell.classList.add("moves");
      if (state.element !== null && held.includes(state.element)) cell.classList.add("same");
      if (slot === grid.cursor) cell.classList.add("cursor");
      line.append(cell);
    }
    body.append(line);
  }
  root.replaceChildren(body);
  root.setAttribute("aria-activedescendant", `s${grid.k}-${grid.cursor}`);
  byId(`where${grid.k}`).textContent = side.rows ? `rows ${grid.top} to ${Math.min(side.rows, grid.top + ROWS) - 1} of ${side.rows}` : "no slots";
}

function scroll(grid, top) {
  grid.top = top;
  draw(grid);
}

function reveal(grid, slot) {
  const row = grid.side.row(slot);
  if (row < grid.top || row >= grid.top + ROWS) grid.top = row - Math.floor(ROWS / 3);
  grid.cursor = slot;
}

const stagesOf = (title, stages, point, names) => {
  const values = trace(stages, point);
  const table = make("table", {class: "stages"}, make("caption", {}, title),
                     make("tr", {}, make("td", {}, names), make("td", {}, show(point))));
  stages.forEach((stage, k) => table.append(make("tr", {}, make("td", {}, stage.text), make("td", {}, show(values[k + 1])))));
  return table;
};

// What is known of a slot: the element in it with its stages, the way back, the neighbours in memory.
function describe(grid, slot) {
  const {side} = grid, out = byId("detail");
  const place = pointOf(slot, side.physical.extents), held = side.holds(slot);
  const facts = [`slot ${show(place)}, number ${slot}`];
  if (side.byte(slot) !== null) facts.push(`byte ${side.byte(slot)}`, `bank ${side.bank(slot)}`);
  if (side.owners.length) facts.push(side.owners.map(d => `${side.physical.names[d]} ${place[d]}`).join(" "));
  out.replaceChildren(make("h2", {}, held.length ? `element ${held.map(n => show(pointOf(n, side.logical.extents))).join(" and ")}` : "padding"),
                      make("p", {}, facts.join(" · ")));
  for (const n of held.slice(0, 2)) {
    const element = pointOf(n, side.logical.extents);
    out.append(stagesOf("from the element to its slot", side.map, [...element, ...pointOf(0, side.replicas)], "element"));
    if (sides.length === 2)
      sides.forEach((other, k) => out.append(make("p", {}, `layout ${"AB"[k]}: ${other.places(element).map(show).join(" and ") || "no slot"}`)));
  }
  if (side.decode) out.append(stagesOf("from the slot back", side.decode, place, "slot"));
  const near = make("p", {}, "in memory: ");
  for (const [word, other] of [["before it ", slot - 1], ["after it ", slot + 1]]) {
    if (other < 0 || other >= side.slots) continue;
    const there = side.holds(other);
    const button = make("button", {type: "button"}, there.length ? show(pointOf(there[0], side.logical.extents)) : "padding");
    button.addEventListener("click", () => select(grid, other));
    near.append(word, button, " ");
  }
  out.append(near);
}

function select(grid, slot) {
  reveal(grid, slot);
  const held = grid.side.holds(slot);
  state.element = held.length ? held[0] : null;
  if (state.element !== null && sameShape) {
    const other = grids[1 - grid.k], places = other.side.places(pointOf(state.element, other.side.logical.extents));
    if (places.length) reveal(other, numberOf(places[0], other.side.physical.extents));
  }
  grids.forEach(draw);
  grids.forEach(each => byId(`s${each.k}-${each.cursor}`)?.scrollIntoView({block: "nearest", inline: "nearest"}));
  describe(grid, slot);
}

function hovered(grid, event) {
  const cell = event.target.closest("td[data-slot]");
  if (!cell) return;
  const slot = Number(cell.dataset.slot);
  if (event.type === "click" || sides.length === 2) return select(grid, slot);
  if (slot === grid.cursor) return;
  const held = grid.side.holds(slot);
  state.element = held.length ? held[0] : null;
  grid.cursor = slot;
  for (const node of grid.root.querySelectorAll("td")) {
    const other = Number(node.dataset.slot);
    node.classList.toggle("cursor", other === slot);
    node.classList.toggle("same", state.element !== null && grid.side.holds(other).includes(state.element));
  }
  grid.root.setAttribute("aria-activedescendant", cell.id);
  describe(grid, slot);
}

function keyed(grid, event) {
  const {side} = grid;
  const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -side.columns, ArrowDown: side.columns,
                PageUp: -ROWS * side.columns, PageDown: ROWS * side.columns, Home: -side.slots, End: side.slots}[event.key];
  if (step === undefined || !side.slots) return;
  event.preventDefault();
  select(grid, Math.max(0, Math.min(side.slots - 1, grid.cursor + step)));
}

// Finds "2,7,40", an element, or "slot 7,0,2,40".
function find(words) {
  const numbers = (words.match(/-?\d+/g) || []).map(Number), bySlot = /^\s*slot/i.test(words);
  const said = byId("found");
  if (bySlot) {
    if (numbers.length !== first.rank || !inside(numbers, first.physical.extents)) return said.textContent = "there is no such slot";
    said.textContent = "";
    return select(grids[0], numberOf(numbers, first.physical.extents));
  }
  if (numbers.length !== first.logical.extents.length || !inside(numbers, first.logical.extents)) return said.textContent = "there is no such element";
  const places = first.places(numbers);
  if (!places.length) {
    said.textContent = `element ${show(numbers)} has no slot: the map gives ${show(first.outputs(numbers, 0))}`;
    byId("detail").replaceChildren(make("h2", {}, `element ${show(numbers)} has no slot`),
                                   stagesOf("from the element", first.map, [...numbers, ...pointOf(0, first.replicas)], "element"));
    return undefined;
  }
  said.textContent = places.length > 1 ? `in ${first.copies} slots; the first one is shown` : "";
  return select(grids[0], numberOf(places[0], first.physical.extents));
}

byId("find").addEventListener("submit", event => {
  event.preventDefault();
  history.replaceState(null, "", `#at=${byId("at").value.replace(/\s/g, "")}`);
  find(byId("at").value);
});
for (const radio of document.querySelectorAll("input[name=view]"))
  radio.addEventListener("change", () => {
    state.view = radio.value;
    grids.forEach(draw);
  });
byId("theme").addEventListener("click", () => {
  const {dataset} = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  dataset.theme = (dataset.theme || system) === "dark" ? "light" : "dark";
});
byId("next").hidden = !state.moved || !state.moved.length;
byId("next").addEventListener("click", () => {
  const after = state.moved.find(n => state.element === null || n > state.element) ?? state.moved[0];
  find(pointOf(after, first.logical.extents).join(","));
});
if (!sides.some(side => side.owners.length)) byId("cores").remove();
if (!first.whole && !first.decode) byId("found").textContent = "only the first elements are placed here; other slots may hold elements too";

const asked = /^#at=(.+)$/.exec(decodeURIComponent(location.hash));
grids.forEach(grid => {
  grid.top = Math.max(0, grid.side.ragged() - 4);
  grid.cursor = grid.side.slots ? grid.side.edge() : 0;
});
grids.forEach(draw);
const witness = data.marks.find(mark => mark.element);
if (asked) find(asked[1]);
else if (data.at) find(data.at.join(","));
else if (witness) find(witness.element.join(","));
else if (first.slots) select(grids[0], grids[0].cursor);
window.layoutPage = {sides, find, state, grids};
})();
