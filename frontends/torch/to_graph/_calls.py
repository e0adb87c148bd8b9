"""A call of an operator as patterns see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ComplexType, i1, i64
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.aten.ops import AtenOp
from mlc.dialects.aten.schemas import torch_package
from mlc.dialects.aten.values import dtype_of_element
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, number_of
from mlc.frontends.operators.conversions import TypedCall
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, SymbolicSize
from mlc.frontends.operators.to_graph import Results
from mlc.frontends.torch.to_graph._open_calls import shapes_of
from mlc.support import dtypes

Scalar = bool | int | float
Found = Results | Pair | Sequence[RealOrPair | None]
"""What replaces an op that may have complex results."""


@dataclass(kw_only=True)
class Call(TypedCall[AtenOp]):
    """A call of an overload: its results have the types that torch said, and numbers of Python become tensors."""

    wrong: list[SSAValue] | None = None
    """Where arguments that torch does not take are counted, if they are."""
    extents: Sequence[AnySize] = ()
    """Those that each call gives, in the order of their symbols."""

    # ---- sizes that are known at the call

    def sizes(self, index: int = 0) -> list[AnySize]:
        """The shape of a result as torch says it, with extents of the call."""
        said = shapes_of(self.op, self.extents)
        return list(self.shape(index)) if said is None else said[index]

    def is_open(self, index: int = 0) -> bool:
        """Whether the shape of a result depends on extents of the call."""
        return any(isinstance(size, SymbolicSize) for size in self.sizes(index))

    def length(self, value: SSAValue, axis: int) -> AnySize:
        """How long a dim is; the most that it can be where data says it."""
        found = self.axis_size(value, axis)
        return shape_of(value)[axis] if found is None else found

    # ---- what torch makes sure of

    def require_places(self, index: SSAValue, extent: AnySize, from_end: bool = False) -> None:
        """Elements are numbers from 0 to an extent, or, counted from the end, from minus that.

        Raises:
            Unconvertible: it is known that one is not, and somebody asks.
        """
        if self.wrong is not None and prod(shape_of(index)):
            at = self.cast(index, i64)
            below = self.compare("lt", at, self._number_of(-extent if from_end else 0))
            above = self.compare("ge", at, self._number_of(extent))
            self.require_none(self(graph.OrOp, below, above), "an index is out of range")

    def _number_of(self, size: AnySize) -> SSAValue:
        return self.extent(size) if isinstance(size, SymbolicSize) else self.constant(size)

    def require_divisor(self, value: SSAValue) -> None:
        """Integers are not 0.

        Raises:
            Unconvertible: it is known that one is, and somebody asks.
        """
        if self.wrong is not None and prod(shape_of(value)) and isinstance(element_of(value), dtypes_integer()):
            self.require_none(self.compare("eq", value, self.number(0, value)), "an integer is divided by 0")

    def require_none(self, is_wrong: SSAValue, what: str) -> None:
        """No element is true. Torch raises an exception else.

        Raises:
            Unconvertible: it is known that one is, and somebody asks.
        """
        if self.wrong is None:
            return
        if (known := self.knowledge.array(is_wrong)) is None:
            numbers = self.cast(is_wrong, i64)
            axes = range(len(shape_of(numbers)))
            self.wrong.append(self.reduce("sum", numbers, axes) if axes else numbers)
        elif known.any():
            raise Unconvertible(f"{what}, for which torch raises an exception")

    # ---- arguments

    def tensor(self, value: SSAValue | Scalar | SymbolicSize, element: Attribute | None = None) -> SSAValue:
        """A tensor or a number as a value, of an element type, by default that of the result."""
        element = element or self.element()
        if isinstance(value, SymbolicSize):
            return self.cast(self.extent(value), element)
        if isinstance(value, SSAValue):
            return self.cast(value, element)
        if isinstance(element, dtypes_integer()) and isinstance(value, float):
            value = int(value)
        if element == i1:
            value = bool(value)
        dtype = dtypes.to_numpy(element)
        with np.errstate(over="ignore"):
            wrapped = np.array(value).astype(dtype) if isinstance(value, int) else np.asarray(value, dtype)
        return self.constant(wrapped, element)

    def promoted(self, *values: SSAValue | Scalar | SymbolicSize) -> list[SSAValue]:
        """Tensors and numbers as values of the one element type that torch computes with for them."""
        element = common_element(values)
        return [self.tensor(v, element) for v in values]

    def pair(self, value: RealOrPair | Scalar | complex, element: Attribute | None = None) -> Pair:
        """A tensor or a number as complex numbers, of parts of an element type, by default that of the result."""
        element = element or self.element()
        if isinstance(value, Pair):
            return Pair(self.cast(value.re, element), self.cast(value.im, element))
        if isinstance(value, SSAValue):
            return Pair(self.cast(value, element), self.splat(0, shape_of(value), element))
        whole = complex(value)
        return Pair(self.tensor(whole.real, element), self.tensor(whole.imag, element))

    def to_float(self, value: SSAValue) -> SSAValue:
        """A tensor for a function of floats: integers become the result's float."""
        return self.cast(value, self.element()) if isinstance(element_of(value), dtypes_integer()) else value


def dtypes_integer() -> type[Attribute]:
    """The class of the types of integers and truth values."""
    from xdsl.dialects.builtin import IntegerType

    return cast("type[Attribute]", IntegerType)


def common_element(values: Sequence[RealOrPair | Scalar | SymbolicSize | complex]) -> Attribute:
    """The element type that torch promotes operands to: tensors of dims count before those without, and both before
    numbers, unless a later one is of a higher kind (truth value, integer, float)."""
    torch = cast(Any, torch_package())
    first, *rest = [_sample(v) for v in values]
    found = first
    dtype = first.dtype if isinstance(first, torch.Tensor) else torch.tensor(first).dtype
    for each in rest:
        dtype = torch.result_type(found, each)
        rank = max(getattr(found, "ndim", 0), getattr(each, "ndim", 0))
        found = torch.empty((1,) * rank, dtype=dtype, device="meta")
    from mlc.dialects.aten.values import element_of_dtype

    element = element_of_dtype(dtype)
    assert element is not None
    return element


def _sample(value: RealOrPair | Scalar | SymbolicSize | complex) -> Any:
    if isinstance(value, SymbolicSize):
        return 1  # an integer of Python
    if not isinstance(value, SSAValue | Pair):
        return value
    torch = cast(Any, torch_package())
    first = number_of(value)[0]
    element = element_of(first)
    dtype = dtype_of_element(ComplexType(cast(Any, element)) if isinstance(value, Pair) else element)
    return torch.empty((1,) if shape_of(first) else (), dtype=dtype, device="meta")


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the front. A scalar has one, as torch sees it.

    Raises:
        Unconvertible: there is no such axis.
    """
    if not -max(rank, 1) <= axis < max(rank, 1):
        raise Unconvertible(f"it has axis {axis} of {rank}")
    return axis % max(rank, 1)


def axes_of(axes: Sequence[int] | int | None, rank: int) -> list[int]:
    """Axes counted from the front, in order; all if there are none."""
    if isinstance(axes, int):
        axes = [axes]
    return sorted({axis_of(a, rank) for a in axes}) if axes else list(range(rank))


def places_of(wanted: Mapping[str, bool], given: Sequence[str]) -> dict[str, str]:
    """By which name of a schema, whose arguments `given` are in order, a function gets each of its arguments.

    A name of the schema may be another one in some version of torch. Then what the function needs is the only argument
    of the schema that stands between those that it takes before and after.

    Raises:
        Unconvertible: there is no such argument, or more than one.
    """
    found = {name: name for name in wanted if name in given}
    names = list(wanted)
    for place, name in enumerate(names):
        if name in found or not wanted[name]:
            continue
        before = [given.index(found[n]) for n in names[:place] if n in found]
        behind = [given.index(n) for n in names[place + 1 :] if n in found]
        between = given[max(before, default=-1) + 1 : min(behind, default=len(given))]
        if len(between) != 1:
            raise Unconvertible(f"this version of torch has no argument '{name}' of it; it has {', '.join(given)}")
        found[name] = between[0]
    return {name: found[name] for name in wanted if name in found}
