// Small things that all pages are made of. Text is set as text: nothing is ever parsed as HTML.

/** An element: `h("a.link", { href, onclick }, "words", other)`. */
function h(spelling, attributes = {}, ...children) {
  const [tag, ...classes] = spelling.split(".");
  return dress(document.createElement(tag), classes, attributes, children);
}

/** The same for SVG. */
function svg(spelling, attributes = {}, ...children) {
  const [tag, ...classes] = spelling.split(".");
  return dress(document.createElementNS("http://www.w3.org/2000/svg", tag), classes, attributes, children);
}

function dress(element, classes, attributes, children) {
  if (classes.length) element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.classList.add(...value.split(" ").filter(Boolean));
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A number of three digits with a prefix: `1.23 M`. */
function amount(number, unit) {
  const prefixes = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  if (!number) return `0 ${unit}`;
  const [factor, prefix] = prefixes.find(([each]) => number >= 0.9995 * each) ?? [1e-9, "n"];
  return `${Number((number / factor).toPrecision(3))} ${prefix}${unit}`;
}

/** A part of a whole in percent. */
function percent(part, whole) {
  const share = whole ? (100 * part) / whole : 0;
  return share && share < 1 ? "<1%" : `${Math.round(share)}%`;
}

/** How many of something there are, in words. */
function count(number, word) {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}

/** A horizontal bar that shows a share from 0 to 1; `share` is read out by the text beside it. */
function bar(share) {
  const inner = h("span.bar-fill");
  inner.style.width = `${100 * Math.min(1, Math.max(0, share))}%`;
  return h("span.bar", { "aria-hidden": "true" }, inner);
}

const sortedBy = new Map(); // the column and direction that were chosen for tables, by their captions

// What words of tables and facts mean, each the same on all pages; shown for a word that the pointer rests on.
const TERMS = {
  "at least": "the time by the limits of the machine alone, if nothing waits for anything else",
  "bound by": "what the least time is for: arithmetic (compute), or a level of the memory",
  "of bound": "the least time as a part of the time that a call takes: 100% is all that the machine can do",
  "lost": "how much longer all calls of a kernel take than their least time",
  "estimate": "what a call should take by its loops and the facts of the machine",
  "estimate decided by": "the part of the core, or the level of the memory, that takes longest in the estimate",
  "of model": "all calls of a kernel as a part of the estimates of all kernels",
  "measured": "the shortest time of many calls on this machine",
  "spread": "how far the times of these calls differ: something else that runs makes calls longer, never shorter",
  "beyond the kernels": "what a call of the model takes beyond its kernels: operands that are farther away, code that is cold, calls",
  "throughput": "the cycles of an iteration in which the busiest part of the core could start its work, by the facts of the machine: an estimate, which counts no waiting",
  "schedule": "where the schedule is from",
  "of measured": "all calls of a kernel as a part of the measured time of the model",
  "simulated": "the cycles of an iteration in LLVM's model of the CPU",
};

/** The meaning of a word; what follows a comma says which times it is about. */
function meaning(words) {
  return TERMS[words.split(",")[0]];
}

/** The meanings of words, as sentences. */
function legend(...terms) {
  return h("p.quiet.legend", {}, terms.map((term) => `${term[0].toUpperCase()}${term.slice(1)}: ${TERMS[term]}.`).join(" "));
}

/** A table whose columns sort when their heads are clicked, and stay so when the table is shown again: columns are `{ title, of(row), cell(row)?, number? }`. */
function table(columns, rows, { caption, sort = -1, onrow } = {}) {
  const body = h("tbody");
  let [by, down] = sortedBy.get(caption) ?? [sort, true];
  const heads = columns.map((column, number) =>
    h("th", { scope: "col", class: column.number ? "number" : "" },
      h("button", { type: "button", title: meaning(column.title), onclick: () => { down = by === number ? !down : Boolean(column.number); by = number; sortedBy.set(caption, [by, down]); fill(); } }, column.title)));
  function fill() {
    const ordered = by < 0 ? rows : [...rows].sort((a, b) => compare(columns[by].of(a), columns[by].of(b)) * (down ? -1 : 1));
    heads.forEach((head, n) => head.setAttribute("aria-sort", n === by ? (down ? "descending" : "ascending") : "none"));
    body.replaceChildren(...ordered.map((row) => h("tr", onrow ? { onclick: () => onrow(row) } : {},
      ...columns.map((column) => h("td", { class: column.number ? "number" : "" }, (column.cell ?? column.of)(row))))));
  }
  fill();
  return h("div.table", { role: "region", "aria-label": caption, tabindex: 0 },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, ...heads)), body));
}

function compare(a, b) {
  return typeof a === "string" ? a.localeCompare(b) : a - b;
}

/** Buttons of which one is chosen: `choices` are pairs of a value and words. */
function choice(label, choices, chosen, onchoose) {
  const buttons = choices.map(([value, words]) =>
    h("button", { type: "button", "aria-pressed": String(value === chosen), onclick: () => {
      buttons.forEach((button, n) => button.setAttribute("aria-pressed", String(choices[n][0] === value)));
      onchoose(value);
    } }, words));
  return h("div.choice", { role: "group", "aria-label": label }, ...buttons);
}

/** Links as tabs. */
function tabs(label, entries, chosen) {
  return h("nav.tabs", { "aria-label": label },
    ...entries.map(([name, words, href]) => h("a", { href, "aria-current": name === chosen ? "page" : false }, words)));
}

/** A fact with its name. */
function fact(name, ...value) {
  return h("div.fact", {}, h("dt", explained(name), name), h("dd", {}, ...value));
}

/** What makes an element show the meaning of its words, to the pointer and to the keyboard. */
function explained(words) {
  return meaning(words) ? { title: meaning(words), tabindex: 0 } : {};
}

/** Shows beside an element that the keyboard is on what it shows to the pointer: its title. Escape takes that away. */
function tip() {
  const element = h("div.tip", { id: "tip", role: "tooltip", hidden: true });
  let shown = null;
  const hide = () => {
    shown?.removeAttribute("aria-describedby");
    shown = null;
    element.hidden = true;
  };
  document.addEventListener("focusin", ({ target }) => {
    hide();
    const words = target.getAttribute("title") ?? target.querySelector(":scope > title")?.textContent;
    if (!words || !target.matches(":focus-visible")) return;
    shown = target;
    shown.setAttribute("aria-describedby", "tip");
    element.replaceChildren(words);
    element.hidden = false;
    const at = target.getBoundingClientRect();
    element.style.left = `${Math.max(8, Math.min(at.left, innerWidth - element.offsetWidth - 8))}px`;
    element.style.top = `${at.bottom + 6 + element.offsetHeight < innerHeight ? at.bottom + 6 : at.top - 6 - element.offsetHeight}px`;
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, true);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  return element;
}

/** The address of a page: its parts may hold any character. */
function link(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}
