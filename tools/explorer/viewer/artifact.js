// The artifact by section, and each section by what has a name in it.

const SECTION_WORDS = {
  ".text": "code", ".rodata": "constants: weights, tables of kernels", ".bss": "zeros", ".data": "data that is written", ".symtab": "names for debuggers",
  ".strtab": "names for debuggers", ".shstrtab": "names of sections", ".dynsym": "names for the dynamic linker", ".dynstr": "names for the dynamic linker",
  ".gnu.hash": "names for the dynamic linker", ".dynamic": "what the dynamic linker reads", ".eh_frame": "how to unwind the stack", ".comment": "the compiler's version",
};
const MOST_SYMBOLS = 500;

function artifactPage(compilation) {
  const { artifact } = compilation;
  const title = h("h1", {}, "Artifact");
  if (!artifact) return h("section.main.wide", {}, title, h("p.empty", {}, "This target makes no shared library of ELF."));
  if (artifact.reason) return h("section.main.wide", {}, title, h("p.empty", {}, `The library could not be linked here: ${artifact.reason}`));
  const symbols = artifact.sections.flatMap((section) => section.symbols.map((symbol) => ({ ...symbol, section })));
  const of = (kind) => symbols.filter((symbol) => symbol.kind === kind);
  const sum = (all) => all.reduce((bytes, each) => bytes + each.bytes, 0);
  return h("section.main.wide", {}, title,
    h("p.lead", {}, `The shared library has ${amount(artifact.bytes, "B")}: ${amount(sum(of("weight")), "B")} of weights, ${amount(sum(of("kernel")), "B")} of code of ${count(of("kernel").length, "kernel")}, `
      + `${amount(artifact.bytes - sum(of("weight")) - sum(of("kernel")), "B")} of all else.`),
    sectionTable(artifact),
    h("h2.space", {}, "Kernels"), symbolTable(of("kernel"), "Code of kernels", (symbol) => h("a", { href: link("kernels", symbol.function) }, symbol.function), sum(of("kernel"))),
    h("h2.space", {}, "Weights"), symbolTable(of("weight"), "Weights in the artifact", (symbol) => symbol.name, sum(of("weight"))),
    h("h2.space", {}, "Other"), symbolTable(of("other"), "What else has a name", (symbol) => symbol.name, sum(of("other"))));
}

function sectionTable(artifact) {
  const unnamed = (section) => Math.max(0, section.bytes - section.symbols.reduce((bytes, symbol) => bytes + symbol.bytes, 0));
  return table([
    { title: "section", of: (each) => each.name, cell: (each) => h("code", {}, each.name) },
    { title: "holds", of: (each) => SECTION_WORDS[each.name] ?? "" },
    { title: "bytes", number: true, of: (each) => each.bytes, cell: (each) => each.bytes.toLocaleString("en") },
    { title: "of the file", number: true, of: (each) => (each.is_stored ? each.bytes : 0), cell: (each) => h("span.share", {}, each.is_stored ? percent(each.bytes, artifact.bytes) : "–", bar(each.is_stored ? each.bytes / artifact.bytes : 0)) },
    { title: "names", number: true, of: (each) => each.symbols.length },
    { title: "without a name", number: true, of: unnamed, cell: (each) => unnamed(each).toLocaleString("en") },
    { title: "in memory", of: (each) => (each.is_loaded ? "yes" : "no") },
  ], artifact.sections, { caption: "Sections of the artifact", sort: 2 });
}

function symbolTable(symbols, caption, cell, total) {
  if (!symbols.length) return h("p.empty", {}, "none");
  const shown = [...symbols].sort((a, b) => b.bytes - a.bytes).slice(0, MOST_SYMBOLS);
  return table([
    { title: "name", of: (each) => each.function || each.name, cell },
    { title: "section", of: (each) => each.section.name, cell: (each) => h("code", {}, each.section.name) },
    { title: "bytes", number: true, of: (each) => each.bytes, cell: (each) => each.bytes.toLocaleString("en") },
    { title: "of these", number: true, of: (each) => each.bytes, cell: (each) => h("span.share", {}, percent(each.bytes, total), bar(each.bytes / total)) },
  ], shown, { caption, sort: 2 });
}
