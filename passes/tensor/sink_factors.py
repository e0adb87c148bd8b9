"""`sink-factors`: multiply a sum once, instead of each of its terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.tensor import MapOp, StructuredOp
from mlc.pass_manager.base import Pass
from mlc.passes.tensor._softmax import inverted, is_at_least_one, is_at_most_one
from mlc.support.context import CompilerContext
from mlc.support.ir import clone
from mlc.support.rounding import Rounding
from mlc.support.types import element_type


@dataclass(frozen=True)
class SinkFactorsPass(Pass):
    """Move a factor that a contraction does not sum over after the contraction.

        %p = tensor.map %e[m, n], %f[m] over (m: 128, n: 128) : … { arith.mulf }
        %y = tensor.contract %p[m, k], %v[k, n] over (m: 128, n: 32) reduce (k: 128) : …
    ->
        %c = tensor.contract %e[m, k], %v[k, n] over (m: 128, n: 32) reduce (k: 128) : …
        %y = tensor.map %c[m, n], %f[m] over (m: 128, n: 32) : … { arith.mulf }

    So the probabilities of attention are never stored: what is multiplied is the exponentials, and the results are
    divided by their sums. It is done where `_softmax` proves that no result can suffer: the values are exponentials
    that are at most 1, and the factor divides by a sum of such, which is between 1 and the number of its terms. So
    nothing is lost to underflow, and a sum overflows only if an element of the other operand is within a factor of
    that number of the largest float. Results differ by the rounding of the factor, once for each result instead of
    once for each term. Products with more readers are left alone.
    """

    name = "sink-factors"
    rounding = Rounding(8, "a sum is divided, not its terms")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        for function in module.ops:
            if isinstance(function, func.FuncOp):
                for op in list(function.body.walk()):
                    if isinstance(op, StructuredOp) and op.contracts:
                        _sink(op)


@dataclass(frozen=True)
class _Product:
    """A map that multiplies or divides one operand by another."""

    value: int
    """Which operand is multiplied."""
    factor: int
    """Which operand it is multiplied with, or divided by."""
    divides: bool = False


def _sink(op: StructuredOp) -> None:
    for operand, value in enumerate(op.inputs):
        product = value.owner
        if not isinstance(product, MapOp) or not value.has_one_use() or product.parent is not op.parent:
            continue
        point = list(op.index_maps[operand].results)
        for roles in _products(product):
            factor = _at(product, roles.factor, point)
            summed = set(range(op.num_parallel, len(op.dims)))
            if not any(e.used_dims() & summed for e in factor) and _is_softmax(product, roles):
                _rewrite(op, operand, product, roles, factor)
                return


def _is_softmax(op: MapOp, roles: _Product) -> bool:
    """Whether the factor makes probabilities of exponentials."""
    factor = op.inputs[roles.factor]
    total = factor if roles.divides else inverted(factor)
    return total is not None and is_at_most_one(op.inputs[roles.value]) and is_at_least_one(total)


def _rewrite(op: StructuredOp, operand: int, product: MapOp, roles: _Product, factor: list[AffineExpr]) -> None:
    subscripts = [list(m.results) for m in op.index_maps]
    subscripts[operand] = _at(product, roles.value, subscripts[operand])
    dims = list(zip(op.dim_names, op.dim_sizes, strict=True))
    op.operands[operand] = product.inputs[roles.value]
    op.set_iteration(subscripts, dims)
    # The operands of the map keep their places, and so does its body.
    scaled: list[SSAValue] = [op.result, op.result]
    scaled[roles.factor] = product.inputs[roles.factor]
    where: list[Sequence[AffineExpr]] = [[AffineExpr.dimension(i) for i in range(op.num_parallel)]] * 2
    where[roles.factor] = factor
    body = Block(arg_types=[element_type(v.type) for v in scaled])
    mapping: dict[SSAValue, SSAValue] = dict(zip(product.body.block.args, body.args, strict=True))
    body.add_ops([clone(inner, mapping) for inner in product.body.block.ops])
    result = MapOp(scaled, where, dims[: op.num_parallel], op.result.type, Region(body))
    result.location, result.result.name_hint = product.location, op.result.name_hint
    Rewriter.insert_op(result, InsertPoint.after(op))
    op.result.replace_uses_with_if(result.result, lambda use: use.operation is not result)
    op.result.name_hint = None
    Rewriter.erase_op(product)


def _at(op: MapOp, operand: int, point: Sequence[AffineExpr]) -> list[AffineExpr]:
    """Where `op` reads an operand for a point of its result."""
    return [e.replace_dims_and_symbols(list(point), []) for e in op.index_maps[operand].results]


def _products(op: MapOp) -> list[_Product]:
    """The ways in which a map is one operand times, or divided by, the other."""
    block = op.body.block
    inner = block.first_op
    if len(op.inputs) != 2 or inner is None or inner.next_op is not block.last_op or op.yielded.owner is not inner:
        return []
    if list(inner.operands) != list(block.args):
        return []
    if isinstance(inner, arith.MulfOp):
        return [_Product(0, 1), _Product(1, 0)]
    return [_Product(0, 1, divides=True)] if isinstance(inner, arith.DivfOp) else []
