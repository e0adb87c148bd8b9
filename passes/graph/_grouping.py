"""Which ops of a block `fuse` computes together, and why not more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import CastOp, DequantizeOp, GraphOp, MoveOp, ReshapeOp, TransposeOp
from mlc.dialects.graph.types import element_of, is_float, is_static, shape_of, times, type_of
from mlc.passes.graph._attention import attention_before
from mlc.passes.graph._movers import foldable, keeps_contiguous, moves_before, why_not_folded
from mlc.support.dtypes import is_supported, standing_for, to_numpy
from mlc.support.ir import clone

_OTHER = "does not say that it maps, contracts or reduces"


def producers(op: Operation) -> Iterator[GraphOp]:
    """The computing ops whose results `op` reads, each once, in the order of its operands."""
    seen: set[Operation] = set()
    for value in op.operands:
        if isinstance(value, OpResult) and isinstance(value.op, GraphOp) and value.op not in seen:
            seen.add(value.op)
            yield value.op


@dataclass(eq=False)
class Group:
    """Ops in program order that may become one kernel: elementwise ones, moves, and at most one root.

    Attention, which has three roots, counts as one.
    """

    ops: list[GraphOp] = field(default_factory=list[GraphOp])

    @property
    def is_elementwise(self) -> bool:
        """Whether no root is in it."""
        return all(op.MAPS or isinstance(op, MoveOp) for op in self.ops)


@dataclass
class Grouping:
    """Groups the ops of one block, greedily and in program order.

    An op joins the groups of its producers and takes along the moves before it. Where a value has several readers
    this is a guess, that they all come to be in the group; `finish` cuts groups where the guess was wrong. Every
    finished group computes one value that is read outside, its last, so that a group never waits for an op that waits
    for the group.
    """

    max_ops: int
    attention: bool = True
    group_of: dict[Operation, Group] = field(default_factory=dict[Operation, Group])
    _position: dict[Operation, int] = field(default_factory=dict[Operation, int])
    _uses: dict[Operation, int] = field(default_factory=dict[Operation, int])
    _private: dict[Operation, bool] = field(default_factory=dict[Operation, bool])
    _inside_attention: set[GraphOp] = field(default_factory=set[GraphOp])
    _in_readers: set[Operation] = field(default_factory=set[Operation])
    """Ops that widen what another group stores."""
    _strided: set[SSAValue] = field(default_factory=set[SSAValue])
    """Operands that may be read with a stride."""

    def group(self, block: Block) -> list[Group]:
        """The groups of a block, in the order of their first ops; most ops that stand alone are groups too."""
        attention: dict[GraphOp, list[GraphOp]] = {}
        for position, op in enumerate(block.ops):
            self._position[op] = position
            if self.attention and isinstance(op, GraphOp) and (ops := attention_before(op)):
                self._note_attention(ops, attention)
        for op in block.ops:
            if isinstance(op, GraphOp) and _can_be_fused(op) and op not in self._inside_attention:
                self._assign(op, attention.get(op, [op]))
        guessed = {id(g): g for g in self.group_of.values()}
        groups = [part for group in guessed.values() for part in self._finish(group)]
        for group in groups:
            self._widen_in_readers(group)
        for op in block.ops:
            if isinstance(op, GraphOp) and op.STORED_BY_PRODUCER:
                self._append(op)
        found = {id(g): g for g in self.group_of.values() if g.ops}
        return sorted(found.values(), key=lambda group: self._position[group.ops[0]])

    def _note_attention(self, ops: list[GraphOp], attention: dict[GraphOp, list[GraphOp]]) -> None:
        """Keep the ops of an attention together, unless one of them is already part of another."""
        block = ops[-1].parent
        if len(ops) > self.max_ops or any(
            op.parent is not block or not _can_be_fused(op) or op in self._inside_attention or op in attention
            for op in ops
        ):
            return
        attention[ops[-1]] = ops
        self._inside_attention.update(ops[:-1])
        # A schedule of its own reads the keys in whatever order they are.
        self._strided.add(ops[0].operands[1])

    def _assign(self, op: GraphOp, together: Sequence[GraphOp]) -> None:
        """Put `op`, and what belongs `together` with it, into the group of a producer, with other producers' groups."""
        joined = Group()
        if len(together) == 1:
            candidates = [
                self.group_of[p] for p in producers(op) if p in self.group_of and self.obstacle(p, op) is None
            ]
            if not op.MAPS:
                candidates = [group for group in candidates if group.is_elementwise]
            # A group with a root first: of two of these only one can be taken.
            for group in sorted(dict.fromkeys(candidates), key=lambda g: g.is_elementwise):
                fits = len(joined.ops) + len(group.ops) < self.max_ops
                if fits and (joined.is_elementwise or group.is_elementwise):
                    joined.ops += group.ops
        joined.ops += together
        for reader in together:
            for operand in reader.operands:
                joined.ops += self._moves_into(reader, operand, self.max_ops - len(joined.ops))
                widening = _widening_before(operand, reader) if len(together) > 1 else []
                joined.ops += [each for each in widening if each not in joined.ops and self._is_alone(each)]
        joined.ops.sort(key=self._position.__getitem__)
        for member in joined.ops:
            self.group_of[member] = joined

    def _is_alone(self, op: GraphOp) -> bool:
        """Whether no other op is computed with this one."""
        group = self.group_of.get(op)
        return group is None or len(group.ops) == 1

    def _moves_into(self, reader: GraphOp, operand: SSAValue, room: int) -> Sequence[GraphOp]:
        """The moves before an operand that its reader can do itself."""
        if not reader.WHOLE_AXES:
            return []
        moves = foldable(moves_before(operand)[:room], operand in self._strided)
        return moves if all(m.parent is reader.parent and _has_known_type(m) for m in moves) else []

    def _append(self, op: GraphOp) -> None:
        """Put a transpose that no reader took, or a pad, after the op whose result it stores elsewhere."""
        group = self._group_before(op)
        if group is not None and self.why_not_appended(op) is None:
            group.ops.append(op)
            self.group_of.update(dict.fromkeys(group.ops, group))

    def _group_before(self, op: GraphOp) -> Group | None:
        """The group of what computes the operand of `op`. A transpose that is in none makes one with a pad."""
        producer = op.operands[0].owner
        if isinstance(producer, GraphOp) and producer in self.group_of:
            return self.group_of[producer]
        if not isinstance(producer, TransposeOp) or isinstance(op, MoveOp) or producer.parent is not op.parent:
            return None
        return Group([producer]) if _has_known_type(producer) else None

    def why_not_appended(self, op: GraphOp) -> str | None:
        """Why the op whose result is moved cannot store it where it goes to; None if it can."""
        group = self._group_before(op)
        if op in self.group_of or group is None or group.ops[-1] is not op.operands[0].owner or not _has_known_type(op):
            return f"{op.name} moves data"
        if not op.operands[0].has_one_use():
            return f"result has {self._count_uses(group.ops[-1])} uses"
        if len(group.ops) >= self.max_ops:
            return f"more than {self.max_ops} ops"
        if isinstance(op, MoveOp) and not keeps_contiguous(op):
            return f"{op.name} would have to write with a stride"
        return None

    def obstacle(self, producer: GraphOp, consumer: GraphOp) -> str | None:
        """What forbids computing these two together, whatever else is in the group."""
        if (apart := self._why_apart(producer, consumer)) is not None:
            return apart
        if not self._may_be_private(producer):
            return f"result has {self._count_uses(producer)} uses"
        return None

    def _why_apart(self, producer: GraphOp, consumer: GraphOp) -> str | None:
        """What forbids computing these two together, even if nobody else reads the producer."""
        for op in (producer, consumer):
            if not _computes(op):
                return f"{op.name} {_OTHER if not op.MOVES else 'moves data'}"
        if not consumer.MAPS and not _reduces_in_place(consumer):
            return f"{consumer.name} starts a kernel of its own"
        reads_result = producer.MAPS and producer.result is consumer.operands[0]
        if not consumer.MAPS and not reads_result:
            return f"{consumer.name} starts a kernel of its own"
        for op in (producer, consumer):
            if not _can_be_fused(op):
                return f"{op.name} has an unknown shape or an unsupported element type"
        if producer.parent is not consumer.parent:
            return "they are in different blocks"
        found, needed = shape_of(producer.result), shape_of(consumer.result)
        if consumer.MAPS and found != needed:
            return f"shapes differ {times(found)} vs {times(needed)}"
        return None

    def _may_be_private(self, op: GraphOp) -> bool:
        """Whether all readers of the result could be in one group with `op`."""
        if op not in self._private:
            shape = shape_of(op.result)
            self._private[op] = op.result.has_one_use() or all(
                isinstance(user := use.operation, GraphOp)
                and user.MAPS
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

    def _widen_in_readers(self, group: Group) -> None:
        """Let the groups that read a widened value widen it, each by an op of its own, if all of them can.

        Then the short value is stored between kernels. What leads to the last op of a group leads to its input.
        """
        op = group.ops[-1]
        if not _widens(op) or any(
            self.group_of.get(p) is group for p in producers(op) if p is not op.operands[0].owner
        ):
            return
        readers = list(dict.fromkeys(use.operation for use in op.result.uses))
        if not all(isinstance(r, GraphOp) and self._can_widen(r, op) for r in readers):
            return
        group.ops.pop()
        for reader in readers:
            own = op
            if reader is not readers[-1]:
                own = cast(GraphOp, clone(op))
                Rewriter.insert_op(own, InsertPoint.before(op))
                op.result.replace_uses_with_if(own.result, lambda use, reader=reader: use.operation is reader)
                self._position[own] = self._position[op]
            self._in_readers.add(own)
            self.group_of[own] = self.group_of[reader]
            self.group_of[own].ops.append(own)
            self.group_of[own].ops.sort(key=self._position.__getitem__)

    def _can_widen(self, reader: GraphOp, op: GraphOp) -> bool:
        """Whether the group of a reader can take along what widens an operand."""
        own = self.group_of.get(reader)
        return own is not None and len(own.ops) < self.max_ops and self._why_apart(op, reader) is None

    def why_separate(self, producer: GraphOp, consumer: GraphOp) -> str:
        """Why two ops, one of which reads the other, are in different groups."""
        if consumer.STORED_BY_PRODUCER and _computes(producer):
            return self.why_not_appended(consumer) or f"{consumer.name} moves data"
        if isinstance(producer, MoveOp) or isinstance(consumer, MoveOp):
            return self._why_not_moved(producer, consumer)
        if (obstacle := self.obstacle(producer, consumer)) is not None:
            return obstacle
        if consumer in self._in_readers:
            return f"{consumer.name} is computed where it is read: what is stored is shorter"
        if self._count_uses(producer) > 1:
            return f"result has {self._count_uses(producer)} uses"
        if len(self.group_of[producer].ops) + len(self.group_of[consumer].ops) > self.max_ops:
            return f"more than {self.max_ops} ops"
        if not consumer.MAPS:
            return f"{consumer.name} starts a kernel of its own"
        return f"{consumer.name} is fused with another operand's producer"

    def _why_not_moved(self, producer: GraphOp, consumer: GraphOp) -> str:
        """Why a move is not in one group with what it reads, or with what reads it."""
        for op in (producer, consumer):
            if isinstance(op, ReshapeOp):
                return f"{op.name} is a view and costs nothing"
        if not isinstance(producer, MoveOp) or not consumer.WHOLE_AXES:
            return f"{(producer if isinstance(producer, MoveOp) else consumer).name} moves data"
        if not producer.result.has_one_use():
            return f"result has {self._count_uses(producer)} uses"
        return why_not_folded([producer], producer.result in self._strided) or f"{producer.name} moves data"


def _computes(op: GraphOp) -> bool:
    """Whether a group may hold `op`; of those that do not map it has at most one."""
    return op.MAPS or op.CONTRACTS or op.REDUCES


def _widens(op: GraphOp) -> bool:
    """Whether an op makes longer numbers of shorter ones, and nothing else."""
    if not isinstance(op, DequantizeOp | CastOp):
        return False
    before, after = (to_numpy(standing_for(element_of(v))).itemsize for v in (op.input, op.result))
    return before < after


def _widening_before(operand: SSAValue, reader: GraphOp) -> list[GraphOp]:
    """What makes an operand of an attention of shorter floats: keys and values are widened where they are read."""
    op = operand.owner
    if not isinstance(op, CastOp) or op.parent is not reader.parent or not operand.has_one_use():
        return []
    return [op] if _can_be_fused(op) and _widens(op) and is_float(type_of(op.input)) else []


def _reduces_in_place(op: GraphOp) -> bool:
    """Whether `op` reads each element of its first operand where it needs it, so that it may be computed there."""
    return op.REDUCES and op.WHOLE_AXES


def _can_be_fused(op: GraphOp) -> bool:
    return _computes(op) and _has_known_type(op)


def _has_known_type(op: GraphOp) -> bool:
    return all(is_static(v.type) and is_supported(standing_for(element_of(v))) for v in (*op.operands, op.result))
