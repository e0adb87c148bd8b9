"""Which ops of a block `fuse` computes together, and why not more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import f32, f64, i1, i32, i64
from xdsl.ir import Block, Operation, OpResult

from mlc.dialects.graph import (
    ArgReduceOp,
    Conv2dOp,
    ConvTranspose2dOp,
    ElementwiseOp,
    GraphOp,
    GroupNormOp,
    LayerNormOp,
    MatmulOp,
    Pool2dOp,
    ReduceOp,
    RmsNormOp,
    SoftmaxOp,
)
from mlc.dialects.graph.types import element_of, is_static, shape_of, times

ROOTS = (
    MatmulOp,
    Conv2dOp,
    ConvTranspose2dOp,
    Pool2dOp,
    ReduceOp,
    ArgReduceOp,
    SoftmaxOp,
    LayerNormOp,
    RmsNormOp,
    GroupNormOp,
)
"""The ops, beside elementwise ones, that a group can start from."""
FUSABLE = (ElementwiseOp, *ROOTS)
ELEMENT_TYPES = frozenset({f32, f64, i32, i64, i1})
"""The element types that fused kernels compute with."""


def producers(op: Operation) -> Iterator[GraphOp]:
    """The computing ops whose results `op` reads, each once, in the order of its operands."""
    seen: set[Operation] = set()
    for value in op.operands:
        if isinstance(value, OpResult) and isinstance(value.op, GraphOp) and value.op not in seen:
            seen.add(value.op)
            yield value.op


@dataclass(eq=False)
class Group:
    """Ops in program order that may become one kernel: elementwise ones and at most one root of another kind."""

    ops: list[GraphOp] = field(default_factory=list[GraphOp])

    @property
    def is_elementwise(self) -> bool:
        """Whether no root of another kind is in it."""
        return all(isinstance(op, ElementwiseOp) for op in self.ops)


@dataclass
class Grouping:
    """Groups the ops of one block, greedily and in program order.

    An elementwise op joins the groups of its producers. Where a value has several readers this is a guess, that they
    all come to be in the group; `finish` cuts groups where the guess was wrong. Every finished group computes one value
    that is read outside, its last, so that a group never waits for an op that waits for the group.
    """

    max_ops: int
    group_of: dict[Operation, Group] = field(default_factory=dict[Operation, Group])
    _position: dict[Operation, int] = field(default_factory=dict[Operation, int])
    _uses: dict[Operation, int] = field(default_factory=dict[Operation, int])
    _private: dict[Operation, bool] = field(default_factory=dict[Operation, bool])

    def group(self, block: Block) -> list[Group]:
        """The groups of a block, in the order of their first ops; most ops that stand alone are groups too."""
        for position, op in enumerate(block.ops):
            self._position[op] = position
            if isinstance(op, GraphOp) and _can_be_fused(op):
                self._assign(op)
        guessed = {id(g): g for g in self.group_of.values()}
        return [part for group in guessed.values() for part in self._finish(group)]

    def _assign(self, op: GraphOp) -> None:
        """Put `op` into the group of a producer, together with other producers' groups where that is possible."""
        joined = Group()
        if isinstance(op, ElementwiseOp):
            candidates = [self.group_of[p] for p in producers(op) if self.obstacle(p, op) is None]
            # A group with a root first: of two of these only one can be taken.
            for group in sorted(dict.fromkeys(candidates), key=lambda g: g.is_elementwise):
                fits = len(joined.ops) + len(group.ops) < self.max_ops
                if fits and (joined.is_elementwise or group.is_elementwise):
                    joined.ops += group.ops
        joined.ops.append(op)
        joined.ops.sort(key=self._position.__getitem__)
        for member in joined.ops:
            self.group_of[member] = joined

    def obstacle(self, producer: GraphOp, consumer: GraphOp) -> str | None:
        """What forbids computing these two together, whatever else is in the group."""
        for op in (producer, consumer):
            if not isinstance(op, FUSABLE):
                return f"{op.name} moves data"
        if not isinstance(consumer, ElementwiseOp):
            return f"{consumer.name} starts a kernel of its own"
        for op in (producer, consumer):
            if not _can_be_fused(op):
                return f"{op.name} has an unknown shape or an unsupported element type"
        if producer.parent is not consumer.parent:
            return "they are in different blocks"
        found, needed = shape_of(producer.result), shape_of(consumer.result)
        if found != needed:
            return f"shapes differ {times(found)} vs {times(needed)}"
        if not self._may_be_private(producer):
            return f"result has {self._count_uses(producer)} uses"
        return None

    def _may_be_private(self, op: GraphOp) -> bool:
        """Whether all readers of the result could be in one group with `op`."""
        if op not in self._private:
            shape = shape_of(op.result)
            self._private[op] = op.result.has_one_use() or all(
                isinstance(user := use.operation, ElementwiseOp)
                and user.parent is op.parent
                and shape_of(user.result) == shape
                for use in op.result.uses
            )
        return self._private[op]

    def _count_uses(self, op: GraphOp) -> int:
        if op not in self._uses:
            self._uses[op] = len({use.operation for use in op.result.uses})
        return self._uses[op]

    def _finish(self, group: Group) -> Iterator[Group]:
        """Cut a guessed group into groups of which only the last value is read outside."""
        rest = group.ops
        while rest:
            position: dict[Operation, int] = {op: i for i, op in enumerate(rest)}
            longest, last_reader = 0, -1
            for i, op in enumerate(rest):
                if last_reader <= i:
                    longest = i + 1
                readers = [position.get(use.operation, len(rest)) for use in op.result.uses]
                last_reader = max(last_reader, *readers or [len(rest)])
            part, rest = Group(rest[:longest]), rest[longest:]
            for op in part.ops:
                self.group_of[op] = part
            yield part

    def why_separate(self, producer: GraphOp, consumer: GraphOp) -> str:
        """Why two ops, one of which reads the other, are in different groups."""
        if (obstacle := self.obstacle(producer, consumer)) is not None:
            return obstacle
        if self._count_uses(producer) > 1:
            return f"result has {self._count_uses(producer)} uses"
        if len(self.group_of[producer].ops) + len(self.group_of[consumer].ops) > self.max_ops:
            return f"more than {self.max_ops} ops"
        return f"{consumer.name} is fused with another operand's producer"


def _can_be_fused(op: GraphOp) -> bool:
    if not isinstance(op, FUSABLE):
        return False
    return all(is_static(v.type) and element_of(v) in ELEMENT_TYPES for v in (*op.operands, op.result))
