"""The types of the graph level, and the shape arithmetic that its ops share.

Every value is a ranked tensor. An op computes its result type from static shapes only; a dimension that is still `?`
has to be bound before (see `is_static`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    AnyTensorTypeConstr,
    DenseArrayBase,
    IntegerType,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AttrSetConstraint, EqAttrConstraint

from mlc.support.dtypes import COMPUTED_FLOATS, INTEGERS, is_unsigned
from mlc.support.requirements import Violation

__all__ = ["ints"]

Tensor: TypeAlias = TensorType[Attribute]
Shape: TypeAlias = tuple[int, ...]
Value: TypeAlias = SSAValue | Operation
"""What builders accept as an operand: a value, or an op with one result."""

AnyTensor = AnyTensorTypeConstr
FloatTensor = TensorType.constr(AttrSetConstraint(frozenset(COMPUTED_FLOATS)))
IntegerTensor = TensorType.constr(AttrSetConstraint(frozenset((*INTEGERS, i1))))
BooleanTensor = TensorType.constr(EqAttrConstraint(i1))
NumberTensor = TensorType.constr(AttrSetConstraint(frozenset((*COMPUTED_FLOATS, *INTEGERS))))
ComparableTensor = TensorType.constr(AttrSetConstraint(frozenset((*COMPUTED_FLOATS, *INTEGERS, i1))))
SignedTensor = TensorType.constr(
    AttrSetConstraint(frozenset(t for t in (*COMPUTED_FLOATS, *INTEGERS) if not is_unsigned(t)))
)

I64ArrayConstr = DenseArrayBase.constr(i64)
I64Array: TypeAlias = DenseArrayBase[IntegerType]


@lru_cache(maxsize=4096)
def tensor(shape: Shape, element_type: Attribute) -> Tensor:
    """The tensor type of this shape and element type, memoised because making a type is slow."""
    return TensorType(element_type, shape)


def type_of(value: Value) -> Tensor:
    """The tensor type of an operand, which the op's own constraints check."""
    return cast(Tensor, SSAValue.get(value).type)


def shape_of(value: Value) -> Shape:
    """The shape of a tensor value."""
    return type_of(value).get_shape()


def element_of(value: Value) -> Attribute:
    """The element type of a tensor value."""
    return type_of(value).element_type


def is_float(type: Tensor) -> bool:
    """Whether the elements are floating-point numbers."""
    return isinstance(type.element_type, AnyFloat)


def is_static(type: Attribute) -> bool:
    """Whether no dimension is `?`."""
    return isinstance(type, TensorType) and DYNAMIC_INDEX not in cast(Tensor, type).get_shape()


def ints(array: I64Array) -> Shape:
    """The elements of an `array<i64: …>` attribute."""
    return tuple(array.get_values())


def i64_array(values: Sequence[int]) -> I64Array:
    """`array<i64: …>` of these values."""
    return DenseArrayBase.from_list(i64, values)


def times(shape: Sequence[int]) -> str:
    """A shape in words, `2x3`, as error messages and remarks name it (`scalar` for rank 0)."""
    return "x".join(map(str, shape)) if shape else "scalar"


def violation(op_name: str, number: int, reason: str, advice: str = "") -> Violation:
    """The error of constraint `number` of an op: `graph.matmul: … (matmul_c2)`."""
    advised = f"{reason}; {advice}" if advice else reason
    constraint = f"{op_name.removeprefix('graph.')}_c{number}"
    return Violation(f"{op_name}: {advised} ({constraint})", reason, constraint)


def require_axis(op_name: str, input: Tensor, axis: int) -> None:
    """c1: the axis counts from 0 and is one of the operand's.

    Raises:
        VerifyException: it is not.
    """
    if not 0 <= axis < input.get_num_dims():
        raise violation(op_name, 1, f"axis is {axis}; {input} has axes 0 to {input.get_num_dims() - 1}")


def broadcast_shapes(*shapes: Shape) -> Shape | None:
    """The common shape under NumPy's broadcasting rules, or None if there is none."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    result: list[int] = []
    for extents in zip(*padded, strict=True):
        wide = {e for e in extents if e != 1}
        if len(wide) > 1:
            return None
        result.append(wide.pop() if wide else 1)
    return tuple(result)
