// The frame of the page: navigation by the address, search in everything, and the place that is chosen.

const PAGES = [
  ["overview", "Overview", overviewPage],
  ["passes", "Passes", passesPage],
  ["kernels", "Kernels", kernelsPage],
  ["roofline", "Roofline", rooflinePage],
  ["graph", "Graph", graphPage],
  ["values", "Values", valuesPage],
  ["memory", "Memory", memoryPage],
  ["artifact", "Artifact", artifactPage],
  ["source", "Source", sourcePage],
  ["remarks", "Remarks", remarksPage],
];
const MOST_RESULTS = 40;
const UNSTEADY = 1.25; // calls that take so many times the shortest are not measured in quiet

function overviewPage(compilation) {
  const most = (of) => [...compilation.kernels].sort((a, b) => of(b) - of(a)).slice(0, 8).filter(of);
  const longest = most((kernel) => compilation.bestSeconds(kernel));
  const losing = most((kernel) => compilation.lost(kernel));
  const [all, how] = compilation.measured_seconds ? [compilation.measured_seconds, "measured"] : [compilation.total, "by estimate"];
  const slow = [...compilation.passes].sort((a, b) => b.seconds - a.seconds).slice(0, 8);
  const row = (href, name, value, part, share) => [h("dt", {}, h("a", { href }, name)), h("dd", {}, value, h("span.quiet.part", {}, part), bar(share))];
  const kernelRows = (kernels, of, ...page) => kernels.flatMap((kernel) =>
    row(link("kernels", kernel.name, ...page), kernel.name, amount(of(kernel), "s"), percent(of(kernel), all), of(kernel) / of(kernels[0])));
  const beyond = compilation.beyondKernels();
  const rest = beyond === null ? [] : [h("dt", explained("beyond the kernels"), "beyond the kernels"), h("dd", {}, amount(beyond, "s"), h("span.quiet.part", {}, percent(beyond, all)), bar(beyond / compilation.bestSeconds(longest[0])))];
  const passing = compilation.passes.reduce((sum, pass) => sum + pass.seconds, 0);
  const changed = compilation.passes.filter((pass) => pass.changes.length).length;
  const bytes = compilation.weights.reduce((sum, weight) => sum + weight.bytes, 0);
  return h("section.main.wide", {}, h("h1", {}, compilation.title),
    h("dl.facts", {}, fact("target", compilation.target), fact("cpu", compilation.machine), fact("mlc", compilation.version),
      compilation.options.length ? fact("options", h("code", {}, compilation.options.join(" "))) : null,
      fact("estimate", compilation.total ? amount(compilation.total, "s") : "–"), compilation.measured_seconds ? fact("measured", `${amount(compilation.measured_seconds, "s")}, median ${amount(compilation.measured_median, "s")}`) : null,
      beyond === null ? null : fact("beyond the kernels", `${amount(beyond, "s")}, ${percent(beyond, all)}`), fact("ops", String(compilation.graph.filter((node) => node.kind !== "input" && node.kind !== "output").length)),
      fact("kernels", `${compilation.kernels.length} in ${count(compilation.calls.length, "call")}`), fact("passes", `${changed} of ${compilation.passes.length} changed something`),
      fact("weights", amount(bytes, "B")), fact("workspace", amount(compilation.arenas.reduce((sum, arena) => sum + arena.size, 0), "B"))),
    h("div.cards", {},
      h("div.card", {}, h("h2", {}, `Kernels that take longest, ${how}`), h("dl.parts", {}, ...kernelRows(longest, (kernel) => compilation.bestSeconds(kernel)), ...rest)),
      losing.length ? h("div.card", {}, h("h2", explained("lost"), `Kernels that lose most, ${how}`), h("dl.parts", {}, ...kernelRows(losing, (kernel) => compilation.lost(kernel), "roofline"))) : null,
      h("div.card", {}, h("h2", {}, "Passes that take longest"), h("dl.parts", {}, ...slow.flatMap((pass) =>
        row(link("passes", compilation.passes.indexOf(pass)), pass.name, amount(pass.seconds, "s"), percent(pass.seconds, passing), pass.seconds / slow[0].seconds))))),
    compilation.sources ? h("p.quiet", {}, `${sourceWords(compilation)} ${compilation.measured_seconds ? "" : "No kernel was measured; mlc explore --measure does that."}`) : null,
    compilation.measured_median > UNSTEADY * compilation.measured_seconds ? h("p.alarm", {}, `The times of calls of the model differ: their median is ${(compilation.measured_median / compilation.measured_seconds).toFixed(2)} times the shortest. Something else ran while it was measured.`) : null,
    compilation.remarks.some((each) => each.kind === "warning") ? remarkList(compilation, compilation.remarks.filter((each) => each.kind === "warning"), "Warnings") : null);
}

function sourcePage(compilation) {
  if (compilation.source < 0) return h("section.main", {}, h("h1", {}, "Source"), h("p.empty", {}, "The model is a file that is no text; the first pass shows what was read of it."));
  const view = new TextView(compilation, "source");
  const places = new Map();
  compilation.places.forEach((place, number) => {
    if (place.file === compilation.title && !places.has(place.line)) places.set(place.line, number);
  });
  view.show(compilation.source);
  compilation.text(compilation.source).then((text) => {
    text.lines.forEach((_, line) => { text.places[line] = places.get(line + 1) ?? -1; });
    view.rows.refresh();
  });
  return h("section.main.wide", {}, h("h1", {}, "Source"), h("p.lead", {}, "Choose a line to see what became of it."), view.element);
}

function remarksPage(compilation) {
  const said = compilation.remarks;
  return h("section.main.wide", {}, h("h1", {}, "Remarks"),
    said.length ? remarkList(compilation, said, "What passes decided, and why") : h("p.empty", {}, "No pass said anything."));
}

function remarkList(compilation, remarks, caption) {
  return table([
    { title: "", of: (each) => each.kind, cell: (each) => h(`span.tag.${each.kind === "warning" ? "warning" : "remark"}`, {}, each.kind) },
    { title: "where", of: (each) => each.place, cell: (each) => (each.place < 0 ? "" : h("button.place", { type: "button", onclick: () => choosePlace(each.place) }, placeName(compilation.places[each.place]))) },
    { title: "kernel", of: (each) => each.kernel, cell: (each) => (compilation.kernel.has(each.kernel) ? h("a", { href: link("kernels", each.kernel) }, each.kernel) : each.kernel) },
    { title: "message", of: (each) => each.message + (each.times > 1 ? ` (at ${each.times} places)` : "") },
  ], remarks, { caption });
}

/** What is known of the chosen place, with links to all that it became. */
function placeBar(shown) {
  const element = h("footer.place-bar", { "aria-live": "polite", hidden: true });
  chosenPlace.listeners.add(async (number) => {
    element.hidden = number < 0;
    if (number < 0) return;
    const compilation = shown.compilation;
    const place = compilation.places[number];
    const kernels = [...(compilation.kernelsAt.get(number) ?? [])];
    const nodes = [...(compilation.nodesAt.get(number) ?? [])];
    const source = place.line && compilation.source >= 0 ? (await compilation.text(compilation.source)).lines[place.line - 1] : "";
    element.replaceChildren(...[h("strong", {}, place.words), source ? h("code", {}, ...highlighted(source.trim())) : null,
      ...nodes.slice(0, 3).map((node) => h("a.button", { href: link("graph", node) }, `graph: ${compilation.graph[node].label} ${shapeWords(compilation.graph[node].type)}`)),
      ...kernels.slice(0, 4).map((kernel) => h("a.button", { href: link("kernels", kernel) }, `kernel: ${kernel}`)),
      h("button", { type: "button", "aria-label": "Forget this place", onclick: () => choosePlace(number) }, "×")].filter(Boolean));
  });
  return element;
}

/** All that has a name: kernels, passes, functions, ops of the graph, places, remarks. */
function searchIndex(compilation) {
  return [
    ...compilation.kernels.map((kernel) => ["kernel", [kernel.name, ...compilation.kindsOf(kernel), ...kernel.places.map((place) => placeName(compilation.places[place]))].join(" "), link("kernels", kernel.name)]),
    ...compilation.passes.map((pass, number) => ["pass", pass.name, link("passes", number)]),
    ...[...new Set(compilation.passes.flatMap((pass) => pass.changes.map((each) => each.function)))].filter((name) => !compilation.kernel.has(name))
      .map((name) => ["function", name, link("kernels", name)]),
    ...compilation.graph.map((node, number) => ["op", [node.label, node.place < 0 ? "" : compilation.places[node.place].words, ...node.words, ...node.written].join(" "), link("graph", number)]),
    ...compilation.weights.map((weight) => ["weight", `${weight.name} ${weight.type}`, link("memory")]),
    ...compilation.remarks.map((each) => ["remark", each.message, link("remarks")]),
  ].map(([kind, words, href]) => ({ kind, words, href, key: words.toLowerCase() }));
}

function searchBox(shown) {
  const results = h("ul.results", { hidden: true, "aria-label": "Results" });
  let index;
  let indexed;
  const close = () => { results.hidden = true; };
  const search = () => {
    if (indexed !== shown.compilation) index = searchIndex((indexed = shown.compilation));
    const words = input.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length ? index.filter((each) => words.every((word) => each.key.includes(word))) : [];
    results.hidden = !words.length;
    results.replaceChildren(...found.slice(0, MOST_RESULTS).map((each) => h("li", {}, h("a", { href: each.href, onclick: close }, h("span.tag", {}, each.kind), short(each.words, 90)))),
      h("li.empty", {}, found.length > MOST_RESULTS ? `and ${found.length - MOST_RESULTS} more` : found.length ? "" : "nothing has these words"));
  };
  const input = h("input", { type: "search", placeholder: "Search  /", "aria-label": "Search everything", oninput: search, onfocus: search });
  const box = h("div.search", {}, input, results);
  box.addEventListener("keydown", (event) => {
    const links = [input, ...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") [close(), input.blur(), input.value = ""];
    else if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)].focus();
    else if (event.key === "ArrowUp") links[Math.max(at - 1, 0)].focus();
    else if (event.key === "Enter" && at === 0 && links[1]) links[1].click();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => { if (!box.contains(event.target)) close(); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  return box;
}

/** What chooses the compilation that the pages are about, where there are two. */
function compilationChoice(documents, shown, show) {
  const names = [["first", documents[0]], ["second", documents[1]]];
  return choice("Compilation", names.map(([words, compilation]) => [compilation, words]), shown.compilation, (compilation) => {
    shown.compilation = compilation;
    if (chosenPlace.place >= 0) choosePlace(chosenPlace.place);
    show();
  });
}

async function start() {
  const documents = await readDocuments();
  const comparison = await readComparison();
  const shown = { compilation: documents[0] };
  const compared = ["compare", "Compare", (_, rest) => comparePage(documents, comparison, rest)];
  const pages = comparison ? [compared, ...PAGES] : PAGES;
  document.title = `${documents.map((each) => each.title).join(" and ")} – mlc explore`;
  const main = h("main", { id: "main", tabindex: -1 });
  const links = pages.map(([name, words]) => h("a", { href: link(name) }, words));
  const brand = h("a.brand", { href: link(pages[0][0]) });
  const show = () => {
    const [name, ...rest] = location.hash.replace(/^#\//, "").split("/").filter(Boolean).map(decodeURIComponent);
    const number = Math.max(0, pages.findIndex(([page]) => page === name));
    links.forEach((each, n) => (n === number ? each.setAttribute("aria-current", "page") : each.removeAttribute("aria-current")));
    brand.replaceChildren(h("strong", {}, "mlc"), ` ${shown.compilation.title.split("/").pop()}`);
    main.replaceChildren(pages[number][2](shown.compilation, rest));
  };
  const header = h("header", {}, brand, h("nav.pages", { "aria-label": "Pages" }, ...links),
    comparison ? compilationChoice(documents, shown, show) : null, searchBox(shown));
  document.getElementById("page").replaceChildren(header, main, placeBar(shown), tip());
  window.addEventListener("hashchange", show);
  show();
}

start().catch((error) => {
  document.getElementById("page").replaceChildren(h("p.empty", {}, `This file cannot be shown: ${error.message}`));
});
