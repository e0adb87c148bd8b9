"""`vectorize`: run the iterations of a loop as the lanes of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self, cast

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import AccessOp, constant_index, rewritten_subscripts
from mlc.analysis.lanes import has_room, lanes_over
from mlc.analysis.legality import require_common_ends, require_only_loops
from mlc.dialects.arith import Arith
from mlc.dialects.loop import (
    CONSECUTIVE,
    DotOp,
    ForOp,
    Lanes,
    LoadOp,
    LookupOp,
    StoreOp,
    UnpackBytesOp,
    UnpackOp,
    WordOp,
    YieldOp,
)
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused
from mlc.support.ir import clone, drop_overflow_flags
from mlc.support.types import vector_of

MOST_LANES = 256
"""The most lanes of a vector that a schedule asks for."""
_SAID = 0.7
"""How often a drawn step says how many lanes."""


_OWN_OPS = (DotOp, LookupOp, UnpackBytesOp, UnpackOp, WordOp)
LANEWISE_OPS = frozenset({*Arith.operations, *math.Math.operations, *_OWN_OPS}) - {arith.ConstantOp}
"""The op types that compute lane by lane when their operands are vectors."""


def vectorize(loop: ForOp, lanes: int | None = None) -> None:
    """Replace a parallel `loop` by its body on vectors with one lane per iteration.

        for ni in 0..16: (acc = for k iter_args(c = 0): fma(x[m, k], w[k, n + ni], c)); store acc, y[m, n + ni]
    ->
        acc = for k iter_args(c = dense<0> : vector<16>): fma(broadcast x[m, k], w[k, n] : vector<16>, c)
        store acc, y[m, n] : vector<16>

    What does not depend on the counter stays scalar and is broadcast where it meets a vector. Loads and stores that
    depend on it must go through elements that are evenly spaced along one dim.

    `lanes` is the most lanes that vectors shall have. A shorter loop gets the next power of two, of which only the
    first lanes are active; one of a single iteration stays as it is. Without `lanes` there are as many as iterations.

    Raises:
        Refused: some op has no vector form, or there are too many iterations; nothing has been changed.
    """
    if not loop.is_parallel:
        raise Refused("its iterations depend on each other")
    trips = len(loop.range)
    if lanes is not None and trips > lanes:
        raise Refused(f"{trips} iterations are more than {lanes} lanes; tile it first")
    if lanes is not None and trips == 1:
        return
    require_only_loops(loop)
    require_common_ends(loop)
    varying = Varying(loop)
    widener = Widener(loop, varying, lanes and min(lanes, next_power_of_two(trips)))
    ops = widener.block_ops(loop.body.block)
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    loop.detach()
    loop.erase()
    widener.erase_unused_scalars()


def next_power_of_two(count: int) -> int:
    """The least power of two that is not below `count`: machines have vectors of these lengths only."""
    return 1 << (count - 1).bit_length()


class Varying:
    """The values inside a loop that differ from lane to lane, and the check that all ops on them have a vector form."""

    def __init__(self, loop: ForOp) -> None:
        self.counter = loop.induction_variable
        self.step = loop.step.value.data
        self.values: set[SSAValue] = set()
        self._visit(loop.body.block)

    def _visit(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, ForOp):
                self._visit_loop(op)
            elif isinstance(op, AccessOp):
                self._visit_access(op)
            elif self.counter in op.operands:
                raise Refused(f"'{op.name}' uses the counter itself")
            elif any(v in self.values for v in op.operands) and not isinstance(op, YieldOp):
                if type(op) not in LANEWISE_OPS:
                    raise Refused(f"'{op.name}' has no vector form")
                if any(isinstance(v.type, VectorType) for v in (*op.operands, *op.results)):
                    raise Refused("the body works on vectors already")
                self.values.update(op.results)

    def _visit_loop(self, loop: ForOp) -> None:
        """A carried value varies if its first value or what is yielded for it does; that may take several rounds."""
        while True:
            for initial, inside, result in zip(loop.iter_args, loop.carried, loop.results, strict=True):
                if initial in self.values or result in self.values:
                    self.values.update((inside, result))
            before = len(self.values)
            self._visit(loop.body.block)
            for value, result in zip(loop.yielded, loop.results, strict=True):
                if value in self.values:
                    self.values.add(result)
            if len(self.values) == before and all(
                inside in self.values or result not in self.values
                for inside, result in zip(loop.carried, loop.results, strict=True)
            ):
                return

    def _visit_access(self, op: AccessOp) -> None:
        kind = "a store" if isinstance(op, StoreOp) else "a load"
        if any(v in self.values for v in op.indices):
            raise Refused(f"{kind} goes where computed values say")
        if self.counter not in op.indices:
            if isinstance(op, StoreOp):
                raise Refused("a store goes to the same element in every iteration")
            return
        if isinstance(op.accessed, VectorType):
            raise Refused("the body works on vectors already")
        if lanes_over(op, self.counter, self.step) is None:
            raise Refused(f"{kind} does not go through evenly spaced elements of one dim")
        if isinstance(op, LoadOp):
            self.values.add(op.result)


@dataclass
class Widener:
    """Rebuilds the body of a loop on vectors."""

    loop: ForOp
    varying: Varying
    length: int | None = None
    """How many lanes vectors have; None for as many as there are iterations."""
    new: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    _splats: dict[tuple[SSAValue, Block], SSAValue] = field(default_factory=dict[tuple[SSAValue, Block], SSAValue])
    _scalars: list[Operation] = field(default_factory=list[Operation])

    @property
    def lanes(self) -> int:
        """The lanes of a vector: one per iteration first, then, perhaps, some that nobody reads."""
        return len(self.loop.range) if self.length is None else self.length

    def block_ops(self, block: Block) -> list[Operation]:
        """The ops of `block` on vectors, without its terminator."""
        ops: list[Operation] = []
        for op in list(block.ops)[:-1]:
            if isinstance(op, ForOp):
                ops += self._for(op)
            elif isinstance(op, AccessOp):
                ops += self._access(op)
            elif any(r in self.varying.values for r in op.results):
                operands = [self.as_vector(v, block, ops) for v in op.operands]
                ops.append(widened := self._on_vectors(op, operands))
                self.new.update(zip(op.results, widened.results, strict=True))
            else:
                ops.append(copy := clone(op, self.new))
                if isinstance(op, arith.ConstantOp):
                    self._scalars.append(copy)
        return ops

    def erase_unused_scalars(self) -> None:
        """Erase constants of which nothing but vectors was made, which are constants themselves."""
        for op in self._scalars:
            if not op.results[0].uses:
                op.detach()
                op.erase()

    def _on_vectors(self, op: Operation, operands: Sequence[SSAValue]) -> Operation:
        wide = type(op).create(
            operands=operands,
            result_types=[vector_of(r.type, self.lanes) for r in op.results],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            location=op.location,
        )
        if self.lanes > len(self.loop.range):  # lanes that stand for no iteration compute with zeros
            drop_overflow_flags(wide)
        return wide

    def as_vector(self, value: SSAValue, block: Block, ops: list[Operation]) -> SSAValue:
        """`value` with one copy per lane; made once per block."""
        if value in self.varying.values:
            return self.new[value]
        key = (value, block)
        if key not in self._splats:
            wide = self._splat(value)
            ops.append(wide)
            self._splats[key] = wide.results[0]
        return self._splats[key]

    def _splat(self, value: SSAValue) -> Operation:
        return splat(value, self.lanes, self.new.get(value, value))

    def _access(self, op: AccessOp) -> list[Operation]:
        counter = self.varying.counter
        if counter not in op.indices:
            return [clone(op, self.new)]
        reach = self._reach(op)
        subscripts = rewritten_subscripts(op, {counter: constant_index(self.loop.range.start)})
        indices, affine = [self.new.get(v, v) for v in subscripts[0]], subscripts[1]
        memref = self.new.get(op.memref, op.memref)
        if isinstance(op, LoadOp):
            load = LoadOp(memref, indices, affine, vector_of(op.result.type, self.lanes), reach)
            load.location = op.location
            self.new[op.result] = load.result
            return [load]
        before: list[Operation] = []
        block = op.parent
        assert block is not None
        store = StoreOp(self.as_vector(op.value, block, before), memref, indices, affine, reach)
        store.location = op.location
        return [*before, store]

    def _reach(self, op: AccessOp) -> Lanes:
        """The elements of a vector; a load may also read the ones after them, if these exist."""
        counter, trips = self.varying.counter, len(self.loop.range)
        reach = lanes_over(op, counter, self.varying.step)
        assert reach is not None
        if trips == self.lanes or (
            isinstance(op, LoadOp) and reach == CONSECUTIVE and has_room(op, counter, trips, self.lanes)
        ):
            return reach
        return reach._replace(active=trips)

    def _for(self, loop: ForOp) -> list[Operation]:
        ops: list[Operation] = []
        block = loop.parent
        assert block is not None
        varies = [r in self.varying.values for r in loop.results]
        initial = [
            self._initial(v, ops) if vary else self.new.get(v, v)
            for v, vary in zip(loop.iter_args, varies, strict=True)
        ]
        body = Block(arg_types=[loop.induction_variable.type, *(v.type for v in initial)])
        for old, argument in zip(loop.body.block.args, body.args, strict=True):
            self.new[old] = argument
            argument.name_hint = old.name_hint
        wide = loop.like(initial, Region(body), copies=self.new)
        inside = self.block_ops(loop.body.block)
        yielded = [
            self.as_vector(v, loop.body.block, inside) if vary else self.new.get(v, v)
            for v, vary in zip(loop.yielded, varies, strict=True)
        ]
        body.add_ops([*inside, YieldOp(*yielded)])
        self.new.update(zip(loop.results, wide.results, strict=True))
        return [*ops, wide]

    def _initial(self, value: SSAValue, ops: list[Operation]) -> SSAValue:
        if value in self.varying.values:
            return self.new[value]
        wide = self._splat(value)
        ops.append(wide)
        return wide.results[0]


def splat(value: SSAValue, lanes: int, scalar: SSAValue | None = None) -> Operation:
    """A vector with `value` in every lane: a constant if it is one, else a broadcast of `scalar` (default: `value`)."""
    if isinstance(constant := value.owner, arith.ConstantOp) and isinstance(constant.value, IntegerAttr | FloatAttr):
        data: Any = constant.value.value.data
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, vector_of(value.type, lanes)), [data]))
    return vector.BroadcastOp(scalar or value, vector_of(value.type, lanes))


@dataclass(frozen=True)
class Vectorize(LoopStep):
    """the iterations of a parallel loop become the lanes of vectors

    With a number they become that many lanes; of a shorter loop some stay inactive.
    """

    name = "vectorize"
    example = "vectorize(nii, 16)"

    loop: LoopName
    lanes: int | None = None

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        require_at_most(loop, MOST_LANES)
        vectorize(loop, self.lanes)

    def outcome(self, loop: ForOp) -> str:
        return f"loop '{loop.dim.data}' not vectorized"

    def words(self, plan: LoopPlan) -> str:
        trips = plan.trips.get(self.loop)
        lanes = self.lanes or trips
        if lanes is None:
            return "the iterations become the lanes of vectors"
        idle = f", of which {trips} compute" if trips and trips < lanes else ""
        return f"vectors of {lanes} lanes{idle}"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.is_parallel

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        return cls(loop.dim.data, rng.choice((len(loop.range), 8, 4)) if rng.random() < _SAID else None)


def require_at_most(loop: ForOp, limit: int) -> None:
    """Check that a loop is short enough to become one vector.

    Raises:
        Refused: it has more than `limit` iterations.
    """
    if len(loop.range) > limit:
        raise Refused(f"{len(loop.range)} iterations, the limit is {limit}; tile it first")
