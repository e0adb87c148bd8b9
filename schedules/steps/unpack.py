"""`unpack`: a loop reads weights of four bits, eight to a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from xdsl.dialects import math
from xdsl.dialects.builtin import IntegerAttr, f32, i8, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import AccessOp, set_subscripts
from mlc.analysis.legality import note_if_refused, require_no_limit
from mlc.dialects.arith import ExtSIOp, SIToFPOp
from mlc.dialects.loop import ForOp, LoadOp, StoreOp, UnpackOp, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.dialects.loop.unpack import LEAST, MOST, PER_WORD
from mlc.schedules.buffer_layouts import WordLayout
from mlc.schedules.steps._words import word_subscript
from mlc.schedules.steps.base import LoopStep, Scheduling
from mlc.schedules.steps.pack import Packer
from mlc.support.affine import simplify_sum
from mlc.support.context import Remark
from mlc.support.errors import Refused
from mlc.support.ir import clone
from mlc.support.types import element_type, memref_type


@dataclass(frozen=True)
class _UnpackedLoop:
    """A loop that adds products with an integer of a constant to what it carries, or stores such integers as floats."""

    loop: ForOp
    load: LoadOp
    widening: tuple[Operation, Operation]
    axis: int
    """The axis of the constant along which the loop runs."""
    word: AffineExpr
    """The subscript of words along that axis."""

    @property
    def argument(self) -> SSAValue:
        """The constant."""
        return self.load.memref


def use_words(loops: Sequence[ForOp], packer: Packer) -> None:
    """Let loops of one function read words of eight weights.

        for k in 0..64 iter_args(s = 0): fma(x[k], sitofp(extsi(w[k, n])), s)
    ->
        for k in 0..8 iter_args(s = 0): word = w_words[k, n]
            fma(x[8 * k], unpack word[0], s), then fma(x[8 * k + 1], unpack word[1], …), …

    A loop that stores what it unpacks stores eight numbers in one iteration.

    Proof: all numbers of the constant are integers of four bits, so their low bits with the sign are the numbers. The
    products are added, and numbers stored, in the same order.

    Raises:
        Refused: the loops are not such sums or copies, or the constant has other numbers; nothing has been changed.
    """
    sums = [_unpacked(loop) for loop in loops]
    if len({(each.argument, each.axis) for each in sums}) != 1:
        raise Refused("its weights are several arguments, or lie along several axes")
    argument, axis = sums[0].argument, sums[0].axis
    loads = {each.load for each in sums}
    if not isinstance(argument, BlockArgument) or {use.operation for use in argument.uses} != loads:
        raise Refused("its weights are not an argument of the kernel that only these loops read")
    if not packer.knows(argument):
        raise Refused("its weights are not known when the program is compiled")
    if not packer.hold(argument, lambda w: bool(w.min() >= LEAST and w.max() <= MOST)):
        raise Refused(f"its weights are not all from {LEAST} to {MOST}, the integers of four bits")
    words = WordLayout(axis, PER_WORD, tuple(memref_type(argument).get_shape()))
    if words.sizes[axis] % PER_WORD:
        raise Refused(f"{words.sizes[axis]} numbers along the axis are not a multiple of {PER_WORD}")
    target = packer.relay(argument, words)
    for each in sums:
        _rewrite(each, target)


def _unpacked(loop: ForOp) -> _UnpackedLoop:
    """What a loop adds up or stores.

    Raises:
        Refused: it is not a sum of products with integers of i8 that follow each other, nor a copy of these.
    """
    found = [op for op in loop.body.block.ops if isinstance(op, LoadOp) and element_type(op.memref.type) == i8]
    if len(found) != 1 or len(loop.carried) > 1 or any(isinstance(op, ForOp) for op in loop.body.block.ops):
        raise Refused("it is neither a sum of products with one constant of i8 nor a copy of it")
    (load,) = found
    widened = next((use.operation for use in load.result.uses), None)
    number = next((use.operation for use in widened.results[0].uses), None) if isinstance(widened, ExtSIOp) else None
    if widened is None or not isinstance(number, SIToFPOp) or number.result.type != f32 or load.result.type != i8:
        raise Refused("its weights are not widened to f32")
    if not all(op.results[0].has_one_use() for op in (load, widened)):
        raise Refused("its weights are read otherwise, too")
    if loop.carried and not isinstance(next(iter(loop.yielded)).owner, math.FmaOp):
        raise Refused("it is not a sum of products")
    if not loop.carried and [type(op) for op in list(loop.body.block.ops)[3:]] != [StoreOp, YieldOp]:
        raise Refused("it does more than store its weights as floats")
    require_no_limit(loop)
    if loop.range.start or loop.range.step != 1 or len(loop.range) % PER_WORD:
        raise Refused(f"{len(loop.range)} iterations are not a multiple of {PER_WORD}, counted from 0")
    return _UnpackedLoop(loop, load, (widened, number), *word_subscript(load, loop, PER_WORD))


def _rewrite(each: _UnpackedLoop, target: SSAValue) -> None:
    """Read a word, and do what the body does with each of its numbers, one after the other."""
    loop, counter = each.loop, each.loop.induction_variable
    results = list(each.load.map.data.results)
    results[each.axis] = each.word
    words = LoadOp(target, list(each.load.indices), AffineMap(each.load.map.data.num_dims, 0, tuple(results)))
    words.location = each.load.location
    body = [op for op in loop.body.block.ops if op not in (each.load, *each.widening)]
    *steps, last = body
    assert isinstance(last, YieldOp)
    carried: list[SSAValue] = list(loop.carried)
    new: list[Operation] = [words]
    for number in range(PER_WORD):
        unpacked = UnpackOp(words.result, number, f32)
        unpacked.location = each.load.location
        mapping: dict[SSAValue, SSAValue] = {each.widening[1].results[0]: unpacked.result}
        mapping.update(zip(loop.carried, carried, strict=True))
        new.append(unpacked)
        for op in steps:
            copy = clone(op, mapping)
            if isinstance(copy, AccessOp) and counter in copy.indices:
                _move(copy, counter, number)
            new.append(copy)
        carried = [mapping[value] for value in last.arguments]
    Rewriter.insert_op(new, InsertPoint.before(last))
    last.operands = carried
    for op in reversed(steps):
        Rewriter.erase_op(op)
    for op in (each.widening[1], each.widening[0], each.load):
        Rewriter.erase_op(op)
    loop.properties["upper"] = IntegerAttr(len(loop.range) // PER_WORD, i64)


def _move(access: AccessOp, counter: SSAValue, number: int) -> None:
    """Let what goes with the counter read or write what belongs to a number of the word."""
    dim = list(access.indices).index(counter)
    dims = [AffineExpr.dimension(i) for i in range(access.map.data.num_dims)]
    dims[dim] = AffineExpr.dimension(dim) * PER_WORD + number
    moved = [simplify_sum(e.replace_dims_and_symbols(dims, [])) for e in access.map.data.results]
    set_subscripts(access, list(access.indices), AffineMap(len(dims), 0, tuple(moved)))


@dataclass(frozen=True)
class Unpack(LoopStep):
    """8 steps of a loop that adds products with constant weights of four bits, or stores these, read one word of them

    The kernel's weights are stored in words of 32 bits, if all of them are integers from -8 to 7.
    """

    name = "unpack"
    example = "unpack(k)"

    loop: LoopName

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        """Let the loops of the name read words: all of them, or none, as they read one argument."""
        refusals: list[Remark] = []
        with note_if_refused(refusals, loops[0], f"loop '{self.loop}' does not read words"):
            use_words(loops, scheduling.shared(Packer))
        return refusals

    def words(self, plan: LoopPlan) -> str:
        return f"weights are stored in words of {PER_WORD}, four bits each, and unpacked in registers"

    def follow(self, plan: LoopPlan) -> None:
        if trips := plan.trips.get(self.loop):
            plan.trips[self.loop] = trips // PER_WORD

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return len(loop.carried) <= 1

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        del rng
        return cls(loop.dim.data)
