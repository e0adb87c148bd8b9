"""`unroll-reduction`: replace a loop by copies up to the end of a reduction in it, and by a loop over what follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import replace_counter, set_subscripts
from mlc.analysis.legality import require_common_ends, require_only_loops, require_repeatable
from mlc.analysis.memory_accesses import is_repeatable
from mlc.dialects.loop import ForOp, LoadOp, StoreOp, YieldOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, Scheduling, function_of, tell_llvm
from mlc.schedules.steps.unroll import Unroll, require_short, unroll
from mlc.support.context import CompilerContext, Remark
from mlc.support.errors import Refused
from mlc.support.ir import clone
from mlc.support.types import element_type, vector_type

EPILOGUE = "_epilogue"
"""What the loop over what follows a reduction is called, after the name of the loop that it was in."""
_COUNTER = AffineExpr.dimension(0)


def unroll_reduction(loop: ForOp) -> None:
    """Replace a parallel `loop` by copies, as `unroll` does, but leave what follows a reduction in it in a loop.

        for mi in 0..2: { s = for k iter_args(c = 0): c + x[mi, k]; store y[mi] = f(s) }
    ->
        s, t = for k iter_args(c = 0, d = 0): (c + x[0, k], d + x[1, k])
        store b[0] = s; store b[1] = t
        for mi_epilogue in 0..2: store y[mi] = f(b[mi])

    The sums wait in a buffer, which stays in the first cache. So the program has one copy of `f`, however large a
    register tile is. (In the terms of Halide, the sums are computed at the loop around the tile; Ragan-Kelley et al.,
    "Halide: a language and compiler for optimizing parallelism, locality, and recomputation", 2013.)

    Raises:
        Refused: no reduction is in it, or more than one in a block, or what stands before one cannot be computed
            again after it; nothing has been changed.
    """
    if not loop.is_parallel:
        raise Refused("its iterations depend on each other")
    require_only_loops(loop)
    require_common_ends(loop)
    epilogues = [_Epilogue.of(reduction, loop) for reduction in _reductions(loop.body.block)]
    if not epilogues:
        raise Refused("no loop in it carries values")
    for epilogue in epilogues:
        epilogue.detach()
    unroll(loop)
    for epilogue in epilogues:
        epilogue.attach()


def _reductions(block: Block) -> list[ForOp]:
    """The outermost loops in a block that carry values."""
    loops = [op for op in block.ops if isinstance(op, ForOp)]
    return [found for op in loops for found in ([op] if op.carried else _reductions(op.body.block))]


@dataclass
class _Epilogue:
    """What follows a reduction in an iteration of a loop."""

    reduction: ForOp
    loop: ForOp
    again: list[Operation]
    """Ops before the reduction that it depends on, in program order."""
    ops: list[Operation]
    _around: list[ForOp] = field(default_factory=list[ForOp])
    """The loops around the reduction that are in the loop, before it is unrolled."""
    _buffers: dict[Attribute, memref.AllocOp] = field(default_factory=dict[Attribute, memref.AllocOp])
    _before: list[Operation] = field(default_factory=list[Operation])
    """What is the same for all iterations."""
    _rest: ForOp | None = None

    @staticmethod
    def of(reduction: ForOp, loop: ForOp) -> _Epilogue:
        """What follows `reduction` in its block, which is in `loop`.

        Raises:
            Refused: it cannot be a loop of its own.
        """
        block = reduction.parent
        assert block is not None
        ops = list(block.ops)
        rest = ops[ops.index(reduction) + 1 : -1]
        if any(op.regions for op in rest):
            raise Refused(f"another loop is beside '{reduction.dim.data}'")
        again = _needed(rest, reduction, loop)
        for inside in dict.fromkeys(op.parent for op in again):
            assert inside is not None
            mine = [op for op in again if op.parent is inside]
            require_repeatable(mine, [op for op in inside.ops if op not in mine])
        return _Epilogue(reduction, loop, again, rest)

    def detach(self) -> None:
        """Store the sums in a buffer, and move what follows into a loop that is in no block yet."""
        loop, block = self.loop, self.reduction.parent
        assert block is not None
        self._around = [op for op in enclosing_loops(self.reduction) if op is not loop and loop.is_ancestor(op)]
        places = self._places()
        body = Block(arg_types=[loop.induction_variable.type])
        self._rest = ForOp(f"{loop.dim.data}{EPILOGUE}", 0, len(loop.range), 1, loop.kind.data, (), Region(body))
        self._rest.location = loop.location
        tell_llvm(self._rest, "unroll.count", 1)  # or LLVM writes out the copies that this is to avoid
        counter = body.args[0]
        counter.name_hint = loop.induction_variable.name_hint
        new: dict[SSAValue, SSAValue] = {loop.induction_variable: counter}
        stores: list[Operation] = []
        loads: list[tuple[LoadOp, AffineMap]] = []
        number = (_COUNTER - loop.range.start) // loop.range.step
        for value, (buffer, place) in zip(self.reduction.results, places, strict=True):
            stores.append(StoreOp(value, buffer, [loop.induction_variable], AffineMap(1, 0, (number, *place))))
            affine = AffineMap(1, 0, (_COUNTER, *place))
            body.add_op(load := LoadOp(buffer, [counter], affine, value.type))
            loads.append((load, affine))
            load.location = self.reduction.location
            load.result.name_hint = value.name_hint
            new[value] = load.result
        varying = set(new)
        for op in (*self.again, *self.ops):
            varies = not varying.isdisjoint(op.operands) or not (isinstance(op, LoadOp) or is_repeatable(op))
            varying.update(op.results if varies else ())
            copy = clone(op, new)
            if varies:
                body.add_op(copy)
            else:  # iterations are independent, so what one of them loads no other one writes
                self._before.append(copy)
        body.add_op(YieldOp())
        replace_counter(counter, ((counter,), _COUNTER * loop.range.step + loop.range.start))
        for load, affine in loads:
            set_subscripts(load, [counter], affine)
        for op in (*reversed(self.ops), *reversed(self.again)):
            if not any(result.uses for result in op.results):
                op.detach()
                op.erase()
        Rewriter.insert_op(stores, InsertPoint.after(self.reduction))

    def _places(self) -> list[tuple[SSAValue, tuple[AffineExpr, ...]]]:
        """Where each sum of an iteration waits; those of one type are in one buffer."""
        kinds = [value.type for value in self.reduction.results]
        for kind in dict.fromkeys(kinds):
            vector = vector_type(kind)
            lanes = () if vector is None else vector.get_shape()
            shape = [len(self.loop.range), kinds.count(kind), *lanes]
            alignment = IntegerAttr(64, i64)
            self._buffers[kind] = buffer = memref.AllocOp(
                [], [], MemRefType(element_type(kind), shape), alignment=alignment
            )
            buffer.location, buffer.memref.name_hint = self.reduction.location, "sums"
        found: list[tuple[SSAValue, tuple[AffineExpr, ...]]] = []
        for number, kind in enumerate(kinds):
            lane = [AffineExpr.constant(0)] * (vector_type(kind) is not None)
            found.append((self._buffers[kind].memref, (AffineExpr.constant(kinds[:number].count(kind)), *lane)))
        return found

    def attach(self) -> None:
        """Put the loop after the stores of all sums, after the loop around was unrolled."""
        assert self._rest is not None
        stores = [use.operation for buffer in self._buffers.values() for use in buffer.memref.uses]
        stores = [op for op in stores if isinstance(op, StoreOp) and op.parent is not None]
        block = stores[0].parent
        assert block is not None
        last = max((op for op in stores if op.parent is block), key=block.get_operation_index)
        reduction = last.value.owner
        assert isinstance(reduction, Operation)
        Rewriter.insert_op([*self._before, self._rest], InsertPoint.after(last))
        Rewriter.insert_op(list(self._buffers.values()), InsertPoint.before(reduction))
        for old, now in zip(self._around, enclosing_loops(last), strict=False):
            for op in (*self._before, *self._rest.walk()):
                op.operands = [now.induction_variable if v is old.induction_variable else v for v in op.operands]


def _needed(ops: Sequence[Operation], reduction: ForOp, loop: ForOp) -> list[Operation]:
    """The ops of `loop` before `reduction` whose values `ops` depend on, in program order."""
    found: dict[Operation, None] = {}
    queue = [value for op in ops for value in op.operands]
    inside = set(ops)
    while queue:
        op = queue.pop().owner
        if isinstance(op, Operation) and op is not reduction and op not in inside and loop.is_ancestor(op):
            found[op] = None
            queue += op.operands
    return [op for op in loop.walk() if op in found]


@dataclass(frozen=True)
class UnrollReduction(LoopStep):
    """as `unroll`, up to the end of a reduction; what follows it stays a loop, and its results wait in a buffer"""

    name = "unroll_reduction"
    example = "unroll_reduction(mi)"

    loop: LoopName

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        refusals = super().rewrite_all(loops, scheduling)
        if len(refusals) == len(loops):
            scheduling.refuse(function_of(loops[0]), self)
        return refusals

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        require_short(loop)
        unroll_reduction(loop)

    def outcome(self, loop: ForOp) -> str:
        return f"loop '{loop.dim.data}' not unrolled"

    def words(self, plan: LoopPlan) -> str:
        return f"{Unroll(self.loop).words(plan)}, up to the end of a reduction; a loop computes what follows"

    def makes(self, loop: str) -> bool:
        return loop == f"{self.loop}{EPILOGUE}"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return Unroll.suits(loop) and loop.is_parallel and bool(_reductions(loop.body.block))
