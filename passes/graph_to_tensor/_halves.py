"""Kernels compute with floats of 16 bits and less in f32: where they are read they become wider, and each result is
rounded once."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, tensor, type_of
from mlc.support.dtypes import HALVES, SHORT_FLOATS
from mlc.support.types import element_type

_KEPT = (graph.CastOp, graph.BitcastOp)
"""Ops that say themselves what becomes of a short float."""


def widen_halves(kernel: FuncOp) -> None:
    """Let the ops of a kernel compute in f32; what moves elements moves those that there are.

    ```mlir
    %y = graph.softmax %x axis 1 : tensor<4x8xf16>
    // after
    %0 = graph.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
    %1 = graph.softmax %0 axis 1 : tensor<4x8xf32>
    %y = graph.cast %1 : tensor<4x8xf32> -> tensor<4x8xf16>
    ```

    So it makes no difference to a result which ops share a kernel.
    """
    wide: dict[SSAValue, SSAValue] = {}
    for op in list(kernel.body.walk()):
        if not isinstance(op, graph.GraphOp) or _only_moves(op) or isinstance(op, _KEPT) or _widens(op):
            continue
        for index, operand in enumerate(op.operands):
            if element_type(operand.type) in SHORT_FLOATS:
                if operand not in wide:
                    wide[operand] = _widened(operand, op)
                op.operands[index] = wide[operand]
        for result in op.results:
            if (element := element_of(result)) in SHORT_FLOATS:
                new = Rewriter.replace_value_with_new_type(result, tensor(type_of(result).get_shape(), f32))
                uses = list(new.uses)
                narrow = _cast(new, element, InsertPoint.after(op), op)
                narrow.name_hint = new.name_hint
                for use in uses:
                    use.operation.operands[use.index] = narrow


def _only_moves(op: graph.GraphOp) -> bool:
    """Whether an op computes nothing; a scatter that adds up does."""
    return op.MOVES or (isinstance(op, graph.ScatterNdOp) and op.kind.data == "set")


def _widens(op: graph.GraphOp) -> bool:
    """Whether an op adds products of floats of 16 bits in f32 itself."""
    return op.CONTRACTS and element_of(op.result) not in SHORT_FLOATS and element_of(op.operands[1]) in HALVES


def _widened(value: SSAValue, op: Operation) -> SSAValue:
    """An f32 of a value, made before `op`, the first that needs it."""
    if (number := graph.splat_of(value)) is None:
        return _cast(value, f32, InsertPoint.before(op), op)
    kind = tensor(type_of(value).get_shape(), f32)
    constant = graph.ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, kind), [number]))
    Rewriter.insert_op(constant, InsertPoint.before(op))
    return constant.result


def _cast(value: SSAValue, element: Attribute, where: InsertPoint, op: Operation) -> SSAValue:
    new = graph.CastOp(value, element)
    new.location = op.location
    Rewriter.insert_op(new, where)
    return new.result
