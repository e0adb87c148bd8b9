// The graph of the model: in layers, with groups that are one node while they are closed.

const NODE = { width: 168, height: 38, gapX: 22, gapY: 34 };
const graphState = { by: "kernels" };
const DRAWN_AROUND = 400;

function graphPage(compilation, [number]) {
  if (!compilation.graph.length) return h("section.main", {}, h("h1", {}, "Graph"), h("p.empty", {}, "The module has no model."));
  const depth = Math.max(...compilation.graph.map((node) => node.scope.length));
  const groupings = [["ops", "Ops"], ...(compilation.calls.length ? [["kernels", "Kernels"]] : []),
    ...Array.from({ length: Math.min(depth, 3) }, (_, n) => [String(n + 1), `Scope ${n + 1}`])];
  const details = h("aside.details", { "aria-live": "polite" });
  const canvas = h("div.canvas");
  const status = h("span.status", { role: "status" });
  const pictures = new Map();
  let picture;
  const draw = (focus) => {
    const choose = (nodes) => details.replaceChildren(...nodeDetails(compilation, nodes));
    if (!pictures.has(graphState.by)) pictures.set(graphState.by, new GraphPicture(compilation, graphState.by, choose));
    picture = pictures.get(graphState.by);
    canvas.replaceChildren(picture.element);
    requestAnimationFrame(() => picture.fit(focus));
  };
  const search = h("input", { type: "search", placeholder: "find a node", "aria-label": "Find a node",
    oninput: () => { status.textContent = search.value ? count(picture.mark(search.value), "node") : (picture.mark(""), ""); } });
  draw(number === undefined ? undefined : Number(number));
  details.replaceChildren(h("p.empty", {}, "Choose a node. Drag to move, use the wheel to zoom."));
  return h("section.main.wide.graph", {},
    h("div.toolbar", {}, h("h1", {}, "Graph"), choice("One node for each", groupings, graphState.by, (value) => { graphState.by = value; draw(); }),
      search, status, h("button", { type: "button", onclick: () => picture.fit() }, "Fit")),
    h("div.graph-area", {}, canvas, details));
}

function nodeDetails(compilation, nodes) {
  const calls = new Set(nodes.flatMap((node) => node.calls));
  const kernels = new Set([...calls].map((call) => compilation.calls[call].kernel));
  return [
    h("h2", {}, nodes.length === 1 ? nodes[0].kind : count(nodes.length, "op")),
    kernels.size ? h("p", {}, "computed by ", ...[...kernels].flatMap((name) => [h("a", { href: link("kernels", name) }, name), " "])) : null,
    h("ul", {}, ...nodes.map((node) => h("li", {}, h("strong", {}, node.label), " ", h("code", {}, node.type),
      node.place >= 0 ? h("button.place", { type: "button", onclick: () => choosePlace(node.place) }, placeName(compilation.places[node.place])) : null,
      ...node.constants.map((words) => h("div.constant", {}, words)), ...nodeValues(compilation, compilation.graph.indexOf(node))))),
  ].filter(Boolean);
}

/** An SVG of the graph that moves and zooms. */
class GraphPicture {
  constructor(compilation, by, onchoose) {
    this.onchoose = onchoose;
    this.boxes = boxesOf(compilation, by);
    this.layout = layered(this.boxes);
    this.view = svg("g");
    this.element = svg("svg", { role: "group", "aria-label": "Graph of the model", tabindex: 0 },
      svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z" }))),
      this.view);
    this.lines = svg("g");
    this.elements = this.boxes.map((box, number) => this.placeBox(box, number));
    this.view.append(this.lines, ...this.elements);
    this.undrawn = { boxes: new Set(this.boxes.keys()), edges: new Set(this.layout.edges) };
    this.listen();
  }

  /** An element for a box, to which `draw` gives what is to be seen of it. */
  placeBox(box, number) {
    const at = this.layout.at[number];
    const choose = () => {
      this.elements.forEach((each, n) => each.classList.toggle("chosen", n === number));
      this.onchoose(box.nodes);
    };
    return svg(`g.node.${box.nodes[0].kind === "input" || box.nodes[0].kind === "output" ? "end" : box.isGroup ? "group" : "op"}`, {
      transform: `translate(${at.x - NODE.width / 2} ${at.y})`, tabindex: 0, role: "button", "aria-label": `${box.title}, ${box.note}`,
      onclick: choose, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } },
      onfocus: () => this.draw(at.y - DRAWN_AROUND, at.y + DRAWN_AROUND),
    });
  }

  /** Draw boxes and edges between two heights, in which they were not drawn yet: all of them would take too long. */
  draw(top, bottom) {
    for (const number of this.undrawn.boxes) {
      const { y } = this.layout.at[number];
      if (y + NODE.height < top || y > bottom) continue;
      const box = this.boxes[number];
      this.undrawn.boxes.delete(number);
      this.elements[number].append(svg("title", {}, `${box.title}\n${box.note}`), svg("rect", { width: NODE.width, height: NODE.height, rx: 6 }),
        svg("text", { x: 10, y: 16 }, inMiddle(box.title, 19)), svg("text.note", { x: 10, y: 30 }, short(box.note, 27)));
    }
    for (const points of this.undrawn.edges) {
      if (points[points.length - 1].y < top || points[0].y > bottom) continue;
      this.undrawn.edges.delete(points);
      this.lines.append(svg(isFar(points) ? "path.edge.far" : "path.edge", { d: curve(points), "marker-end": "url(#arrow)" }));
    }
  }

  listen() {
    let start = null;
    this.element.addEventListener("pointerdown", (event) => { start = { x: event.clientX - this.x, y: event.clientY - this.y, moved: false }; });
    this.element.addEventListener("pointermove", (event) => {
      if (!start || !event.buttons) return;
      if (!start.moved) this.element.setPointerCapture(event.pointerId);
      start.moved = true;
      this.move(event.clientX - start.x, event.clientY - start.y, this.scale);
    });
    this.element.addEventListener("pointerup", () => { start = null; });
    this.element.addEventListener("wheel", (event) => {
      event.preventDefault();
      const frame = this.element.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - frame.left, event.clientY - frame.top);
    }, { passive: false });
    this.element.addEventListener("keydown", (event) => {
      const [width, height] = [this.element.clientWidth, this.element.clientHeight];
      const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
      if (step) this.move(this.x + step[0], this.y + step[1], this.scale);
      else if (event.key === "+" || event.key === "=") this.zoom(1.25, width / 2, height / 2);
      else if (event.key === "-") this.zoom(0.8, width / 2, height / 2);
      else return;
      event.preventDefault();
    });
  }

  move(x, y, scale) {
    Object.assign(this, { x, y, scale });
    this.view.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    this.draw((-y - DRAWN_AROUND) / scale, (this.element.clientHeight - y + DRAWN_AROUND) / scale);
  }

  zoom(factor, x, y) {
    const scale = Math.min(4, Math.max(0.03, this.scale * factor));
    this.move(x - ((x - this.x) * scale) / this.scale, y - ((y - this.y) * scale) / this.scale, scale);
  }

  /** Show the whole width at the top, or what is around the first box if that is too much, or the box of one node. */
  fit(node) {
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    const number = node === undefined ? -1 : this.boxes.findIndex((box) => box.numbers.includes(node));
    if (number >= 0) {
      const at = this.layout.at[number];
      this.move(width / 2 - at.x, height / 3 - at.y, 1);
      this.elements[number].dispatchEvent(new MouseEvent("click"));
      return;
    }
    const scale = Math.min(1.2, Math.max(0.35, (width - 40) / this.layout.width));
    const first = this.layout.at.reduce((found, at) => (at.y < found.y ? at : found));
    const middle = this.layout.width * scale > width ? first.x : this.layout.width / 2;
    this.move(width / 2 - middle * scale, 20, scale);
  }

  /** Mark the boxes with a text in them; how many there are. The first one comes into sight. */
  mark(words) {
    const found = this.boxes.map((box) => Boolean(words) && box.words.includes(words.toLowerCase()));
    this.elements.forEach((element, n) => element.classList.toggle("found", found[n]));
    const first = found.indexOf(true);
    if (first >= 0) {
      const at = this.layout.at[first];
      this.move(this.element.clientWidth / 2 - at.x * this.scale, this.element.clientHeight / 3 - at.y * this.scale, this.scale);
    }
    return found.filter(Boolean).length;
  }
}

function short(words, most) {
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}

/** Words without their middle, if they are longer: the ends tell names with numbers apart. */
function inMiddle(words, most) {
  return words.length > most ? `${words.slice(0, most - 6)}…${words.slice(-5)}` : words;
}

/** The boxes of a picture: ops, or groups of them. */
function boxesOf(compilation, by) {
  const keyOf = (node, number) => {
    if (node.kind === "input" || node.kind === "output" || by === "ops") return `op ${number}`;
    if (by === "kernels") return node.calls.length ? `call ${node.calls[0]}` : `op ${number}`;
    const scope = node.scope.slice(0, Number(by));
    return scope.length ? `scope ${scope.join("/")}` : `op ${number}`;
  };
  const numberOf = new Map();
  const boxes = [];
  const boxOf = compilation.graph.map((node, number) => {
    const key = keyOf(node, number);
    if (!numberOf.has(key)) {
      numberOf.set(key, boxes.length);
      boxes.push({ nodes: [], numbers: [], inputs: new Set() });
    }
    boxes[numberOf.get(key)].nodes.push(node);
    boxes[numberOf.get(key)].numbers.push(number);
    return numberOf.get(key);
  });
  compilation.graph.forEach((node, number) => node.inputs.forEach((input) => {
    if (boxOf[input] !== boxOf[number]) boxes[boxOf[number]].inputs.add(boxOf[input]);
  }));
  for (const box of boxes) {
    const [first] = box.nodes;
    const last = box.nodes[box.nodes.length - 1];
    const isCall = by === "kernels" && first.calls.length;
    const isScope = box.nodes.length > 1 && !isCall;
    box.isGroup = Boolean(isCall || isScope);
    box.title = isCall ? compilation.calls[first.calls[0]].kernel : isScope ? first.scope.slice(0, Number(by)).join("/") : first.label;
    const where = first.place >= 0 ? placeName(compilation.places[first.place]) : "";
    box.note = isScope ? count(box.nodes.length, "op") : last.type || where;
    box.words = box.nodes.flatMap((node) => [node.label, node.kind, node.type, ...node.words, node.place >= 0 ? compilation.places[node.place].words : ""]).concat(box.title).join(" ").toLowerCase();
  }
  return boxes;
}

/** Whether an edge goes straight across much of the picture. */
function isFar(points) {
  return points.length === 2 && points[1].y - points[0].y > FARTHEST * (NODE.height + NODE.gapY) / 2;
}

function curve(points) {
  const [first, ...rest] = points;
  let from = first;
  return rest.reduce((path, to) => {
    const middle = (from.y + to.y) / 2;
    const piece = `C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
    from = to;
    return path + piece;
  }, `M${first.x} ${first.y}`);
}
