// Rooflines: operations per byte against operations per second, under what the machine can do at most.

const PLOT = { width: 900, height: 430, left: 74, right: 16, top: 16, bottom: 44 };

function rooflinePage(compilation) {
  const title = h("h1", {}, "Roofline");
  if (!compilation.limits) return h("section.main.wide", {}, title, h("p.empty", {}, "There are no kernels, or no limits are known for this target."));
  return h("section.main.wide", {}, title,
    h("p.lead", {}, "Each kernel by how much it computes with each byte that it has to move, and how much it computes in a second. "
      + "A kernel under a slope waits for that level of the memory at best, one under the flat roof for arithmetic; "
      + "above it are those that add beside multiply-adds, or leave out products with padding: their pages have roofs of their own. A circle is larger for a larger part of the model's time."),
    rooflineFigure(compilation, compilation.kernels, true), ...boundTable(compilation, compilation.kernels), limitTable(compilation));
}

function rooflineTab(compilation, name) {
  const kernel = compilation.kernel.get(name);
  if (!compilation.limits || !kernel.bound) return h("p.empty", {}, "This kernel computes and moves nothing, or no limits are known for this target.");
  return h("div", {}, h("p", {}, boundWords(kernel)), rooflineFigure(compilation, [kernel], false), ...boundTable(compilation, [kernel]), limitTable(compilation));
}

function leastSeconds(kernel) {
  return kernel.bound ? Math.max(kernel.bound.arithmetic, kernel.bound.transfer) : 0;
}

/** What bounds a kernel, and how far its times are from that. */
function boundWords(kernel) {
  const least = leastSeconds(kernel);
  const what = kernel.bound.limit === "compute" ? "its operations at full speed" : `what ${kernel.bound.limit === "memory" ? "the memory" : kernel.bound.limit} has to bring`;
  const times = [["estimated", kernel.costs?.seconds], ["measured", kernel.measured?.seconds]].filter(([, seconds]) => seconds && least)
    .map(([words, seconds]) => `it is ${words} to take ${(seconds / least).toFixed(2)} times that`);
  return `A call takes ${amount(least, "s")} at least, for ${what}${times.length ? `; ${times.join(", and ")}` : ""}.`;
}

function boundTable(compilation, kernels) {
  const rate = (words, of) => ({ title: words, number: true, of: (k) => of(k) ?? 0, cell: (k) => (of(k) ? amount(of(k), "op/s") : "–") });
  const part = (words, of) => ({ title: words, number: true, of: (k) => (of(k) ? leastSeconds(k) / of(k) : 0), cell: (k) => (of(k) && leastSeconds(k) ? percent(leastSeconds(k), of(k)) : "–") });
  const [estimated, measured] = [(k) => k.costs?.seconds, (k) => k.measured?.seconds];
  const columns = [
    { title: "kernel", of: (k) => k.name, cell: (k) => h("a", { href: link("kernels", k.name, "roofline") }, k.name) },
    callsColumn(),
    { title: "operations / byte", number: true, of: intensity, cell: (k) => rounded(intensity(k)) },
    { title: "at least", number: true, of: leastSeconds, cell: (k) => amount(leastSeconds(k), "s") },
    { title: "bound by", of: (k) => k.bound?.limit ?? "" },
    rate("estimated", (k) => rateOf(k, estimated(k))), part("of bound, estimated", estimated),
  ];
  if (kernels.some(measured)) columns.push(rate("measured", (k) => rateOf(k, measured(k))), part("of bound, measured", measured));
  columns.push(lostColumn(compilation));
  return [table(columns, kernels, { caption: "Kernels beside their bounds" }), legend("at least", "of bound", "lost")];
}

function limitTable(compilation) {
  const { limits } = compilation;
  const rows = [{ words: "arithmetic: multiply-adds of f32, two operations each", rate: amount(limits.peak, "op/s"), holds: null, source: limits.source },
    ...limits.roofs.map((roof) => ({ words: roof.level, rate: amount(roof.rate, "B/s"), holds: roof.holds, source: roof.source }))];
  return h("div.space", {}, h("h2", {}, limits.cores === 1 ? "Limits of one core" : `Limits of ${limits.cores} cores`), table([
    { title: "limit", of: (row) => row.words }, { title: "rate", of: (row) => row.rate },
    { title: "holds", of: (row) => row.holds ?? Infinity, cell: (row) => (row.holds === null ? "–" : amount(row.holds, "B")) },
    { title: "source of the number", of: (row) => row.source },
  ], rows, { caption: "Limits of the machine and where they are from" }));
}

function intensity(kernel) {
  return kernel.bytes ? kernel.flops / kernel.bytes : 0;
}

function rateOf(kernel, seconds) {
  return seconds ? kernel.flops / seconds : undefined;
}

/** The picture, with a title and a description that are read out; the tables below it have the same numbers. */
function rooflineFigure(compilation, kernels, areLinks) {
  const { limits } = compilation;
  const points = kernels.filter((k) => k.flops && k.bytes).flatMap((kernel) => [["estimated", kernel.costs?.seconds], ["measured", kernel.measured?.seconds]]
    .filter(([, seconds]) => seconds).map(([kind, seconds]) => ({ kernel, kind, seconds, x: intensity(kernel), y: kernel.flops / seconds })));
  const ridges = limits.roofs.map((roof) => limits.peak / roof.rate);
  const own = areLinks ? [] : kernels.filter((k) => k.flops && k.bound?.arithmetic).map((k) => k.flops / k.bound.arithmetic);
  const xs = [...ridges, ...points.map((point) => point.x)];
  const range = [Math.min(...xs) / 4, Math.max(...xs) * 8];
  const ys = [limits.peak, ...own, ...points.map((point) => point.y), ...limits.roofs.map((roof) => roof.rate * range[0])];
  const x = logScale(range, PLOT.left, PLOT.width - PLOT.right);
  const y = logScale([Math.min(...ys) / 2, Math.max(...ys) * 2], PLOT.height - PLOT.bottom, PLOT.top);
  const roofs = limits.roofs.map((roof, n) => svg("g", {},
    svg("path.roof", { d: `M${x(range[0])} ${y(roof.rate * range[0])}L${x(ridges[n])} ${y(limits.peak)}` }),
    svg("text.plot-words", { x: x(range[0]) + 6 + 112 * n, y: y(roof.rate * range[0]) - 5, transform: `rotate(${slope(x, y)} ${x(range[0])} ${y(roof.rate * range[0])})` }, `${roof.level} ${amount(roof.rate, "B/s")}`)));
  const flat = svg("g", {}, svg("path.roof", { d: `M${x(Math.min(...ridges))} ${y(limits.peak)}L${x(range[1])} ${y(limits.peak)}` }),
    svg("text.plot-words", { x: x(range[1]), y: y(limits.peak) + (own.some((rate) => rate > limits.peak) ? 14 : -6), "text-anchor": "end" }, `f32 multiply-adds ${amount(limits.peak, "op/s")}`));
  const mixed = own.filter((rate) => Math.abs(rate / limits.peak - 1) > 0.02).map((rate) => svg("g", {}, svg("path.roof.own-roof", { d: `M${x(range[0])} ${y(rate)}L${x(range[1])} ${y(rate)}` }),
    svg("text.plot-words", { x: (PLOT.left + PLOT.width) / 2, y: y(rate) + (rate < limits.peak ? 13 : -6), "text-anchor": "middle" }, `its own operations ${amount(rate, "op/s")}`)));
  const words = `${count(new Set(points.map((point) => point.kernel)).size, "kernel")} under the limits of ${limits.roofs.map((roof) => roof.level).join(", ")} and arithmetic; the tables below have the same numbers.`;
  return h("figure.plot", {}, svg("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "group", "aria-labelledby": "roofline-title", "aria-describedby": "roofline-words" },
    svg("title", { id: "roofline-title" }, "Roofline: operations per byte against operations per second, both logarithmic"), svg("desc", { id: "roofline-words" }, words),
    axes(x, y, range, [Math.min(...ys) / 2, Math.max(...ys) * 2]), ...roofs, flat, ...mixed, ...points.map((point) => pointMark(compilation, point, x, y, areLinks))),
    h("figcaption", {}, svg("svg.key", { viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("circle.estimated", { cx: 7, cy: 7, r: 5 })), " estimated ",
      points.some((point) => point.kind === "measured") ? [svg("svg.key", { viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("circle.measured", { cx: 7, cy: 7, r: 5 })), " measured"] : null));
}

function pointMark(compilation, point, x, y, isLink) {
  const all = point.kind === "measured" ? compilation.measured_seconds : compilation.total;
  const part = all ? (point.seconds * point.kernel.calls) / all : 0;
  const words = `${point.kernel.name}, ${point.kind}: ${amount(point.y, "op/s")} at ${rounded(point.x)} operations a byte, ${amount(point.seconds, "s")} a call`;
  const go = () => { location.hash = link("kernels", point.kernel.name, "roofline"); };
  return svg(`circle.point.${point.kind}`, { cx: x(point.x), cy: y(point.y), r: isLink ? 4 + 12 * Math.sqrt(Math.min(1, part)) : 7, tabindex: 0, role: isLink ? "link" : "img", "aria-label": words,
    ...(isLink ? { onclick: go, onkeydown: (event) => { if (event.key === "Enter") go(); } } : {}) }, svg("title", {}, words));
}

function logScale([least, most], from, to) {
  const [low, high] = [Math.log10(least), Math.log10(most)];
  return (number) => Math.round(10 * (from + ((Math.log10(number) - low) / (high - low)) * (to - from))) / 10;
}

/** The angle of a line of slope one, in degrees. */
function slope(x, y) {
  return (Math.atan2(y(10) - y(1), x(10) - x(1)) * 180) / Math.PI;
}

function axes(x, y, across, up) {
  const ticks = ([least, most]) => Array.from({ length: Math.floor(Math.log10(most)) - Math.ceil(Math.log10(least)) + 1 }, (_, n) => 10 ** (Math.ceil(Math.log10(least)) + n));
  const [bottom, right] = [PLOT.height - PLOT.bottom, PLOT.width - PLOT.right];
  return svg("g.axes", {},
    ...ticks(across).map((number) => svg("g", {}, svg("path", { d: `M${x(number)} ${PLOT.top}V${bottom}` }), svg("text.plot-words", { x: x(number), y: bottom + 16, "text-anchor": "middle" }, plain(number)))),
    ...ticks(up).map((number) => svg("g", {}, svg("path", { d: `M${PLOT.left} ${y(number)}H${right}` }), svg("text.plot-words", { x: PLOT.left - 6, y: y(number) + 4, "text-anchor": "end" }, amount(number, "")))),
    svg("text.plot-words", { x: (PLOT.left + right) / 2, y: PLOT.height - 6, "text-anchor": "middle" }, "operations per byte"),
    svg("text.plot-words", { x: 14, y: (PLOT.top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(PLOT.top + bottom) / 2})` }, "operations per second"));
}
