"""The builder: the actions of the grammar and the state that they share, for one text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import xdsl.irdl.declarative_assembly_format as daf
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Operation, Region
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser

from mlc.support.context import CompilerContext
from mlc.syntax import formats
from mlc.syntax.build_affine import AffineActions
from mlc.syntax.build_attributes import AttributeActions
from mlc.syntax.build_locations import LocationActions
from mlc.syntax.build_metadata import MetadataActions
from mlc.syntax.build_operations import OperationActions
from mlc.syntax.build_types import TypeActions
from mlc.syntax.handover import HandOver
from mlc.syntax.lexer import RegionOf
from mlc.syntax.machine import LalrParser


class ModuleBuilder(OperationActions, TypeActions, LocationActions, AttributeActions, AffineActions, MetadataActions):
    """Everything that one parse knows and does.

    Args:
        operations: the operations whose formats are in the grammar.
    """

    def __init__(
        self,
        text: str,
        filename: str,
        ctx: CompilerContext,
        base: Path,
        operations: Sequence[type[IRDLOperation]],
        checked: bool,
    ) -> None:
        super().__init__(text, filename, ctx, base, checked)
        self.directives: dict[str, tuple[type[IRDLOperation], daf.FormatDirective]] = {}
        self._formatted = {formats.action(op): op for op in operations}

    def connect(self, hand: HandOver, machine: LalrParser) -> None:
        """Complete the builder with the two that need it themselves."""
        self.hand = hand
        self._machine = machine

    def parse_file(self, start: int = 0, dialects: Sequence[str] = ("builtin",)) -> list[Operation]:
        """The operations of the text from a position on, where names of `dialects` need no prefix.

        Raises Fault and TooManyErrors; other errors are in `errors`.
        """
        items, _ = self._machine.run("file", start, None, dialects)
        return [item for item in items if item is not None]

    def parse_region(
        self,
        position: int,
        arguments: Iterable[Parser.Argument] | None,
        op: type[Operation] | None,
        dialects: Sequence[str],
    ) -> tuple[Region, int]:
        """A region inside of hand-written syntax, and where it ends."""
        self.enter_region(arguments)
        return self._machine.run("region", position, RegionOf(op, dialects))

    def parse_prefix(self, symbol: str, position: int) -> tuple[Any, int] | None:
        """A part of hand-written syntax (`LalrParser.run_prefix`)."""
        return self._machine.run_prefix(symbol, position)

    def parse_location(self, position: int) -> LocationAttr:
        """The location that starts at a position. Raises Fault."""
        found = self._machine.run_prefix("location", position)
        assert found is not None, "the position is that of the word loc"
        return found[0]

    # ---- actions

    def action(self, name: str) -> Callable[..., Any]:
        """The action that a grammar rule names; those of formats are prepared when they are first used."""
        if (op := self._formatted.get(name)) is None:
            return getattr(self, name)
        prepared: formats.Format | None = None

        def build(*children: Any) -> Operation:
            nonlocal prepared
            if prepared is None:
                prepared = formats.format_of(op)
            return prepared.build(self, children)

        return build

    def directive_of(self, terminal: str) -> tuple[type[IRDLOperation], daf.FormatDirective]:
        """The hand-written directive that a terminal stands for, and its operation."""
        if terminal not in self.directives:
            op = self._formatted[formats.action_of_directive(terminal)]
            for name, directive in formats.format_of(op).directives.items():
                self.directives[name] = op, directive
        return self.directives[terminal]

    # Actions that many rules share.

    def nothing_listed(self) -> list[Any]:
        """An empty list."""
        return []

    no_items = empty_list_of = nothing_listed

    def empty_list(self, _open: str, _close: str) -> list[Any]:
        """`[]`."""
        return []

    def empty_dict(self) -> dict[str, Attribute]:
        """No attributes."""
        return {}

    def absent(self) -> None:
        """An optional symbol that is not there."""
        return

    def first(self, item: Any) -> list[Any]:
        """The first item of a list."""
        return [item]

    def more(self, items: list[Any], _separator: str, item: Any) -> list[Any]:
        """One more item of a list with separators."""
        items.append(item)
        return items

    def add_item(self, items: list[Any], item: Any) -> list[Any]:
        """One more item of a list without separators."""
        items.append(item)
        return items

    def inner(self, _open: Any, value: Any, _close: Any) -> Any:
        """What stands between brackets."""
        return value

    def second(self, _word: Any, value: Any) -> Any:
        """What stands after a keyword."""
        return value
