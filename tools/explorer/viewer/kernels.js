// The table of kernels, and the page of one.

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
    kernel?.reason ? reasonPanel(kernel) : null,
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

/** Why a call of a kernel takes as long as it does: in a sentence, and as parts of a bar, each as long as its time. */
function reasonPanel({ reason, measured, costs }) {
  const all = reason.parts.reduce((sum, [, seconds]) => sum + seconds, 0);
  const segment = ([, seconds], number) => {
    const element = h(`span.part-${number}`);
    element.style.width = `${(100 * seconds) / all}%`;
    return element;
  };
  return h("section.reason", { "aria-label": "Why it takes as long as it does" }, h("p", {}, reason.words),
    h("div.whole", { "aria-hidden": "true" }, ...reason.parts.map(segment)),
    h("ul.key-of-parts", {}, ...reason.parts.map(([words, seconds], number) =>
      h("li", {}, h(`span.swatch.part-${number}`, { "aria-hidden": "true" }), `${words} `, h("strong", {}, amount(seconds, "s")))),
      h("li.quiet", {}, `in all ${amount((measured ?? costs).seconds, "s")}, ${measured ? "measured" : "by estimate"}`)));
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
    kernel.origin ? fact("schedule", kernel.origin) : null,
    fact("computes", h("span.places", {}, ...places, kernel.places.length > 12 ? `and ${kernel.places.length - 12} more` : null)));
}

function measuredFacts(compilation, kernel) {
  if (!kernel.measured) return [];
  const ratio = measuredByEstimate(kernel);
  return [fact("measured", `${amount(kernel.measured.seconds, "s")} a call`),
    fact("spread", `median ${amount(kernel.measured.median, "s")}, a quarter ${amount(kernel.measured.upper, "s")} or more`),
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
  const { costs, candidates, neighbours } = kernel;
  if (!costs) return h("p.empty", {}, "No estimate: its loops are not a function of their own, too many, or not scheduled.");
  const parts = (title, named) => {
    const rows = Object.entries(named).filter(([, cycles]) => cycles > 0).sort((a, b) => b[1] - a[1]);
    return h("div.card", {}, h("h2", {}, title), rows.length ? h("dl.parts", {}, ...rows.flatMap(([words, cycles]) =>
      [h("dt", {}, words), h("dd", {}, amount(secondsOf(costs, cycles), "s"), bar(cycles / costs.cycles))])) : h("p.empty", {}, "next to nothing"));
  };
  return h("div.costs", {}, parts("The core", costs.parts), parts("The memory", costs.brought), h("p", {}, costWords(compilation, kernel)),
    ...otherSchedules("Candidates of its template", costs, candidates, "Its template proposes no other schedule."),
    ...otherSchedules("One step away", costs, neighbours ?? [], neighbours ? "No schedule that differs in one step is estimated to take another time."
      : "Not estimated, as it loses little of the time of the model, and others lose more; mlc explain MODEL KERNEL does that."));
}

/** How the parts make the estimate. */
function costWords(compilation, { costs }) {
  const part = (name, words) => (costs.spent[name] / costs.cycles > 0.01 ? ` ${amount(secondsOf(costs, costs.spent[name]), "s")} of it are ${words}.` : "");
  return `The estimate is ${amount(costs.seconds, "s")}. What parts of the core do at the same time is not added up, and cache lines arrive while it computes.`
    + `${part("around", "around the innermost loops: what comes before and after sums")}${part("waiting", "waiting for cache lines, which come in bursts")} ${sourceWords(compilation)}`;
}

/** How many registers the estimate finds missing, and whether the code stores any for that. */
function registerWords(compilation, { name, costs }) {
  const loops = compilation.codeOf.get(name)?.loops ?? [];
  const spills = loops.reduce((sum, loop) => sum + (loop.counts.spills ?? 0), 0);
  const code = loops.length ? `; its inner loops ${spills ? `store or read spilled ones ${count(spills, "time")}` : "spill none"}` : "";
  return `${costs.spilled} more than there are by the estimate, if no operand is read from memory directly${code}`;
}

/** Cycles of an estimate as a time. */
function secondsOf(costs, cycles) {
  return (cycles * costs.seconds) / costs.cycles;
}

/** Other schedules of a kernel beside its own, and why they are not chosen. */
function otherSchedules(title, costs, others, none) {
  const heading = h("h2.space", {}, title);
  if (!others.length) return [heading, h("p.empty", {}, none)];
  const rows = [{ words: "this one", costs, why: "" }, ...others];
  const most = Math.max(...rows.map((row) => row.costs.cycles));
  const columns = [
    { title: "schedule", of: (row) => row.words, cell: (row) => h("span", { class: row.costs === costs ? "own" : "" }, row.words) },
    { title: "estimate", of: (row) => row.costs.seconds, cell: (row) => amount(row.costs.seconds, "s"), number: true },
    { title: "times as long", of: (row) => row.costs.cycles, cell: (row) => h("span.share", {}, (row.costs.cycles / costs.cycles).toFixed(2), bar(row.costs.cycles / most)), number: true },
    { title: "decided by", of: (row) => row.costs.decided_by },
    { title: "why it is not chosen", of: (row) => row.why },
  ];
  return [heading, table(columns, rows, { caption: title, sort: -1 })];
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
