"""The pass `use-short-weights`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, i8
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import MatmulOp, PadOp, ReduceOp, ReshapeOp, ScaledMatmulOp
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import Array, constant_from, erase_unused
from mlc.passes.graph._short_weights import ShortWeights, quantized_of, short_weights
from mlc.support.context import CompilerContext
from mlc.support.resources import Resources
from mlc.support.rounding import Rounding

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
    """

    name = "use-short-weights"
    rounding = Rounding(1 << 8, "sums of groups are scaled, not their terms, and less zero points", finite_only=True)

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        found: dict[SSAValue, _WeightValues | str] = {}
        for op in list(module.walk()):
            if isinstance(op, MatmulOp) and _may_have_short_weights(op):
                if op.rhs not in found:
                    constants = _constants_of(op.rhs, ctx.resources)
                    if constants is None:
                        continue
                    found[op.rhs] = constants
                constants = found[op.rhs]
                if isinstance(constants, str):
                    ctx.remark(op, f"weights become floats: {constants}")
                    continue
                _rewrite(op, constants)
        for value in found:
            erase_unused(value)


@dataclass(frozen=True)
class _WeightValues:
    """Short weights, in the IR."""

    integers: SSAValue
    scale: SSAValue
    offset: SSAValue | None
    group: int


def _may_have_short_weights(op: MatmulOp) -> bool:
    shapes = [shape_of(v) for v in (op.rhs,) if is_static(v.type)]
    is_large = bool(shapes) and len(shapes[0]) == 2 and prod(shapes[0]) > _SMALL
    return is_large and is_static(op.lhs.type) and element_of(op.lhs) == f32 == element_of(op.result)


def _constants_of(value: SSAValue, resources: Resources) -> _WeightValues | str | None:
    """What a second factor is as constants behind its owner; why it is not short; None if it is not quantised."""
    quantized = quantized_of(value, resources)
    k, n = shape_of(value)
    if quantized is None or not isinstance(value.owner, Operation):
        return None
    weights = short_weights(quantized, (k, n))
    return weights if isinstance(weights, str) else _inserted(value, value.owner, weights, resources)


def _inserted(value: SSAValue, owner: Operation, weights: ShortWeights, resources: Resources) -> _WeightValues:
    hint = value.name_hint or "weights"

    def constant(array: Array, element: Attribute, part: str) -> SSAValue:
        op = constant_from(array, tensor(array.shape, element), resources, f"{hint}.{part}")
        op.location, op.result.name_hint = owner.location, f"{hint}_{part}"
        Rewriter.insert_op(op, InsertPoint.after(owner))
        return op.result

    integers, scale = constant(weights.integers, i8, "integers"), constant(weights.scale, f32, "scale")
    offset = None
    if weights.offset is not None:
        offset = constant(weights.offset, i8 if weights.offset.dtype == np.int8 else f32, "offset")
    return _WeightValues(integers, scale, offset, weights.group)


def _rewrite(op: MatmulOp, constants: _WeightValues) -> None:
    """Let the product be one with short weights."""

    def insert(new: Operation) -> SSAValue:
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
        return new.results[0]

    shape = shape_of(op.lhs)
    rows, depth = prod(shape[:-1]), shape_of(constants.integers)[0]
    x: SSAValue = op.lhs if len(shape) == 2 else insert(ReshapeOp(op.lhs, (rows, shape[-1])))
    if depth > shape[-1]:
        x = insert(PadOp(x, [0, 0], [0, depth - shape[-1]], 0.0))
    less: tuple[SSAValue, SSAValue] | None = None
    if constants.offset is not None:
        groups = insert(ReshapeOp(x, (rows, depth // constants.group, constants.group)))
        less = constants.offset, insert(ReduceOp("sum", groups, [2]))
    result = insert(ScaledMatmulOp(x, constants.integers, constants.scale, less))
    if len(shape) != 2:
        result = insert(ReshapeOp(result, shape_of(op.result)))
    result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)
