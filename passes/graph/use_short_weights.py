"""The pass `use-short-weights`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import (
    BroadcastOp,
    CastOp,
    MatmulOp,
    MulOp,
    PadOp,
    ReduceOp,
    ReshapeOp,
    ScaledMatmulOp,
    SliceOp,
    SubOp,
)
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import Array, folded_from
from mlc.passes.graph._group_cost import integer_weights
from mlc.passes.graph._quantized_rows import QuantizedRows, quantized_rows
from mlc.passes.graph._short_weights import ELEMENTS, ShortWeights, quantized_of, short_weights
from mlc.support.context import CompilerContext
from mlc.support.ir import erase_unused
from mlc.support.resources import Resources
from mlc.support.rounding import Rounding
from mlc.targets.machine import resolve_target

_SMALL = 1 << 14
"""So many weights take 64 kB as floats: they are in a cache next to the core, and nobody minds their size."""


@dataclass(frozen=True)
class UseShortWeightsPass(Pass):
    """Multiply floats with large quantised weights as the short integers that these are.

    ```mlir
    %w = graph.dequantize %q, %s, %z : tensor<512x256xi8>, tensor<1x256xf32>, tensor<i8> -> tensor<512x256xf32>
    %y = graph.matmul %x, %w : tensor<1x512xf32>, tensor<512x256xf32> -> tensor<1x256xf32>
    // after
    %y = graph.scaled_matmul %x, %q, %s
        : tensor<1x512xf32>, tensor<512x256xi8>, tensor<1x256xf32> -> tensor<1x256xf32>
    ```

    The second factor is computed from constants of up to 8 bits by a dequantisation, or by a cast, a subtraction and a
    product, and by ops that move elements. Rows that have one scale and one zero point are a group, by comparison of
    these numbers. Zero points that do not go into the integers are multiplied with the sums of `x` over groups.
    Weights of at most 64 kB as floats become floats.

    Where the first factor is dequantised, too, with a scale for each row, or for each row and group of as many columns,
    both are integers: sums of groups are exact, and scaled twice. The target has to multiply them faster than floats.
    Zero points of rows are multiplied with the sums of columns of the weights, which are known.

    ```mlir
    %x = graph.dequantize %p, %t, %zero : tensor<1x16x32xi8>, tensor<1x16x1xf32>, tensor<i8> -> tensor<1x16x32xf32>
    %r = graph.reshape %x : tensor<1x16x32xf32> -> tensor<1x512xf32>
    %y = graph.matmul %r, %w : tensor<1x512xf32>, tensor<512x256xf32> -> tensor<1x256xf32>
    // after, where %u is %t, and %i is %p, as matrices
    %y = graph.scaled_matmul %i, %q, %s, %u
        : tensor<1x512xi8>, tensor<512x256xui8>, tensor<16x256xf32>, tensor<1x16xf32> -> tensor<1x256xf32>
    ```
    """

    name = "use-short-weights"
    rounding = Rounding(1 << 8, "sums of groups are scaled, not their terms, and less zero points", finite_only=True)

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        found: dict[tuple[SSAValue, int | None, bool], _WeightValues | str | None] = {}
        products = [op for op in module.walk() if isinstance(op, MatmulOp) and _may_have_short_weights(op)]
        for op in products:
            rows = quantized_rows(op.lhs, ctx.resources)
            element = integer_weights(resolve_target(ctx.target)) if rows is not None else None
            if rows is not None and (element is None or not rows.make_signed(ctx.resources)):
                rows = None
            for each in dict.fromkeys((rows, None)):
                key = op.rhs, each and each.group, each is not None
                if key not in found:
                    found[key] = _constants_of(op.rhs, ctx.resources, each, element)
                constants = found[key]
                if isinstance(constants, _WeightValues):
                    _rewrite(op, constants, each)
                    break
                if isinstance(constants, str):
                    how = "products are those of floats" if each else "weights become floats"
                    ctx.remark(op, f"{how}: {constants}")
        for value, _, _ in found:
            erase_unused(value)


@dataclass(frozen=True)
class _WeightValues:
    """Short weights, in the IR."""

    integers: SSAValue
    scale: SSAValue
    offset: SSAValue | None
    group: int
    column_sums: SSAValue | None
    """The sums of columns, `[1, n]`, where rows have zero points."""


def _may_have_short_weights(op: MatmulOp) -> bool:
    shapes = [shape_of(v) for v in (op.rhs,) if is_static(v.type)]
    is_large = bool(shapes) and len(shapes[0]) == 2 and prod(shapes[0]) > _SMALL
    return is_large and is_static(op.lhs.type) and element_of(op.lhs) == f32 == element_of(op.result)


def _constants_of(
    value: SSAValue, resources: Resources, rows: QuantizedRows | None, element: type[np.integer[Any]] | None
) -> _WeightValues | str | None:
    """What a second factor is as constants behind its owner; why it is not short; None if it is not quantised.

    In the groups of the first factor and of a type, for products of integers, or as it suits products of floats.
    """
    quantized = quantized_of(value, resources)
    k, n = shape_of(value)
    if quantized is None or not isinstance(value.owner, Operation):
        return None
    weights = short_weights(quantized, (k, n), (rows.group or 0) if rows else 0, element if rows else None)
    if isinstance(weights, str):
        return weights
    return _inserted(value, value.owner, weights, resources, k if rows and rows.has_zero else None)


def _inserted(
    value: SSAValue, owner: Operation, weights: ShortWeights, resources: Resources, summed: int | None
) -> _WeightValues:
    """The constants, with the sums of columns of so many rows."""
    hint = value.name_hint or "weights"

    def constant(array: Array, element: Attribute, part: str) -> SSAValue:
        ops = folded_from(array, tensor(array.shape, element), resources, f"{hint}.{part}")
        for op in ops:
            op.location, op.results[0].name_hint = owner.location, f"{hint}_{part}"
        Rewriter.insert_op(ops, InsertPoint.after(owner))
        return ops[-1].results[0]

    integers = constant(weights.integers, ELEMENTS[weights.integers.dtype.name], "integers")
    scale, offset, sums = constant(weights.scale, f32, "scale"), None, None
    if weights.offset is not None:
        offset = constant(weights.offset, ELEMENTS[weights.offset.dtype.name], "offset")
    if summed is not None:
        sums = constant(weights.column_sums(summed)[None], f32, "sums")
    return _WeightValues(integers, scale, offset, weights.group, sums)


def _rewrite(op: MatmulOp, constants: _WeightValues, quantized: QuantizedRows | None) -> None:
    """Let the product be one with short weights, and of integers if its rows are quantised."""

    def insert(new: Operation) -> SSAValue:
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
        return new.results[0]

    def insert_matrix(value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        return value if shape_of(value) == shape else insert(ReshapeOp(value, shape))

    shape = shape_of(op.lhs)
    rows, depth = prod(shape[:-1]), shape_of(constants.integers)[0]
    groups, scale, moved = depth // constants.group, None, None
    if quantized is None:
        x = insert_matrix(op.lhs, (rows, shape[-1]))
    else:
        width = shape_of(quantized.quantized)[-1] if quantized.are_whole else depth
        x, scale = insert_matrix(quantized.quantized, (rows, width)), quantized.scale
        scale = insert_matrix(scale, (rows, 1 if quantized.are_whole else groups))
        if quantized.has_zero:
            zero = insert(CastOp(insert_matrix(quantized.zero, (rows, 1)), f32))
            moved = insert(MulOp(scale, zero))
        if quantized.are_whole and groups > 1:
            scale = insert(BroadcastOp(scale, (rows, groups)))
        if width > shape[-1]:
            x = insert(SliceOp(x, [0, 0], [rows, shape[-1]], [1, 1]))
    if depth > shape[-1]:
        x = insert(PadOp(x, [0, 0], [0, depth - shape[-1]], 0.0 if quantized is None else 0))
    less: tuple[SSAValue, SSAValue] | None = None
    if constants.offset is not None:
        wide = insert(ReshapeOp(x, (rows, groups, constants.group)))
        wide = wide if scale is None else insert(CastOp(wide, f32))
        sums = insert(ReduceOp("sum", wide, [2]))
        less = constants.offset, sums if scale is None else insert(MulOp(sums, scale))
    result = insert(ScaledMatmulOp(x, constants.integers, constants.scale, less, scale))
    if moved is not None and constants.column_sums is not None:
        result = insert(SubOp(result, insert(MulOp(moved, constants.column_sums))))
    if len(shape) != 2:
        result = insert(ReshapeOp(result, shape_of(op.result)))
    result.name_hint, lhs = op.result.name_hint, op.lhs
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)
    erase_unused(lhs)
