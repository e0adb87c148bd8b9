"""Texts and places of a document, each stored once."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from itertools import groupby

from xdsl.ir import Operation

from mlc.support.errors import SourceLocation
from mlc.support.locations import location_of
from mlc.tools.explorer.document import NO_PLACE, SourcePlace, StoredText
from mlc.tools.kernel_text import PrinterWithoutData


class Texts:
    """Gives numbers to texts and places."""

    def __init__(self) -> None:
        self._texts: dict[StoredText, int] = {}
        self._places: dict[SourceLocation, int] = {}

    def add(self, text: str, places: Sequence[int] = ()) -> int:
        """The number of a text, which has one place for each line, or none at all."""
        runs = [number for place, lines in groupby(places) for number in (len(list(lines)), place)]
        known = tuple(runs) if any(place != NO_PLACE for place in places) else ()
        return self._texts.setdefault(StoredText(text, known), len(self._texts))

    def add_op(self, op: Operation) -> int:
        """The number of the text of `op`, in the form that people read, without the numbers of large constants."""
        stream = io.StringIO()
        printer = _PrinterOfPlaces(self, stream)
        printer.print_op(op)
        text = stream.getvalue()
        return self.add(text, printer.places_of(text.count("\n") + 1))

    def place_of(self, op: Operation) -> int:
        """The number of the place of an op, or of the nearest op around it that has one."""
        return self.place(location_of(op))

    def place(self, location: SourceLocation | None) -> int:
        """The number of a place."""
        return NO_PLACE if location is None else self._places.setdefault(location, len(self._places))

    def all_texts(self) -> list[StoredText]:
        """All texts, in the order of their numbers."""
        return list(self._texts)

    def all_places(self) -> list[SourcePlace]:
        """All places, in the order of their numbers."""
        return [SourcePlace(at.file, at.line, at.column, at.name, str(at)) for at in self._places]


def places_in(texts: Texts, ops: Iterable[Operation]) -> list[int]:
    """The places of some ops, each once, in order."""
    found = dict.fromkeys(texts.place_of(op) for op in ops)
    return [place for place in found if place != NO_PLACE]


class _PrinterOfPlaces(PrinterWithoutData):
    """Notes where in the text an op begins and ends."""

    def __init__(self, texts: Texts, stream: io.StringIO) -> None:
        super().__init__(stream)
        self._of_ops, self._around, self._begins = texts, NO_PLACE, dict[int, int]()

    def print_op(self, op: Operation) -> None:
        around = self._around
        self._around = self._of_ops.place_of(op)
        self._begins[self._current_line] = self._around
        super().print_op(op)
        # The brace that ends a region is of the op; what follows on lines below is of the op around it.
        self._begins.setdefault(self._current_line, self._around)
        self._begins[self._current_line + 1] = self._around = around

    def places_of(self, lines: int) -> list[int]:
        """The place of each line."""
        places: list[int] = []
        for line in range(lines):
            places.append(self._begins.get(line, places[-1] if places else NO_PLACE))
        return places
