"""`mma`: loops around a sum of dot products become products of matrices in registers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import copysign
from random import Random
from typing import Any, Self, cast

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import CounterValue, constant_index, rewritten_subscripts
from mlc.analysis.lanes import lanes_over
from mlc.analysis.nests import perfect_nest
from mlc.dialects.loop import CONSECUTIVE, DotOp, ForOp, Lanes, LoadOp, MmaOp, StoreOp, YieldOp
from mlc.dialects.loop.dot import per_word
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, other
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused
from mlc.support.types import element_type, memref_type, vector_type
from mlc.targets.machine import resolve_target

Counters = dict[SSAValue, CounterValue]


def use_matrices(rows: ForOp, columns_name: str, reduction_name: str, target: str) -> None:
    """Compute the sums of all iterations of two loops at once, as one product of matrices.

        for mi in 0..16: for ni in 0..16: { s = for k in 0..64 iter_args(a = 0): dot(x[m + mi, k], w[k, n + ni], a)
                                            store f(s), y[m + mi, n + ni] }
    ->
        c = for k in 0..64 step 16 iter_args(a = 0): mma(x[m .. m + 15, k .. k + 15], w[k .. k + 15, n .. n + 15], a)
        store c, t
        for mi in 0..16: for ni in 0..16: store f(t[mi, ni]), y[m + mi, n + ni]

    The sums go through a small buffer, for arithmetic has no instructions on registers of matrices.

    Raises:
        Refused: the loops are not of this form, or the target has no registers that hold such matrices; nothing has
            been changed.
    """
    site = _Site.of(rows, columns_name, reduction_name, target)
    block = rows.parent
    assert block is not None
    shape = [len(rows.range), len(site.columns.range)]
    sums = site.product.dot.accumulator.type
    start = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, VectorType(sums, shape)), [0]))
    buffer = memref.AllocOp([], [], MemRefType(sums, shape))
    buffer.memref.name_hint = "sums"
    ops, total = site.sum_of_products(site.reduction, start.result, {})
    store = StoreOp(total, buffer.memref, [], AffineMap(0, 0, (AffineExpr.constant(0),) * 2), Lanes(rows=0))
    for op in (start, buffer, store):
        op.location = site.product.dot.location
    Rewriter.insert_op([buffer, start, *ops, store], InsertPoint.before(rows))
    places = [_number_of_iteration(n, loop) for n, loop in enumerate((rows, site.columns))]
    counters = [rows.induction_variable, site.columns.induction_variable]
    load = LoadOp(buffer.memref, counters, AffineMap(2, 0, tuple(places)))
    load.location = site.product.dot.location
    Rewriter.replace_op(site.reduction, load, [load.result])


def _number_of_iteration(dim: int, loop: ForOp) -> AffineExpr:
    return AffineExpr.dimension(dim) - loop.range.start


@dataclass(frozen=True)
class _WordProduct:
    """The body of the innermost reduction: a dot product of two words that are loaded."""

    loop: ForOp
    dot: DotOp
    lhs: LoadOp
    rhs: LoadOp

    @staticmethod
    def of(loop: ForOp) -> _WordProduct:
        """What the loop adds up.

        Raises:
            Refused: it is something else.
        """
        if len(loop.carried) != 1 or loop.range.start or loop.range.step != 1:
            raise Refused(f"'{loop.dim.data}' does not carry one sum, counted from 0")
        dot = loop.yielded[0].owner
        if not isinstance(dot, DotOp) or dot.accumulator is not loop.carried[0]:
            raise Refused(f"'{loop.dim.data}' does not add up dot products of words")
        lhs, rhs = _loaded_word(dot.lhs), _loaded_word(dot.rhs)
        known = {dot, *lhs, *rhs}
        if any(op not in known for op in list(loop.body.block.ops)[:-1]):
            raise Refused(f"'{loop.dim.data}' computes more than dot products of words that it loads")
        return _WordProduct(loop, dot, cast(LoadOp, lhs[-1]), cast(LoadOp, rhs[-1]))


def _loaded_word(word: SSAValue) -> list[Operation]:
    """The ops that make a word, the load last.

    Raises:
        Refused: it is not loaded.
    """
    ops: list[Operation] = []
    while isinstance(op := word.owner, vector.ExtractOp | vector.BitcastOp):
        ops.append(op)
        word = op.operands[0]
    if not isinstance(op, LoadOp) or op.lanes != CONSECUTIVE or vector_type(word.type) not in (None, word.type):
        raise Refused("a factor is not a word that is loaded")
    return [*ops, op]


@dataclass(frozen=True)
class _Site:
    """Two loops around a sum of dot products, and how its factors lie in memory."""

    rows: ForOp
    columns: ForOp
    reduction: ForOp
    product: _WordProduct
    lhs_rows: Lanes
    """How the rows of the first matrix lie in memory."""
    rhs_rows: Lanes
    most_words: int
    """How many words along the reduction a register holds."""

    @staticmethod
    def of(rows: ForOp, columns_name: str, reduction_name: str, target: str) -> _Site:
        """What there is to be rewritten.

        Raises:
            Refused: the loops are not of the form that `use_matrices` is for.
        """
        nest = perfect_nest(rows)
        if len(nest) < 2 or nest[1].dim.data != columns_name:
            raise Refused(f"'{columns_name}' is not the one loop in it")
        columns = nest[1]
        if not rows.is_parallel or not columns.is_parallel:
            raise Refused(f"'{rows.dim.data}' and '{columns_name}' are not parallel")
        if rows.range.step != 1 or columns.range.step != 1:
            raise Refused(f"'{rows.dim.data}' or '{columns_name}' runs over blocks")
        carrying = [op for op in columns.body.block.ops if isinstance(op, ForOp) and op.carried]
        if len(carrying) != 1:
            raise Refused(f"'{columns_name}' has {len(carrying)} loops that carry sums, required one")
        reduction = carrying[0]
        start = reduction.iter_args[0].owner
        if not isinstance(start, arith.ConstantOp) or not _is_zero(start.value):
            raise Refused("the sums do not start with 0")
        innermost = list(_chain(reduction))[-1]
        if innermost.dim.data != reduction_name:
            raise Refused(f"'{reduction_name}' is not the innermost loop of the sums")
        product = _WordProduct.of(innermost)
        machine = resolve_target(target)
        registers = machine.matrix_registers
        kinds = str(product.dot.lhs_type), str(product.dot.rhs_type)
        if registers is None or machine.matrix_instruction(*kinds) is None:
            raise Refused(f"{machine.name} has no product of matrices of {kinds[0]} and {kinds[1]}")
        if len(rows.range) > registers.rows or len(columns.range) > registers.words:
            sizes = f"{len(rows.range)} x {len(columns.range)}"
            raise Refused(f"{sizes} sums, a register holds {registers.rows} x {registers.words}; tile the loops first")
        _require_only_sums(columns, reduction)
        lhs_rows, rhs_rows = _rows_of_lhs(product, rows, columns), _rows_of_rhs(product, rows, columns)
        return _Site(rows, columns, reduction, product, lhs_rows, rhs_rows, registers.words)

    def sum_of_products(self, loop: ForOp, start: SSAValue, counters: Counters) -> tuple[list[Operation], SSAValue]:
        """The ops that add the products of all iterations of a loop of the reduction to the matrix `start`."""
        if loop is self.product.loop:
            return self._blocks(start, counters)
        new = loop.like([start], Region(Block(arg_types=[loop.induction_variable.type, start.type])))
        new.induction_variable.name_hint = loop.induction_variable.name_hint
        inside = next(op for op in loop.body.block.ops if isinstance(op, ForOp))
        counters = {**counters, loop.induction_variable: ((new.induction_variable,), AffineExpr.dimension(0))}
        ops, total = self.sum_of_products(inside, new.carried[0], counters)
        new.body.block.add_ops([*ops, YieldOp(total)])
        return [new], new.results[0]

    def _blocks(self, start: SSAValue, counters: Counters) -> tuple[list[Operation], SSAValue]:
        """A loop over products of equally many words: registers keep their sizes."""
        loop, words = self.product.loop, len(self.product.loop.range)
        size = words_at_once(words, self.most_words)
        body = Block(arg_types=[loop.induction_variable.type, start.type])
        blocks = loop.like([start], Region(body), range(0, words, size))
        blocks.induction_variable.name_hint = loop.induction_variable.name_hint
        at: CounterValue = ((blocks.induction_variable,), AffineExpr.dimension(0))
        products = self._mma(body.args[1], {**counters, loop.induction_variable: at}, size)
        body.add_ops([*products, YieldOp(products[-1].results[0])])
        return [blocks], blocks.results[0]

    def _mma(self, total: SSAValue, counters: Counters, words: int) -> list[Operation]:
        """The product of two matrices added to a third."""
        dot, rows, columns = self.product.dot, self.rows, self.columns
        counters = {
            **counters,
            rows.induction_variable: _first(rows),
            columns.induction_variable: _first(columns),
        }
        lhs = _load(self.product.lhs, counters, self.lhs_rows, (len(rows.range), words))
        rhs = _load(self.product.rhs, counters, self.rhs_rows, (words, len(columns.range)))
        product = MmaOp(lhs[-1].results[0], rhs[-1].results[0], total, dot.lhs_type, dot.rhs_type)
        product.location = dot.location
        return [*lhs, *rhs, product]


def words_at_once(words: int, most: int) -> int:
    """How many words along the reduction one product takes: the most that divide all of them."""
    return next(size for size in range(min(words, most), 0, -1) if words % size == 0)


def _first(loop: ForOp) -> CounterValue:
    """The first value of a counter."""
    return constant_index(loop.range.start)


def _load(load: LoadOp, counters: Counters, lanes: Lanes, shape: tuple[int, int]) -> list[Operation]:
    """Load a matrix of words, from where the first of them is loaded."""
    indices, affine = rewritten_subscripts(load, counters)
    element = element_type(memref_type(load.memref))
    count = 1 if element == i32 else per_word(element)
    kind: Attribute = VectorType(element, [shape[0], shape[1] * count])
    new = LoadOp(load.memref, indices, affine, kind, lanes)
    new.location = load.location
    return [new] if element == i32 else [new, vector.BitcastOp(new.result, VectorType(i32, shape))]


def _rows_of_lhs(product: _WordProduct, rows: ForOp, columns: ForOp) -> Lanes:
    """How the rows of the first matrix lie: each has the words of an iteration of `rows` beside each other.

    Raises:
        Refused: they do not.
    """
    load, counter = product.lhs, product.loop.induction_variable
    if columns.induction_variable in load.indices or rows.induction_variable not in load.indices:
        raise Refused(f"the first factor is not the same for all of '{columns.dim.data}'")
    count = 1 if (kind := vector_type(load.result.type)) is None else kind.get_shape()[0]
    beside = counter in load.indices and lanes_over(load, counter, 1) == _every(count)
    return _rows(load, rows, beside=beside)


def _rows_of_rhs(product: _WordProduct, rows: ForOp, columns: ForOp) -> Lanes:
    """How the rows of the second matrix lie: each has the words of an iteration of the reduction, for all `columns`.

    Raises:
        Refused: they do not.
    """
    load, counter = product.rhs, columns.induction_variable
    if rows.induction_variable in load.indices or counter not in load.indices:
        raise Refused(f"the second factor is not the same for all of '{rows.dim.data}'")
    is_word = vector_type(load.result.type) is None
    beside = is_word and lanes_over(load, counter, 1) == CONSECUTIVE
    return _rows(load, product.loop, beside=beside)


def _every(count: int) -> Lanes:
    """Elements of the last dim, each so many after the one before it."""
    return CONSECUTIVE._replace(stride=count)


def _rows(load: LoadOp, loop: ForOp, *, beside: bool) -> Lanes:
    apart = lanes_over(load, loop.induction_variable, 1) if loop.induction_variable in load.indices else None
    if apart is None or not beside:
        raise Refused("a factor does not lie in rows of words, one for each iteration")
    last = memref_type(load.memref).get_num_dims() - 1
    return Lanes(rows=last if apart.along is None else apart.along, row_stride=apart.stride)


def _chain(loop: ForOp) -> Iterator[ForOp]:
    """A loop of a reduction and those in it, each of which adds to the sum of the one around it.

    Raises:
        Refused: there is more in one of them.
    """
    yield loop
    inner = [op for op in loop.body.block.ops if isinstance(op, ForOp)]
    if not inner:
        return
    ops = list(loop.body.block.ops)
    handed_on = len(ops) == 2 and list(inner[0].iter_args) == list(loop.carried)
    if not handed_on or list(loop.yielded) != list(inner[0].results):
        raise Refused(f"'{loop.dim.data}' does more than to add up the sums of '{inner[0].dim.data}'")
    yield from _chain(inner[0])


def _require_only_sums(columns: ForOp, reduction: ForOp) -> None:
    """Check that the reduction uses nothing that is computed beside it, but what it starts with.

    Raises:
        Refused: it does.
    """
    beside = {result for op in columns.body.block.ops if op is not reduction for result in op.results}
    if any(operand in beside for op in reduction.body.walk() for operand in op.operands):
        raise Refused(f"'{reduction.dim.data}' uses what is computed beside it in '{columns.dim.data}'")


def _is_zero(value: Attribute) -> bool:
    """Whether a number is 0, and not the negative one."""
    if not isinstance(value, IntegerAttr | FloatAttr):
        return False
    return value.value.data == 0 and copysign(1.0, value.value.data) > 0


@dataclass(frozen=True)
class Mma(LoopStep):
    """the sums of two loops, one in the other, are computed at once: products of matrices in registers

    The second name is that of the inner loop, the third that of the innermost reduction, whose dot products are added.
    """

    name = "mma"
    example = "mma(mi, ni, k)"

    loop: LoopName
    columns: LoopName
    reduction: LoopName

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        use_matrices(loop, self.columns, self.reduction, ctx.target)

    def outcome(self, loop: ForOp) -> str:
        return f"loop '{loop.dim.data}' computes no products of matrices"

    def words(self, plan: LoopPlan) -> str:
        sizes = [plan.trips.get(name) for name in (self.loop, self.columns)]
        what = f"{sizes[0]} x {sizes[1]} sums" if all(sizes) else "the sums of both loops"
        return f"{what} at once, products of matrices in registers"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.is_parallel and len(perfect_nest(loop)) > 1

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        nest = perfect_nest(loop)
        columns = nest[1].dim.data if len(nest) > 1 else other(rng, loop)
        inside = [op.dim.data for op in loop.walk() if isinstance(op, ForOp) and op.carried]
        names = (*inside[-1:], "none", "k")
        return cls(loop.dim.data, columns, next(name for name in names if name not in (loop.dim.data, columns)))
