// The arena over time, and how large weights are.

const MOST_WEIGHTS = 500;

function memoryPage(compilation) {
  const total = compilation.weights.reduce((sum, weight) => sum + weight.bytes, 0);
  const weights = compilation.weights.slice(0, MOST_WEIGHTS);
  return h("section.main.wide", {}, h("h1", {}, "Memory"),
    ...compilation.arenas.map((arena) => arenaView(compilation, arena)),
    compilation.arenas.length ? null : h("p.empty", {}, "No model of this module needs a workspace."),
    h("h2", {}, "Weights"),
    h("p.lead", {}, `${count(compilation.weights.length, "constant")}, ${amount(total, "B")} in the artifact. Their numbers are not in this file.`),
    weights.length ? table([
      { title: "symbol", of: (weight) => weight.name },
      { title: "type", of: (weight) => weight.type },
      { title: "bytes", of: (weight) => weight.bytes, cell: (weight) => h("span.share", {}, amount(weight.bytes, "B"), bar(weight.bytes / weights[0].bytes)), number: true },
    ], weights, { caption: "Weights by size", sort: 2 }) : null);
}

function arenaView(compilation, arena) {
  const details = h("p.status", { role: "status" }, "Choose a buffer.");
  return h("div.card", {}, h("h2", {}, `Workspace of ${arena.function}`),
    h("p.lead", {}, `${amount(arena.size, "B")} for ${count(arena.buffers.length, "buffer")} of ${amount(arena.buffers.reduce((sum, each) => sum + each.size, 0), "B")}. `
      + "From left to right the ops of the function, from top to bottom the bytes of its workspace: buffers at one height share memory."),
    arenaPicture(compilation, arena, details), details);
}

function arenaPicture(compilation, arena, details) {
  const [width, height, steps] = [1000, 300, Math.max(arena.ops.length, 1)];
  const x = (step) => (step * width) / steps;
  const y = (byte) => (byte * height) / Math.max(arena.size, 1);
  const words = (each) => `${each.name}, ${amount(each.size, "B")} at byte ${each.offset.toLocaleString("en")}, `
    + `from ${arena.ops[each.first]} (${each.first + 1}) to ${arena.ops[each.last]} (${each.last + 1})`;
  return svg("svg.arena", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Workspace of ${arena.function} over time`, preserveAspectRatio: "none" },
    ...arena.buffers.map((each, number) => {
      const choose = () => {
        details.textContent = words(each);
        if (each.place >= 0 && chosenPlace.place !== each.place) choosePlace(each.place);
      };
      return svg(`rect.buffer.hue-${number % 6}`, { x: x(each.first), y: y(each.offset), width: Math.max(2, x(each.last + 1) - x(each.first) - 1), height: Math.max(2, y(each.size) - 1),
        tabindex: 0, role: "button", "aria-label": words(each), onclick: choose, onfocus: () => { details.textContent = words(each); },
        onkeydown: (event) => { if (event.key === "Enter") choose(); } }, svg("title", {}, words(each)));
    }));
}
