// The table of kernels, and the page of one.

const FAR = 1.25; // an estimate that is off by more does not tell where the time of a kernel goes

function kernelsPage(compilation, [name, chosen, detail]) {
  if (name === undefined) return kernelTable(compilation);
  const kernel = compilation.kernel.get(name);
  if (!kernel && !compilation.forms(name).length && !compilation.history(name).length) {
    return h("section.main", {}, h("p.crumbs", {}, h("a", { href: link("kernels") }, "Kernels"), " / "), h("h1", {}, name), h("p.empty", {}, "No kernel and no function has this name."));
  }
  const entries = kernel
    ? [["levels", "Levels"], ["schedule", "Schedule"], ["costs", "Costs"], ["roofline", "Roofline"], ["loop", "Inner loop"], ["remarks", "Remarks"], ["history", "Passes"]]
    : [["levels", "Levels"], ["history", "Passes"]];
  const tab = entries.some(([key]) => key === chosen) ? chosen : "levels";
  const pages = { levels: levelsTab, schedule: scheduleTab, costs: costsTab, roofline: rooflineTab, loop: innerLoopTab, remarks: remarksTab, history: historyTab };
  return h("section.main.wide", {},
    h("p.crumbs", {}, h("a", { href: link("kernels") }, "Kernels"), " / "),
    h("h1", {}, name),
    kernel ? kernelFacts(compilation, kernel) : null,
    tabs("About this kernel", entries.map(([key, words]) => [key, words, link("kernels", name, key)]), tab),
    pages[tab](compilation, name, detail));
}

function kernelTable(compilation) {
  const longest = (of) => Math.max(...compilation.kernels.map(of));
  const columns = [
    { title: "kernel", of: (k) => k.name, cell: (k) => h("a", { href: link("kernels", k.name) }, k.name) },
    { title: "computes", of: (k) => placeWords(compilation, k) },
    callsColumn(),
    { title: "flops", of: (k) => k.flops, cell: (k) => amount(k.flops, ""), number: true },
    { title: "bytes", of: (k) => k.bytes, cell: (k) => amount(k.bytes, "B"), number: true },
    { title: "estimate", of: (k) => k.costs?.seconds ?? 0, cell: (k) => (k.costs ? amount(k.costs.seconds, "s") : "–"), number: true },
    { title: "of model", of: (k) => compilation.seconds(k), number: true,
      cell: (k) => h("span.share", {}, percent(compilation.seconds(k), compilation.total), bar(compilation.seconds(k) / longest((each) => compilation.seconds(each)))) },
    lostColumn(compilation),
    { title: "bound by", of: (k) => k.bound?.limit ?? "" },
    { title: "estimate decided by", of: (k) => k.costs?.decided_by ?? "" },
  ];
  const measured = compilation.measured_seconds;
  if (measured) columns.splice(6, 1,
    { title: "measured", of: (k) => k.measured?.seconds ?? 0, cell: (k) => (k.measured ? amount(k.measured.seconds, "s") : "–"), number: true },
    { title: "measured / estimate", of: (k) => measuredByEstimate(k) ?? 0, cell: (k) => measuredByEstimate(k)?.toFixed(2) ?? "–", number: true },
    { title: "of measured", of: (k) => compilation.measuredSeconds(k), number: true, cell: (k) => (k.measured?.is_inlined ? "inlined"
      : h("span.share", {}, percent(compilation.measuredSeconds(k), measured), bar(compilation.measuredSeconds(k) / longest((each) => compilation.measuredSeconds(each))))) });
  return h("section.main.wide.of-one-table", {}, h("h1", {}, "Kernels"),
    h("p.lead", {}, `${count(compilation.kernels.length, "kernel")}, one call of each estimated on its own; all calls together ${amount(compilation.total, "s")}. ${sourceWords(compilation)}`),
    compilation.limits ? h("p.lead", {}, `Lost is what all calls of a kernel are ${measured ? "measured" : "estimated"} to take beyond the least time that the limits of the machine allow.`) : null,
    measured ? h("p.lead", {}, measuredWords(compilation)) : null,
    table(columns, compilation.kernels, { caption: "Kernels with their estimates", sort: measured ? 8 : 6 }));
}

function callsColumn() {
  return { title: "calls", of: (k) => k.calls, number: true };
}

function lostColumn(compilation) {
  return { title: "lost", of: (k) => compilation.lost(k), cell: (k) => (compilation.bestSeconds(k) && k.bound ? amount(compilation.lost(k), "s") : "–"), number: true };
}

/** Where the numbers that estimates rest on come from. */
function sourceWords(compilation) {
  return compilation.sources ? `Estimates rest on numbers of the machine: ${compilation.sources}.` : "";
}

/** How many times as long as it is estimated to take a kernel was measured to take; undefined if one is not known. */
function measuredByEstimate(kernel) {
  return kernel.measured && kernel.costs?.seconds ? kernel.measured.seconds / kernel.costs.seconds : undefined;
}

/** What the measured times are, and what the model takes beyond them. */
function measuredWords(compilation) {
  const model = compilation.measured_seconds;
  const known = compilation.kernels.reduce((sum, kernel) => sum + compilation.measuredSeconds(kernel), 0);
  const beyond = known < model ? `, of which ${amount(model - known, "s")} (${percent(model - known, model)}) is beyond the kernels: operands that are farther away, calls`
    : `, less than its kernels one after the other, ${amount(known, "s")}`;
  return `The model was measured to take ${amount(model, "s")}${beyond}. A kernel is measured alone, with random inputs in the nearest cache that holds them; `
    + "each time is the shortest of many. Where the measured time divided by the estimate is far from 1, the estimate is wrong, or counts that the rest of the model pushed the kernel's weights out of a cache.";
}

/** Where the ops of a kernel come from, in a few words. */
function placeWords(compilation, kernel) {
  const names = kernel.places.map((place) => placeName(compilation.places[place]));
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ");
}

function placeName(place) {
  return place.name || (place.line ? `${place.file.split("/").pop()}:${place.line}` : place.words);
}

/** A node of the model: its operator, its place, which a click chooses, and the type of what it gives. */
function nodeChip(compilation, place) {
  const { operator, type } = compilation.nodeWords(place);
  return h("button.place", { type: "button", title: compilation.places[place].words, onclick: () => choosePlace(place) },
    operator ? h("span.operator", {}, `${operator} `) : null, placeName(compilation.places[place]), type ? h("span.shape", {}, ` ${type}`) : null);
}

function kernelFacts(compilation, kernel) {
  const costs = kernel.costs;
  const places = kernel.places.slice(0, 12).map((place) => nodeChip(compilation, place));
  return h("dl.facts", {}, fact("calls", String(kernel.calls)), fact("work", amount(kernel.flops, "flop")), fact("moves", amount(kernel.bytes, "B")),
    costs ? fact("estimate", `${amount(costs.seconds, "s")} a call`) : null,
    costs ? fact("of model", percent(compilation.seconds(kernel), compilation.total)) : null,
    costs ? fact("estimate decided by", costs.decided_by) : null,
    ...measuredFacts(compilation, kernel),
    kernel.bound ? fact("at least", `${amount(leastSeconds(kernel), "s")} a call, for ${kernel.bound.limit}`) : null,
    kernel.bound && compilation.bestSeconds(kernel) ? fact("lost", `${amount(compilation.lost(kernel), "s")} in all calls`) : null,
    costs?.spilled ? fact("registers", registerWords(compilation, kernel)) : null,
    fact("computes", h("span.places", {}, ...places, kernel.places.length > 12 ? `and ${kernel.places.length - 12} more` : null)));
}

function measuredFacts(compilation, kernel) {
  if (!kernel.measured) return [];
  const ratio = measuredByEstimate(kernel);
  return [fact("measured", `${amount(kernel.measured.seconds, "s")} a call`),
    ratio === undefined ? null : fact("measured / estimate", ratio.toFixed(2)),
    compilation.measured_seconds ? fact("of measured", kernel.measured.is_inlined ? "inlined" : percent(compilation.measuredSeconds(kernel), compilation.measured_seconds)) : null];
}

/** Two forms of a function beside each other; a line that is chosen in one shows what it became in the other. */
function levelsTab(compilation, name) {
  const forms = compilation.forms(name);
  const pane = (label, start) => {
    const view = new TextView(compilation, label);
    const select = h("select", { "aria-label": label, onchange: () => view.show(forms[select.selectedIndex][1]) },
      ...forms.map(([title], number) => h("option", { selected: number === start }, title)));
    view.tools.prepend(select);
    if (forms[start]) view.show(forms[start][1]);
    return view.element;
  };
  const right = forms.findIndex(([title]) => title === "Loops");
  return h("div.panes", {}, pane("Left form", 0), pane("Right form", Math.max(right, 0)));
}

function scheduleTab(compilation, name, detail) {
  const kernel = compilation.kernel.get(name);
  if (kernel.loops < 0) return h("p.empty", {}, "No steps are carried out at this level of optimisation.");
  const number = Math.min(detail === undefined ? 0 : Number(detail), kernel.steps.length);
  const view = new TextView(compilation, "loops after this step");
  const textOf = (step) => (step ? kernel.steps[step - 1].text : kernel.loops);
  const show = () => (number ? view.compare(textOf(number - 1), textOf(number), differenceStyle.inColumns) : view.show(kernel.loops));
  show();
  const item = (step, spelling, words, refused) => h("li", {}, h("a.step", { href: link("kernels", name, "schedule", step), "aria-current": step === number ? "true" : false },
    h("code", {}, spelling), h("span.step-words", { class: refused ? "refused" : "" }, words)));
  const steps = [item(0, "before", "the loops that index notation says, in its order", false),
    ...kernel.steps.map((step, n) => item(n + 1, step.spelling, step.words, step.refused))];
  return h("div.panes.narrow-left", {},
    h("nav.steps", { "aria-label": "Steps of the schedule" }, h("ol", {}, ...steps), kernel.steps.length ? null : h("p.empty", {}, "This kernel has no schedule.")),
    h("div.text-and-tools", {}, number ? h("div.toolbar", {}, differenceChoice(show)) : null, view.element));
}

function costsTab(compilation, name) {
  const kernel = compilation.kernel.get(name);
  const { costs, candidates } = kernel;
  if (!costs) return h("p.empty", {}, "No estimate: its loops are not a function of their own, too many, or not scheduled.");
  const parts = (title, named) => {
    const rows = Object.entries(named).filter(([, cycles]) => cycles > 0).sort((a, b) => b[1] - a[1]);
    return h("div.card", {}, h("h2", {}, title), rows.length ? h("dl.parts", {}, ...rows.flatMap(([words, cycles]) =>
      [h("dt", {}, words), h("dd", {}, amount(secondsOf(costs, cycles), "s"), bar(cycles / costs.cycles))])) : h("p.empty", {}, "next to nothing"));
  };
  return h("div.costs", {}, parts("The core", costs.parts), parts("The memory", costs.brought), h("p", {}, costWords(compilation, kernel)), candidateTable(costs, candidates));
}

/** How the parts make the estimate, and whether to believe it. */
function costWords(compilation, kernel) {
  const ratio = measuredByEstimate(kernel);
  const measured = ratio === undefined ? "" : ` The kernel was measured to take ${ratio.toFixed(2)} times the estimate: ${Math.abs(Math.log(ratio)) > Math.log(FAR) ? "these parts do not tell where its time goes." : "they agree."}`;
  const around = kernel.costs.around / kernel.costs.cycles > 0.01 ? ` Of what the core does, ${amount(secondsOf(kernel.costs, kernel.costs.around), "s")} are around the innermost loops: what comes before and after sums.` : "";
  return `${estimateWords(kernel)}${around} What the core does at the same time is not added up, and cache lines arrive while it computes.${measured} ${sourceWords(compilation)}`;
}

/** How many registers the estimate finds missing, and whether the code stores any for that. */
function registerWords(compilation, { name, costs }) {
  const loops = compilation.codeOf.get(name)?.loops ?? [];
  const spills = loops.reduce((sum, loop) => sum + (loop.counts.spills ?? 0), 0);
  return `${costs.spilled} more than there are by the estimate${loops.length ? `; ${count(spills, "spill")} in the inner loops of its code` : ""}`;
}

/** Cycles of an estimate as a time. */
function secondsOf(costs, cycles) {
  return (cycles * costs.seconds) / costs.cycles;
}

/** What the estimate is beyond the bound: waiting for the memory, and what the core takes longer for. */
function estimateWords(kernel) {
  const { bound, costs } = kernel;
  const waiting = secondsOf(costs, costs.waiting);
  const least = leastSeconds(kernel);
  const more = costs.seconds - waiting - least;
  const beyond = (part) => secondsOf(costs, costs.parts[part]) - (part === "arithmetic" && bound ? bound.arithmetic : 0);
  const [part] = Object.keys(costs.parts).sort((a, b) => beyond(b) - beyond(a));
  const terms = [bound ? `${amount(least, "s")} that it takes at least, for ${bound.limit}` : "",
    waiting ? `${amount(waiting, "s")} of waiting, while cache lines come in bursts` : "", more > 0 ? `${amount(more, "s")} more, most of it for ${part ?? "other work"}` : ""].filter(Boolean);
  return `The estimate is ${amount(costs.seconds, "s")}${more < 0 ? "" : `: ${terms.join("; ")}`}.`;
}

function candidateTable(costs, candidates) {
  if (!candidates.length) return h("p.empty", {}, "Its template proposes no other schedule.");
  const rows = [{ words: "this one", costs, is_only_shown: false }, ...candidates];
  const most = Math.max(...rows.map((row) => row.costs.cycles));
  const columns = [
    { title: "schedule", of: (row) => row.words, cell: (row) => h("span", { class: row.costs === costs ? "own" : "" }, row.words) },
    { title: "estimate", of: (row) => row.costs.seconds, cell: (row) => amount(row.costs.seconds, "s"), number: true },
    { title: "times as long", of: (row) => row.costs.cycles, cell: (row) => h("span.share", {}, (row.costs.cycles / costs.cycles).toFixed(2), bar(row.costs.cycles / most)), number: true },
    { title: "decided by", of: (row) => row.costs.decided_by },
    { title: "", of: (row) => (row.is_only_shown ? "tried by mlc tune only" : "") },
  ];
  return [table(columns, rows, { caption: "Candidates of its template", sort: -1 }),
    candidates.some((each) => each.is_only_shown) ? h("p.quiet", {}, "Candidates that only mlc tune tries are not chosen by their estimates, which tell too little here.") : null];
}

/** What passes decided about a kernel, each message once: one that is called for each layer has those of all calls. */
function remarksTab(compilation, name) {
  const places = new Set(compilation.kernel.get(name).places);
  const about = compilation.remarks.filter((each) => (each.kernel ? each.kernel === name : places.has(each.place)));
  const alike = groups(about.map((each) => [each.message, each]));
  const rows = [...alike.values()].map((same) => ({ ...[...same][0], times: same.size }));
  return rows.length ? remarkList(compilation, rows, "What passes decided about this kernel, and why")
    : h("p.empty", {}, "No pass said anything about this kernel.");
}

function historyTab(compilation, name) {
  const rows = compilation.history(name);
  return table([
    { title: "pass", of: (row) => row.number, cell: (row) => h("a", { href: link("passes", row.number, name) }, row.pass.name) },
    { title: "level", of: (row) => row.pass.level },
    { title: "", of: (row) => (row.change.before < 0 ? "new" : row.change.after < 0 ? "removed" : "changed") },
    { title: "why the pipeline has it", of: (row) => row.pass.reason },
  ], rows, { caption: "Passes that changed this function" });
}
