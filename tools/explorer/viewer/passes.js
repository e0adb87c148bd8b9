// The page of passes: a list, and what the chosen one changed.

const passFilter = { all: false };

function passesPage(compilation, [number, name]) {
  const chosen = number === undefined ? compilation.passes.findIndex((pass) => pass.changes.length) : Number(number);
  const pass = compilation.passes[chosen];
  return h("div.split", {}, passList(compilation, chosen), pass ? passView(compilation, pass, chosen, name) : h("p.empty", {}, "No pass has run."));
}

function passList(compilation, chosen) {
  const most = Math.max(...compilation.passes.map((pass) => pass.seconds), 1e-9);
  const list = h("ol.list");
  const fill = () => {
    const items = [];
    let level = null;
    compilation.passes.forEach((pass, number) => {
      if (!passFilter.all && !pass.changes.length && number !== chosen) return;
      if (pass.level !== level) items.push(h("li.list-head", {}, `${(level = pass.level) || "other"} level`));
      items.push(h("li", {}, h("a.list-item", { href: link("passes", number), "aria-current": number === chosen ? "true" : false },
        h("span.list-name", { class: pass.changes.length ? "" : "quiet" }, pass.name),
        h("span.list-note", {}, pass.changes.length ? `${pass.changes.length}` : "–"), bar(pass.seconds / most))));
    });
    list.replaceChildren(...items);
  };
  fill();
  const unchanged = compilation.passes.filter((pass) => !pass.changes.length).length;
  const toggle = h("input", { type: "checkbox", checked: passFilter.all, onchange: () => { passFilter.all = toggle.checked; fill(); } });
  return h("nav.side", { "aria-label": "Passes" }, h("label.filter", {}, toggle, ` Show ${unchanged} that changed nothing`), list);
}

function passView(compilation, pass, number, name) {
  const change = pass.changes.find((each) => each.function === name) ?? pass.changes[0];
  const view = new TextView(compilation, `what ${pass.name} changed`);
  const show = () => change && view.compare(change.before, change.after, differenceStyle.inColumns);
  show();
  return h("section.main", {},
    h("h1", {}, pass.name),
    h("p.lead", {}, pass.reason),
    h("dl.facts", {}, fact("time", amount(pass.seconds, "s")), fact("ops", `${pass.ops[0].toLocaleString("en")} → ${pass.ops[1].toLocaleString("en")}`),
      fact("changed", count(pass.changes.length, "function")), pass.spelling === pass.name ? null : fact("options", h("code", {}, pass.spelling))),
    passValues(compilation, pass),
    change
      ? [h("div.toolbar", {}, functionChoice(pass, number, change), compilation.kernel.has(change.function) ? h("a.button", { href: link("kernels", change.function) }, "kernel") : null, differenceChoice(show)), view.element]
      : h("p.empty", {}, "This pass changed nothing here."));
}

function functionChoice(pass, number, chosen) {
  const words = (each) => each.function + (each.before < 0 ? "  (new)" : each.after < 0 ? "  (removed)" : "");
  return h("select", { "aria-label": "Function", onchange: (event) => { location.hash = link("passes", number, event.target.value); } },
    ...pass.changes.map((each) => h("option", { value: each.function, selected: each === chosen }, words(each))));
}
