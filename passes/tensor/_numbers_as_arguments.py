"""Kernels that differ in numbers alone become one, which takes these as arguments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    SymbolRefAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.nests import add_argument
from mlc.analysis.structure import Structure
from mlc.dialects.arith import CmpfOp, SelectOp
from mlc.dialects.tensor import MapOp
from mlc.support.context import CompilerContext
from mlc.support.types import element_type, tensor_type

_FREE = (arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, CmpfOp, SelectOp, arith.AddiOp, arith.SubiOp)
"""Ops that take as long whether an operand is known or not; but for a few numbers, which others are made of."""
_KNOWN = (0, 1, -1)
"""Numbers by which ops become others, or vanish."""
_FEWEST_OPS = 8
"""What computes less is small, and compiled in no time."""


def share_up_to_numbers(calls: Mapping[func.FuncOp, list[func.CallOp]], ctx: CompilerContext) -> None:
    """Keep one of all functions that differ in scalar constants alone, and let all calls go to it with these.

        func.func private @quantize(%x) { … arith.addf %a, 3.0 }     call @quantize(%x)
        func.func private @quantize_1(%x) { … arith.addf %a, 5.0 }   call @quantize_1(%y)
    ->
        func.func private @quantize(%x, %0) { … arith.addf %a, %0 }  call @quantize(%x, dense<3.0>)
                                                                     call @quantize(%y, dense<5.0>)

    The layers of a quantised model have equal shapes, and scales and zero points of their own. Numbers count that are
    in the bodies of maps, where knowing them saves no work: not exponents, nor divisors of integers.

    Args:
        calls: functions that nothing but their calls refers to, with these; no two of them are equal.
    """
    alike: dict[Hashable, list[_NumberedKernel]] = defaultdict(list)
    for function in calls:
        kernel = _NumberedKernel(function)
        if kernel.numbers and kernel.size >= _FEWEST_OPS:
            alike[kernel.structure].append(kernel)
    for kernels in alike.values():
        if len(kernels) > 1:
            _share(kernels, calls, ctx)


class _NumberedKernel(Structure):
    """A function up to the numbers that may become arguments."""

    def __init__(self, function: func.FuncOp) -> None:
        super().__init__()
        self.function = function
        self.numbers: list[arith.ConstantOp] = []
        self.size = sum(1 for _ in function.walk())
        self.structure = self.of(function)

    def properties_of(self, op: Operation) -> Mapping[str, Hashable]:
        if not isinstance(op, arith.ConstantOp) or not _may_be_argument(op):
            return super().properties_of(op)
        self.numbers.append(op)
        return {}


def _may_be_argument(constant: arith.ConstantOp) -> bool:
    value, users = constant.value, [use.operation for use in constant.result.uses]
    if not isinstance(value, FloatAttr | IntegerAttr) or not isinstance(constant.parent_op(), MapOp):
        return False
    return value.value.data not in _KNOWN and all(isinstance(user, _FREE) for user in users)


def _share(
    kernels: Sequence[_NumberedKernel], calls: Mapping[func.FuncOp, list[func.CallOp]], ctx: CompilerContext
) -> None:
    kept = kernels[0].function
    columns: dict[tuple[Attribute, ...], list[arith.ConstantOp]] = defaultdict(list)
    for constants in zip(*(kernel.numbers for kernel in kernels), strict=True):
        if constants[0].result.uses:
            columns[tuple(constant.value for constant in constants)].append(constants[0])
    for values, constants in columns.items():
        if len(set(values)) > 1:
            argument = _make_argument(kept, constants)
            for value, kernel in zip(values, kernels, strict=True):
                for call in calls[kernel.function]:
                    _pass(value, argument, call)
    for kernel in kernels[1:]:
        ctx.remark(
            kernel.function, f"'{kernel.function.sym_name.data}' is the same as '{kept.sym_name.data}' but for numbers"
        )
        for call in calls[kernel.function]:
            call.callee = SymbolRefAttr(kept.sym_name.data)
        Rewriter.erase_op(kernel.function)


def _make_argument(function: func.FuncOp, constants: Sequence[arith.ConstantOp]) -> SSAValue:
    """Let `function` take as its last argument the number that these constants are."""
    argument = add_argument(function, TensorType(constants[0].result.type, []))
    for constant in constants:
        inside = constant.parent
        assert inside is not None
        constant.result.replace_all_uses_with(_read(argument, inside))
        Rewriter.erase_op(constant)
    return argument


def _read(argument: SSAValue, inside: Block) -> SSAValue:
    """The element of `argument` in the body of a map, which reads it if it does not yet."""
    op = inside.parent_op()
    assert isinstance(op, MapOp)
    if argument in op.inputs:
        return inside.args[list(op.inputs).index(argument)]
    op.operands = [*op.inputs, argument]
    op.maps = ArrayAttr([*op.maps, AffineMapAttr(AffineMap(len(op.dims), 0, ()))])
    return inside.insert_arg(element_type(argument.type), len(inside.args))


def _pass(value: Attribute, argument: SSAValue, call: func.CallOp) -> None:
    """Let a call give one number more, for `argument`."""
    assert isinstance(value, FloatAttr | IntegerAttr)
    number: Any = value.value.data
    constant = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(tensor_type(argument), [number]))
    constant.location = call.location
    Rewriter.insert_op(constant, InsertPoint.before(call))
    call.operands = [*call.operands, constant.result]
