"""Actions of the grammar: locations, whose aliases may be defined after their uses.

`mlir-opt` writes the aliases of locations at the end of a file. One that is not known yet is looked up there and read
at once, so that no placeholder has to be found and replaced in operations, block arguments and other locations.
"""

from __future__ import annotations

import re

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute

from mlc.support.spelling import STRING
from mlc.syntax.errors import Fault
from mlc.syntax.lexer import Name
from mlc.syntax.state import State

_DEFINITION = re.compile(rf"{STRING}|//[^\n]*|(\#[\w$.-]+)\s*=\s*(?=loc\b)", re.ASCII)


class LocationActions(State):
    """Makes locations."""

    _definitions: dict[str, int] | None = None
    """Where the text defines each alias of a location (the position after `=`), once that was asked for."""

    def parse_location(self, position: int) -> LocationAttr:
        """The location that starts at a position. Raises Fault."""
        raise NotImplementedError

    def location(self, _word: Name, _open: str, location: LocationAttr, _close: str) -> LocationAttr:
        """`loc(...)`."""
        return location

    def unknown_location(self, _word: Name) -> LocationAttr:
        """`unknown`."""
        return UnknownLoc()

    def file_location(self, file: Name, _c1: str, line: str, _c2: str, column: str) -> LocationAttr:
        """`"file":1:2`."""
        return FileLineColLoc(StringAttr(self.string(file)), IntAttr(int(line)), IntAttr(int(column)))

    def file_range(self, file: Name, colon: str, line: str, colon_2: str, column: str, *_end: str) -> LocationAttr:
        """`"file":1:2 to :3` or `"file":1:2 to 4:3`, of which the beginning is kept."""
        return self.file_location(file, colon, line, colon_2, column)

    def name_location(self, name: Name) -> LocationAttr:
        """`"name"`."""
        return NameLoc(StringAttr(self.string(name)), NoneAttr())

    def nested_name_location(self, name: Name, _open: str, inner: LocationAttr, _close: str) -> LocationAttr:
        """`"name"(inner)`."""
        return NameLoc(StringAttr(self.string(name)), inner)

    def call_location(
        self, _word: Name, _open: str, callee: LocationAttr, _at: Name, caller: LocationAttr, _close: str
    ) -> LocationAttr:
        """`callsite(callee at caller)`."""
        return CallSiteLoc(callee, caller)

    def fused_location(self, _word: Name, _open: str, parts: list[LocationAttr], _close: str) -> LocationAttr:
        """`fused[a, b]`."""
        return FusedLoc(tuple(parts), NoneAttr())

    def fused_location_with_metadata(
        self,
        _word: Name,
        _lt: str,
        metadata: Attribute,
        _gt: str,
        _open: str,
        parts: list[LocationAttr],
        _close: str,
    ) -> LocationAttr:
        """`fused<metadata>[a, b]`."""
        return FusedLoc(tuple(parts), metadata)

    def location_alias(self, token: Name) -> LocationAttr:
        """`#loc1`, which may be defined later."""
        found = self.aliases.get(token.text) or self._defined_later(token) or self.alias(token)
        if not isinstance(found, LocationAttr):
            self.fault(f"'{token.text}' is not a location", token.position)
        return found

    def _defined_later(self, token: Name) -> LocationAttr | None:
        """The location after an alias that the text defines further on. Raises Fault."""
        name = token.text
        if self._definitions is None:
            self._definitions = {m[1]: m.end() for m in _DEFINITION.finditer(self.text) if m[1]}
        if name in self.unusable_aliases or (position := self._definitions.get(name)) is None:
            return None
        if name not in self.later_locations:
            self.later_locations[name] = None
            try:
                self.later_locations[name] = self.parse_location(position)
            except Fault:
                self.unusable_aliases.add(name)
                raise
        elif self.later_locations[name] is None:
            self.fault(f"location '{name}' contains itself", token.position)
        return self.later_locations[name]
