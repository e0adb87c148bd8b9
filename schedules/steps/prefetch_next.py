"""`prefetch_next`: while a loop runs, ask for what the next iteration of a loop around it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import prod
from random import Random
from typing import Self

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ForOp, LoadOp, PrefetchOp, StoreOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.prefetch import CACHE_LEVELS
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, Scheduling, function_of, other
from mlc.schedules.steps.prefetch import line_at, places_of_lines
from mlc.support.affine import split_terms
from mlc.support.context import CompilerContext, Remark
from mlc.support.dtypes import to_numpy
from mlc.support.errors import Refused
from mlc.support.types import memref_type
from mlc.targets.machine import resolve_target

FIRST_CACHE = 1
"""The level that is meant if a schedule says none."""
_Place = tuple[LoadOp, AffineMap, list[SSAValue]]
"""A load, the subscripts of one of the lines that it reads, and their index operands."""


def prefetch_next(loop: ForOp, around: ForOp, line_bytes: int, level: int = FIRST_CACHE) -> int:
    """Ask in `loop` for what it will read in the next iteration of `around`; returns the number of new ops.

        for m: { g = max of x[m]; for n: y[m, n] = exp(x[m, n] - g) }
    ->
        for m: { g = max of x[m]; for n: { prefetch x[m + 1, n] to 1; y[m, n] = exp(x[m, n] - g) } }

    Several passes read a row, and the first one waits for memory: it does nothing else. While a pass that computes runs
    there is time to bring the next row into the cache of a level, by default the first. This concerns arguments that
    the function only reads, each line of a cache, of `line_bytes`, once. Where loops in between read the same again,
    and it lies in one piece, their iterations share the lines out: all rows of a product that use one panel of weights
    bring the next one, a few lines each.

        for n: for m: acc[m, n] = for k: … w[n, k, 0]
    ->
        for n: for m: acc[m, n] = for k: { prefetch w[n + 1, 0, (m * K + k) floordiv s * 16] to 2; … w[n, k, 0] }

    (Mowry, Lam and Gupta, "Design and Evaluation of a Compiler Algorithm for Prefetching", 1992.)
    """
    counter, step = around.induction_variable, around.step.value.data
    pieces: dict[object, dict[int, _Place]] = {}
    for load in _reads_of_both(loop, counter):
        for place in places_of_lines(load, load.map.data, line_bytes):
            *piece, line = line_at(load.memref, load.indices, place, line_bytes)
            pieces.setdefault(tuple(piece), {}).setdefault(line, (load, place, list(load.indices)))
    fetches = 0
    for lines in pieces.values():
        again = _repeating(loop, around, next(iter(lines.values()))[0])
        places = _shared_out(loop, again, lines, line_bytes) if again else None
        if places is None:
            places = list(lines.values())
        for load, place, indices in places:
            fetch = PrefetchOp(load.memref, indices, _moved(place, indices, counter, step), level)
            fetch.location = load.location
            Rewriter.insert_op(fetch, InsertPoint.before(load))
        fetches += len(places)
    return fetches


def _repeating(loop: ForOp, around: ForOp, load: LoadOp) -> list[ForOp]:
    """The loops between `around` and `loop` that run more than once and on which a place does not depend."""
    between = list(takewhile(lambda each: each is not around, enclosing_loops(loop)))
    used = _values_in_place(load)
    return [each for each in reversed(between) if each.induction_variable not in used and len(each.range) > 1]


def _shared_out(
    loop: ForOp, again: Sequence[ForOp], lines: Mapping[int, _Place], line_bytes: int
) -> list[_Place] | None:
    """Places for prefetches that go through a piece of memory from front to back while the loops of `again` run.

    None if what `loop` reads, some `lines` in each iteration, does not lie in one piece.
    """
    first, start_of_piece, _ = lines[min(lines)]
    count, counter = len(lines), loop.induction_variable
    kind = memref_type(first.memref)
    elements = line_bytes // to_numpy(kind.element_type).itemsize
    position = list(first.indices).index(counter)
    factors = [split_terms(subscript).get(position, 0) for subscript in start_of_piece.results]
    stride = 0
    for axis, factor in enumerate(factors):
        if factor is None:
            return None
        stride += factor * prod(kind.get_shape()[axis + 1 :])
    if max(lines) - min(lines) + 1 != count or stride * loop.step.value.data != count * elements:
        return None
    indices = list(first.indices)
    done: AffineExpr = AffineExpr.constant(0)
    for each in (*again, loop):
        if each.induction_variable not in indices:
            indices.append(each.induction_variable)
        turn = AffineExpr.dimension(indices.index(each.induction_variable)) - each.lower.value.data
        done = done * len(each.range) + _divided(turn, each.step.value.data)
    # A power of two divides without a multiplication, and is early rather than late.
    rounds = prod(len(each.range) for each in again)
    at_a_time, wait = -(-count // rounds), 1 << max(rounds // count, 1).bit_length() - 1
    start = [
        AffineExpr.constant(loop.lower.value.data) if v is counter else AffineExpr.dimension(i)
        for i, v in enumerate(indices)
    ]
    *outer, last = (e.replace_dims_and_symbols(start[: len(first.indices)], []) for e in start_of_piece.results)
    steps = [_divided(done, wait) * at_a_time + i for i in range(at_a_time)]
    return [(first, AffineMap(len(indices), 0, (*outer, last + step * elements)), indices) for step in steps]


def _divided(expr: AffineExpr, by: int) -> AffineExpr:
    return expr // by if by != 1 else expr


def _reads_of_both(loop: ForOp, counter: SSAValue) -> list[LoadOp]:
    """The loads of arguments in `loop`, in no loop inside it, that depend on its counter and on `counter`."""
    arguments = {a for a in function_of(loop).body.block.args if not _is_written(a)}
    wanted = {counter, loop.induction_variable}
    reads = [op for op in loop.body.block.ops if isinstance(op, LoadOp) and op.memref in arguments]
    return [load for load in reads if wanted <= _values_in_place(load)]


def _is_written(argument: SSAValue) -> bool:
    return any(isinstance(use.operation, StoreOp) for use in argument.uses)


def _values_in_place(load: LoadOp) -> set[SSAValue]:
    """The values that the subscripts depend on."""
    return {load.indices[dim] for subscript in load.map.data.results for dim in subscript.used_dims()}


def _moved(place: AffineMap, indices: Sequence[SSAValue], counter: SSAValue, step: int) -> AffineMap:
    """The subscripts with `counter` + `step` in place of `counter`."""
    dims = [AffineExpr.dimension(i) + step if v is counter else AffineExpr.dimension(i) for i, v in enumerate(indices)]
    return AffineMap(len(dims), 0, tuple(e.replace_dims_and_symbols(dims, []) for e in place.results))


@dataclass(frozen=True)
class PrefetchNext(LoopStep):
    """while `n` runs, what it reads in the next iteration of `m` is brought into the first cache, or that of a level"""

    name = "prefetch_next"
    example = "prefetch_next(n, m)"
    numbers = CACHE_LEVELS

    loop: LoopName
    of: LoopName
    level: int | None = None

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        # Where other loops of the name read what was computed in between, nothing is to be said of them.
        concerned = [loop for loop in loops if self._is_concerned(loop)]
        return super().rewrite_all(self._most_often(concerned) or loops, scheduling)

    def _is_concerned(self, loop: ForOp) -> bool:
        return any(_reads_of_both(loop, around.induction_variable) for around in self._around(loop))

    def _most_often(self, loops: Sequence[ForOp]) -> list[ForOp]:
        """Of loops that read the same, as rows do that fill no tile, the one with the most turns to share it out."""
        turns: dict[object, dict[ForOp, int]] = {}
        for loop in loops:
            around = next(self._around(loop))
            loads = _reads_of_both(loop, around.induction_variable)
            again = [each for load in loads for each in _repeating(loop, around, load)]
            key = (around, frozenset(load.memref for load in loads))
            turns.setdefault(key, {})[loop] = prod(len(each.range) for each in dict.fromkeys(again))
        chosen: list[ForOp] = []
        for group in turns.values():
            most = max(group.values())
            chosen += [loop for loop, count in group.items() if most in (1, count)]
        return chosen

    def _around(self, loop: ForOp) -> Iterator[ForOp]:
        return (op for op in enclosing_loops(loop) if op.dim.data == self.of and len(op.range) > 1)

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        around = next(self._around(loop), None)
        if around is None:
            raise Refused(f"it is in no loop '{self.of}'")
        if not prefetch_next(loop, around, resolve_target(ctx.target).memory.line_bytes, self._level):
            raise Refused(f"it reads no argument at places that depend on '{loop.dim.data}' and '{self.of}'")

    @property
    def _level(self) -> int:
        return FIRST_CACHE if self.level is None else self.level

    def outcome(self, loop: ForOp) -> str:
        return f"nothing to prefetch in '{loop.dim.data}'"

    def words(self, plan: LoopPlan) -> str:
        cache = {1: "the first cache", 2: "the second cache"}.get(self._level, "the last cache")
        return f"while {self.loop} runs, what it reads in the next iteration of {self.of} is brought into {cache}"

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        around = [op.dim.data for op in enclosing_loops(loop) if op.dim.data != loop.dim.data]
        level = rng.choice([None, 2])
        return cls(loop.dim.data, rng.choice(around) if around else other(rng, loop), level)
