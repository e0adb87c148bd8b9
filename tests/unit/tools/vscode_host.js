// Runs the extension without VS Code: `node vscode_host.js EXTENSION.js FILE.mlir COMMAND…` prints what its providers say.
"use strict";

const Module = require("module");
const fs = require("fs");
const url = require("url");

const [extensionFile, file, ...command] = process.argv.slice(2);
const providers = {};
const messages = [];
const diagnostics = [];
const commands = {};

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}
class Range {
  constructor(start, end) {
    Object.assign(this, { start, end });
  }
}
const record = (...names) =>
  class {
    constructor(...values) {
      names.forEach((name, i) => (this[name] = values[i]));
    }
  };
class WorkspaceEdit {
  constructor() {
    this.edits = [];
  }
  replace(uri, range, text) {
    this.edits.push([range.start.line, range.start.character, text]);
  }
}
const nothing = () => ({ dispose() {} });
const languages = new Proxy(
  { createDiagnosticCollection: () => ({ set: (_, found) => diagnostics.push(found), delete() {}, dispose() {} }) },
  {
    get: (known, name) =>
      known[name] || ((_, provider) => (Object.assign(providers, { [name]: provider }), nothing())),
  },
);
const uri = { toString: () => url.pathToFileURL(file).toString() };
const document = { uri, languageId: "mlir", version: 1, getText: () => fs.readFileSync(file, "utf8") };
const vscode = {
  Position,
  Range,
  WorkspaceEdit,
  languages,
  Location: record("uri", "range"),
  MarkdownString: record("value"),
  Diagnostic: record("range", "message", "severity"),
  DiagnosticRelatedInformation: record("location", "message"),
  CompletionItem: record("label", "kind"),
  CompletionList: record("items", "isIncomplete"),
  DocumentSymbol: record("name", "detail"),
  DocumentHighlight: record("range"),
  Hover: record("contents", "range"),
  FoldingRange: record("start", "end"),
  InlayHint: record("position", "label"),
  SignatureHelp: record(),
  SignatureInformation: record("label", "documentation"),
  ParameterInformation: record("label"),
  EventEmitter: class {
    event() {}
    fire() {}
    dispose() {}
  },
  CodeAction: record("title", "kind"),
  CodeActionKind: record("value"),
  SemanticTokensLegend: record("types"),
  SemanticTokens: record("data", "resultId"),
  SemanticTokensEdits: record("edits", "resultId"),
  SemanticTokensEdit: record("start", "count", "data"),
  TextEdit: { replace: (range, text) => ({ range, text }) },
  Uri: { parse: (text) => ({ toString: () => text }), file: (path) => url.pathToFileURL(path) },
  ViewColumn: { Beside: -2 },
  workspace: {
    textDocuments: [document],
    workspaceFolders: [{ uri: { fsPath: require("path").dirname(file) } }],
    isTrusted: process.env.TRUSTED === "yes",
    getConfiguration: () => ({ get: (name) => (name === "command" ? command : true) }),
    onDidGrantWorkspaceTrust: nothing,
    onDidOpenTextDocument: nothing,
    onDidChangeTextDocument: nothing,
    onDidCloseTextDocument: nothing,
    applyEdit: async () => true,
  },
  window: { showErrorMessage: (text) => messages.push(text), showInformationMessage: (text) => messages.push(text) },
  commands: { registerCommand: (name, run) => ((commands[name] = run), nothing()) },
};
const load = Module._load;
Module._load = (name, ...others) => (name === "vscode" ? vscode : load(name, ...others));

async function main() {
  const extension = require(extensionFile);
  await extension.activate({ subscriptions: [] });
  const said = { messages };
  if (!messages.length) {
    while (!diagnostics.length) await new Promise((resolve) => setTimeout(resolve, 50));
    const at = new Position(1, 12);
    const name = new Position(1, 3);
    said.diagnostics = diagnostics[diagnostics.length - 1].map((d) => [d.range.start.line, d.message]);
    said.hover = (await providers.registerHoverProvider.provideHover(document, at)).contents.value;
    said.definition = (await providers.registerDefinitionProvider.provideDefinition(document, name)).range.start;
    said.rename = (await providers.registerRenameProvider.provideRenameEdits(document, name, "y")).edits;
    const offered = await providers.registerCompletionItemProvider.provideCompletionItems(document, new Position(1, 15));
    said.completion = offered.items.map((each) => each.label);
    said.isIncomplete = offered.isIncomplete;
    const outline = await providers.registerDocumentSymbolProvider.provideDocumentSymbols(document);
    const signature = await providers.registerSignatureHelpProvider.provideSignatureHelp(document, new Position(1, 18));
    said.signature = signature && [signature.signatures[0].label, signature.activeParameter];
    const whole = new Range(new Position(0, 0), new Position(9, 0));
    said.hints = (await providers.registerInlayHintsProvider.provideInlayHints(document, whole)).map((each) => each.label);
    said.outline = outline.map((each) => each.name);
    const colours = providers.registerDocumentSemanticTokensProvider;
    const first = await colours.provideDocumentSemanticTokens(document);
    said.colours = first.data.length % 5;
    said.changes = (await colours.provideDocumentSemanticTokensEdits(document, first.resultId)).edits.length;
    const wrong = diagnostics[diagnostics.length - 1];
    const actions = await providers.registerCodeActionsProvider.provideCodeActions(
      document,
      wrong.length ? wrong[0].range : new Range(at, at),
      { diagnostics: wrong },
    );
    said.actions = actions.map((each) => [each.title, each.edit ? each.edit.edits : each.arguments[0].command]);
  }
  await extension.deactivate();
  console.log(JSON.stringify(said));
}

main();
