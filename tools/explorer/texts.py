"""Texts and places of a document, each stored once."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from itertools import groupby

from xdsl.dialects.builtin import NameLoc
from xdsl.ir import Attribute, Operation
from xdsl.traits import ConstantLike

from mlc.support.errors import SourceLocation
from mlc.support.locations import known_location_of
from mlc.tools.explorer.document import NO_PLACE, SourcePlace, StoredText
from mlc.tools.kernel_text import PrinterWithoutData


class Texts:
    """Gives numbers to texts and places."""

    def __init__(self) -> None:
        self._texts: dict[StoredText, int] = {}
        self._places: dict[Attribute, int] = {}
        self._known: list[SourcePlace] = []
        self._at: dict[SourceLocation, int] = {}

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
        if (found := known_location_of(op)) is None:
            return NO_PLACE
        attribute, location = found
        if attribute not in self._places:
            self._places[attribute] = self._add(location, _name_in(attribute))
        return self._places[attribute]

    def name_of(self, place: int) -> str:
        """What the source calls what is at a place; empty if it has no name."""
        return "" if place == NO_PLACE else self._known[place].name

    def place_at(self, location: SourceLocation | None) -> int:
        """The number of the first place at a location."""
        if location is None:
            return NO_PLACE
        return self._at[location] if location in self._at else self._add(location, "")

    def _add(self, location: SourceLocation, name: str) -> int:
        words = f"{location} '{name}'" if name and location.line else str(location)
        self._known.append(SourcePlace(location.file, location.line, location.column, name or location.name, words))
        number = len(self._known) - 1
        self._at.setdefault(location, number)
        return number

    def all_texts(self) -> list[StoredText]:
        """All texts, in the order of their numbers."""
        return list(self._texts)

    def all_places(self) -> list[SourcePlace]:
        """All places, in the order of their numbers."""
        return self._known


def _name_in(location: Attribute) -> str:
    """What a location calls an op: the name of a node."""
    return location.desc.data if isinstance(location, NameLoc) else ""


def places_in(texts: Texts, ops: Iterable[Operation]) -> list[int]:
    """The places of some ops, each once, in order: of those that compute, if there are any.

    A constant that several nodes had is one, with the place of the first of them.
    """
    known = list(ops)
    computing = [op for op in known if not op.has_trait(ConstantLike, value_if_unregistered=False)]
    found = dict.fromkeys(texts.place_of(op) for op in computing or known)
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
