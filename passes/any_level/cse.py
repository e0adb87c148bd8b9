"""The pass `cse`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import Commutative, IsolatedFromAbove, IsTerminator, NoMemoryEffect, SymbolOpInterface

from mlc.pass_manager.base import Pass
from mlc.passes.any_level._effects import EffectSummary
from mlc.support.context import CompilerContext
from mlc.support.dominators import immediate_dominators

Key: TypeAlias = tuple[Hashable, ...]


@dataclass(frozen=True)
class CsePass(Pass):
    """Compute each value once: of equal ops without side effects, keep the first.

    ```mlir
    %0 = graph.exp %x : tensor<4xf32>
    %1 = graph.exp %x : tensor<4xf32>        // gone, its users take %0
    ```

    Ops are equal if type, operands (in any order for a commutative op), attributes, result types and, for an op like
    `graph.fusion` that is pure whatever is in it, bodies are. The earlier op must dominate the later one, over blocks
    and into regions. It works at any level. Reads of memory are merged if no op in between may write; any write counts,
    to whatever buffer. It leaves alone ops with unknown effects, allocations, and loops.
    """

    name = "cse"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        _Merger().visit_regions(module)


@dataclass
class _Merger:
    effects: EffectSummary = field(default_factory=EffectSummary)
    available: dict[Key, Operation] = field(default_factory=dict[Key, Operation])
    """The ops that dominate the point where the merger is."""
    memory: int = 0
    """Which state memory is in: reads are equal only if they happen in the same state."""
    numbers: _Numbers = field(default_factory=lambda: _Numbers())
    _facts_of: dict[type[Operation], _Facts] = field(default_factory=lambda: dict[type[Operation], _Facts]())
    _states: count[int] = field(default_factory=lambda: count(1))

    def visit_regions(self, op: Operation) -> None:
        """Merge equal ops inside `op`."""
        outside = self.available
        if op.has_trait(IsolatedFromAbove):
            self.available = {}
        for region in op.regions:
            self._visit_region(region)
        self.available = outside

    def _visit_region(self, region: Region) -> None:
        """Visit blocks along the dominator tree; what a block computes is available in those that it dominates."""
        dominators = immediate_dominators(region)
        dominated: dict[Block, list[Block]] = {block: [] for block in dominators}
        for block, dominator in dominators.items():
            if block is not dominator:
                dominated[dominator].append(block)
        entry = region.first_block
        pending: list[Block | list[Key]] = [] if entry is None else [entry]
        while pending:
            item = pending.pop()
            if isinstance(item, Block):
                if item is not entry:
                    self._forget_memory()
                pending.append(self._visit_block(item))
                pending += dominated[item]
            else:
                for key in item:
                    del self.available[key]

    def _visit_block(self, block: Block) -> list[Key]:
        """Merge the ops of a block; returns the keys that are no longer available after the blocks it dominates."""
        added: list[Key] = []
        for op in list(block.ops):
            writes = self.effects.may_write(op)
            if op.regions:
                # A write later in a loop reaches an earlier read in the next iteration.
                if writes:
                    self._forget_memory()
                self.visit_regions(op)
            if writes:
                self._forget_memory()
            elif (key := self._key(op)) is not None:
                if (earlier := self.available.get(key)) is not None:
                    _replace(op, earlier)
                else:
                    self.available[key] = op
                    added.append(key)
        return added

    def _forget_memory(self) -> None:
        self.memory = next(self._states)

    def _key(self, op: Operation) -> Key | None:
        """What `op` has in common with the ops that it may be merged with; None if it must stay."""
        if not op.results or not (facts := self._facts(type(op))).may_be_merged:
            return None
        if self.effects.is_pure(op):
            state = 0
        elif self.effects.only_reads(op):
            state = self.memory
        else:
            return None
        if op.regions and not facts.is_pure_whatever_is_inside:
            return None
        operands = [id(value) for value in op.operands]
        if facts.commutes:
            operands.sort()
        inside = [self._body(region) for region in op.regions]
        return (state, len(operands), *operands, *self._shape(op), *op.successors, *inside)

    def _shape(self, op: Operation) -> Key:
        """All of an op but its operands, successors and regions."""
        numbers = self.numbers
        named = (numbers.of_all(op.properties), numbers.of_all(op.attributes))
        return (type(op), *named, *(numbers.of(result.type) for result in op.results))

    def _body(self, region: Region) -> Key:
        """The content of a region with its values numbered, so that equal bodies have equal keys."""
        order: dict[SSAValue, int] = {}
        blocks = {block: i for i, block in enumerate(region.blocks)}
        parts: list[Hashable] = []
        for block, i in blocks.items():
            parts.append((i, tuple(self.numbers.of(argument.type) for argument in block.args)))
            order.update((argument, len(order)) for argument in block.args)
            for op in block.ops:
                operands = tuple(order.get(v, v) for v in op.operands)
                successors = tuple(blocks.get(s, s) for s in op.successors)
                parts.append((operands, successors, self._shape(op), *(self._body(r) for r in op.regions)))
                for result in op.results:
                    order[result] = len(order)
        return tuple(parts)

    def _facts(self, kind: type[Operation]) -> _Facts:
        if kind not in self._facts_of:
            self._facts_of[kind] = _Facts(
                not kind.has_trait(IsTerminator) and not kind.has_trait(SymbolOpInterface),
                kind.has_trait(NoMemoryEffect),
                kind.has_trait(Commutative),
            )
        return self._facts_of[kind]


@dataclass(frozen=True)
class _Facts:
    """What traits say of a class of ops."""

    may_be_merged: bool
    is_pure_whatever_is_inside: bool
    commutes: bool


class _Numbers:
    """A number for each attribute, equal for equal ones. A hash of an attribute goes through all that is in it, and one
    object is often at many ops: it is hashed once."""

    def __init__(self) -> None:
        self._of_object: dict[int, tuple[int, Attribute]] = {}
        """By identity; the object is kept, so that no other one has its identity."""
        self._of_value: dict[Hashable, int] = {}

    def of(self, attribute: Attribute) -> int:
        """The number of an attribute."""
        if (known := self._of_object.get(id(attribute))) is None:
            known = self._of_value.setdefault(attribute, len(self._of_value)), attribute
            self._of_object[id(attribute)] = known
        return known[0]

    def of_all(self, named: Mapping[str, Attribute]) -> int:
        """One number for named attributes, in any order."""
        if not named:
            return -1
        pairs = frozenset((name, self.of(attribute)) for name, attribute in named.items())
        return self._of_value.setdefault(pairs, len(self._of_value))


def _replace(op: Operation, earlier: Operation) -> None:
    for old, new in zip(op.results, earlier.results, strict=True):
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
