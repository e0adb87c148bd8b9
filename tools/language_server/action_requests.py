"""Requests that change a text or run something on it: corrections, commands, formatting."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from mlc.support.errors import UserError
from mlc.tools.language_server import actions
from mlc.tools.language_server.check_lines import updated_checks
from mlc.tools.language_server.formatting import formatted
from mlc.tools.language_server.run_lines import run_lines
from mlc.tools.language_server.session import Server
from mlc.tools.language_server.tool_runs import ToolRun, ToolRuns


def add_actions(server: Server, runs: ToolRuns) -> None:
    """Let a server answer them."""
    commands = _Commands(server, runs)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    async def _act(at: lsp.CodeActionParams) -> list[lsp.CodeAction | lsp.Command]:
        view = await server.view(at.text_document.uri)
        start, end = view.offset(at.range.start), view.offset(at.range.end)
        corrected = [
            lsp.CodeAction(
                each.title,
                lsp.CodeActionKind.QuickFix,
                [view.diagnostic(each.error)],
                is_preferred=True,
                edit=lsp.WorkspaceEdit({view.uri: [lsp.TextEdit(view.range(each.start, each.end), each.new)]}),
            )
            for each in actions.corrections(view.text, start, end)
        ]
        offered = [
            lsp.Command(each.title, each.command, arguments=[view.uri, *each.arguments])
            for each in actions.offers(view.text, start)
        ]
        return [*corrected, *offered]

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    async def _format(of: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        view = await server.view(of.text_document.uri)
        new = formatted(view.text.text)
        return [] if new == view.text.text else [lsp.TextEdit(view.whole(), new)]

    @server.command(actions.SHOW)
    async def _show(uri: str, arguments: list[str]) -> str:
        return await commands.show(uri, "mlc-opt", arguments, ".mlir")

    @server.command(actions.EXPLAIN)
    async def _explain(uri: str, kernel: str | None) -> str:
        return await commands.show(uri, "mlc", ["explain", "%s", *([kernel] if kernel else [])], ".txt")

    @server.command(actions.RUN_REFERENCE)
    async def _reference(uri: str, function: str) -> str:
        return await commands.show(uri, "reference", ["%s", function], ".txt")

    @server.command(actions.UPDATE_CHECKS)
    async def _update(uri: str) -> str:
        return await commands.update_checks(uri)


class _Commands:
    def __init__(self, server: Server, runs: ToolRuns) -> None:
        self._server = server
        self._runs = runs

    async def show(self, uri: str, tool: str, arguments: Sequence[str], suffix: str) -> str:
        """Run a command on a document and let the editor show what it prints, or say what is wrong."""
        try:
            run = await self._run(uri, tool, arguments, self._source(uri))
        except UserError as e:
            return self._say(e.message)
        if run.status and not run.output.strip():
            return self._say(run.errors.strip() or f"{tool} ended with status {run.status} and said nothing")
        path = self._runs.new_file(self._server.file_of(uri).stem + suffix)
        path.write_text(run.output + _as_comments(run.errors), encoding="utf-8")
        capabilities = self._server.client_capabilities.window
        if capabilities is not None and capabilities.show_document is not None and capabilities.show_document.support:
            await self._server.window_show_document_async(lsp.ShowDocumentParams(path.as_uri(), take_focus=True))
        return path.read_text(encoding="utf-8")

    async def update_checks(self, uri: str) -> str:
        """Let the directives of a lit test say what its RUN lines print, if filecheck is content then."""
        source = text = self._source(uri)
        checked = [line for line in run_lines(text) if line.check is not None]
        try:
            for line in checked:
                run = await self._run(uri, "mlc-opt", line.arguments, source)
                if run.status:
                    return self._say(run.errors.strip())
                printed = run.output + run.errors if line.merged else run.output
                if await self._complaint(uri, line.check or (), text, printed) is None:
                    continue
                for prefix in line.prefixes:
                    text = updated_checks(text, prefix, printed)
                if (complaint := await self._complaint(uri, line.check or (), text, printed)) is not None:
                    return self._say(f"CHECK lines that match what is printed were not found: {complaint}")
        except UserError as e:
            return self._say(e.message)
        if text == source:
            return self._say("the CHECK lines match already")
        if self._source(uri) != source:
            return self._say("the text was changed meanwhile; try again")
        view = await self._server.view(uri)
        edit = lsp.WorkspaceEdit({uri: [lsp.TextEdit(view.whole(), text)]})
        await self._server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit, "CHECK lines"))
        return text

    async def _complaint(self, uri: str, arguments: Sequence[str], test: str, printed: str) -> str | None:
        """What filecheck has against a test, if it has something."""
        path = self._runs.new_file("printed.txt")
        path.write_text(printed, encoding="utf-8")
        run = await self._run(uri, "filecheck", [*arguments, "--input-file", str(path)], test)
        return None if not run.status else run.errors.strip().partition("\n")[0] or "filecheck fails"

    async def _run(self, uri: str, tool: str, arguments: Sequence[str], text: str) -> ToolRun:
        return await self._runs.run(tool, arguments, text, self._server.file_of(uri))

    def _source(self, uri: str) -> str:
        return self._server.workspace.get_text_document(uri).source

    def _say(self, message: str) -> str:
        self._server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, message))
        return message


def _as_comments(said: str) -> str:
    """What a command said beside its output, such as warnings, at the end of it."""
    return "".join(f"// {line}\n" for line in said.splitlines())
