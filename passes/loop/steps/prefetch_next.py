"""`prefetch_next`: while a loop runs, ask for what the next iteration of a loop around it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ForOp, LoadOp, PrefetchOp, StoreOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.passes.loop._legality import Refused
from mlc.passes.loop.steps.base import LoopStep, Scheduling, function_of, other
from mlc.passes.loop.steps.prefetch import line_of
from mlc.support.context import CompilerContext
from mlc.targets.machine import resolve_target


def prefetch_next(loop: ForOp, around: ForOp, line_bytes: int) -> int:
    """Ask in `loop` for what it will read in the next iteration of `around`; returns the number of new ops.

        for m: { g = max of x[m]; for n: y[m, n] = exp(x[m, n] - g) }
    ->
        for m: { g = max of x[m]; for n: { prefetch x[m + 1, n] to 1; y[m, n] = exp(x[m, n] - g) } }

    Several passes read a row, and the first one waits for memory: it does nothing else. While a pass that computes runs
    there is time to bring the next row into the first cache. This concerns arguments that the function only reads, each
    line of a cache, of `line_bytes`, once. (Mowry, Lam and Gupta, "Design and Evaluation of a Compiler Algorithm for
    Prefetching", 1992.)
    """
    counter, step = around.induction_variable, around.step.value.data
    lines: dict[object, PrefetchOp] = {}
    for load in _reads_of_both(loop, counter):
        if (line := line_of(load, line_bytes)) not in lines:
            place = _moved(load.map.data, load.indices, counter, step)
            lines[line] = fetch = PrefetchOp(load.memref, load.indices, place, level=1)
            fetch.location = load.location
            Rewriter.insert_op(fetch, InsertPoint.before(load))
    return len(lines)


def _reads_of_both(loop: ForOp, counter: SSAValue) -> list[LoadOp]:
    """The loads of arguments in `loop`, in no loop inside it, that depend on its counter and on `counter`."""
    function = function_of(loop)
    written = {op.memref for op in function.walk() if isinstance(op, StoreOp)}
    arguments = set(function.body.block.args) - written
    wanted = {counter, loop.induction_variable}
    reads = [op for op in loop.body.block.ops if isinstance(op, LoadOp) and op.memref in arguments]
    return [load for load in reads if wanted <= _values_in_place(load)]


def _values_in_place(load: LoadOp) -> set[SSAValue]:
    """The values that the subscripts depend on."""
    return {load.indices[dim] for subscript in load.map.data.results for dim in subscript.used_dims()}


def _moved(place: AffineMap, indices: Sequence[SSAValue], counter: SSAValue, step: int) -> AffineMap:
    """The subscripts with `counter` + `step` in place of `counter`."""
    dims = [AffineExpr.dimension(i) + step if v is counter else AffineExpr.dimension(i) for i, v in enumerate(indices)]
    return AffineMap(len(dims), 0, tuple(e.replace_dims_and_symbols(dims, []) for e in place.results))


@dataclass(frozen=True)
class PrefetchNext(LoopStep):
    """while `n` runs, what it reads in the next iteration of `m` is asked for"""

    name = "prefetch_next"
    example = "prefetch_next(n, m)"

    loop: LoopName
    of: LoopName

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> None:
        # Where other loops of the name read what was computed in between, nothing is to be said of them.
        super().rewrite_all([loop for loop in loops if self._is_concerned(loop)] or loops, scheduling)

    def _is_concerned(self, loop: ForOp) -> bool:
        return any(_reads_of_both(loop, around.induction_variable) for around in self._around(loop))

    def _around(self, loop: ForOp) -> Iterator[ForOp]:
        return (op for op in enclosing_loops(loop) if op.dim.data == self.of)

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        around = next(self._around(loop), None)
        if around is None:
            raise Refused(f"it is in no loop '{self.of}'")
        if not prefetch_next(loop, around, resolve_target(ctx.target).memory.line_bytes):
            raise Refused(f"it reads no argument at places that depend on '{loop.dim.data}' and '{self.of}'")

    def outcome(self, loop: ForOp) -> str:
        return f"nothing to prefetch in '{loop.dim.data}'"

    def words(self, plan: LoopPlan) -> str:
        return f"while {self.loop} runs, what it reads in the next iteration of {self.of} is asked for"

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        around = [op.dim.data for op in enclosing_loops(loop) if op.dim.data != loop.dim.data]
        return cls(loop.dim.data, rng.choice(around) if around else other(rng, loop))
