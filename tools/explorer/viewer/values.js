// What the values of the model are for the inputs that were given.

function valuesPage(compilation, [number]) {
  if (!compilation.values.length) {
    return h("section.main.wide", {}, h("h1", {}, "Values"),
      h("p.empty", {}, "No inputs were given. ", h("code", {}, "mlc explore MODEL --inputs FILE"), " shows what each value of the model is for them."));
  }
  const details = h("aside.details", { "aria-live": "polite" });
  const show = (at) => details.replaceChildren(...valueDetails(compilation, compilation.values[at]));
  const chosen = number === undefined ? -1 : Number(number);
  if (compilation.values[chosen]) show(chosen);
  else details.replaceChildren(h("p.empty", {}, "Choose a value."));
  return h("section.main.wide.values", {},
    h("h1", {}, "Values"),
    h("p.lead", {}, `One run on ${compilation.inputs}, by the meaning of each op. ${valueWarnings(compilation)}`),
    h("div.graph-area", {}, valueTable(compilation), details));
}

/** How many values have elements that are not finite, and which is the first. */
function valueWarnings(compilation) {
  const bad = compilation.values.filter((each) => each.numbers.nans || each.numbers.infinities);
  if (!bad.length) return "All numbers are finite.";
  return `${count(bad.length, "value")} of ${compilation.values.length} have NaN or infinities, first that of ${valueName(compilation, bad[0])}.`;
}

function valueName(compilation, value) {
  const node = compilation.graph[value.node];
  return node.place < 0 ? node.label : `${node.label} ${placeName(compilation.places[node.place])}`;
}

function valueTable(compilation) {
  const rank = new Map(compilation.values.map((value, number) => [value, number]));
  const number = (title, of) => ({ title, number: true, of: (v) => of(v) ?? -Infinity, cell: (v) => plain(of(v)) });
  const columns = [
    { title: "value", of: (v) => rank.get(v), cell: (v) => h("a", { href: link("values", rank.get(v)) }, valueName(compilation, v)) },
    { title: "type", of: (v) => v.type, cell: (v) => h("code", {}, v.type.replace(/^tensor/, "")) },
    number("least", (v) => v.numbers.least), number("median", (v) => v.numbers.quantiles[2]), number("mean", (v) => v.numbers.mean), number("most", (v) => v.numbers.most),
    { title: "zeros", number: true, of: (v) => share(v.numbers.zeros, v), cell: (v) => h("span.share", {}, percent(v.numbers.zeros, v.numbers.elements), bar(share(v.numbers.zeros, v))) },
    { title: "NaN", number: true, of: (v) => v.numbers.nans, cell: (v) => h("span", { class: v.numbers.nans ? "alarm" : "quiet" }, v.numbers.nans.toLocaleString("en")) },
    { title: "infinite", number: true, of: (v) => v.numbers.infinities, cell: (v) => h("span", { class: v.numbers.infinities ? "alarm" : "quiet" }, v.numbers.infinities.toLocaleString("en")) },
    { title: "difference at the end", number: true, of: (v) => differenceRank(v.forms[v.forms.length - 1]), cell: (v) => formWords(v.forms[v.forms.length - 1]) },
  ];
  return table(columns, compilation.values, { caption: "Values of the graph" });
}

function share(part, value) {
  return value.numbers.elements ? part / value.numbers.elements : 0;
}

/** A number that people read: five digits; a dash for none. */
function plain(number, digits = 5) {
  if (number === null || number === undefined) return "–";
  const rounded = Number(number.toPrecision(digits));
  return rounded && Math.abs(rounded) < 1e-3 ? rounded.toExponential() : String(rounded);
}

/** The same with three digits, for what is estimated or simulated. */
function rounded(number) {
  return plain(number, 3);
}

/** The largest difference of a form, for sorting: what is not there comes last. */
function differenceRank(form) {
  if (!form) return -1;
  return form.difference ? (form.difference.largest ?? Infinity) : 0;
}

function formWords(form) {
  if (!form) return "–";
  return form.difference ? differenceWords(form.difference) : "none";
}

function differenceWords(difference) {
  return `${difference.largest === null ? "not finite" : plain(difference.largest)}${difference.is_reordered ? ", reordered" : ""}`;
}

function valueDetails(compilation, value) {
  const node = compilation.graph[value.node];
  return [
    h("h2", {}, node.label), h("p", {}, h("code", {}, value.type)),
    node.place >= 0 ? h("button.place", { type: "button", onclick: () => choosePlace(node.place) }, placeName(compilation.places[node.place])) : null,
    h("p", {}, h("a", { href: link("graph", value.node) }, "in the graph")),
    value.picture ? pictureOf(value.picture) : null,
    distribution(value.numbers), numbersList(value.numbers),
    ...value.forms.map((form) => formView(form)),
    value.forms.length ? null : h("p.quiet", {}, "At the tensor level no value of its size has its place: the op was merged with another one, or it is an input."),
  ].filter(Boolean);
}

function numbersList(numbers) {
  const quantiles = ["1%", "25%", "median", "75%", "99%"].map((words, n) => fact(words, plain(numbers.quantiles[n])));
  return h("div", {}, h("dl.facts", {}, fact("least", plain(numbers.least)), ...(numbers.quantiles.length ? quantiles : []), fact("most", plain(numbers.most)), fact("mean", plain(numbers.mean))),
    h("dl.facts", {}, fact("elements", numbers.elements.toLocaleString("en")), fact("zeros", percent(numbers.zeros, numbers.elements)),
      fact("NaN", h("span", { class: numbers.nans ? "alarm" : "" }, numbers.nans.toLocaleString("en"))), fact("infinite", h("span", { class: numbers.infinities ? "alarm" : "" }, numbers.infinities.toLocaleString("en")))),
    numbers.first.length ? h("dl.facts", {}, fact("first elements", h("code", {}, numbers.first.join(", ")))) : null);
}

function formView(form) {
  const words = form.difference ? [`Largest difference ${differenceWords(form.difference)}`,
    form.difference.at.length ? ` at [${form.difference.at.join(", ")}]: ${form.difference.before} → ${form.difference.after}` : "",
    `; ${form.difference.count.toLocaleString("en")} of ${count(form.difference.elements, "element")} differ.`] : ["The same to the bit."];
  return h("div.form", {}, h("h3", {}, form.words), h("p", {}, h("code", {}, form.type), " ", ...words),
    form.numbers.nans || form.numbers.infinities ? h("p.alarm", {}, `${form.numbers.nans.toLocaleString("en")} NaN, ${form.numbers.infinities.toLocaleString("en")} infinite`) : null);
}

/** A box from a quarter to three quarters, a line to 1% and 99%, a tick for the median; the numbers stand beside it. */
function distribution({ least, most, quantiles }) {
  if (!quantiles.length || least === most) return null;
  const [width, y] = [288, 14];
  const x = (number) => 2 + ((number / 2 - least / 2) / (most / 2 - least / 2)) * (width - 4);
  const [low, quarter, median, three, high] = quantiles.map(x);
  return svg("svg.distribution", { viewBox: `0 0 ${width} 28`, role: "img", "aria-label": `Half of the elements are from ${plain(quantiles[1])} to ${plain(quantiles[3])}` },
    svg("line.range", { x1: x(least), x2: x(most), y1: y, y2: y }), svg("line.most", { x1: low, x2: high, y1: y, y2: y }),
    svg("rect.half", { x: quarter, y: y - 7, width: Math.max(1, three - quarter), height: 14 }), svg("line.median", { x1: median, x2: median, y1: y - 9, y2: y + 9 }),
    least < 0 && most > 0 ? svg("line.zero", { x1: x(0), x2: x(0), y1: 0, y2: 28 }) : null);
}

/** An image on a canvas; numbers that are not finite are red. */
function pictureOf(picture) {
  const canvas = h("canvas.picture", { width: picture.width, height: picture.height, role: "img", "aria-label": `The value as an image, ${picture.words}` });
  const bytes = Uint8Array.from(atob(picture.pixels), (c) => c.charCodeAt(0));
  const data = new ImageData(picture.width, picture.height);
  for (let pixel = 0; pixel < picture.width * picture.height; pixel++) {
    const parts = [0, 1, 2].map((colour) => bytes[pixel * picture.colours + (picture.colours === 3 ? colour : 0)]);
    data.data.set(parts.includes(0) ? [220, 40, 40, 255] : [...parts.map((part) => ((part - 1) * 255) / 254), 255], 4 * pixel);
  }
  canvas.getContext("2d").putImageData(data, 0, 0);
  return h("figure", {}, canvas, h("figcaption", {}, picture.words));
}

/** What a pass did to the values of the run: which of them are not what they were before. */
function passValues(compilation, pass) {
  const values = pass.values;
  if (!values) return null;
  if (values.reason) return h("p.status", {}, `Values: the model cannot be run after this pass: ${values.reason}`);
  const words = `${values.differing.length ? values.differing.length : "None"} of ${count(values.compared, "value")} ${values.differing.length === 1 ? "differs" : "differ"}`;
  if (!values.differing.length) return h("p.status", {}, `${words} in any bit from before.`);
  const chosen = values.differing.find((each) => each.place === chosenPlace.place);
  const columns = [
    { title: "value", of: (each) => compilation.places[each.place].words, cell: (each) => h("button.place", { type: "button", onclick: () => choosePlace(each.place) }, placeName(compilation.places[each.place])) },
    { title: "type", of: (each) => each.type, cell: (each) => h("code", {}, each.type) },
    { title: "largest difference", number: true, of: (each) => differenceRank(each), cell: (each) => differenceWords(each.difference) },
    { title: "at", of: (each) => each.difference.at.join(), cell: (each) => (each.difference.at.length ? `[${each.difference.at.join(", ")}]` : "") },
    { title: "before", of: (each) => each.difference.before }, { title: "after", of: (each) => each.difference.after },
    { title: "elements that differ", number: true, of: (each) => each.difference.count, cell: (each) => `${each.difference.count.toLocaleString("en")} of ${each.difference.elements.toLocaleString("en")}` },
  ];
  const [worst] = values.differing;
  return h("details.pass-values", {}, h("summary", {}, `${words} from before, at most by ${differenceWords(worst.difference)} (${placeName(compilation.places[worst.place])})`,
      chosen ? h("strong", {}, `; that of ${placeName(compilation.places[chosen.place])} by ${differenceWords(chosen.difference)}`) : null),
    table(columns, values.differing, { caption: "Values that differ from those before this pass" }));
}

/** The values of a node in the details of the graph. */
function nodeValues(compilation, number) {
  return compilation.values.map((value, at) => [value, at]).filter(([value]) => value.node === number).flatMap(([value, at]) => [
    value.picture ? pictureOf(value.picture) : null, distribution(value.numbers),
    h("p", {}, `${plain(value.numbers.least)} to ${plain(value.numbers.most)}, mean ${plain(value.numbers.mean)}, ${percent(value.numbers.zeros, value.numbers.elements)} zeros `,
      value.numbers.nans || value.numbers.infinities ? h("span.alarm", {}, `${value.numbers.nans} NaN, ${value.numbers.infinities} infinite `) : null, h("a", { href: link("values", at) }, "all numbers"))]);
}
