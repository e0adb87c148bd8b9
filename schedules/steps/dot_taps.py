"""`dot_taps`: sums over the taps of a window, written out, become dot products of words of neighbouring pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Self

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i8, i16, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.legality import note_if_refused
from mlc.analysis.memory_accesses import writes_to
from mlc.dialects.loop import DotOp, ForOp, LoadOp, WordOp
from mlc.dialects.loop.dot import SHORT_INTEGERS, per_word
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.buffer_layouts import TapSubscripts, TapWords
from mlc.schedules.steps.base import LoopStep, Scheduling
from mlc.schedules.steps.dot import ShortFactor, factor_of
from mlc.schedules.steps.pack import Packer
from mlc.support.affine import split_constant
from mlc.support.context import Remark
from mlc.support.dtypes import is_unsigned
from mlc.support.errors import Refused
from mlc.support.ir import zero_of
from mlc.support.types import memref_type

WORD_COST = 3
"""The shuffles of a register of words beside the one instruction that a dot product of it is."""
_Pixel = tuple[object, ...]
"""What a load reads, but for the numbers that are added to subscripts."""
_Place = tuple[int, ...]
"""These numbers."""
_Users = dict[tuple[_Pixel, _Place], dict[int, TapSubscripts]]
"""The taps that a pixel is multiplied by, by the numbers of the sums."""


@dataclass(frozen=True)
class _TapProduct:
    """A tap of a window: a number of an image times one of an argument of the kernel."""

    image: ShortFactor
    weight: ShortFactor

    @cached_property
    def pixel(self) -> tuple[_Pixel, _Place]:
        """What of the image it is a product with."""
        load = self.image.load
        parts = [split_constant(e) for e in load.map.data.results]
        return (load.memref, *load.indices, *(terms for terms, _ in parts)), tuple(number for _, number in parts)

    @property
    def tap(self) -> TapSubscripts:
        """The subscripts of the weight that are numbers."""
        return tuple(e.value for e in self.weight.load.map.data.results if isinstance(e, AffineConstantExpr))

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of the weight along which subscripts are not numbers."""
        results = self.weight.load.map.data.results
        return tuple(axis for axis, e in enumerate(results) if not isinstance(e, AffineConstantExpr))


@dataclass
class _Sum:
    """A sum of products in a block, with what else is added."""

    root: Operation
    products: list[_TapProduct] = field(default_factory=list[_TapProduct])
    others: list[SSAValue] = field(default_factory=list[SSAValue])
    ops: list[Operation] = field(default_factory=list[Operation])
    """What computes it, users first."""


@dataclass(frozen=True)
class _PixelWord:
    """Neighbours of an image, and what of which sums is a product with them."""

    numbers: tuple[ShortFactor, ...]
    uses: tuple[tuple[_Sum, tuple[TapSubscripts | None, ...]], ...]


def use_dots_of_taps(loops: Sequence[ForOp], count: int, packer: Packer) -> None:
    """Let straight-line sums in loops of one function add `count` products at a time.

        s = x[y, n] * w[0, n] + x[y + 1, n] * w[1, n] + x[y + 2, n] * w[2, n] + b[n]
        t = x[y + 1, n] * w[0, n] + x[y + 2, n] * w[1, n] + x[y + 3, n] * w[2, n] + b[n]
    ->
        p = loop.word x[y, n], x[y + 1, n], x[y + 2, n], x[y + 3, n]
        s = loop.dot p, v[0, n], b[n]     # where v[0, n] is the word of w[0, n], w[1, n], w[2, n], 0
        t = loop.dot p, v[1, n], b[n]     # and v[1, n] that of 0, w[0, n], w[1, n], w[2, n]

    One factor is an argument, the same in all loops, whose words are made when the program is compiled. Numbers of 8
    bits become numbers of 16 if `count` is 2. Integers wrap, so a sum is the same in any order.

    Raises:
        Refused: there are no such sums, or the argument is not a constant; nothing has been changed.
    """
    blocks = [(block, found) for loop in loops for block in _blocks(loop) if (found := list(_sums(block, packer)))]
    products = [p for _, sums in blocks for each in sums for p in each.products]
    if not products:
        raise Refused("it has no written out sums of products of short integers with a constant")
    argument = _argument_of(products)
    kinds = {(p.image.element, p.weight.element) for p in products}
    if len(kinds) != 1:
        raise Refused("its products are of several types")
    image, weight = kinds.pop()
    if count not in {per_word(image), 2}:
        raise Refused(f"a word holds other than {count} numbers of {image}")
    if writes_to(loops, *{p.image.memory for p in products}):
        raise Refused("it stores in what it reads")
    for block, sums in blocks:
        _check_movable(block, sums)
    words = [(block, sums, _words(sums, count)) for block, sums in blocks]
    taps = dict.fromkeys(taps for _, _, each in words for word in each for _, taps in word.uses)
    is_widened = count < per_word(image)
    read_as = np.dtype(np.uint8 if is_unsigned(weight) else np.int8) if is_widened else None
    (axis,) = products[0].axes
    layout = TapWords(axis, tuple(taps), tuple(memref_type(argument).get_shape()), read_as)
    writer = _DotWriter(
        packer.relay(argument, layout), layout, i16 if is_widened else image, i16 if is_widened else weight
    )
    for block, sums, each in words:
        writer.rewrite(block, sums, each, count)


def _blocks(loop: ForOp) -> Iterator[Block]:
    yield loop.body.block
    for op in loop.body.block.walk():
        if isinstance(op, ForOp):
            yield op.body.block


def _argument_of(products: Sequence[_TapProduct]) -> BlockArgument:
    """The argument that has the weights.

    Raises:
        Refused: there are several, something else reads it, or it is not read at numbers along all axes but one.
    """
    arguments = {p.weight.memory for p in products}
    if len(arguments) != 1:
        raise Refused("its weights are several arguments")
    (argument,) = arguments
    assert isinstance(argument, BlockArgument)
    if {use.operation for use in argument.uses} != {p.weight.load for p in products}:
        raise Refused("something else reads its weights")
    if len(axes := {p.axes for p in products}) != 1 or len(axes.pop()) != 1:
        raise Refused("its weights are not read at numbers along all axes but one")
    return argument


def _sums(block: Block, packer: Packer) -> Iterator[_Sum]:
    """The sums of a block that have more than one product."""
    for op in block.ops:
        if isinstance(op, arith.AddiOp) and op.result.type == i32 and not _is_part(op):
            found = _Sum(op)
            _collect(op.result, found, packer, block)
            if len(found.products) > 1:
                yield found


def _is_part(op: Operation) -> bool:
    """Whether an addition is an operand of another one alone."""
    user = op.results[0].get_user_of_unique_use()
    return isinstance(user, arith.AddiOp) and user.parent is op.parent


def _collect(value: SSAValue, found: _Sum, packer: Packer, block: Block) -> None:
    owner = value.owner
    is_inner = isinstance(owner, Operation) and owner.parent is block and value.has_one_use()
    if isinstance(owner, arith.AddiOp) and (owner is found.root or is_inner):
        found.ops.append(owner)
        for operand in owner.operands:
            _collect(operand, found, packer, block)
    elif isinstance(owner, arith.MuliOp) and is_inner and (product := _product(owner, packer)) is not None:
        found.products.append(product)
        pair = product.image, product.weight
        found.ops += [owner, *(f.widening for f in pair), *(f.load for f in pair)]
    else:
        found.others.append(value)


def _product(op: arith.MuliOp, packer: Packer) -> _TapProduct | None:
    """The tap that a product is; None if it is none."""
    try:
        factors = [factor_of(value) for value in op.operands]
    except Refused:
        return None
    if any(f.element not in SHORT_INTEGERS for f in factors) or per_word(factors[0].element) != per_word(
        factors[1].element
    ):
        return None
    for weight, image in (factors, factors[::-1]):
        if isinstance(weight.memory, BlockArgument) and packer.knows(weight.memory) and weight.memory != image.memory:
            return _TapProduct(image, weight)
    return None


def _check_movable(block: Block, sums: Sequence[_Sum]) -> None:
    """Check that what sums need may be computed before all of them.

    Raises:
        Refused: something is computed in between.
    """
    added = [v for each in sums for v in each.others]
    loads = [f.load for each in sums for p in each.products for f in (p.image, p.weight)]
    loads += [v.owner for v in added if isinstance(v.owner, LoadOp)]
    needed = [v for load in loads for v in (load.memref, *load.indices)]
    needed += [v for v in added if not isinstance(v.owner, LoadOp | arith.ConstantOp)]
    if any(isinstance(v.owner, Operation) and v.owner.parent is block for v in needed):
        raise Refused("what is added is computed between the sums")
    if writes_to(block.ops, *{load.memref for load in loads}):
        raise Refused("it stores in what it adds")


def _words(sums: Sequence[_Sum], count: int) -> list[_PixelWord]:
    """Words of pixels that lie beside each other along one axis, that which takes the fewest instructions."""
    places = {product.pixel: product.image for each in sums for product in each.products}
    users: _Users = {key: {} for key in places}
    for number, each in enumerate(sums):
        for product in each.products:
            if number in users[product.pixel]:
                raise Refused("a sum has two products with one pixel")
            users[product.pixel][number] = product.tap
    axes = range(max(len(place) for _, place in places))
    candidates = [_words_along(axis, sums, places, users, count) for axis in axes]
    return min(candidates, key=lambda words: sum(WORD_COST + len(word.uses) for word in words))


def _words_along(
    axis: int,
    sums: Sequence[_Sum],
    places: Mapping[tuple[_Pixel, _Place], ShortFactor],
    users: _Users,
    count: int,
) -> list[_PixelWord]:
    columns: dict[tuple[_Pixel, _Place], list[int]] = {}
    for pixel, place in places:
        if axis >= len(place):
            columns.setdefault((pixel, place), []).append(0)
        else:
            columns.setdefault((pixel, place[:axis] + place[axis + 1 :]), []).append(place[axis])
    found: list[_PixelWord] = []
    for (pixel, others), along in sorted(columns.items(), key=lambda item: item[0][1]):
        numbers = sorted(along)
        for at in range(0, len(numbers), count):
            keys = [(pixel, (*others[:axis], n, *others[axis:])) for n in numbers[at : at + count]]
            taps: dict[int, list[TapSubscripts | None]] = {}
            for position, key in enumerate(keys):
                for number, tap in users[key].items():
                    taps.setdefault(number, [None] * count)[position] = tap
            uses = tuple((sums[number], tuple(taps[number])) for number in sorted(taps))
            found.append(_PixelWord(tuple(places[key] for key in keys), uses))
    return found


@dataclass
class _DotWriter:
    """Puts dot products in the place of sums."""

    target: SSAValue
    layout: TapWords
    image: Attribute
    """The type of the numbers of the image in a word, with its sign."""
    weight: Attribute

    def rewrite(self, block: Block, sums: Sequence[_Sum], words: Sequence[_PixelWord], count: int) -> None:
        """Rewrite the sums of one block."""
        members = {op for each in sums for op in each.ops}
        first = next(op for op in block.ops if op in members)
        new: list[Operation] = []
        totals = {id(each): self._start(each, new) for each in sums}
        weights: dict[tuple[TapSubscripts | None, ...], SSAValue] = {}
        example = sums[0].products[0].weight.load
        for word in words:
            value = self._word(word, count, new)
            for each, taps in word.uses:
                if taps not in weights:
                    new.append(load := self._weights(taps, example))
                    weights[taps] = load.result
                new.append(dot := DotOp(value, weights[taps], totals[id(each)], self.image, self.weight))
                dot.location = each.root.location
                totals[id(each)] = dot.result
        Rewriter.insert_op(new, InsertPoint.before(first))
        for each in sums:
            each.root.results[0].replace_all_uses_with(totals[id(each)])
        for op in reversed([op for op in block.ops if op in members]):
            if all(result.first_use is None for result in op.results):
                Rewriter.erase_op(op)

    def _start(self, each: _Sum, new: list[Operation]) -> SSAValue:
        """What is added to the products."""
        total: SSAValue | None = None
        for value in each.others:
            if isinstance(owner := value.owner, arith.ConstantOp):
                if isinstance(owner.value, IntegerAttr) and owner.value.value.data == 0:
                    continue
                new.append(copy := owner.clone())
                value = copy.results[0]
            elif isinstance(owner, LoadOp):
                new.append(copy := owner.clone())
                value = copy.results[0]
            if total is not None:
                new.append(both := arith.AddiOp(total, value))
                value = both.result
            total = value
        if total is None:
            new.append(zero := zero_of(i32))
            total = zero.result
        return total

    def _word(self, word: _PixelWord, count: int, new: list[Operation]) -> SSAValue:
        numbers: list[SSAValue] = []
        for factor in word.numbers:
            new.append(copy := factor.load.clone())
            number = copy.results[0]
            if self.layout.widened is not None:
                new.append(wide := type(factor.widening).create(operands=[number], result_types=[i16]))
                number = wide.results[0]
            numbers.append(number)
        if len(numbers) < count:
            new.append(zero := zero_of(i8 if self.layout.widened is None and count > 2 else i16))
            numbers += [zero.result] * (count - len(numbers))
        new.append(op := WordOp(numbers))
        op.location = word.numbers[0].load.location
        return op.result

    def _weights(self, taps: tuple[TapSubscripts | None, ...], example: LoadOp) -> LoadOp:
        row = AffineExpr.constant(self.layout.taps.index(taps))
        affine = AffineMap(example.map.data.num_dims, 0, (row, example.map.data.results[self.layout.axis]))
        load = LoadOp(self.target, list(example.indices), affine)
        load.location = example.location
        return load


@dataclass(frozen=True)
class DotTaps(LoopStep):
    """written out sums over windows become dot products of words of 4 neighbouring numbers of the image

    The kernel's constant factor is stored in words to match. A word has 32 bits; with 2, bytes become numbers of 16.
    """

    name = "dot_taps"
    example = "dot_taps(ni, 4)"

    loop: LoopName
    count: int

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        """Let the loops of the name add dot products: all of them, or none, as they read one argument."""
        refusals: list[Remark] = []
        with note_if_refused(refusals, loops[0], f"loop '{self.loop}' has no dot products of taps"):
            use_dots_of_taps(loops, self.count, scheduling.shared(Packer))
        return refusals

    def words(self, plan: LoopPlan) -> str:
        return f"{self.count} taps are added by one instruction, of a word that neighbours of the image are put into"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.is_parallel

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        return cls(loop.dim.data, rng.choice((2, 4)))
