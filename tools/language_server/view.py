"""A text as the protocol sees it: positions are lines and units of a line, errors and candidates are its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from mlc.support.errors import SourceLocation, UserError
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.colours import ColouredLine
from mlc.tools.language_server.completion import Completion
from mlc.tools.language_server.outline import OutlineEntry
from mlc.tools.language_server.signatures import ShownSignature
from mlc.tools.language_server.tokens import TextToken

_COMPLETIONS: dict[str, lsp.CompletionItemKind] = {
    "value": lsp.CompletionItemKind.Variable,
    "block": lsp.CompletionItemKind.Reference,
    "symbol": lsp.CompletionItemKind.Function,
    "alias": lsp.CompletionItemKind.Constant,
    "op": lsp.CompletionItemKind.Method,
    "dialect": lsp.CompletionItemKind.Module,
    "keyword": lsp.CompletionItemKind.Keyword,
    "case": lsp.CompletionItemKind.EnumMember,
    "step": lsp.CompletionItemKind.Function,
    "loop": lsp.CompletionItemKind.Variable,
    "pass": lsp.CompletionItemKind.Function,
    "option": lsp.CompletionItemKind.Property,
}
_SYMBOLS = {
    "function": lsp.SymbolKind.Function,
    "module": lsp.SymbolKind.Module,
    "other": lsp.SymbolKind.Object,
}


@dataclass(frozen=True)
class View:
    """A text and the units in which an editor counts."""

    text: AnalysedText
    uri: str
    codec: PositionCodec

    # -- positions

    def position(self, offset: int) -> lsp.Position:
        """The line, and the units before it in its line, of a position."""
        place = self.text.source.locate(offset)
        start = offset - place.column + 1
        return lsp.Position(place.line - 1, self._units(self.text.text[start:offset]))

    def _units(self, text: str) -> int:
        return len(text) if text.isascii() else self.codec.client_num_units(text)

    def offset(self, position: lsp.Position) -> int:
        """The inverse of `position`; the nearest one where the line is shorter, or does not exist."""
        starts = self.text.source.line_starts
        if position.line >= len(starts):
            return len(self.text.text)
        line = self.text.line(position.line)
        if line.isascii():
            return starts[position.line] + min(position.character, len(line))
        at = units = 0
        while at < len(line) and units < position.character:
            units += self.codec.client_num_units(line[at])
            at += 1
        return starts[position.line] + at

    def range(self, start: int, end: int) -> lsp.Range:
        """What stands between two positions."""
        return lsp.Range(self.position(start), self.position(end))

    def whole(self) -> lsp.Range:
        """All of the text."""
        return self.range(0, len(self.text.text))

    # -- names

    def length(self, token: TextToken) -> int:
        """The length of the name that a token is, without the number of one of its values, `%x` of `%x#1`, or of a loop
        without what tells it from its dim, `m` of `mi`.
        """
        if (thing := self.text.things.get(token.start)) is not None:
            return len(thing.name)
        dim = self.text.dim_at(token)
        return len(token.text) if dim is None else len(dim.name)

    def ranges(self, token: TextToken | None, skip: int = 0, but: int | None = None) -> list[lsp.Range]:
        """Where the name that a token is stands, without the first `skip` characters, nor the place `but`."""
        if token is None:
            return []
        length = self.length(token)
        skip = 0 if token.kind == "word" else skip  # dims have no sigil
        return [self.range(at + skip, at + length) for at in self.text.places_of(token) if at != but]

    # -- answers

    def in_units(self, first: int, lines: Sequence[ColouredLine]) -> Sequence[ColouredLine]:
        """The tokens of lines, from `first` on, at the positions and of the lengths that the editor counts."""
        if self.text.text.isascii():
            return lines
        return [self._in_units(self.text.line(number), tokens) for number, tokens in enumerate(lines, first)]

    def _in_units(self, line: str, tokens: ColouredLine) -> ColouredLine:
        if line.isascii():
            return tokens
        return [(self._units(line[:at]), self._units(line[at : at + length]), kind) for at, length, kind in tokens]

    def diagnostic(self, error: UserError) -> lsp.Diagnostic:
        """An error, at its place if that is in this text, and otherwise at its beginning."""
        location = error.location
        here = location is not None and location.file == self.text.file
        start, end = self.text.range_of(location) if location is not None and here else (0, 0)
        related = [
            lsp.DiagnosticRelatedInformation(
                lsp.Location(self.uri, self.range(*self.text.range_of(note.location))), note.message
            )
            for note in error.notes
            if note.location is not None and note.location.file == self.text.file
        ]
        elsewhere = f"{location}: " if location is not None and not here else ""
        return lsp.Diagnostic(
            self.range(start, end),
            elsewhere + error.message,
            lsp.DiagnosticSeverity.Error,
            source="mlc",
            related_information=related,
        )

    def item(self, candidate: Completion, position: int) -> lsp.CompletionItem:
        """What may be written at a position."""
        return lsp.CompletionItem(
            candidate.text,
            kind=_COMPLETIONS[candidate.kind],
            detail=candidate.detail or None,
            text_edit=lsp.TextEdit(self.range(candidate.start, position), candidate.text),
        )

    def signature(self, found: ShownSignature) -> lsp.SignatureHelp:
        """How something is written."""
        parameters = [lsp.ParameterInformation(part) for part in self._parts_of(found)]
        said = lsp.MarkupContent(lsp.MarkupKind.Markdown, found.documentation)
        shown = lsp.SignatureInformation(found.label, said, parameters, found.active)
        return lsp.SignatureHelp([shown], 0, found.active)

    def _parts_of(self, found: ShownSignature) -> Sequence[tuple[int, int]]:
        """The parameters in the units of the editor."""
        return [(self._units(found.label[:start]), self._units(found.label[:end])) for start, end in found.parts]

    def symbol(self, entry: OutlineEntry) -> lsp.DocumentSymbol:
        """An entry of the outline, with those inside of it."""
        return lsp.DocumentSymbol(
            entry.name,
            _SYMBOLS[entry.kind],
            self.range(entry.start, max(entry.end, entry.name_at + len(entry.name))),
            self.range(entry.name_at, entry.name_at + len(entry.name)),
            detail=entry.detail,
            children=[self.symbol(each) for each in entry.inside],
        )


def diagnostic_of_line(place: SourceLocation, message: str) -> lsp.Diagnostic:
    """An error in a file that is not open, from a place to the end of its line."""
    line = max(place.line, 1) - 1
    range_ = lsp.Range(lsp.Position(line, max(place.column, 1) - 1), lsp.Position(line + 1, 0))
    return lsp.Diagnostic(range_, message, lsp.DiagnosticSeverity.Error, source="mlc")
