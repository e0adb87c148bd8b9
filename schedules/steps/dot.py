"""`dot`: several steps of a sum of products become one dot product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import IntegerAttr, VectorType, f16, f32, i8, i32, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import replace_counter
from mlc.analysis.lanes import lanes_over
from mlc.analysis.legality import note_if_refused, require_no_limit, require_reduction
from mlc.dialects.arith import ExtSIOp, ExtUIOp
from mlc.dialects.loop import CONSECUTIVE, DotOp, ForOp, LoadOp, UnpackBytesOp
from mlc.dialects.loop.dot import SHORT_TYPES, WORD_BITS, WORDS, per_word, sums_fit_in_i16
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.buffer_layouts import FieldLayout, WordLayout
from mlc.schedules.steps._words import word_subscript
from mlc.schedules.steps.base import LoopStep, Scheduling
from mlc.schedules.steps.pack import Packer
from mlc.support.context import Remark
from mlc.support.dtypes import is_unsigned, unsigned
from mlc.support.errors import Refused
from mlc.support.types import element_type, integer_width, memref_type
from mlc.targets.machine import resolve_target

Array = NDArray[Any]
_BYTES = per_word(i8)
"""How many numbers a word holds that are multiplied as bytes."""


@dataclass(frozen=True)
class ShortFactor:
    """An operand of a product in a loop: a number that is loaded and widened."""

    load: LoadOp
    widening: Operation
    element: Attribute
    """The type of the number, with its sign."""

    @property
    def memory(self) -> SSAValue:
        """The buffer that it is loaded from."""
        return self.load.memref

    def runs_along(self, loop: ForOp) -> bool:
        """Whether the iterations of a loop read its neighbours in memory."""
        counter = loop.induction_variable
        return counter in self.load.indices and lanes_over(self.load, counter, 1) == CONSECUTIVE


@dataclass(frozen=True)
class _ProductSum:
    """A loop that adds products of two short numbers to what it carries."""

    loop: ForOp
    combine: Operation
    """The op that adds the product; its result is yielded."""
    by_word: ShortFactor
    """The factor that lies along memory, where a word of it is read."""
    of_argument: ShortFactor
    """The factor that is stored in words."""
    axis: int
    """The axis of the argument along which these lie."""
    word: AffineExpr
    """The subscript of words along that axis."""


def use_dot_products(loops: Sequence[ForOp], count: int, packer: Packer, bits: int = WORD_BITS) -> None:
    """Let loops of one function add `count` products at a time.

        for k in 0..256 iter_args(s = 0): s + extui(x[m, k]) * extsi(w[k, n])
    ->
        for k in 0..64 iter_args(s = 0): loop.dot x[m, 4 * k .. 4 * k + 3], w_words[k, n], s of ui8, i8

    The factor that is an argument, the same in all loops, is stored in words of `count` numbers along the loop.
    A word of the other one is read where it lies. Words have `bits`; those of 32 with 8 numbers, or 16, have fields of
    4 bits, or of 2:

        word = w_words[k, n]
        loop.dot x[m, 8 * k .. 8 * k + 3], unpack_bytes word[0], s of i8, ui8, then
        loop.dot x[m, 8 * k + 4 .. 8 * k + 7], unpack_bytes word[1], … of i8, ui8

    Where the target multiplies bytes with sums in i16, it is noted of words whether these fit there.

    Proof: sums of i32 wrap, so their order is free. All numbers in fields are known to fit there, and have no sign.

    Raises:
        Refused: the loops are not sums of such products, or the argument is not a constant; nothing has been changed.
    """
    sums = [_product_sum(loop, count, packer, bits) for loop in loops]
    arguments = {each.of_argument.memory for each in sums}
    if len(arguments) != 1:
        raise Refused("its factors in words are several arguments")
    (argument,) = arguments
    if not isinstance(argument, BlockArgument) or {u.operation for u in argument.uses} != {
        each.of_argument.load for each in sums
    }:
        raise Refused("the factor in words is not an argument of the kernel that only these loops read")
    axes = {each.axis for each in sums}
    if len(axes) != 1:
        raise Refused("it runs along several axes of the argument")
    in_fields = bits == WORD_BITS and count > _BYTES
    most = (1 << WORD_BITS // count) - 1
    if in_fields and not packer.hold(argument, lambda w: bool(w.min() >= 0 and w.max() <= most)):
        raise Refused(f"the numbers of the factor in words are not all from 0 to {most}")
    layout = FieldLayout if in_fields else WordLayout
    words = layout(axes.pop(), count, tuple(memref_type(argument).get_shape()), bits)
    if words.sizes[words.axis] % count:
        raise Refused(f"{words.sizes[words.axis]} numbers along the axis are not a multiple of {count}")
    machine = resolve_target(packer.ctx.target)
    types = {(str(each.by_word.element), str(each.of_argument.element)) for each in sums}
    in_i16 = all(machine.byte_products(*pair, machine.vector_bits) for pair in types)
    signs = {is_unsigned(each.of_argument.element) for each in sums}
    in_i16 = in_i16 and packer.hold(argument, lambda w: all(sums_fit_in_i16(_signed(w, s), words.axis) for s in signs))
    if any(each.by_word.element == f16 for each in sums) and not machine.converts_f16:
        raise Refused(f"{machine.name} has no instructions that convert f16")
    target = packer.relay(argument, words)
    for each in sums:
        _rewrite(each, words, target, in_i16=in_i16)


def _signed(bytes: Array, is_without_sign: bool) -> Array:
    """The numbers that bytes in memory are, of which types of buffers do not say whether they have a sign."""
    return bytes.view(np.uint8 if is_without_sign else np.int8)


def _product_sum(loop: ForOp, count: int, packer: Packer, bits: int) -> _ProductSum:
    """What a loop adds up; the factor in words is one that the packer knows, if both may be.

    Raises:
        Refused: it is not a sum of products of short numbers, one of them along memory.
    """
    reduction = require_reduction(loop)
    require_no_limit(loop)
    combine = reduction.combine
    if isinstance(combine, math.FmaOp):
        values = list(combine.operands[:2])
    else:
        others = [v for v in combine.operands if v is not loop.carried[0]]
        product = others[0].owner if isinstance(combine, arith.AddiOp) and len(others) == 1 else None
        if not isinstance(product, arith.MuliOp):
            raise Refused("it is not a sum of products")
        values = [product.lhs, product.rhs]
    factors = [factor_of(value) for value in values]
    if len(list(loop.body.block.ops)) != 6 + (not isinstance(combine, math.FmaOp)):
        raise Refused("it computes more than a sum of products of two numbers that it loads")
    if combine.results[0].type not in (i32, f32):
        raise Refused(f"it adds up numbers of {combine.results[0].type}, and dot products those of i32 or f32")
    if bits not in WORDS:
        raise Refused(f"a word has 32 or 64 bits, not {bits}")
    in_bytes = min(count, _BYTES) if bits == WORD_BITS else count  # fields are of integers of 8 bits
    if count not in (2, 4, 8, 16) or any(per_word(f.element, bits) != in_bytes for f in factors):
        kinds = " and ".join(str(f.element) for f in factors)
        raise Refused(f"a word holds other than {count} numbers of {kinds}")
    if loop.range.start or loop.range.step != 1 or len(loop.range) % count:
        raise Refused(f"{len(loop.range)} iterations are not a multiple of {count}, counted from 0")
    buffers = [f.memory for f in factors]
    known = [isinstance(buffer, BlockArgument) and packer.knows(buffer) for buffer in buffers]
    for number in sorted((0, 1), key=lambda number: not known[1 - number]):
        if factors[number].runs_along(loop) and isinstance(buffers[1 - number], BlockArgument):
            argument = factors[1 - number]
            return _ProductSum(loop, combine, factors[number], argument, *word_subscript(argument.load, loop, count))
    raise Refused("none of its factors lies along memory where the other one is an argument")


def factor_of(value: SSAValue) -> ShortFactor:
    """The factor that a value is.

    Raises:
        Refused: it is not a short number that is loaded here.
    """
    widening = value.owner
    if not isinstance(widening, ExtSIOp | ExtUIOp | arith.ExtFOp):
        raise Refused("a factor is not a widened short number")
    load = widening.operands[0].owner
    element: Attribute = widening.operands[0].type
    if isinstance(widening, ExtUIOp) and integer_width(element) is not None:
        element = unsigned(element)
    if not isinstance(load, LoadOp) or element not in SHORT_TYPES:
        raise Refused(f"a factor is not loaded, or is a number of {element}, of which no word is made")
    return ShortFactor(load, widening, element)


def _rewrite(each: _ProductSum, words: WordLayout, target: SSAValue, *, in_i16: bool) -> None:
    """Read words, and add their dot product."""
    loop, count, counter = each.loop, words.count, each.loop.induction_variable
    load, beside = each.of_argument.load, each.by_word.load
    indices, results = list(load.indices), list(load.map.data.results)
    results[words.axis] = each.word
    replace_counter(counter, ((counter,), AffineExpr.dimension(0) * count))
    packed = LoadOp(target, indices, AffineMap(len(indices), 0, tuple(results)))
    packed.location = load.location
    new: list[Operation] = [packed]
    total: SSAValue = loop.carried[0]
    in_word = per_word(each.by_word.element, words.bits)
    fields = count // in_word
    kind = VectorType(element_type(beside.memref.type), [in_word])
    for number in range(fields):
        of_argument: SSAValue = packed.result
        if fields > 1:
            unpacked = UnpackBytesOp(packed.result, number, 32 // count)
            unpacked.location, of_argument = load.location, unpacked.result
            new.append(unpacked)
        run = LoadOp(beside.memref, list(beside.indices), _moved(beside.map.data, number * in_word), kind)
        cast = vector.BitcastOp(run.result, VectorType(WORDS[words.bits], [1]))
        word = vector.ExtractOp(cast.result, [0], WORDS[words.bits])
        types = each.by_word.element, each.of_argument.element
        dot = DotOp(word.result, of_argument, total, *types, in_i16=in_i16)
        run.location, dot.location = beside.location, each.combine.location
        new += [run, cast, word, dot]
        total = dot.result
    Rewriter.insert_op(new, InsertPoint.before(each.combine))
    each.combine.results[0].replace_all_uses_with(total)
    products = [v.owner for v in each.combine.operands if isinstance(v.owner, arith.MuliOp)]
    for op in (each.combine, *products, each.by_word.widening, each.of_argument.widening, beside, load):
        Rewriter.erase_op(op)
    loop.properties["upper"] = IntegerAttr(len(loop.range) // count, i64)


def _moved(affine: AffineMap, by: int) -> AffineMap:
    """Subscripts of what lies so many numbers behind in memory."""
    *others, last = affine.results
    return AffineMap(affine.num_dims, affine.num_symbols, (*others, last + by if by else last))


@dataclass(frozen=True)
class Dot(LoopStep):
    """4 steps of a loop that adds products of short numbers become one dot product

    The kernel's constant factor is stored in words of so many numbers. A word has 32 bits, or 64 if that is said, as in
    `dot(k, 8, 64)`. One of 32 bits and 8 numbers has four for each, and is taken apart to two words of bytes in
    registers; one of 16 has two, and gives four words.
    """

    name = "dot"
    example = "dot(k, 4)"

    loop: LoopName
    count: int
    bits: int | None = None

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        """Let the loops of the name add dot products: all of them, or none, as they read one argument."""
        refusals: list[Remark] = []
        with note_if_refused(refusals, loops[0], f"loop '{self.loop}' has no dot products"):
            use_dot_products(loops, self.count, scheduling.shared(Packer), self.bits or WORD_BITS)
        return refusals

    @property
    def has_fields(self) -> bool:
        """Whether the numbers of the factor in words have four bits or less."""
        return self.bits in (None, WORD_BITS) and self.count > _BYTES

    def words(self, plan: LoopPlan) -> str:
        if self.bits is not None and self.bits != WORD_BITS:
            return f"{self.count} products are added at a time, a dot product of words of {self.bits} bits"
        if self.has_fields:
            each = f"weights are stored in words of {self.count}, and unpacked to bytes in registers; "
            return f"{each}{_BYTES} products are added by one instruction, a dot product of words of 32 bits"
        return f"{self.count} products are added by one instruction, a dot product of words of 32 bits"

    def follow(self, plan: LoopPlan) -> None:
        if trips := plan.trips.get(self.loop):
            plan.trips[self.loop] = trips // self.count

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return len(loop.carried) == 1

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        return cls(loop.dim.data, rng.choice((2, 4, 8, 16)), rng.choice((None, None, 64)))
