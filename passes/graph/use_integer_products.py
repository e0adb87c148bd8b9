"""The pass `use-integer-products`."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, f32, i8, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import (
    AddOp,
    CastOp,
    ConvOp,
    MatmulOp,
    MulOp,
    PadOp,
    QuantizeOp,
    SubOp,
)
from mlc.dialects.graph.types import element_of, ints, is_static, shape_of, tensor
from mlc.dialects.graph.windows import channel_dim, image_padding, zeros
from mlc.dialects.loop.dot import per_word, sums_fit_in_i16, ui8
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline_options import KEEP, require_option
from mlc.passes.graph._constants import constant_from
from mlc.passes.graph._integer_factors import (
    LARGEST_DIFFERENCE,
    Factor,
    IntegerWeights,
    factor_of,
    is_difference,
    known_array,
    quantize_to,
    weights_of,
)
from mlc.passes.graph._type_cost import TypedProduct, cycles_in_words, weights_among
from mlc.support.context import CompilerContext
from mlc.support.dtypes import least_of, most_of
from mlc.support.ir import erase_unused
from mlc.support.rounding import Rounding
from mlc.targets.machine import Machine, resolve_target

Array = NDArray[Any]
_FLOAT = np.finfo(np.float32)
_ELEMENTS: dict[str, Attribute] = {"int8": i8, "int16": i16, "int32": i32, "float32": f32}
_CLEARLY = 0.95
"""Products stay in f32 if they take less than this part of the time in integers; their weights are larger there."""


@dataclass(frozen=True)
class UseIntegerProductsPass(Pass):
    """Multiply quantised numbers as the integers that they are, and scale the sums.

    ```mlir
    %x = graph.dequantize %q, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
    %w = graph.dequantize %v, %t, %n : tensor<8x3xi8>, tensor<3xf32>, tensor<i8> -> tensor<8x3xf32>
    %y = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
    // after, where st = s * t and c = -z * (sums of the columns of v) are constants
    %0 = graph.matmul %q, %v : tensor<4x8xui8>, tensor<8x3xi8> -> tensor<4x3xi32>
    %1 = graph.add %0, %c : tensor<4x3xi32>, tensor<1x3xi32> -> tensor<4x3xi32>
    %2 = graph.cast %1 : tensor<4x3xi32> -> tensor<4x3xf32>
    %y = graph.mul %2, %st : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
    ```

    The same for convolutions, and for products of numbers that were widened to i32. The second factor is a constant,
    and scales differ at most by channel of the result, and by row. If its integers, less their zero point, fit in i8,
    the first factor becomes one of ui8, or of i8 where the target has dot products of i8 alone: what quantises it does
    so with another zero point. If they do not, or an image is padded with a zero point that is not known, both factors
    less their zero points are multiplied as i16, where the target has dot products of those. No sum that is scaled may
    overflow i32, or the product is left alone. Sums in f32 round,
    those of integers do not. Products of f32 stay that where they are faster by the estimate of `_type_cost`, which
    counts what belongs to either type: padding of channels, scaling of sums, dequantisation of the first factor; a
    remark says what it expects. Products of scales that are known are normal numbers of f32; of scales that are not,
    this is assumed: an infinite one makes an infinity of a sum that would be NaN.
    """

    name = "use-integer-products"
    rounding = Rounding(16, "sums of integers are exact, and scaled once", finite_only=True)

    precision: str = "f32"
    """With "keep" products of quantised numbers become those of integers whatever is faster."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_option("precision", self.precision, self.name)
        ops = list(module.walk())
        products = [op for op in ops if isinstance(op, MatmulOp | ConvOp) and element_of(op.result) in (f32, i32)]
        quantizing = [op for op in ops if isinstance(op, QuantizeOp) and element_of(op.result) in (i8, ui8)]
        if not quantizing and not any(factor_of(op.operands[0]) for op in products):
            return  # nothing asks what the target is
        machine = resolve_target(ctx.target)
        element = _wanted_element(machine)
        for op in quantizing:
            if element_of(op.result) != element:
                quantize_to(op, element, ctx.resources)
        among = weights_among(products)
        for op in products:
            product = _IntegerProduct(op, element, machine, ctx)
            product.rewrite(None if self.precision == KEEP else among)


class _IntegerProduct:
    """A contraction of quantised numbers on its way to one of integers."""

    def __init__(self, op: MatmulOp | ConvOp, element: Attribute, machine: Machine, ctx: CompilerContext) -> None:
        self.op, self.element, self.machine, self.ctx = op, element, machine, ctx

    def rewrite(self, among: int | None) -> None:
        """Compute the contraction in integers, if that is possible; what it is made of need not be quantised.

        Args:
            among: how many weights pass by between two calls, for an estimate whether that is faster; None if it need
                not be.
        """
        op = self.op
        if not all(is_static(v.type) for v in (*op.operands, op.result)):
            return
        factor = factor_of(op.operands[0])
        if factor is None:
            return
        weights = weights_of(op.operands[1], self.ctx.resources)
        if weights is None:
            self.ctx.remark(op, "not computed in integers: the second factor is not a constant of 8 bits")
            return
        reason = self._why_not(factor, weights)
        in_bytes = (not_in_bytes := self._why_not_in_bytes(factor, weights)) is None
        if reason is None and not in_bytes and not self._may_be_differences(factor):
            reason = not_in_bytes
        if reason is not None:
            self.ctx.remark(op, f"not computed in integers: {reason}")
            return
        compared = ""
        if among is not None and element_of(op.result) == f32:
            floats, integers = self._estimates(weights, among, in_bytes=in_bytes)
            compared = f": estimated {cycles_in_words(integers)} in integers, {cycles_in_words(floats)} in f32"
            if floats < _CLEARLY * integers:
                self.ctx.remark(op, f"not computed in integers{compared}")
                return
        if in_bytes:
            factor = self._as_element(factor)
            total = self._of_bytes(factor, weights.integers)
        else:
            total = self._of_differences(factor, weights.integers.astype(np.int16))
        if element_of(op.result) == f32:
            total = self._scaled(total, factor, weights)
        self._replace(total, f"computed in integers{'' if in_bytes else ' of 16 bits'}{compared}")

    def _estimates(self, weights: IntegerWeights, among: int, *, in_bytes: bool) -> tuple[float, float]:
        """The cycles in f32, and in integers."""
        problem = TypedProduct.of(self.op)
        floats = problem.float_cycles(self.machine, among, is_quantized=True)
        if not in_bytes:
            return floats, problem.differences_cycles(self.machine, among)
        in_i16 = sums_fit_in_i16(weights.integers, self.op.summed_axes[1])
        return floats, problem.short_cycles(self.machine, str(self.element), "i8", among, in_i16=in_i16)

    def _why_not(self, factor: Factor, weights: IntegerWeights) -> str | None:
        """Why the product stays one of floats, or of i32, whatever its factors become."""
        count = prod(weights.integers.shape) // shape_of(self.op.result)[self._channel_axis]
        if isinstance(self.op, MatmulOp):
            count = weights.integers.shape[-2]
        largest = LARGEST_DIFFERENCE * (128 if weights.is_short else LARGEST_DIFFERENCE)
        if element_of(self.op.result) == f32 and count * largest >= 1 << 31:
            return f"{count} products may overflow the sum"
        if factor.scale is not None and not self._is_by_row(factor.scale):
            return "the first factor has other scales along what is summed up"
        if weights.scale is not None and self._by_channel(weights.scale) is None:
            return "the second factor has other scales along what is summed up"
        if element_of(self.op.result) == f32 and not self._has_normal_scales(factor, weights):
            return "products of the scales overflow, or are subnormal"
        return None

    def _why_not_in_bytes(self, factor: Factor, weights: IntegerWeights) -> str | None:
        """Why no factors of 8 bits are multiplied."""
        if not weights.is_short:
            return "the second factor is not a constant of 8 bits"
        if factor.zero_point is not None and not self._is_by_row(factor.zero_point):
            return "the first factor has other zero points along what is summed up"
        if not self._can_be_padded(factor):
            return "its padding is a zero point that is not known, or that the type of its image has not"
        return None

    def _may_be_differences(self, factor: Factor) -> bool:
        """Whether the factors less their zero points fit in 16 bits, and the target multiplies pairs of those."""
        is_fast = TypedProduct.of(self.op).differences_cycles(self.machine, 0) < inf
        return is_fast and is_difference(factor, self.ctx.resources)

    @property
    def _is_padded(self) -> bool:
        return isinstance(self.op, ConvOp) and any(ints(self.op.padding))

    def _can_be_padded(self, factor: Factor) -> bool:
        """Whether there is no padding, or it is a known number of the image."""
        if factor.zero_point is None or not self._is_padded:
            return True
        zeros, element = known_array(factor.zero_point, self.ctx.resources), element_of(factor.quantized)
        return zeros is not None and least_of(element) <= zeros.min() and zeros.max() <= most_of(element)

    def _has_normal_scales(self, factor: Factor, weights: IntegerWeights) -> bool:
        """Whether products of scales, as far as these are known, are as exact in f32 as scales are."""
        assert factor.scale is not None
        by_row = known_array(factor.scale, self.ctx.resources)
        known = [np.abs(s.astype(np.float64)) for s in (by_row, weights.scale) if s is not None]
        sizes = [s[s != 0] for s in known if s.any()]
        least, most = prod(s.min() for s in sizes), prod(s.max() for s in sizes)
        return bool(least >= _FLOAT.smallest_normal and most <= _FLOAT.max)

    def _is_by_row(self, value: SSAValue) -> bool:
        """Whether a number of the first factor is one for all, or for all that one sum takes."""
        extents = shape_of(value)
        return all(e == 1 for e in (extents if isinstance(self.op, ConvOp) else extents[-1:]))

    @property
    def _channel_axis(self) -> int:
        """The axis of the result that the columns, or channels, of the second factor are."""
        return channel_dim(self.op.layout.data) if isinstance(self.op, ConvOp) else len(shape_of(self.op.result)) - 1

    def _by_channel(self, array: Array) -> Array | None:
        """Numbers that broadcast with the second factor as they broadcast with the result; None if they do not."""
        rank = len(shape_of(self.op.operands[1]))
        full = array.reshape((1,) * (rank - array.ndim) + array.shape)
        if isinstance(self.op, MatmulOp):
            return full if full.shape[-2] == 1 else None
        if full.size != full.shape[self.op.output_axis]:
            return None
        return full.reshape(-1, *[1] * (len(shape_of(self.op.result)) - 1 - self._channel_axis))

    def _of_bytes(self, factor: Factor, integers: Array) -> SSAValue:
        """The sums of products of a factor of the type that is wanted and of integers of i8."""
        axes = tuple(i for i in range(integers.ndim) if i != self.op.output_axis)
        if isinstance(self.op, MatmulOp):
            axes = (integers.ndim - 2,)
        sums = integers.sum(axes, dtype=np.int32, keepdims=True)
        correction = self._by_channel(sums)
        assert correction is not None
        zero = factor.zero_point
        zeros_known = None if zero is None else known_array(zero, self.ctx.resources)
        total = self._contraction(factor.quantized, zeros_known, integers)
        if zero is not None and zeros_known is None:
            offset = self._insert(MulOp(self._wide(zero), self._constant(correction, "sums")))
            return self._insert(SubOp(total, offset))
        if zeros_known is not None and zeros_known.any():
            offset = -(zeros_known.astype(np.int32) * correction)
            if offset.any():
                return self._insert(AddOp(total, self._constant(offset, "offset")))
        return total

    def _of_differences(self, factor: Factor, integers: Array) -> SSAValue:
        """The sums of products of a factor less its zero point and of integers, both of i16."""
        image = self.op.operands[0]
        if element_of(image) != i32:
            image = self._wide(factor.quantized)
            if factor.zero_point is not None:
                image = self._insert(SubOp(image, self._wide(factor.zero_point)))
        return self._contraction(self._insert(CastOp(image, i16)), None, integers)

    def _replace(self, total: SSAValue, remark: str) -> None:
        total.name_hint = self.op.result.name_hint
        self.op.result.replace_all_uses_with(total)
        operands = list(self.op.operands)
        Rewriter.erase_op(self.op)
        for operand in operands:
            erase_unused(operand)
        self.ctx.remark(total.owner, remark)  # pyright: ignore[reportArgumentType]

    def _scaled(self, total: SSAValue, factor: Factor, weights: IntegerWeights) -> SSAValue:
        """The sums times both scales."""
        assert factor.scale is not None
        by_channel = None if weights.scale is None else self._by_channel(weights.scale)
        known = known_array(factor.scale, self.ctx.resources)
        real = self._insert(CastOp(total, f32))
        if known is not None:
            both = known.astype(np.float64) * (1.0 if by_channel is None else by_channel.astype(np.float64))
            return self._insert(MulOp(real, self._constant(both.astype(np.float32), "scale")))
        scale = factor.scale
        if by_channel is not None:
            scale = self._insert(MulOp(scale, self._constant(by_channel, "scale")))
        return self._insert(MulOp(real, scale))

    def _contraction(self, image: SSAValue, zeros_known: Array | None, integers: Array) -> SSAValue:
        """The sums of products of integers, over as many numbers as words hold; an image is padded with zero points."""
        op = self.op
        has_own_padding = False
        if isinstance(op, ConvOp) and self._is_padded and zeros_known is not None and zeros_known.any():
            has_own_padding = True
            low, high = image_padding(op.layout.data, ints(op.padding))
            image = self._insert(PadOp(image, low, high, int(zeros_known.flat[0])))
        groups = op.groups.value.data if isinstance(op, ConvOp) else 1
        axis, weight_axis = op.summed_axes
        missing = -integers.shape[weight_axis] % per_word(_ELEMENTS[integers.dtype.name])
        if missing and groups == 1:
            rank = len(shape_of(image))
            more = [missing if i == axis else 0 for i in range(rank)]
            image = self._insert(PadOp(image, [0] * rank, more, 0))
            integers = np.pad(integers, [(0, missing if i == weight_axis else 0) for i in range(integers.ndim)])
        weights = self._constant(integers, "weights")
        if isinstance(op, MatmulOp):
            return self._insert(MatmulOp(image, weights, i32))
        properties = dict(op.properties)
        if has_own_padding:
            properties["padding"] = zeros(2 * op.SPATIAL)
        result = tensor(shape_of(op.result), i32)
        return self._insert(type(op).create(operands=[image, weights], properties=properties, result_types=[result]))

    def _as_element(self, factor: Factor) -> Factor:
        """The factor as one of the type that is wanted: `q - z` is `(q + 128) - (z + 128)`."""
        if element_of(factor.quantized) == self.element:
            return factor
        shift = self._constant(np.asarray(128 if self.element == ui8 else -128, np.int32), "shift")
        moved = self._insert(CastOp(self._insert(AddOp(self._wide(factor.quantized), shift)), self.element))
        zero = shift if factor.zero_point is None else self._insert(AddOp(self._wide(factor.zero_point), shift))
        return Factor(moved, zero, factor.scale)

    def _wide(self, value: SSAValue) -> SSAValue:
        """A value as one of i32."""
        return value if element_of(value) == i32 else self._insert(CastOp(value, i32))

    def _constant(self, array: Array, hint: str) -> SSAValue:
        kind = tensor(tuple(array.shape), _ELEMENTS[array.dtype.name])
        name = self.op.operands[1].name_hint or self.op.result.name_hint
        return self._insert(constant_from(array, kind, self.ctx.resources, f"{name}.{hint}" if name else hint))

    def _insert(self, op: Operation) -> SSAValue:
        op.location = self.op.location
        Rewriter.insert_op(op, InsertPoint.before(self.op))
        return op.results[0]


def _wanted_element(machine: Machine) -> Attribute:
    """The type of the first factor for which the target has dot products: ui8, unless it has those of i8 alone."""
    has_i8, has_ui8 = (machine.dot_instruction(lhs, "i8", machine.vector_bits) is not None for lhs in ("i8", "ui8"))
    return i8 if has_i8 and not has_ui8 else ui8
