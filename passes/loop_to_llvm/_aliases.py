"""What a kernel may count on: no buffer that it writes is reached through another of its arguments.

Loops are reordered, and LLVM is told `noalias`, because of that. So a call that says otherwise is refused.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue

from mlc.analysis.written_arguments import SAME_ELEMENTS, WrittenArguments
from mlc.dialects.loop import RowOp, SpanOp
from mlc.passes.loop_to_llvm._types import bit_width
from mlc.support.locations import error_at
from mlc.support.types import memref_type

_Place = tuple[SSAValue, range | None]
"""The buffer behind a value, and which of its bytes the value is; None for any."""


def check_calls(module: ModuleOp) -> None:
    """Every call gives a function other buffers for what it writes than for its other arguments.

    Raises:
        UserError: at a call where two arguments share bytes that the function writes.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    written = WrittenArguments(functions)
    for function in functions.values():
        for op in function.walk():
            if isinstance(op, func.CallOp) and (callee := functions.get(op.callee.string_value())) is not None:
                _check_call(op, written.of(callee))


def _check_call(call: func.CallOp, written: frozenset[int]) -> None:
    places = [_place(v) if isinstance(v.type, MemRefType) else None for v in call.arguments]
    for at in sorted(written):
        for other, place in enumerate(places):
            if other == at or (other in written and other < at) or place is None or places[at] is None:
                continue
            if _overlap(place, places[at]):
                name = call.callee.string_value()
                raise error_at(
                    call,
                    f"func.call @{name}: arguments {min(at, other)} and {max(at, other)} are the same memory, and "
                    f"@{name} writes argument {at}; required: a buffer of its own for what a function writes",
                )


def _overlap(a: _Place, b: _Place | None) -> bool:
    if b is None or a[0] is not b[0]:
        return False
    first, second = a[1], b[1]
    return first is None or second is None or (first.start < second.stop and second.start < first.stop)


def _place(value: SSAValue) -> _Place:
    """Where a memref lies: its buffer, and the bytes of it, as far as constants tell."""
    bytes_: range | None = range(_size(value))
    while isinstance(op := value.owner, Operation):
        if isinstance(op, memref.ViewOp):
            shift = _constant(op.byte_shift)
            bytes_ = None if shift is None or bytes_ is None else range(bytes_.start + shift, bytes_.stop + shift)
        elif isinstance(op, RowOp):
            bytes_ = _bytes_of_row(op, bytes_)
        elif isinstance(op, SpanOp):
            shift = op.start.value.data * _element_size(op.source)
            bytes_ = None if bytes_ is None else range(bytes_.start + shift, bytes_.stop + shift)
        elif not isinstance(op, SAME_ELEMENTS):
            break
        value = op.operands[0]
    return value, bytes_


def _bytes_of_row(op: RowOp, bytes_: range | None) -> range | None:
    """Which bytes of the buffer a row of it is: any of it, where its number is computed."""
    row = _constant(op.index)
    if row is None or bytes_ is None:
        return None if bytes_ is None else range(_size(op.source))
    start = row * _size(op.result)
    return range(bytes_.start + start, bytes_.stop + start)


def _size(value: SSAValue) -> int:
    return prod(memref_type(value).get_shape()) * _element_size(value)


def _element_size(value: SSAValue) -> int:
    return (bit_width(memref_type(value).element_type) + 7) // 8


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
