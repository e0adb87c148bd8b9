"""What may be a dim and a symbol of an affine expression, as upstream has it.

A symbol does not change while the ops around it run: it is defined at the top level of a function, or made of
constants, sizes and such symbols. A dim is a symbol, the counter of an affine loop, or an `affine.apply` of dims.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import VerifyException

_SCOPES = ("func.func", "builtin.module", "gpu.func", "llvm.func", "gpu.launch")
"""Ops whose regions are the top level of what they hold."""
_LOOPS = ("affine.for", "affine.parallel")
_SIZES = ("memref.dim", "tensor.dim")


def verify_access(op: Operation, buffer: SSAValue, subscripts: AffineMap, operands: Sequence[SSAValue]) -> None:
    """Check that there is a valid subscript for each dim of a buffer.

    Raises:
        VerifyException: their number is wrong, or a value may not be used as it is.
    """
    kind = buffer.type
    if isinstance(kind, MemRefType) and len(subscripts.results) != kind.get_num_dims():
        raise VerifyException(f"{op.name}: {len(subscripts.results)} subscripts for {kind}")
    verify_operands(op, subscripts.num_dims, subscripts.num_symbols, operands)


def verify_operands(op: Operation, dims: int, symbols: int, operands: Sequence[SSAValue]) -> None:
    """Check the values that a map takes.

    Raises:
        VerifyException: their number is wrong, or a value may not be used as it is.
    """
    if len(operands) != dims + symbols:
        raise VerifyException(f"{op.name}: {len(operands)} operands for {dims} dims and {symbols} symbols")
    for i, value in enumerate(operands):
        if i < dims and not is_dim(value):
            raise VerifyException(
                f"{op.name}: the value of dim {i} is not a counter of an affine loop, a value of the function's top "
                "level, or computed from such by affine.apply"
            )
        if i >= dims and not is_symbol(value):
            raise VerifyException(
                f"{op.name}: the value of symbol {i - dims} may change: required is a constant, a size, or a value "
                "of the function's top level"
            )


def is_dim(value: SSAValue) -> bool:
    """Whether a value may be a dim."""
    if is_symbol(value):
        return True
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        counters = 1 if loop is not None and loop.name == "affine.for" else None
        return loop is not None and loop.name in _LOOPS and (counters is None or value.index < counters)
    op = value.owner
    return isinstance(op, Operation) and op.name == "affine.apply" and all(is_dim(v) for v in op.operands)


def is_symbol(value: SSAValue) -> bool:
    """Whether a value may be a symbol."""
    if _is_top_level(value):
        return True
    op = value.owner
    if not isinstance(op, Operation):
        return False
    if op.has_trait(ConstantLike, value_if_unregistered=False):
        return True
    if op.name == "affine.apply":
        return all(is_symbol(v) for v in op.operands)
    return op.name in _SIZES and _is_top_level(op.operands[0]) and is_symbol(op.operands[1])


def _is_top_level(value: SSAValue) -> bool:
    block = value.owner.parent_block() if isinstance(value.owner, Operation) else value.owner
    outer = None if block is None else block.parent_op()
    return outer is None or outer.name in _SCOPES
