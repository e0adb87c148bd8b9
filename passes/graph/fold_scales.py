"""The pass `fold-scales`."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import (
    AddOp,
    CastOp,
    ConstantOp,
    ConvOp,
    DequantizeOp,
    GraphOp,
    MatmulOp,
    MaxOp,
    MinOp,
    MulOp,
    QuantizeOp,
    ReluOp,
    splat_of,
)
from mlc.dialects.graph.types import element_of, shape_of, type_of
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import constant_array, constant_from, resource_name, splat
from mlc.support.context import CompilerContext
from mlc.support.resources import Resources
from mlc.support.rounding import Rounding

Array = NDArray[Any]


@dataclass(frozen=True)
class FoldScalesPass(Pass):
    """Divide by the scale of a quantisation what is multiplied and added before it, instead of each number.

    ```mlir
    %1 = graph.mul %0, %a : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
    %2 = graph.add %1, %b : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
    %3 = graph.relu %2 : tensor<4x3xf32>
    %q = graph.quantize %3, %s, %z : tensor<4x3xf32>, tensor<f32>, tensor<ui8> -> tensor<4x3xui8>
    // after, where a and b are divided by s
    %1 = graph.mul %0, %as : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
    %2 = graph.add %1, %bs : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
    %3 = graph.relu %2 : tensor<4x3xf32>
    %q = graph.quantize %3, %one, %z : tensor<4x3xf32>, tensor<f32>, tensor<ui8> -> tensor<4x3xui8>
    ```

    That are products of which one factor is a constant or a dequantised number, products of matrices and convolutions
    of f32 with constant weights, sums with constants and with dequantised numbers, relu, and limits. Nobody else reads
    what is in between. A number next to the middle of two integers may become the other one, so that a result is off by
    one step of its quantisation.
    """

    name = "fold-scales"
    rounding = Rounding(16, "factors are divided by a scale, not their products")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if isinstance(op, QuantizeOp) and element_of(op.input) == f32:
                scale = splat_of(op.scale)
                if scale is not None and scale > 0 and scale != 1 and isfinite(scale):
                    _ScaleFolding(float(scale), ctx.resources).fold(op)


@dataclass
class _ScaleFolding:
    """Dividing the input of one quantisation by its scale."""

    scale: float
    resources: Resources
    has_product: bool = False

    def fold(self, op: QuantizeOp) -> None:
        """Divide constants, if that is all it takes."""
        readers: list[tuple[Operation, int]] = []
        if not self._visit(op, 0, readers) or not self.has_product:
            return
        divided: list[ConstantOp] = []
        for reader, index in readers:
            constant = self._divided(reader.operands[index])
            if constant is None:
                return
            divided.append(constant)
        for (reader, index), constant in zip(readers, divided, strict=True):
            constant.location = reader.location
            Rewriter.insert_op(constant, InsertPoint.before(reader))
            reader.operands[index] = constant.result
        one = splat(1.0, shape_of(op.scale), f32)
        one.location = op.location
        Rewriter.insert_op(one, InsertPoint.before(op))
        op.operands[1] = one.result

    def _visit(self, op: Operation, index: int, readers: list[tuple[Operation, int]]) -> bool:
        """Find the constants to divide so that operand `index` of `op` is divided; whether that is possible."""
        value = op.operands[index]
        owner = value.owner
        if isinstance(owner, ConstantOp):
            readers.append((op, index))
            return True
        if not isinstance(owner, GraphOp) or not value.has_one_use():
            return False
        if isinstance(owner, DequantizeOp):
            readers.append((owner, 1))
            return isinstance(owner.scale.owner, ConstantOp)
        if isinstance(owner, MulOp):
            for product, factor in ((owner.lhs, 1), (owner.rhs, 0)):
                if isinstance(product.owner, CastOp) and isinstance(owner.operands[factor].owner, ConstantOp):
                    self.has_product = True
                    readers.append((owner, factor))
                    return True
            return any(self._visits_factor(owner, factor, readers) for factor in (0, 1))
        if isinstance(owner, MatmulOp | ConvOp):
            self.has_product = True
            readers.append((owner, 1))
            weights = owner.operands[1]  # nobody else needs them as they are
            return isinstance(weights.owner, ConstantOp) and weights.has_one_use()
        if isinstance(owner, AddOp | MaxOp | MinOp):
            return self._visit(owner, 0, readers) and self._visit(owner, 1, readers)
        return isinstance(owner, ReluOp) and self._visit(owner, 0, readers)

    def _visits_factor(self, op: MulOp, index: int, readers: list[tuple[Operation, int]]) -> bool:
        """Whether a product is divided by dividing one of its factors."""
        found: list[tuple[Operation, int]] = []
        if not self._visit(op, index, found):
            return False
        self.has_product = True
        readers += found
        return True

    def _divided(self, value: SSAValue) -> ConstantOp | None:
        """A constant divided by the scale; None if it has numbers that overflow, or are subnormal then."""
        constant = value.owner
        assert isinstance(constant, ConstantOp)
        array = constant_array(constant, self.resources)
        if array is None or array.dtype != np.float32:
            return None
        with np.errstate(all="ignore"):
            divided = (array.astype(np.float64) / self.scale).astype(np.float32)
        limits = np.finfo(np.float32)
        is_normal = (np.abs(divided) >= limits.tiny) & (np.abs(divided) <= limits.max)
        if not (is_normal | (array == 0) | ~np.isfinite(array)).all():
            return None
        hint = f"{resource_name(constant) or value.name_hint or 'constant'}.scaled"
        return constant_from(divided, type_of(value), self.resources, hint)
