"""Names of values and blocks while the text is parsed.

One dict holds the visible values. Leaving a region takes back the names that it defined, so entering one costs
nothing; an op that is isolated from above starts with an empty dict, and may use any name again. A value that is
used before the text defines it gets a placeholder, kept with the innermost region: a definition there, or in a
region around it, replaces the placeholder. Whether the definition dominates the use is checked afterwards
(`dominance.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice

from xdsl.ir import Attribute, Block, SSAValue
from xdsl.parser.core import ForwardDeclaredValue

from mlc.syntax.errors import LIMIT, Fault, PositionedNote, misspelled

Definition = tuple[tuple[SSAValue, ...], int]
"""The values behind a name, and the position of the definition."""


@dataclass
class _Forward:
    index: int
    value: ForwardDeclaredValue[Attribute]
    position: int


@dataclass
class Scope:
    """What a region has defined."""

    isolated: bool
    opened_at: int
    outer_values: dict[str, Definition] | None = None
    """For an isolated region, the values visible outside."""
    defined: list[str] = field(default_factory=list[str])
    forward: dict[str, list[_Forward]] = field(default_factory=dict[str, list[_Forward]])
    """The uses of names that have no definition yet, here or in a region inside."""
    placeholders: dict[tuple[str, int], _Forward] = field(default_factory=dict[tuple[str, int], _Forward])
    """Those of them that stand in this region, by name and number."""
    blocks: dict[str, tuple[Block, int | None]] = field(default_factory=dict[str, "tuple[Block, int | None]"])
    """Blocks by name, with the position of the label once it was seen."""
    missing_blocks: dict[str, int] = field(default_factory=dict[str, int])
    """Blocks that were only referred to so far, with the position of the first reference."""
    unusable_blocks: set[str] = field(default_factory=set[str])
    """Blocks whose label has an error."""


class Scopes:
    """The nested regions around the parser's position, and the values visible there."""

    def __init__(self) -> None:
        self._values: dict[str, Definition] = {}
        self._stack = [Scope(True, 0)]
        self._unusable: set[str] = set()

    @property
    def depth(self) -> int:
        """How many regions are open, the file included."""
        return len(self._stack)

    def enter(self, isolated: bool, position: int, dialect: str = "builtin") -> Scope:
        """Open a region, in which names of a dialect need no prefix."""
        scope = Scope(isolated, position)
        if isolated:
            scope.outer_values = self._values
            self._values = {}
        self._stack.append(scope)
        return scope

    def leave(self) -> list[Fault]:
        """Close the innermost region; tells which blocks, and which values where that is final, have no
        definition.
        """
        scope = self._stack.pop()
        missing = islice(scope.missing_blocks.items(), LIMIT)
        faults = [Fault(f"block '^{name}' is not defined in this region", p) for name, p in missing]
        if scope.outer_values is not None:
            faults += islice(self._undefined(scope), LIMIT)
            self._values = scope.outer_values
            return faults
        for name in scope.defined:
            self._values.pop(name, None)
        outer = self._stack[-1].forward
        for name, uses in scope.forward.items():
            outer.setdefault(name, []).extend(uses)
        return faults

    def discard(self, depth: int) -> None:
        """Close regions that an error left open, down to `depth`."""
        while len(self._stack) > depth:
            self.leave()

    def finish(self) -> list[Fault]:
        """At the end of the file: the values that were used and never defined."""
        return list(islice(self._undefined(self._stack[0]), LIMIT))

    def define(self, name: str, values: Sequence[SSAValue], position: int) -> None:
        """Bind a name. Raises Fault if it is taken, or was used with another type or as a larger pack."""
        if (taken := self._values.get(name)) is not None:
            raise Fault(f"value '%{name}' is defined twice", position, [("defined here before", taken[1])])
        values = tuple(values)
        self._values[name] = (values, position)
        scope = self._stack[-1]
        scope.defined.append(name)
        if scope.forward and (uses := scope.forward.pop(name, None)) is not None:
            self._replace(name, values, position, uses)
        if SSAValue.is_valid_name(name):
            for value in values:
                value.name_hint = name

    def _replace(self, name: str, values: tuple[SSAValue, ...], position: int, uses: list[_Forward]) -> None:
        note: list[PositionedNote] = [("defined here", position)]
        for use in uses:
            if use.index >= len(values):
                raise Fault(_too_few(name, use.index, len(values)), use.position, note)
            value = values[use.index]
            if use.value.type != value.type:
                raise Fault(_wrong_type(name, value.type, use.value.type), use.position, note)
            use.value.replace_all_uses_with(value)

    def resolve(self, name: str, index: int, position: int, expected: Attribute) -> SSAValue:
        """The value behind a use, or a placeholder. Raises Fault if its type is not `expected`."""
        if (found := self._values.get(name)) is None:
            return self._forward(name, index, position, expected)
        values, where = found
        if index >= len(values):
            raise Fault(_too_few(name, index, len(values)), position, [("defined here", where)])
        value = values[index]
        if value.type is not expected and value.type != expected:
            raise Fault(_wrong_type(name, value.type, expected), position, [("defined here", where)])
        return value

    def lookup(self, name: str) -> tuple[SSAValue, ...] | None:
        """The values that a name stands for here, if it is defined."""
        found = self._values.get(name)
        return None if found is None else found[0]

    def visible(self) -> dict[str, tuple[SSAValue, ...]]:
        """All visible values by name."""
        return {name: values for name, (values, _) in self._values.items()}

    def _forward(self, name: str, index: int, position: int, expected: Attribute) -> SSAValue:
        scope = self._stack[-1]
        use = scope.placeholders.get((name, index))
        if use is not None and use.value.type == expected:
            return use.value
        if use is not None and name not in self._unusable:
            raise Fault(_wrong_type(name, use.value.type, expected), position, [("used here before", use.position)])
        use = scope.placeholders[name, index] = _Forward(index, ForwardDeclaredValue(expected), position)
        scope.forward.setdefault(name, []).append(use)
        return use.value

    def give_up(self, name: str) -> None:
        """The op that defines `name` has an error: say nothing about uses of it."""
        self._unusable.add(name)

    def unusable(self, name: str) -> bool:
        """Whether an op that defines `name` has an error."""
        return name in self._unusable

    def give_up_block(self, name: str) -> None:
        """The label of a block has an error: say nothing about branches to it."""
        scope = self._stack[-1]
        scope.unusable_blocks.add(name)
        scope.missing_blocks.pop(name, None)

    def _undefined(self, scope: Scope) -> Iterator[Fault]:
        for name, uses in scope.forward.items():
            if name in self._unusable:
                continue
            if scope.outer_values is not None and (outside := scope.outer_values.get(name)) is not None:
                message = f"value '%{name}' is defined outside of an operation that is isolated from above"
                yield Fault(message, uses[0].position, [("defined here", outside[1])])
                continue
            near = get_close_matches(name, self._values, 1)
            known = [f"%{each}" for each in near]
            fault = misspelled(f"value '%{name}' is not defined", f"%{name}", known, uses[0].position)
            fault.notes = tuple(("defined here", self._values[each][1]) for each in near)
            yield fault

    def block(self, name: str, position: int) -> Block:
        """The block that a successor names, which may come later."""
        scope = self._stack[-1]
        if name not in scope.blocks:
            scope.blocks[name] = (_new_block(name), None)
            if name not in scope.unusable_blocks:
                scope.missing_blocks[name] = position
        return scope.blocks[name][0]

    def define_block(self, name: str, position: int) -> Block:
        """The block that a label starts. Raises Fault for a second label of that name."""
        scope = self._stack[-1]
        block, where = scope.blocks.get(name) or (_new_block(name), None)
        if where is not None:
            raise Fault(f"block '^{name}' is defined twice", position, [("defined here before", where)])
        scope.blocks[name] = (block, position)
        scope.missing_blocks.pop(name, None)
        return block


def _new_block(name: str) -> Block:
    block = Block()
    if Block.is_valid_name(name) and not Block.is_default_block_name(name):
        block.name_hint = name
    return block


def _wrong_type(name: str, found: Attribute, expected: Attribute) -> str:
    return f"value '%{name}' has type {found}, but is used here as {expected}"


def _too_few(name: str, index: int, count: int) -> str:
    return f"'%{name}#{index}' does not exist: '%{name}' stands for {count} value{'s' if count != 1 else ''}"
