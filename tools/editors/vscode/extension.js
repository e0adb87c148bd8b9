// The extension: starts `mlc lsp`, tells it of open texts, and asks it what VS Code wants to know of them.
"use strict";

const { existsSync } = require("fs");
const { dirname, join } = require("path");
const vscode = require("vscode");
const { Connection } = require("./connection");

const LANGUAGE = { language: "mlir" };
let server = null;

// -- from the protocol's records to those of VS Code

const position = (p) => new vscode.Position(p.line, p.character);
const range = (r) => new vscode.Range(position(r.start), position(r.end));
const location = (l) => new vscode.Location(vscode.Uri.parse(l.uri), range(l.range));
const markdown = (m) => new vscode.MarkdownString(m.value);
const uriOf = (document) => document.uri.toString();
const textOf = (document) => ({ uri: uriOf(document) });
const placeOf = (document, at) => ({ textDocument: textOf(document), position: at });

function workspaceEdit(edit) {
  const result = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(edit.changes || {}))
    for (const each of edits) result.replace(vscode.Uri.parse(uri), range(each.range), each.newText);
  return result;
}

function diagnostic(d) {
  const result = new vscode.Diagnostic(range(d.range), d.message, d.severity - 1);
  result.source = d.source;
  result.relatedInformation = (d.relatedInformation || []).map(
    (r) => new vscode.DiagnosticRelatedInformation(location(r.location), r.message),
  );
  return result;
}

function completion(item) {
  const result = new vscode.CompletionItem(item.label, item.kind - 1);
  result.detail = item.detail;
  if (item.textEdit) {
    result.range = range(item.textEdit.range);
    result.insertText = item.textEdit.newText;
  }
  return result;
}

function symbol(s) {
  const result = new vscode.DocumentSymbol(s.name, s.detail || "", s.kind - 1, range(s.range), range(s.selectionRange));
  result.children = (s.children || []).map(symbol);
  return result;
}

function inlayHint(h) {
  const result = new vscode.InlayHint(position(h.position), h.label, h.kind);
  result.tooltip = h.tooltip;
  result.paddingLeft = h.paddingLeft;
  return result;
}

function signatureHelp(found) {
  const result = new vscode.SignatureHelp();
  result.signatures = found.signatures.map((s) => {
    const signature = new vscode.SignatureInformation(s.label, markdown(s.documentation));
    signature.parameters = s.parameters.map((p) => new vscode.ParameterInformation(p.label));
    return signature;
  });
  result.activeSignature = 0;
  // A number beyond the parameters: none of them is marked.
  result.activeParameter = found.activeParameter ?? found.signatures[0].parameters.length;
  return result;
}

// An action with an edit, or a command of the server.
function action(a) {
  if (typeof a.command === "string") return { title: a.title, command: "mlc.run", arguments: [a] };
  const result = new vscode.CodeAction(a.title, new vscode.CodeActionKind(a.kind || ""));
  result.edit = workspaceEdit(a.edit);
  return result;
}

// -- the server

class Server {
  constructor(command, folder) {
    this.found = vscode.languages.createDiagnosticCollection("mlc");
    this.hintsChanged = new vscode.EventEmitter();
    this.subscriptions = [this.found, this.hintsChanged];
    const handlers = {
      "textDocument/publishDiagnostics": (p) => this.found.set(vscode.Uri.parse(p.uri), p.diagnostics.map(diagnostic)),
      "workspace/applyEdit": async (p) => ({ applied: await vscode.workspace.applyEdit(workspaceEdit(p.edit)) }),
      "window/showDocument": async (p) => {
        const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(p.uri));
        await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
        return { success: true };
      },
      "workspace/inlayHint/refresh": () => (this.hintsChanged.fire(), null),
      "window/showMessage": (p) => void vscode.window.showInformationMessage(p.message),
    };
    this.connection = new Connection(command, folder, handlers, (reason) => {
      if (!this.stopped) vscode.window.showErrorMessage(`The language server (${command.join(" ")}) ended: ${reason}`);
    });
    const capabilities = {
      general: { positionEncodings: ["utf-16"] },
      workspace: { applyEdit: true, inlayHint: { refreshSupport: true } },
      window: { showDocument: { support: true } },
      textDocument: {
        codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor", "source"] } } },
      },
    };
    const about = { processId: process.pid, rootUri: folder ? vscode.Uri.file(folder).toString() : null, capabilities };
    this.ready = this.connection.request("initialize", about).then((answer) => {
      this.connection.notify("initialized", {});
      this.provide(answer.capabilities);
      vscode.workspace.textDocuments.forEach((document) => this.open(document));
      this.subscriptions.push(
        vscode.workspace.onDidOpenTextDocument((document) => this.open(document)),
        vscode.workspace.onDidChangeTextDocument((event) => this.change(event)),
        vscode.workspace.onDidCloseTextDocument((document) => this.close(document)),
      );
    });
    this.ready.catch(() => {});
  }

  ask(method, params, token) {
    return this.connection.request(method, params, token);
  }

  open(document) {
    if (document.languageId !== "mlir") return;
    const item = { uri: uriOf(document), languageId: "mlir", version: document.version, text: document.getText() };
    this.connection.notify("textDocument/didOpen", { textDocument: item });
  }

  change({ document, contentChanges }) {
    if (document.languageId !== "mlir" || !contentChanges.length) return;
    this.connection.notify("textDocument/didChange", {
      textDocument: { uri: uriOf(document), version: document.version },
      contentChanges: contentChanges.map((each) => ({ range: each.range, text: each.text })),
    });
  }

  close(document) {
    if (document.languageId !== "mlir") return;
    this.connection.notify("textDocument/didClose", { textDocument: textOf(document) });
    this.found.delete(document.uri);
  }

  provide(capabilities) {
    const { languages } = vscode;
    const listOf = (method, make) => async (document, at, token) =>
      ((await this.ask(method, placeOf(document, at), token)) || []).map(make);
    this.subscriptions.push(
      languages.registerHoverProvider(LANGUAGE, {
        provideHover: async (document, at, token) => {
          const found = await this.ask("textDocument/hover", placeOf(document, at), token);
          return found && new vscode.Hover(markdown(found.contents), range(found.range));
        },
      }),
      languages.registerCompletionItemProvider(
        LANGUAGE,
        {
          provideCompletionItems: async (document, at, token) => {
            const found = await this.ask("textDocument/completion", placeOf(document, at), token);
            return found && new vscode.CompletionList(found.items.map(completion), found.isIncomplete);
          },
        },
        ...capabilities.completionProvider.triggerCharacters,
      ),
      languages.registerDefinitionProvider(LANGUAGE, {
        provideDefinition: async (document, at, token) => {
          const found = await this.ask("textDocument/definition", placeOf(document, at), token);
          return found && location(found);
        },
      }),
      languages.registerReferenceProvider(LANGUAGE, {
        provideReferences: async (document, at, context, token) =>
          ((await this.ask("textDocument/references", { ...placeOf(document, at), context }, token)) || []).map(location),
      }),
      languages.registerDocumentHighlightProvider(LANGUAGE, {
        provideDocumentHighlights: listOf(
          "textDocument/documentHighlight",
          (h) => new vscode.DocumentHighlight(range(h.range)),
        ),
      }),
      languages.registerRenameProvider(LANGUAGE, {
        prepareRename: async (document, at, token) => {
          const found = await this.ask("textDocument/prepareRename", placeOf(document, at), token);
          if (!found) throw new Error("no name of a value, a block, a symbol or an alias stands here");
          return range(found);
        },
        provideRenameEdits: async (document, at, newName, token) => {
          const found = await this.ask("textDocument/rename", { ...placeOf(document, at), newName }, token);
          if (!found) throw new Error(`'${newName}' is not a name of IR`);
          return workspaceEdit(found);
        },
      }),
      languages.registerDocumentSymbolProvider(LANGUAGE, {
        provideDocumentSymbols: async (document, token) =>
          ((await this.ask("textDocument/documentSymbol", { textDocument: textOf(document) }, token)) || []).map(symbol),
      }),
      languages.registerFoldingRangeProvider(LANGUAGE, {
        provideFoldingRanges: async (document, _context, token) =>
          ((await this.ask("textDocument/foldingRange", { textDocument: textOf(document) }, token)) || []).map(
            (f) => new vscode.FoldingRange(f.startLine, f.endLine),
          ),
      }),
      languages.registerSignatureHelpProvider(
        LANGUAGE,
        {
          provideSignatureHelp: async (document, at, token) => {
            const found = await this.ask("textDocument/signatureHelp", placeOf(document, at), token);
            return found && signatureHelp(found);
          },
        },
        ...capabilities.signatureHelpProvider.triggerCharacters,
      ),
      languages.registerInlayHintsProvider(LANGUAGE, {
        onDidChangeInlayHints: this.hintsChanged.event,
        provideInlayHints: async (document, within, token) =>
          (
            (await this.ask("textDocument/inlayHint", { textDocument: textOf(document), range: within }, token)) || []
          ).map(inlayHint),
      }),
      languages.registerDocumentFormattingEditProvider(LANGUAGE, {
        provideDocumentFormattingEdits: async (document, options, token) =>
          ((await this.ask("textDocument/formatting", { textDocument: textOf(document), options }, token)) || []).map(
            (e) => vscode.TextEdit.replace(range(e.range), e.newText),
          ),
      }),
      languages.registerCodeActionsProvider(LANGUAGE, {
        provideCodeActions: async (document, within, context, token) => {
          const diagnostics = context.diagnostics.map((d) => ({ range: d.range, message: d.message }));
          const about = { textDocument: textOf(document), range: within, context: { diagnostics } };
          return ((await this.ask("textDocument/codeAction", about, token)) || []).map(action);
        },
      }),
    );
    this.provideColours(capabilities.semanticTokensProvider.legend);
  }

  provideColours(legend) {
    const known = new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers);
    const tokens = (found) => found && new vscode.SemanticTokens(new Uint32Array(found.data), found.resultId);
    const edit = (e) => new vscode.SemanticTokensEdit(e.start, e.deleteCount, new Uint32Array(e.data || []));
    this.subscriptions.push(
      vscode.languages.registerDocumentSemanticTokensProvider(
        LANGUAGE,
        {
          provideDocumentSemanticTokens: async (document, token) =>
            tokens(await this.ask("textDocument/semanticTokens/full", { textDocument: textOf(document) }, token)),
          provideDocumentSemanticTokensEdits: async (document, previousResultId, token) => {
            const about = { textDocument: textOf(document), previousResultId };
            const found = await this.ask("textDocument/semanticTokens/full/delta", about, token);
            if (!found || !found.edits) return tokens(found);
            return new vscode.SemanticTokensEdits(found.edits.map(edit), found.resultId);
          },
        },
        known,
      ),
      vscode.languages.registerDocumentRangeSemanticTokensProvider(
        LANGUAGE,
        {
          provideDocumentRangeSemanticTokens: async (document, within, token) =>
            tokens(
              await this.ask(
                "textDocument/semanticTokens/range",
                { textDocument: textOf(document), range: within },
                token,
              ),
            ),
        },
        known,
      ),
    );
  }

  async stop() {
    this.stopped = true;
    this.subscriptions.forEach((each) => each.dispose());
    try {
      await this.ask("shutdown", null);
      this.connection.notify("exit", null);
    } catch {
      this.connection.process.kill();
    }
  }
}

function hasProject(folder) {
  const above = dirname(folder);
  return existsSync(join(folder, "pyproject.toml")) || (above !== folder && hasProject(above));
}

function start() {
  const settings = vscode.workspace.getConfiguration("mlc");
  const [folder] = vscode.workspace.workspaceFolders || [];
  const path = folder && folder.uri.fsPath;
  // Plugins are programs: those of a folder are loaded once its user trusts it.
  const trusted = path && settings.get("projectPlugins") && vscode.workspace.isTrusted;
  const plugins = trusted && hasProject(path) ? [`--project=${path}`] : [];
  server = new Server([...settings.get("command"), ...plugins], path);
  return server.ready;
}

async function run({ command, arguments: given }) {
  try {
    await server.ask("workspace/executeCommand", { command, arguments: given });
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
  }
}

function activate(context) {
  const restart = async () => {
    await server.stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("mlc.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.commands.registerCommand("mlc.run", run),
    vscode.commands.registerCommand("mlc.showAfterPasses", async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor || editor.document.languageId !== "mlir") return;
      const passes = await vscode.window.showInputBox({ prompt: "passes, as in --pass-pipeline", value: "canonicalize" });
      if (passes) await run({ command: "mlc.show", arguments: [uriOf(editor.document), ["%s", `--pass-pipeline=${passes}`]] });
    }),
  );
  return start().catch(() => {});
}

const deactivate = () => server && server.stop();

module.exports = { activate, deactivate };
