"""Ops that move or rename elements."""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp
from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import ints, shape_of
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder, d, every
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import unchanged
from mlc.support.types import element_type


@lowers("convert-graph-to-tensor", graph.ConstantOp)
class ConstantToArith(ToTensor):
    """Data is data at every level."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ConstantOp)
        constant = ConstantOp(op.value)
        b.ops.append(constant)
        return constant.result


@lowers("convert-graph-to-tensor", graph.ReshapeOp)
class ReshapeToReassociation(ToTensor):
    """A reshape of row-major data moves nothing."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ReshapeOp)
        return b.reshape(op.input, shape_of(op.result))


@lowers("convert-graph-to-tensor", graph.TransposeOp)
class TransposeToMap(ToTensor):
    """Dim `i` of the result is dim `permutation[i]` of the operand."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.TransposeOp)
        permutation = ints(op.permutation)
        subscripts = [d(permutation.index(axis)) for axis in range(len(permutation))]
        return b.map_points([(op.input, subscripts)], shape_of(op.result), element_type(op.result.type), unchanged)


@lowers("convert-graph-to-tensor", graph.BroadcastOp, graph.ReverseOp)
class MoveToMap(ToTensor):
    """Reads where the op says that each element comes from."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.BroadcastOp | graph.ReverseOp)
        shape = shape_of(op.result)
        subscripts = op.read_through(every(len(shape)), shape)
        return b.map_points([(op.input, subscripts)], shape, element_type(op.result.type), unchanged)


@lowers("convert-graph-to-tensor", graph.SliceOp)
class SliceToMap(ToTensor):
    """Reads at `start + i * stride`."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.SliceOp)
        windows = zip(ints(op.starts), ints(op.strides), strict=True)
        subscripts = [d(i) * stride + start for i, (start, stride) in enumerate(windows)]
        return b.map_points([(op.input, subscripts)], shape_of(op.result), element_type(op.result.type), unchanged)


@lowers("convert-graph-to-tensor", graph.ConcatOp)
class ConcatToConcat(ToTensor):
    """Upstream has this op."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ConcatOp)
        return b.concat(op.inputs, op.axis.value.data)


@lowers("convert-graph-to-tensor", graph.PadOp)
class PadToPad(ToTensor):
    """Upstream has this op."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.PadOp)
        return b.pad(op.input, ints(op.low), ints(op.high), op.value.value.data)
