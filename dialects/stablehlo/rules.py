"""What the specification requires of ops, in the words of its constraints: a rule has the number that it has there.

Dims that are not known fit all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ComplexType,
    IntegerType,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.stablehlo.base import HloOp, Requirement

Shape: TypeAlias = tuple[int, ...]
Tensor: TypeAlias = TensorType[Attribute]


def violation(op: HloOp, constraint: int | str, message: str) -> VerifyException:
    """The error of a numbered constraint: `stablehlo.transpose: … (transpose_c2)`."""
    number = f"c{constraint}" if isinstance(constraint, int) else constraint
    return VerifyException(f"{op.name}: {message} ({op.mnemonic()}_{number})")


def require(op: HloOp, constraint: int | str, holds: bool, message: Callable[[], str] | str) -> None:
    """Check one constraint.

    Raises:
        VerifyException: it does not hold.
    """
    if not holds:
        raise violation(op, constraint, message if isinstance(message, str) else message())


def is_ranked(value: SSAValue) -> bool:
    """Whether a value is a tensor of a known rank."""
    return isinstance(value.type, TensorType)


def shape(value: SSAValue) -> Shape:
    """The extents of a tensor; `DYNAMIC_INDEX` for one that is not known."""
    return cast(Tensor, value.type).get_shape()


def element(value: SSAValue) -> Attribute:
    """The element type of a tensor."""
    return cast(Tensor, value.type).element_type


def fits(found: Sequence[int], needed: Sequence[int]) -> bool:
    """Whether two shapes can be the same."""
    return len(found) == len(needed) and all(
        a == b or DYNAMIC_INDEX in (a, b) for a, b in zip(found, needed, strict=True)
    )


def is_unique(dims: Sequence[int]) -> bool:
    """Whether none is there twice."""
    return len(set(dims)) == len(dims)


def in_range(dims: Sequence[int], rank: int) -> bool:
    """Whether they are dims of a tensor of this rank."""
    return all(0 <= d < rank for d in dims)


def is_sorted(dims: Sequence[int]) -> bool:
    """Whether they ascend."""
    return list(dims) == sorted(dims)


def real_part(kind: Attribute) -> Attribute:
    """The type of the parts of complex numbers; of others the type itself."""
    return cast("ComplexType[AnyFloat]", kind).element_type if isinstance(kind, ComplexType) else kind


def words(sizes: Sequence[int]) -> str:
    """A shape in words."""
    return "x".join("?" if s == DYNAMIC_INDEX else str(s) for s in sizes) if sizes else "a scalar"


def tensors(op: HloOp) -> None:
    """i1: operands and results are tensors.

    Raises:
        VerifyException: one is none.
    """
    for i, value in enumerate((*op.operands, *op.results)):
        if not isinstance(value.type, TensorType):
            noun, at = ("operand", i) if i < len(op.operands) else ("result", i - len(op.operands))
            raise violation(op, "i1", f"{noun} {at} is {value.type}; it has to be a ranked tensor")


def same_types(constraint: int) -> Requirement:
    """Operands and results have one type; dims that are not known fit others."""

    def rule(op: HloOp) -> None:
        first, *others = (*op.operands, *op.results)
        for other in others:
            if other.type == first.type:
                continue
            same = is_ranked(first) and is_ranked(other) and element(first) == element(other)
            if not (same and fits(shape(first), shape(other))):
                raise violation(op, constraint, f"operands and result have one type; found {first.type}, {other.type}")

    return rule


def same_shapes(constraint: int) -> Requirement:
    """Operands and results have one shape."""

    def rule(op: HloOp) -> None:
        first, *others = (*op.operands, *op.results)
        for other in others:
            require(
                op,
                constraint,
                fits(shape(first), shape(other)),
                lambda other=other: f"operands and result have one shape; found {first.type} and {other.type}",
            )

    return rule


def one_of(constraint: str, kinds: str, test: Callable[[Attribute], bool]) -> Requirement:
    """The elements of the operands are of certain types, which `kinds` says in words."""

    def rule(op: HloOp) -> None:
        for value in op.operands:
            if not (test(element(value)) or is_foreign(element(value))):
                raise violation(op, constraint, f"elements are {kinds}; found {value.type}")

    return rule


def is_foreign(kind: Attribute) -> bool:
    """Whether it is an element type that mlc only carries along, such as a quantized one."""
    return not isinstance(kind, IntegerType | AnyFloat | ComplexType)


def is_float(kind: Attribute) -> bool:
    """Whether it is a floating-point type."""
    return isinstance(kind, AnyFloat)


def is_complex(kind: Attribute) -> bool:
    """Whether it is a complex type."""
    return isinstance(kind, ComplexType)


def is_integer(kind: Attribute) -> bool:
    """Whether it is a type of integers, truth values not included."""
    return isinstance(kind, IntegerType) and kind != i1


floats = one_of("i1", "floats", is_float)
floats_or_complex = one_of("i1", "floats or complex numbers", lambda t: is_float(t) or is_complex(t))
integers = one_of("i1", "integers", is_integer)
integers_or_bools = one_of("i1", "integers or truth values", lambda t: is_integer(t) or t == i1)
numbers = one_of("i1", "numbers, not truth values", lambda t: t != i1)
signed = one_of(
    "i1",
    "signed integers, floats or complex numbers",
    lambda t: t != i1 and not str(t).startswith("ui"),
)


def region_types(
    op: HloOp,
    constraint: int,
    region: Region,
    arguments: Sequence[Attribute] | None,
    results: Sequence[Attribute] | None,
    name: str,
    promotes: bool = False,
) -> None:
    """What a region takes, and what it returns; None is not checked. If it `promotes`, elements may be wider.

    Raises:
        VerifyException: it takes or returns something else.
    """
    block = region.block
    last = block.last_op
    if last is None or last.name != "stablehlo.return":
        raise violation(op, constraint, f"the region '{name}' ends in stablehlo.return")
    found_arguments, found_results = [a.type for a in block.args], [v.type for v in last.operands]
    for noun, found, needed in (("takes", found_arguments, arguments), ("returns", found_results, results)):
        if needed is not None and not _agree(found, needed, promotes):
            shown, wanted = (f"({', '.join(map(str, types))})" for types in (found, needed))
            raise violation(op, constraint, f"the region '{name}' {noun} {shown}; it has to be {wanted}")


def _agree(found: Sequence[Attribute], needed: Sequence[Attribute], promotes: bool) -> bool:
    if len(found) != len(needed):
        return False
    for a, b in zip(found, needed, strict=True):
        if a == b:
            continue
        if not (isinstance(a, TensorType) and isinstance(b, TensorType)):
            return False
        one, two = cast(Tensor, a), cast(Tensor, b)
        same = one.element_type == two.element_type or (promotes and _is_promotable(two.element_type, one.element_type))
        if not (same and fits(one.get_shape(), two.get_shape())):
            return False
    return True


def _is_promotable(narrow: Attribute, wide: Attribute) -> bool:
    if narrow == wide or is_foreign(narrow) or is_foreign(wide):
        return True
    if isinstance(narrow, AnyFloat) and isinstance(wide, AnyFloat):
        return narrow.bitwidth <= wide.bitwidth
    if isinstance(narrow, IntegerType) and isinstance(wide, IntegerType):
        return cast(Any, narrow).width.data <= cast(Any, wide).width.data
    if isinstance(narrow, ComplexType) and isinstance(wide, ComplexType):
        return _is_promotable(real_part(cast(Attribute, narrow)), real_part(cast(Attribute, wide)))
    return False


def scalar(kind: Attribute) -> Tensor:
    """The type of a tensor of rank 0 with elements of another's type."""
    return TensorType(cast(Tensor, kind).element_type, ())


def windows(
    sizes: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    window_dilations: Sequence[int],
    padding: Sequence[tuple[int, int]],
) -> Shape:
    """How many windows there are in each dim of an image; `DYNAMIC_INDEX` where its extent is not known."""
    found: list[int] = []
    for size, w, stride, dilation, wide, (low, high) in zip(
        sizes, window, strides, dilations, window_dilations, padding, strict=True
    ):
        if DYNAMIC_INDEX in (size, w):
            found.append(DYNAMIC_INDEX)
            continue
        padded = low + (0 if size == 0 else (size - 1) * dilation + 1) + high
        extent = 0 if w == 0 else (w - 1) * wide + 1
        found.append(0 if padded <= 0 or extent > padded else (padded - extent) // stride + 1)
    return tuple(found)


def size(sizes: Sequence[int]) -> int:
    """How many elements there are; `DYNAMIC_INDEX` if that is not known."""
    return DYNAMIC_INDEX if DYNAMIC_INDEX in sizes else prod(sizes)
