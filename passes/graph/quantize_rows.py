"""The pass `quantize-rows`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, i8
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import (
    AbsOp,
    CastOp,
    DivOp,
    MaxOp,
    MulOp,
    QuantizeOp,
    ReduceOp,
    ReshapeOp,
    ScaledMatmulOp,
)
from mlc.dialects.graph.types import is_static, shape_of, tensor
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import Array, folded_from, splat
from mlc.passes.graph._group_cost import GroupedProduct, integer_weights
from mlc.passes.graph._integer_factors import known_array
from mlc.passes.graph._short_weights import ELEMENTS, counted_from_least, fit_four_bits
from mlc.passes.graph._type_cost import cycles_in_words
from mlc.reference.folding import is_splat
from mlc.support.context import CompilerContext
from mlc.support.ir import erase_unused
from mlc.support.resources import Resources
from mlc.support.rounding import Rounding
from mlc.targets.machine import resolve_target

LARGEST_BLOCK = 256
"""Of how many numbers the largest one may decide how far all are rounded: as in the formats of GGUF."""
_LARGEST = 127
_LEAST_SCALE = float(np.finfo(np.float32).smallest_normal)


@dataclass(frozen=True)
class QuantizeRowsPass(Pass):
    """Round the floats that are multiplied with short weights to integers of 8 bits, and multiply integers.

    ```mlir
    %y = graph.scaled_matmul %x, %w, %s
        : tensor<8x512xf32>, tensor<512x256xi8>, tensor<16x256xf32> -> tensor<8x256xf32>
    // after, where %q is %x, in blocks of 32, divided by %t, a 127th of the largest size in each block
    %y = graph.scaled_matmul %q, %u, %s, %t
        : tensor<8x512xi8>, tensor<512x256xui8>, tensor<16x256xf32>, tensor<8x16xf32> -> tensor<8x256xf32>
    ```

    A number is off by at most a 254th of the largest one in its block. Blocks are the groups of the weights; those of
    more than 256 numbers stay floats, and so do products that the target is not estimated to compute faster in
    integers. All rows ask alike, so that code for one row and for several shares weights. Products of the same rows
    share what is rounded. What is subtracted for zero points is a multiple of the sums of the rounded numbers, as these
    are what weights are multiplied with.
    """

    name = "quantize-rows"
    rounding = Rounding(1 << 20, "numbers are off by up to a 254th of the largest one in their block", finite_only=True)

    least_gain: float = 1.05
    """How many times as fast a product has to be by the estimate; 0 rounds whatever the target multiplies."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        products = [op for op in module.walk() if isinstance(op, ScaledMatmulOp) and _has_floats(op)]
        if not products:
            return  # nothing asks what the target is
        machine, rounded = resolve_target(ctx.target), dict[tuple[SSAValue, int, Block | None], _Rows]()
        for op in products:
            integers = known_array(op.rhs, ctx.resources)
            in_fields = integers is not None and fit_four_bits(int(integers.min()), int(integers.max()))
            element = integer_weights(machine, in_fields)
            if element is None:
                ctx.remark(op, "rows stay floats: the target multiplies integers of 8 bits no faster")
                continue
            if op.group > LARGEST_BLOCK:
                ctx.remark(op, f"rows stay floats: groups of {op.group} numbers; required: at most {LARGEST_BLOCK}")
                continue
            depth, columns = shape_of(op.rhs)
            problem = GroupedProduct(depth, columns, op.group, bool(op.less), in_fields)
            floats, integers = problem.float_cycles(machine), problem.integer_cycles(machine, element)
            compared = f"estimated {cycles_in_words(integers)} a row in integers, {cycles_in_words(floats)} in f32"
            if floats < self.least_gain * integers:
                ctx.remark(op, f"rows stay floats: {compared}")
                continue
            weights = _weights_of(op, ctx.resources, element)
            if weights is None:
                ctx.remark(op, "rows stay floats: weights are not constants")
                continue
            key = op.lhs, op.groups, op.parent
            if key not in rounded:
                rounded[key] = _rounded(op, ctx.resources)
            ctx.remark(_rewrite(op, rounded[key], *weights), f"rows are rounded to integers of 8 bits: {compared}")


@dataclass(frozen=True)
class _Rows:
    """Rounded rows: integers `[m, k]`, their scales, and what the sums of blocks stand for, `[m, g]`."""

    integers: SSAValue
    scale: SSAValue
    sums: SSAValue


def _has_floats(op: ScaledMatmulOp) -> bool:
    return op.lhs_scale is None and all(is_static(v.type) for v in op.operands) and 0 not in shape_of(op.lhs)


def _weights_of(
    op: ScaledMatmulOp, resources: Resources, element: type[np.integer[Any]]
) -> tuple[SSAValue, SSAValue | None] | None:
    """The weights as integers of a type, and what is subtracted of them, in front of `op`; None if they are not known.

    Code for other shapes finds them by their name.
    """
    integers, zero = known_array(op.rhs, resources), np.zeros(shape_of(op.scale), np.int8)
    if op.less:
        known = known_array(op.less[0], resources)
        if known is None:
            return None
        zero = known
    if integers is None:
        return None
    moved, offset = counted_from_least(integers.astype(np.int16), zero, element)
    hint = op.rhs.name_hint or "weights"

    def constant(array: Array, part: str) -> SSAValue:
        kind = tensor(array.shape, ELEMENTS[array.dtype.name])
        return _insert(op, *folded_from(array, kind, resources, f"{hint}.{part}"))

    if offset is not None and is_splat(offset):  # a number in the product, where a large broadcast would be a kernel
        return constant(moved, "bytes"), _insert(op, splat(offset.item(0), offset.shape, ELEMENTS[offset.dtype.name]))
    return constant(moved, "bytes"), None if offset is None else constant(offset, "offset")


def _rounded(op: ScaledMatmulOp, resources: Resources) -> _Rows:
    """The rows of a product, rounded in front of it: that is the first one that reads them.

    The least scale is the least normal number, so that blocks of zeros have one.
    """
    (m, k), groups = shape_of(op.lhs), op.groups
    blocks = _insert(op, ReshapeOp(op.lhs, (m, groups, op.group)))
    largest = _insert(op, ReduceOp("max", _insert(op, AbsOp(blocks)), [2]))
    step = _insert(op, DivOp(largest, _number(op, _LARGEST)))
    scale = _insert(op, MaxOp(step, _number(op, _LEAST_SCALE)))
    zero = _insert(op, splat(0, (), i8))
    quantized = _insert(op, QuantizeOp(blocks, _insert(op, ReshapeOp(scale, (m, groups, 1))), zero))
    sums = _insert(op, ReduceOp("sum", _insert(op, CastOp(quantized, f32)), [2]))
    return _Rows(_insert(op, ReshapeOp(quantized, (m, k))), scale, _insert(op, MulOp(sums, scale)))


def _number(op: Operation, value: float) -> SSAValue:
    return _insert(op, splat(value, (), f32))


def _rewrite(op: ScaledMatmulOp, rows: _Rows, integers: SSAValue, offset: SSAValue | None) -> Operation:
    """The product of integers that takes the place of `op`."""
    less = None if offset is None else (offset, rows.sums)
    result = _insert(op, ScaledMatmulOp(rows.integers, integers, op.scale, less, rows.scale))
    result.name_hint, given = op.result.name_hint, list(op.operands)
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)
    for value in given:
        erase_unused(value)
    assert isinstance(result.owner, Operation)
    return result.owner


def _insert(op: Operation, *new: Operation) -> SSAValue:
    for each in new:
        each.location = op.location
    Rewriter.insert_op(new, InsertPoint.before(op))
    return new[-1].results[0]
