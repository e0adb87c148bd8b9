"""Kernels compute with f16 and bf16 in f32: where they are read they become wider, and each result is rounded once."""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, bf16, f16, f32
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of, tensor, type_of
from mlc.dialects.loop.dot import per_word
from mlc.support.dtypes import HALVES
from mlc.support.types import element_type

_KEPT = (graph.CastOp, graph.BitcastOp)
"""Ops that say themselves what becomes of a float of 16 bits."""


_MOST_ROWS = 16
"""Up to so many rows are multiplied with weights of f16 as they are read; for more, to widen the weights once is less
work, and for one row, words of two of them save nothing."""


def constant_arguments(module: ModuleOp) -> dict[str, set[int]]:
    """By the names of functions that are called, the numbers of the arguments that are constants in all calls."""
    found: dict[str, set[int]] = {}
    for call in module.walk():
        if isinstance(call, CallOp):
            known = {i for i, v in enumerate(call.operands) if isinstance(_moved_from(v).owner, graph.ConstantOp)}
            name = call.callee.root_reference.data
            found[name] = found.get(name, known) & known
    return found


def widen_halves(kernel: FuncOp, constants: Collection[int] = ()) -> None:
    """Let the ops of a kernel compute in f32; what moves elements moves those that there are.

    ```mlir
    %y = graph.softmax %x axis 1 : tensor<4x8xf16>
    // after
    %0 = graph.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
    %1 = graph.softmax %0 axis 1 : tensor<4x8xf32>
    %y = graph.cast %1 : tensor<4x8xf32> -> tensor<4x8xf16>
    ```

    So it makes no difference to a result which ops share a kernel. A product with a matrix that is one of the arguments
    with the numbers `constants` reads the short factors, whose products it sums in f32: the matrix is stored once, in
    words of two numbers, and is not made wider in each call.
    """
    known = {argument for argument in kernel.body.block.args if argument.index in constants}
    for op in list(kernel.body.walk()):
        if isinstance(op, graph.MatmulOp) and _reads_words(op, known):
            _round_result(op)
    wide: dict[SSAValue, SSAValue] = {}
    for op in list(kernel.body.walk()):
        if not isinstance(op, graph.GraphOp) or op.MOVES or isinstance(op, _KEPT) or _widens(op):
            continue
        for index, operand in enumerate(op.operands):
            if element_type(operand.type) in HALVES:
                if operand not in wide:
                    wide[operand] = _widened(operand, op)
                op.operands[index] = wide[operand]
        _round_result(op)


def _round_result(op: graph.GraphOp) -> None:
    """Let an op give f32, which are rounded behind it, in place of floats of 16 bits."""
    for result in op.results:
        if (element := element_of(result)) in HALVES:
            new = Rewriter.replace_value_with_new_type(result, tensor(type_of(result).get_shape(), f32))
            uses = list(new.uses)
            narrow = _cast(new, element, InsertPoint.after(op), op)
            narrow.name_hint = new.name_hint
            for use in uses:
                use.operation.operands[use.index] = narrow


def _reads_words(op: graph.MatmulOp, constants: Collection[SSAValue]) -> bool:
    """Whether it is faster to multiply words of two short numbers than to widen a constant matrix."""
    kinds = {element_of(v) for v in (op.lhs, op.rhs, op.result)}
    if kinds not in ({bf16}, {f16}) or _moved_from(op.rhs) not in constants or len(shape_of(op.rhs)) != 2:
        return False
    *rows, depth = shape_of(op.lhs)
    if depth % per_word(element_of(op.rhs)):
        return False
    return kinds == {bf16} or 1 < prod(rows) <= _MOST_ROWS


def _moved_from(value: SSAValue) -> SSAValue:
    """What a value is under another shape."""
    while isinstance(op := value.owner, graph.ReshapeOp):
        value = op.operands[0]
    return value


def _widens(op: graph.GraphOp) -> bool:
    """Whether an op adds products of floats of 16 bits in f32 itself."""
    return op.CONTRACTS and element_of(op.result) not in HALVES and element_of(op.operands[1]) in HALVES


def _widened(value: SSAValue, op: Operation) -> SSAValue:
    """An f32 of a value, made in front of `op`, the first that needs it."""
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
