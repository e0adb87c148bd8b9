// The inner loops of a kernel: instructions, what they keep busy, what llvm-mca says of them.

function innerLoopTab(compilation, name, detail) {
  const loops = compilation.codeOf.get(name)?.loops ?? [];
  if (!loops.length) return h("p.empty", {}, "No loop of one block computes on vectors: it is unrolled, computes with single numbers, or is part of the loop that called it.");
  const number = Math.min(Number(detail ?? 0) || 0, loops.length - 1);
  const loop = loops[number];
  const view = new TextView(compilation, "instructions of the loop");
  view.show(loop.text);
  const words = (each) => count(each.counts["multiply-adds"] ?? 0, "multiply-add");
  const pick = loops.length > 1 ? h("nav.tabs", { "aria-label": "Inner loops" }, ...loops.map((each, n) =>
    h("a", { href: link("kernels", name, "loop", n), title: loopWords(each), "aria-current": n === number ? "page" : false }, loopName(each, loops), h("span.tab-note", {}, words(each))))) : null;
  return [pick, loopFacts(compilation, loop, pick ? "" : loopName(loop, loops)), h("div.panes.narrow-left", {}, h("div.steps", {}, ...loopCards(loop)), view.element)];
}

/** What a loop of machine code is in the IR: loops from the outermost to its own; with its block where others have the same. */
function loopName(loop, all) {
  const path = (each) => each.loops.join(" › ") || "made by LLVM";
  return all.filter((each) => path(each) === path(loop)).length > 1 && loop.block ? `${path(loop)} (${loop.block})` : path(loop);
}

function loopWords({ loops, block }) {
  const over = loops.length ? `the loop over ${[...loops].reverse().join(" in that over ")}` : "no loop of the IR, but made by LLVM";
  const [own] = block.split(".");
  return !block || !loops.length ? over : `${over}; ${own === block ? "block" : "LLVM's copy of block"} ${own} of the LLVM IR`;
}

function loopFacts(compilation, loop, name) {
  const bound = Math.max(...Object.values(loop.cycles), 0);
  const { simulation } = loop;
  return h("dl.facts", {}, name ? fact("loop", name) : null, fact("instructions", String(loop.instructions)),
    fact("vector registers", `${loop.vector_registers} of ${compilation.vector_registers}`), fact("other registers", String(loop.other_registers)),
    fact("throughput", `${rounded(bound)} cycles an iteration`),
    simulation ? fact("simulated", `${rounded(simulation.cycles)} cycles`) : null,
    simulation ? fact("throughput / simulated", (bound / simulation.cycles).toFixed(2)) : null,
    simulation ? fact("instructions a cycle", rounded(loop.instructions / simulation.cycles)) : null,
    simulation ? fact("busiest unit", `${simulation.unit}, ${rounded(simulation.busiest)} cycles`) : null,
    loop.counts.spills ? fact("spills", h("span.alarm", {}, String(loop.counts.spills))) : null,
    simulation ? fact("simulated by", compilation.simulator) : fact("not simulated", compilation.simulator ? `${compilation.simulator} does not take this loop` : compilation.no_simulator));
}

function loopCards(loop) {
  const counts = Object.entries(loop.counts).filter(([, number]) => number);
  const most = Math.max(...counts.map(([, number]) => number), 1);
  const cycles = Object.entries(loop.cycles).sort((a, b) => b[1] - a[1]);
  const all = Math.max(loop.simulation?.cycles ?? 0, ...cycles.map(([, number]) => number), 1e-9);
  return [h("h2", {}, "Instructions"), h("dl.parts", {}, ...counts.flatMap(([words, number]) => [h("dt", {}, words), h("dd", {}, String(number), bar(number / most))])),
    h("p.quiet", {}, "An instruction that also loads counts as both."),
    h("h2", {}, "Cycles of an iteration"), h("dl.parts", {}, ...cycles.flatMap(([words, number]) => [h("dt", {}, words), h("dd", {}, rounded(number), bar(number / all))]),
      ...(loop.simulation ? [h("dt", {}, "simulated"), h("dd", {}, rounded(loop.simulation.cycles), bar(loop.simulation.cycles / all))] : [])),
    h("p.quiet", {}, "The parts of the core by the facts of the machine, side by side; the simulation also waits for results, and knows no caches."),
    ...(loop.simulation ? busiestUnit(loop) : [])];
}

const EITHER = "Either may be wrong: mlc machine show tells where each fact is from, mlc machine measure measures them.";
const CLOSE = 1.1; // numbers of cycles that differ less are said to agree

/** What the simulation was held up by, and why that is more than the throughput by the facts of the machine, if it is. */
function busiestUnit({ cycles, simulation }) {
  const rows = Object.entries(simulation.instructions);
  const parts = rows.flatMap(([name, number]) => [h("dt", {}, name), h("dd", {}, rounded(number), bar(number / simulation.busiest))]);
  return [h("h2", {}, `Cycles of the busiest unit, ${simulation.unit}`), rows.length ? h("dl.parts", {}, ...parts) : null,
    h("p.quiet.verdict", {}, heldUpBy(Math.max(...Object.values(cycles), 0), simulation))];
}

function heldUpBy(throughput, { cycles, busiest, unit }) {
  const taken = `${rounded(cycles)} cycles are simulated`;
  if (cycles > CLOSE * busiest) return `${taken}, though no unit is busy for more than ${rounded(busiest)}: instructions wait for each other's results.`;
  const expected = `${rounded(throughput)} by the throughput that the facts of the machine give`;
  if (cycles * CLOSE < throughput) return `${taken}, fewer than the ${expected}: LLVM's model has its units start more. ${EITHER}`;
  if (busiest <= CLOSE * throughput) return `${taken}, about as many as the ${expected}.`;
  return `${taken}, more than the ${expected}: LLVM's model has ${unit} start less. ${EITHER}`;
}
