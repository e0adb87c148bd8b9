// Views of texts: only the lines in sight are elements, so that a million lines scroll as well as ten.

const LINE_HEIGHT = 19;
const OVERSCAN = 20;

/** The place that is chosen, in all views at once; -1 for none. */
const chosenPlace = { place: -1, listeners: new Set() };

function choosePlace(place) {
  chosenPlace.place = place === chosenPlace.place ? -1 : place;
  for (const listener of chosenPlace.listeners) listener(chosenPlace.place);
}

/** Rows of equal height, of which those in sight are drawn by `draw(row)`. */
class Rows {
  constructor(label, draw) {
    this.draw = draw;
    this.rows = [];
    this.inner = h("div.rows-inner");
    this.element = h("div.rows", { tabindex: 0, role: "region", "aria-label": label }, this.inner);
    this.element.addEventListener("scroll", () => this.schedule());
    new ResizeObserver(() => this.schedule()).observe(this.element);
  }

  /** Show rows of one column, or of two, which scroll sideways together; `width` is that of the widest line. */
  show(rows, width, inColumns) {
    this.rows = rows;
    this.inColumns = inColumns;
    this.inner.classList.toggle("two", inColumns);
    this.inner.style.height = `${rows.length * LINE_HEIGHT}px`;
    this.inner.style.minWidth = inColumns ? `calc(50% + ${width}ch)` : `${width}ch`;
    this.refresh();
  }

  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.refresh();
    });
  }

  /** Draw what is in sight. */
  refresh() {
    const top = this.element.scrollTop;
    const height = this.element.clientHeight || 600;
    const first = Math.max(0, Math.floor(top / LINE_HEIGHT) - OVERSCAN);
    const last = Math.min(this.rows.length, Math.ceil((top + height) / LINE_HEIGHT) + OVERSCAN);
    const left = this.element.scrollLeft;
    this.inner.style.setProperty("--shift", `${-left}px`);
    const drawn = [];
    for (let number = first; number < last; number++) {
      const element = this.draw(this.rows[number], number);
      element.style.top = `${number * LINE_HEIGHT}px`;
      if (this.inColumns) Object.assign(element.style, { left: `${left}px`, width: `${this.element.clientWidth}px` });
      drawn.push(element);
    }
    this.inner.replaceChildren(...drawn);
  }

  keepInSight(number) {
    const { scrollTop, clientHeight } = this.element;
    const top = number * LINE_HEIGHT;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + 2 * LINE_HEIGHT > scrollTop + clientHeight) this.element.scrollTop = top + 2 * LINE_HEIGHT - clientHeight;
    this.refresh();
  }

  reveal(number) {
    this.element.scrollTop = Math.max(0, number * LINE_HEIGHT - this.element.clientHeight / 3);
    this.refresh();
  }
}

/** A view of one text, or of the difference of two, with a search field. */
class TextView {
  constructor(compilation, label) {
    this.compilation = compilation;
    this.found = -1;
    this.cursor = -1;
    this.rows = new Rows(label, (row, number) => this.drawRow(row, number));
    this.status = h("span.status", { role: "status" });
    this.input = h("input", {
      type: "search", placeholder: "find in text", "aria-label": `Find in ${label}`,
      oninput: () => this.find(this.input.value, 1, true),
      onkeydown: (event) => { if (event.key === "Enter") this.find(this.input.value, event.shiftKey ? -1 : 1, false); },
    });
    this.tools = h("div.text-tools", {}, this.input, this.status);
    this.element = h("div.text", {}, this.tools, this.rows.element);
    this.rows.element.addEventListener("keydown", (event) => this.onKey(event));
    const listener = () => {
      if (this.element.isConnected) this.rows.refresh();
      else chosenPlace.listeners.delete(listener);
    };
    chosenPlace.listeners.add(listener);
  }

  /** Show a text. */
  async show(text) {
    const request = (this.request = {});
    const right = await this.compilation.text(text);
    if (request !== this.request) return;
    this.sides = { left: null, right };
    this.columns = 1;
    this.fill(right.lines.map((_, number) => ({ kind: "same", left: -1, right: number })));
  }

  /** Show what changed between two texts: in two columns, or in one. */
  async compare(before, after, inColumns) {
    return this.compareTexts([this.compilation.text(before), this.compilation.text(after)], inColumns);
  }

  /** Show what differs between a text of another compilation and one of this; no line of them has a place. */
  async compareWith(other, before, after, inColumns) {
    const withoutPlaces = async (text) => ({ lines: (await text).lines, places: [] });
    return this.compareTexts([withoutPlaces(other.text(before)), withoutPlaces(this.compilation.text(after))], inColumns);
  }

  async compareTexts(texts, inColumns) {
    const request = (this.request = {});
    const [left, right] = await Promise.all(texts);
    if (request !== this.request) return;
    this.sides = { left, right };
    this.columns = inColumns ? 2 : 1;
    const rows = difference(left.lines, right.lines);
    this.fill(folded(inColumns ? sideBySide(rows) : rows));
  }

  fill(rows) {
    const lines = [...(this.sides.left?.lines ?? []), ...this.sides.right.lines];
    const width = lines.reduce((most, line) => Math.max(most, line.length), 0) + 8;
    this.found = this.cursor = -1;
    this.rows.element.scrollTo(0, 0);
    this.rows.show(rows, Math.min(width, LONGEST), this.columns === 2);
  }

  drawRow(row, number) {
    if (row.kind === "fold") {
      const words = `⋯ ${count(row.rows.length, "line")} as before`;
      return h(`button.line.fold${number === this.cursor ? ".cursor" : ""}`, { type: "button", onclick: () => this.unfold(number) }, words);
    }
    const isCursor = number === this.cursor ? ".cursor" : "";
    const isFound = number === this.found ? ".found" : "";
    const place = this.placeOf(row);
    const isChosen = place >= 0 && place === chosenPlace.place ? ".chosen" : "";
    const cells = this.columns === 2
      ? [this.cell(row.left < 0 ? "none" : row.kind === "same" ? "same" : "removed", this.sides.left, row.left),
         this.cell(row.right < 0 ? "none" : row.kind === "same" ? "same" : "added", this.sides.right, row.right)]
      : [row.right < 0 ? this.cell("removed", this.sides.left, row.left)
                       : this.cell(row.kind, this.sides.right, row.right)];
    return h(`div.line${isFound}${isChosen}${isCursor}`, { onclick: () => place >= 0 && !getSelection().toString() && choosePlace(place) }, ...cells);
  }

  cell(kind, side, number) {
    const mark = { removed: "−", added: "+" }[kind] ?? " ";
    if (number < 0) return h(`div.cell.${kind}`);
    return h(`div.cell.${kind}`, {}, h("span.line-number", {}, String(number + 1)),
      this.sides.left ? h("span.mark", {}, mark) : null, h("span.clip", {}, h("code", {}, ...highlighted(side.lines[number]))));
  }

  placeOf(row) {
    return row.right >= 0 ? this.sides.right.places[row.right] : this.sides.left.places[row.left];
  }

  /** Arrows move a cursor, which is read out; Enter chooses its line, or opens the fold. */
  onKey(event) {
    const rows = this.rows.rows;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && rows.length) {
      this.cursor = Math.min(Math.max(this.cursor + step, 0), rows.length - 1);
      const row = rows[this.cursor];
      this.status.textContent = row.kind === "fold" ? `${count(row.rows.length, "line")} as before`
        : `${row.kind === "same" ? "" : `${row.kind}: `}${this.lineOf(row).trim()}`;
      this.rows.keepInSight(this.cursor);
    } else if (event.key === "Enter" && this.cursor >= 0 && event.target === this.rows.element) {
      const row = rows[this.cursor];
      if (row.kind === "fold") this.unfold(this.cursor);
      else if (this.placeOf(row) >= 0) choosePlace(this.placeOf(row));
    } else return;
    event.preventDefault();
  }

  unfold(number) {
    const rows = this.rows.rows;
    rows.splice(number, 1, ...rows[number].rows);
    this.rows.inner.style.height = `${rows.length * LINE_HEIGHT}px`;
    this.rows.refresh();
  }

  /** Go to the next row with a pattern, which opens the fold that it is in. */
  find(pattern, direction, fromHere) {
    const words = pattern.toLowerCase();
    const rows = this.rows.rows;
    const matches = (row) => row.kind === "fold" ? row.rows.some(matches)
      : this.lineOf(row).toLowerCase().includes(words);
    const total = words ? rows.filter(matches).length : 0;
    let at = this.found;
    if (total) {
      if (!fromHere || at < 0) at += direction;
      for (at = (at + rows.length) % rows.length; !matches(rows[at]); at = (at + direction + rows.length) % rows.length);
      if (rows[at].kind === "fold") {
        this.unfold(at);
        while (!matches(rows[at])) at++;
      }
    }
    this.found = total ? at : -1;
    this.status.textContent = words ? count(total, "row") : "";
    if (total) this.rows.reveal(at);
    else this.rows.refresh();
  }

  lineOf(row) {
    return row.right >= 0 ? this.sides.right.lines[row.right] : this.sides.left.lines[row.left];
  }
}

/** Buttons that choose how differences are shown, for a page and those that are opened after it. */
const differenceStyle = { inColumns: false };

function differenceChoice(onchange) {
  return choice("How to show changes", [[false, "Unified"], [true, "Side by side"]], differenceStyle.inColumns, (value) => {
    differenceStyle.inColumns = value;
    onchange();
  });
}
