"""Which names a text defines and uses, and where: for editors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, SSAValue

from mlc.syntax.errors import Fault
from mlc.syntax.scopes import Definition, Scope, Scopes


@dataclass(eq=False)
class NamedThing:
    """A name of values or of a block, with all places in the text where it stands."""

    name: str
    """With its sigil: `%x`, `^bb0`."""
    region: RegionSpan
    """Where it is defined."""
    definition: int | None = None
    """The position of the sigil; None until it is defined, and of a name that never is."""
    uses: list[int] = field(default_factory=list[int])
    """The positions of the sigils of uses, in the order in which they were read."""
    values: tuple[SSAValue, ...] = ()
    """What the name stands for, if these are values."""

    @property
    def places(self) -> list[int]:
        """All positions, in order."""
        first = [] if self.definition is None else [self.definition]
        return sorted({*first, *self.uses})


@dataclass(eq=False)
class RegionSpan:
    """A region of the text."""

    opened_at: int
    """The position of its brace; 0 for the file."""
    isolated: bool
    outer: RegionSpan | None
    dialect: str = "builtin"
    """Whose names need no prefix in it."""


@dataclass(frozen=True)
class Names:
    """The names of a text.

    Attributes:
        things: all names, those that nobody defines included.
        regions: all regions in the order in which they were opened; the first one is the file.
    """

    things: Sequence[NamedThing]
    regions: Sequence[RegionSpan]


class ReadingStopped(BaseException):
    """Nobody waits any more for what a text says; no error, so that nothing on the way takes it for one."""


def go_on() -> None:
    """Read to the end."""


class RecordingScopes(Scopes):
    """Scopes that remember every definition and use.

    Args:
        check: is called at each definition of a value, and may raise `ReadingStopped`.
    """

    def __init__(self, check: Callable[[], None] = go_on) -> None:
        super().__init__()
        self._check = check
        self.regions = [RegionSpan(0, True, None)]
        self._open = [self.regions[0]]
        self._defined: dict[int, NamedThing] = {}
        self._undefined_values: dict[SSAValue, NamedThing] = {}
        self._blocks: dict[Block, NamedThing] = {}
        self._outside: Mapping[str, NamedThing] = {}
        self._moved: Callable[[int], int | None] = lambda position: position
        self._placeholders: defaultdict[str, list[SSAValue]] = defaultdict(list)

    def names(self) -> Names:
        """What was read so far."""
        unique = dict.fromkeys((*self._defined.values(), *self._undefined_values.values(), *self._blocks.values()))
        return Names(list(unique), self.regions)

    def assume(self, values: Mapping[str, NamedThing], moved: Callable[[int], int | None]) -> None:
        """Take values for granted that other text defines, by their names: some of the same types that belong to no op.

        `moved` tells where their definitions, which are where they were once, are now.
        """
        self._outside, self._moved = values, moved

    def _recall(self, name: str, values: dict[str, Definition]) -> None:
        """Define a value that was assumed, now that its name is used."""
        thing = self._outside.get(f"%{name}")
        if thing is None or name in values or thing.definition is None:
            return
        if (at := self._moved(thing.definition)) is not None:
            stand_ins = tuple(Block(arg_types=[value.type for value in thing.values]).args)
            values[name] = stand_ins, at
            self._defined[at] = NamedThing(thing.name, self.regions[0], at, values=stand_ins)

    def _recall_here(self, name: str) -> None:
        if self._outside and not any(scope.isolated for scope in self._stack[1:]):
            self._recall(name, self._values)

    def _recall_all(self) -> None:
        for name in self._outside:
            self._recall_here(name[1:])

    def lookup(self, name: str) -> tuple[SSAValue, ...] | None:
        self._recall_here(name)
        return super().lookup(name)

    def visible(self) -> dict[str, tuple[SSAValue, ...]]:
        self._recall_all()
        return super().visible()

    def finish(self) -> list[Fault]:
        if self._stack[0].forward:
            self._recall_all()  # a name that does not exist is perhaps like one of these
        return super().finish()

    def enter(self, isolated: bool, position: int, dialect: str = "builtin") -> Scope:
        span = RegionSpan(position, isolated, self._open[-1], dialect)
        self.regions.append(span)
        self._open.append(span)
        return super().enter(isolated, position, dialect)

    def leave(self) -> list[Fault]:
        self._open.pop()
        *outer, scope = self._stack
        if scope.outer_values is not None and not any(each.isolated for each in outer[1:]):
            for name in scope.forward:
                self._recall(name, scope.outer_values)
        return super().leave()

    def define(self, name: str, values: Sequence[SSAValue], position: int) -> None:
        self._check()
        self._recall_here(name)
        thing = NamedThing(f"%{name}", self._open[-1], position, values=tuple(values))
        waiting = [v for v in self._placeholders[name] if v in self._undefined_values]
        super().define(name, values, position)
        self._defined[position] = thing
        for placeholder in waiting:
            if not placeholder.uses:  # its uses are those of a value now
                thing.uses += self._undefined_values.pop(placeholder).uses

    def resolve(self, name: str, index: int, position: int, expected: Attribute) -> SSAValue:
        self._recall_here(name)
        value = super().resolve(name, index, position, expected)
        self._thing_of(name, value).uses.append(position)
        return value

    def _thing_of(self, name: str, value: SSAValue) -> NamedThing:
        if (found := self._values.get(name)) is not None:
            return self._defined[found[1]]
        if value not in self._undefined_values:
            self._undefined_values[value] = NamedThing(f"%{name}", self._open[-1])
            self._placeholders[name].append(value)
        return self._undefined_values[value]

    def block(self, name: str, position: int) -> Block:
        block = super().block(name, position)
        self._label(name, block).uses.append(position)
        return block

    def define_block(self, name: str, position: int) -> Block:
        block = super().define_block(name, position)
        self._label(name, block).definition = position
        return block

    def _label(self, name: str, block: Block) -> NamedThing:
        return self._blocks.setdefault(block, NamedThing(f"^{name}", self._open[-1]))
