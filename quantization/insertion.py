"""`graph.quantize` and `graph.dequantize` in front of the products of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.compiler.model_inputs import Array
from mlc.dialects.graph import ConstantOp, DequantizeOp, QuantizeOp
from mlc.dialects.graph.types import tensor
from mlc.quantization.calibration import Scale, quantized_weights
from mlc.quantization.products import Product
from mlc.reference.constants import constant_data
from mlc.support.context import CompilerContext
from mlc.support.dtypes import from_numpy


@dataclass
class Insertion:
    """Puts the two ops in front of products of one module, once for each value.

    Attributes:
        scales: of the values that are no constants.
        weights: what constants became before, and now do, by axis.
    """

    ctx: CompilerContext
    scales: Mapping[SSAValue, Scale]
    weights: dict[tuple[Attribute, int], list[ConstantOp]]
    _made: dict[tuple[SSAValue, int], SSAValue] = field(default_factory=dict[tuple[SSAValue, int], SSAValue])

    def operands(self, product: Product) -> list[SSAValue]:
        """The operands of a product, each quantised and dequantised."""
        return [self._operand(product, place) for place in range(2)]

    def _operand(self, product: Product, place: int) -> SSAValue:
        value = product.op.operands[place]
        constant = product.weights(place)
        axis = -1 if constant is None else product.channel_axis(place)
        if (value, axis) not in self._made:
            made = self._quantized(value) if constant is None else self._weights(constant, axis)
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
