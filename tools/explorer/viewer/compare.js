// The page that compares two compilations: what differs in the whole, and kernel by kernel.

/** What a page of one kernel of the comparison shows: `comparison` is that of `compare.py`. */
function comparePage(pair, comparison, [number, form]) {
  return number === undefined ? comparisonTable(pair, comparison) : kernelComparison(pair, comparison.kernels[Number(number)], Number(number), form);
}

function comparisonTable(pair, comparison) {
  const changed = comparison.kernels.filter((each) => each.changes.length).length;
  const [before, after] = pair.map((compilation) => compilation.total);
  const settings = [
    { title: "", of: (row) => row[0] },
    { title: "first", of: (row) => row[1] || "none" },
    { title: "second", of: (row) => row[2] || "none" },
  ];
  const time = (seconds) => (seconds === null ? "–" : amount(seconds, "s"));
  const isMeasured = comparison.kernels.some((each) => !each.measured.includes(null));
  const decided = ([first, second]) => (first === second ? first : `${first || "–"} → ${second || "–"}`);
  const change = (title, of) => ({ title, of: (each) => (each.changes.length ? Math.abs((of(each)[1] ?? 0) - (of(each)[0] ?? 0)) : 0), number: true,
    cell: (each) => [`${of(each).map(time).join(" → ")} `, of(each).includes(null) ? "" : h("strong", {}, ratio(...of(each))), each.changes.length ? "" : h("span.quiet", {}, ", equal code")] });
  const kernels = [
    { title: "kernel", of: (each) => each.before || each.after, cell: (each) => h("a", { href: link("compare", comparison.kernels.indexOf(each)) }, bothNames(each)) },
    { title: "what differs", of: (each) => each.changes.join(", ") || "nothing" },
    ...(isMeasured ? [change("measured, all calls", (each) => each.measured)] : []),
    change("estimated, all calls", (each) => each.estimates),
    { title: "schedule; estimate decided by", of: (each) => decided(each.decided) },
  ];
  return h("section.main.wide.compared", {}, h("h1", {}, "Two compilations"),
    h("p.lead", {}, changed || comparison.model.length ? `${changed} of ${count(comparison.kernels.length, "kernel")} differ. ` : "No difference in what was made. ",
      before && after ? `All together ${amount(before, "s")} → ${amount(after, "s")} by estimate, ${ratio(before, after)}. ` : "",
      comparison.measured.includes(null) ? "" : `Measured: ${amount(comparison.measured[0], "s")} → ${amount(comparison.measured[1], "s")}, ${ratio(...comparison.measured)}.`),
    comparison.settings.length ? table(settings, comparison.settings, { caption: "Settings that differ" }) : null,
    comparison.model.length ? h("ul.changes", {}, ...comparison.model.map((words) => h("li", {}, words))) : null,
    ...comparison.notes.map((words) => h("p.status", {}, `${words}.`)),
    h("h2.space", {}, "Kernels"),
    table(kernels, comparison.kernels, { caption: "Kernels that correspond", sort: 2 }));
}

function bothNames(each) {
  return [...new Set([each.before, each.after].filter(Boolean))].join(" → ");
}

function ratio(before, after) {
  const times = before ? after / before : 1;
  return times >= 2 ? `${times.toFixed(1)} times` : `${times < 1 ? "−" : "+"}${Math.abs(100 * (times - 1)).toFixed(1)}%`;
}

/** One form of two kernels beside each other. */
function kernelComparison(pair, each, number, chosen) {
  const forms = [pair[0].forms(each.before), pair[1].forms(each.after)];
  const titles = [...new Set(forms.flat().map(([title]) => title))];
  const title = titles.includes(chosen) ? chosen : "Loops";
  const texts = forms.map((side) => side.find(([each]) => each === title)?.[1] ?? -1);
  const view = new TextView(pair[1], `${title} of both`);
  const show = () => view.compareWith(pair[0], texts[0], texts[1], differenceStyle.inColumns);
  show();
  const select = h("select", { "aria-label": "Form", onchange: () => { location.hash = link("compare", number, select.value); } },
    ...titles.map((words) => h("option", { selected: words === title }, words)));
  return h("section.main.wide", {}, h("p.crumbs", {}, h("a", { href: link("compare") }, "Two compilations"), " / "), h("h1", {}, bothNames(each)),
    h("ul.changes", {}, ...(each.changes.length ? each.changes : ["no difference"]).map((words) => h("li", {}, words))),
    h("div.toolbar", {}, select, differenceChoice(show)), view.element);
}
