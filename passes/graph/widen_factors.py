"""The pass `widen-factors`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i8, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import CastOp, ConstantOp, ConvOp, GraphOp, MatmulOp, MoveOp, PadOp
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.dialects.loop.dot import sums_fit_in_i16, ui8
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline_options import KEEP, require_option
from mlc.passes.graph._constants import constant_array, constant_from
from mlc.passes.graph._type_cost import TypedProduct, cycles_in_words, weights_among
from mlc.support.context import CompilerContext
from mlc.support.ir import erase_unused
from mlc.targets.machine import resolve_target

Array = NDArray[Any]
_BYTES: tuple[Attribute, ...] = (i8, ui8)


@dataclass(frozen=True)
class WidenFactorsPass(Pass):
    """Store integers of 8 bits that are multiplied as integers of 16 bits, where instructions multiply those.

    ```mlir
    %s = graph.matmul %x, %w : tensor<4x8xui8>, tensor<8x3xi8> -> tensor<4x3xi32>
    // after, where %v is the constant %w in 16 bits
    %0 = graph.cast %x : tensor<4x8xui8> -> tensor<4x8xi16>
    %s = graph.matmul %0, %v : tensor<4x8xi16>, tensor<8x3xi16> -> tensor<4x3xi32>
    ```

    The sums are the same. Without an instruction that multiplies words of bytes, these are taken apart each time that
    they are multiplied, unless their weights are so small that sums of two products fit in 16 bits; in 16 bits factors
    are read as they are. `fuse` lets the op that computes an image store it so,
    and its other elementwise readers make bytes of it again. The second factor is a constant, and takes twice the
    bytes: a product that waits for its weights is left alone, by the estimate of `_type_cost`, as are convolutions with
    groups. Remarks say what it expects.
    """

    name = "widen-factors"

    precision: str = "f32"
    """With "keep" weights stay as short as they are; one of `PRECISIONS`."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_option("precision", self.precision, self.name)
        every = [op for op in module.walk() if isinstance(op, MatmulOp | ConvOp)]
        products = [op for op in every if _multiplies_bytes(op)]
        if self.precision == KEEP or not products:
            return  # nothing asks what the target is
        machine, among = resolve_target(ctx.target), weights_among(every)
        chosen: dict[MatmulOp | ConvOp, Array] = {}
        for op in products:
            problem, lhs, rhs = TypedProduct.of(op), *(str(element_of(v)) for v in op.operands)
            pairs = problem.pairs_cycles(machine, lhs, rhs, among)
            if pairs == float("inf"):
                continue
            owner = op.operands[1].owner
            weights = constant_array(owner, ctx.resources) if isinstance(owner, ConstantOp) else None
            in_i16 = weights is not None and sums_fit_in_i16(weights, op.summed_axes[1])
            bytes = problem.sums_cycles(machine, lhs, rhs, among, in_i16=in_i16)
            compared = f"estimated {cycles_in_words(bytes)} in 8 bits, {cycles_in_words(pairs)} in 16 bits"
            if weights is None or pairs >= bytes:
                reason = compared if weights is not None else "the second one is not a constant"
                ctx.remark(op, f"factors stay in 8 bits: {reason}")
                continue
            ctx.remark(op, f"factors are stored in 16 bits: {compared}")
            chosen[op] = weights
        images = _Images(set(chosen))
        for op, weights in chosen.items():
            self._widen(op, images.widened(op.operands[0], op), weights, ctx)

    def _widen(self, op: MatmulOp | ConvOp, image: SSAValue, weights: Array, ctx: CompilerContext) -> None:
        """Let a product read factors of 16 bits."""
        old_image, old = op.operands
        kind = tensor(shape_of(old), i16)
        constant = constant_from(weights.astype(np.int16), kind, ctx.resources, old.name_hint or "weights")
        constant.location, constant.result.name_hint = op.location, old.name_hint
        Rewriter.insert_op(constant, InsertPoint.before(op))
        op.operands[0], op.operands[1] = image, constant.result
        for operand in (old_image, old):
            erase_unused(operand)


def _multiplies_bytes(op: MatmulOp | ConvOp) -> bool:
    """Whether an op adds up products of integers of 8 bits, of known shapes."""
    is_known = all(is_static(v.type) for v in (*op.operands, op.result))
    return is_known and element_of(op.result) == i32 and all(element_of(v) in _BYTES for v in op.operands)


@dataclass
class _Images:
    """First factors in 16 bits, each once for all products that read it."""

    readers: set[Operation]
    """The products that read them, and moves that only these read."""
    _widened: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def widened(self, value: SSAValue, reader: Operation) -> SSAValue:
        """A value in 16 bits. It becomes wider before it is moved for products alone: what computes it stores it so."""
        if value not in self._widened:
            if isinstance(move := value.owner, MoveOp | PadOp) and not self._others(value):
                self._widened[value] = self._moved(move)
            else:
                self._widened[value] = self._stored(value, reader)
        return self._widened[value]

    def _others(self, value: SSAValue) -> list[Operation]:
        return [use.operation for use in value.uses if use.operation not in self.readers]

    def _moved(self, move: MoveOp | PadOp) -> SSAValue:
        """What a move gives of wider numbers."""
        self.readers.add(move)
        source, properties = self.widened(move.input, move), dict(move.properties)
        if isinstance(move, PadOp):
            assert isinstance(move.value, IntegerAttr)
            properties["value"] = IntegerAttr(move.value.value.data, i16)
        kind = tensor(shape_of(move.result), i16)
        new = type(move).create(operands=[source], properties=properties, result_types=[kind])
        new.location, new.result.name_hint = move.location, move.result.name_hint
        Rewriter.insert_op(new, InsertPoint.after(move))
        return new.result

    def _stored(self, value: SSAValue, reader: Operation) -> SSAValue:
        """A value in 16 bits, which all others read that can make bytes of it where they read it."""
        owner, others = value.owner, self._others(value)
        place = InsertPoint.after(owner) if isinstance(owner, Operation) else InsertPoint.at_start(owner)
        wide = CastOp(value, i16)
        new: list[Operation] = [wide]
        if others and isinstance(owner, GraphOp) and all(isinstance(op, GraphOp) and op.MAPS for op in others):
            short = CastOp(wide.result, element_of(value))
            value.replace_uses_with_if(short.result, lambda use: use.operation in others)
            new.append(short)
        for op in new:
            op.location = reader.location
        wide.result.name_hint = value.name_hint
        Rewriter.insert_op(new, place)
        return wide.result
