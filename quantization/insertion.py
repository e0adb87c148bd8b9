"""`graph.quantize` and `graph.dequantize` before the products of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.compiler.model_inputs import Array
from mlc.dialects.graph import (
    AbsOp,
    ConstantOp,
    DequantizeOp,
    DivOp,
    GraphOp,
    MaxOp,
    PadOp,
    QuantizeOp,
    ReduceOp,
    ReshapeOp,
    SliceOp,
)
from mlc.dialects.graph.types import shape_of, tensor
from mlc.quantization.calibration import Scale, quantized_weights
from mlc.quantization.products import Product
from mlc.quantization.weights import WeightFormat, grouped_weights
from mlc.reference.constants import constant_data
from mlc.support.context import CompilerContext
from mlc.support.dtypes import from_numpy


@dataclass
class Insertion:
    """Puts the two ops before products of one module, once for each value.

    Attributes:
        scales: of the values that are not constants.
        weights: what constants became before, and now do, by axis.
        alone: how weights become integers where they alone do; None where inputs do, too.
    """

    ctx: CompilerContext
    scales: Mapping[SSAValue, Scale]
    weights: dict[tuple[Attribute, int], list[ConstantOp]]
    alone: WeightFormat | None = None
    _made: dict[tuple[SSAValue, int], SSAValue] = field(default_factory=dict[tuple[SSAValue, int], SSAValue])

    def operands(self, product: Product) -> list[SSAValue]:
        """The operands of a product, each quantised and dequantised; or the weights alone."""
        if self.alone is not None:
            value, weights = product.op.operands[0], self._operand(product, 1)
            return [
                self._rounded(value, self.alone.group) if self.alone.dynamic and self.alone.group else value,
                weights,
            ]
        return [self._operand(product, place) for place in range(2)]

    def _operand(self, product: Product, place: int) -> SSAValue:
        value = product.op.operands[place]
        constant = product.weights(place)
        axis = -1 if constant is None else product.channel_axis(place)
        if (value, axis) not in self._made:
            if constant is None:
                made = self._quantized(value)
            elif self.alone is None:
                made = self._weights(constant, axis)
            else:
                made = self._groups(constant, self.alone)
            made.name_hint = value.name_hint
            self._made[value, axis] = made
        return self._made[value, axis]

    def _quantized(self, value: SSAValue) -> SSAValue:
        scale = self.scales[value]
        where = value.owner
        at = InsertPoint.at_start(where) if isinstance(where, Block) else InsertPoint.after(where)
        step, zero = self._constant(scale.scale, "scale"), self._constant(scale.zero_point, "zero_point")
        quantize = QuantizeOp(value, step, zero)
        wide = DequantizeOp(quantize, step, zero)
        self._insert(at, where if isinstance(where, Operation) else None, step, zero, quantize, wide)
        return wide.result

    def _weights(self, constant: ConstantOp, axis: int) -> SSAValue:
        known = self.weights.get((constant.value, axis))
        if known is None:
            integers, scales = quantized_weights(constant_data(constant.value, self.ctx.resources), axis)
            value = constant.value
            name = value.resource_handle.data if isinstance(value, DenseResourceAttr) else "weights"
            known = [self._constant(integers, f"{name}.i8"), self._constant(scales, f"{name}.scale")]
            known.append(self._constant(np.int8(0), "zero_point"))
            self.weights[constant.value, axis] = known
        parts = [ConstantOp(each.value) for each in known]
        wide = DequantizeOp(*parts)
        self._insert(InsertPoint.after(constant), constant, *parts, wide)
        return wide.result

    def _groups(self, constant: ConstantOp, how: WeightFormat) -> SSAValue:
        """Weights in groups of rows, dequantised, and as the matrix that they were."""
        array = constant_data(constant.value, self.ctx.resources)
        rows, columns = array.shape
        known = self.weights.get((constant.value, -1))
        if known is None:
            found, value = grouped_weights(array, how), constant.value
            name = value.resource_handle.data if isinstance(value, DenseResourceAttr) else "weights"
            zero = found.zero if found.zero.any() else found.zero.reshape(-1)[0]
            known = [
                self._constant(found.integers, f"{name}.i{how.bits}"),
                self._constant(found.scale, f"{name}.scale"),
            ]
            known.append(self._constant(zero, f"{name}.zero_point"))
            self.weights[constant.value, -1] = known
        constants = [ConstantOp(each.value) for each in known]
        wide = DequantizeOp(*constants)
        groups, group, _ = known[0].result.type.get_shape()
        ops: list[GraphOp] = [wide, ReshapeOp(wide, (groups * group, columns))]
        if groups * group > rows:
            ops.append(SliceOp(ops[-1], [0, 0], [rows, columns], [1, 1]))
        self._insert(InsertPoint.after(constant), constant, *constants, *ops)
        return ops[-1].result

    def _rounded(self, value: SSAValue, group: int) -> SSAValue:
        """Integers from -127 to 127 times a scale: in each group of the last dim, a 127th of the largest size.

        The least scale is the least normal number, so that groups of zeros have one.
        """
        if (value, -1) in self._made:
            return self._made[value, -1]
        *rows, depth = shape_of(value)
        groups, where = -(-depth // group), value.owner
        most, least = (self._constant(np.float32(n), "limit") for n in (127, np.finfo(np.float32).smallest_normal))
        zero = self._constant(np.int8(0), "zero_point")
        ops: list[GraphOp] = []

        def insert(op: GraphOp) -> GraphOp:
            ops.append(op)
            return op

        none = [0] * len(rows)
        padded = insert(PadOp(value, [*none, 0], [*none, groups * group - depth], 0.0))
        apart = insert(ReshapeOp(padded, (*rows, groups, group)))
        largest = insert(ReduceOp("max", insert(AbsOp(apart)), [len(rows) + 1], True))
        scale = insert(MaxOp(insert(DivOp(largest, most)), least))
        wide = insert(DequantizeOp(insert(QuantizeOp(apart, scale, zero)), scale, zero))
        joined = insert(ReshapeOp(wide, (*rows, groups * group)))
        found = insert(SliceOp(joined, [*none, 0], [*rows, depth], [1] * (len(rows) + 1)))
        at = InsertPoint.at_start(where) if isinstance(where, Block) else InsertPoint.after(where)
        self._insert(at, where if isinstance(where, Operation) else None, most, least, zero, *ops)
        self._made[value, -1] = found.results[0]
        return self._made[value, -1]

    def _constant(self, data: Array | np.generic, hint: str) -> ConstantOp:
        array = np.asarray(data)
        kind = tensor(array.shape, from_numpy(array.dtype))
        if array.size == 1:
            return ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, kind), [array.item()]))
        return ConstantOp(DenseResourceAttr.from_params(self.ctx.resources.add(array, hint), kind))

    def _insert(self, at: InsertPoint, of: Operation | None, *ops: Operation) -> None:
        for op in ops:
            if of is not None:
                op.location = of.location
        Rewriter.insert_op(ops, at)
