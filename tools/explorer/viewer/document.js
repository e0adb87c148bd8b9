// The document: what `tools/explorer/document.py` describes, decompressed, with what follows from it.

/** Decompress the JSON that an element holds. */
async function unpack(element) {
  const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** All documents of the page, in order. */
async function readDocuments() {
  const chunks = [...document.querySelectorAll("script.texts")];
  const documents = [];
  for (const element of document.querySelectorAll("script.document")) {
    const data = await unpack(element);
    documents.push(new Compilation(data, chunks.splice(0, data.chunks.length)));
  }
  return documents;
}

/** What differs between the two documents of a page; null for a page of one. */
async function readComparison() {
  const element = document.querySelector("script.comparison");
  return element && unpack(element);
}

/** One compilation. */
class Compilation {
  constructor(data, chunks) {
    Object.assign(this, data);
    this.chunkElements = chunks;
    this.loaded = new Map();
    this.kernel = new Map(data.kernels.map((kernel) => [kernel.name, kernel]));
    this.codeOf = new Map(data.code.map((code) => [code.function, code]));
    this.total = data.kernels.reduce((sum, kernel) => sum + this.seconds(kernel), 0);
    const computed = data.calls.flatMap((call) => call.places.map((place) => [place, call.kernel]));
    const merged = data.graph.flatMap((node) => node.calls.map((call) => [node.place, data.calls[call].kernel]));
    this.kernelsAt = groups([...computed, ...merged]);
    this.nodesOf = groups(data.graph.flatMap((node) => node.calls.map((call) => [data.calls[call].kernel, node])));
    this.nodesAt = groups(data.graph.map((node, number) => [node.place, number]));
  }

  /** The text of a number: its lines, and the place of each. */
  async text(number) {
    if (number < 0) return { lines: [], places: [] };
    let chunk = 0;
    while (number >= this.chunks[chunk]) number -= this.chunks[chunk++];
    if (!this.loaded.has(chunk)) this.loaded.set(chunk, unpack(this.chunkElements[chunk]));
    const text = (await this.loaded.get(chunk))[number];
    if (!text.lines) {
      text.lines = text.text.replace(/\n$/, "").split("\n");
      text.places = spread(text.places, text.lines.length);
      delete text.text;
    }
    return text;
  }

  /** What all calls of a kernel are estimated to take. */
  seconds(kernel) {
    return kernel.costs ? kernel.costs.seconds * kernel.calls : 0;
  }

  /** What all calls of a kernel take, as one was measured; 0 if the model has none of them, or nothing was measured. */
  measuredSeconds(kernel) {
    return kernel.measured && !kernel.measured.is_inlined ? kernel.measured.seconds * kernel.calls : 0;
  }

  /** What all calls of a kernel take: measured, where it was, else estimated. */
  bestSeconds(kernel) {
    return this.measured_seconds ? this.measuredSeconds(kernel) : this.seconds(kernel);
  }

  /** What a call of the model was measured to take beyond all its kernels; null if nothing was measured. */
  beyondKernels() {
    const inside = this.kernels.reduce((sum, kernel) => sum + this.measuredSeconds(kernel), 0);
    return this.measured_seconds ? Math.max(0, this.measured_seconds - inside) : null;
  }

  /** What all calls of a kernel take beyond their bound; 0 where one of both is not known. */
  lost(kernel) {
    const taken = this.bestSeconds(kernel);
    return taken && kernel.bound ? Math.max(0, taken - leastSeconds(kernel) * kernel.calls) : 0;
  }

  /** The operators of the model at a place, and the type of what they give; empty where the graph has no node of it. */
  nodeWords(place) {
    const nodes = [...(this.nodesAt.get(place) ?? [])].map((number) => this.graph[number]);
    const written = nodes.flatMap((node) => node.written).map((name) => name.split(".").pop());
    const operators = [...new Set(written.length ? written : nodes.map((node) => node.label))];
    const kinds = nodes.flatMap((node) => node.words).join(" ");
    return { operator: `${operators.length > 2 ? `${operators[0]}, …` : operators.join(", ")}${kinds ? ` ${kinds}` : ""}`, type: shapeWords(nodes[nodes.length - 1]?.type ?? "") };
  }

  /** What people call the ops that a kernel computes, by their attributes, each word once. */
  kindsOf(kernel) {
    const nodes = [...(this.nodesOf.get(kernel.name) ?? [])];
    return [...new Set(nodes.flatMap((node) => [...node.words, ...node.written.map((name) => name.split(".").pop())]))];
  }

  /** The passes that changed a function, with the change. */
  history(name) {
    const found = [];
    this.passes.forEach((pass, number) => {
      const change = pass.changes.find((each) => each.function === name);
      if (change) found.push({ pass, number, change });
    });
    return found;
  }

  /** The number of the text of a function after the last pass of a level; -1 if it is not there. */
  textAt(name, level) {
    let text = this.functions.find((each) => each.function === name)?.after ?? -1;
    const last = this.passes.findLastIndex((pass) => pass.level === level);
    for (const pass of this.passes.slice(0, last + 1)) {
      const change = pass.changes.find((each) => each.function === name);
      if (change) text = change.after;
    }
    return last < 0 ? -1 : text;
  }

  /** The forms that a function takes on its way down: a title, and the number of a text. */
  forms(name) {
    const kernel = this.kernel.get(name);
    const code = this.codeOf.get(name);
    return [
      ["Graph", kernel ? -1 : this.textAt(name, "graph")],
      ["Index notation", kernel ? kernel.definition : this.textAt(name, "tensor")],
      ["Loops before the schedule", kernel ? kernel.loops : -1],
      ["Loops", this.textAt(name, "loop")],
      ["LLVM dialect", this.textAt(name, "llvm")],
      ["LLVM IR", code ? code.llvm_ir : -1],
      ["Assembly", code ? code.assembly : -1],
    ].filter(([, text]) => text >= 0);
  }
}

/** The type of a tensor without the word: `1x64x512xf32`. */
function shapeWords(type) {
  return type.replace(/^tensor<([^<>]*)>$/, "$1");
}

/** Pairs of a key and a value as a map from keys to all their values, each once. */
function groups(pairs) {
  const found = new Map();
  for (const [key, value] of pairs) {
    if (!found.has(key)) found.set(key, new Set());
    found.get(key).add(value);
  }
  return found;
}

/** Runs of places as one place for each line. */
function spread(runs, lines) {
  const places = [];
  for (let i = 0; i < runs.length; i += 2) {
    for (let n = 0; n < runs[i]; n++) places.push(runs[i + 1]);
  }
  while (places.length < lines) places.push(-1);
  return places;
}
