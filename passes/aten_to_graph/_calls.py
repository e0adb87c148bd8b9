"""A call of an operator as patterns see it, and how they are registered."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, ComplexType, TensorType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import aten, graph
from mlc.dialects.aten.bounds import BOUNDED_EXTENTS
from mlc.dialects.aten.schemas import ATEN, NAMESPACES, op_name, tags_of, torch_package
from mlc.dialects.aten.values import dtype_of_element
from mlc.dialects.graph.types import element_of, shape_of, type_of
from mlc.passes.aten_to_graph._bodies import CountingConversion, convert_bodies
from mlc.passes.aten_to_graph._decompositions import Decompositions, objection
from mlc.passes.lowering import lowering_of, lowers
from mlc.passes.shared.extents import result_extents
from mlc.passes.shared.graph_builder import GraphBuilder, require_fixed
from mlc.passes.shared.refusal import Unconvertible
from mlc.passes.shared.to_graph import Results, ToGraphPattern
from mlc.support import dtypes
from mlc.support.errors import CompilerBug

ATEN_PASS = "convert-aten-to-graph"
"""The pass that patterns register for."""

NO_ATEN_PATTERN = "mlc has no pattern for this operator; --load-pass FILE.py adds one (docs/pytorch.md)"
"""Why an op is refused that nothing converts."""

_BECAUSE = {
    "nondeterministic_seeded": "it draws random numbers, which torch's own generator does",
    "dynamic_output_shape": "the shape of its result depends on data",
    "data_dependent_output": "it asks for numbers while the graph is made",
}
"""Why operators have no pattern, by torch's tags."""
_OWN_REASONS = {
    "_linalg_check_errors": "it raises an exception if a matrix is singular, or not positive definite, which depends "
    "on data",
    "cholesky": "it raises an exception if a matrix is not positive definite, which depends on data; "
    "torch.linalg.cholesky is native but for that check",
    "linalg_eig": "its results are complex numbers, with which mlc does not compute",
    "linalg_eigvals": "its results are complex numbers, with which mlc does not compute",
    "linalg_ldl_factor_ex": "mlc has no factors of symmetric matrices that are not definite",
    "linalg_ldl_solve": "mlc has no factors of symmetric matrices that are not definite",
}
"""Why single operators have no pattern."""
_COMPLEX = ("_fft_", "complex", "polar", "_conj", "view_as_real", "view_as_complex", "imag", "real")

Scalar = bool | int | float
_F = TypeVar("_F", bound=Callable[..., Results])


def without_pattern(name: str) -> str:
    """Why an op with this name is refused, for which there is no pattern."""
    short = name.removeprefix("aten.")
    if short.startswith(_COMPLEX):
        return "it computes with complex numbers, which mlc does not"
    if short in _OWN_REASONS:
        return _OWN_REASONS[short]
    return next((_BECAUSE[tag] for tag in tags_of(name) if tag in _BECAUSE), NO_ATEN_PATTERN)


@dataclass
class AtenConversion(CountingConversion):
    """One run of the conversion from ATen."""

    PASS: ClassVar[str] = ATEN_PASS

    def __post_init__(self) -> None:
        super().__post_init__()
        self.knowledge.hand_on = result_extents
        self.decompositions = Decompositions(has_pattern)

    def lower(self, ops: Iterable[Operation]) -> None:
        """Convert ops, in program order. One without a pattern becomes what torch says that it is made of, or is
        refused."""
        for op in list(ops):
            if self.driver.handles(op):
                self.driver.lower([op])
            elif isinstance(op, graph.IfOp | graph.WhileOp):
                convert_bodies(self, op)
            elif not isinstance(op, aten.AtenOp):
                continue
            elif op.results and all(result.first_use is None for result in op.results):
                continue  # what nobody reads is not computed, and need not be known
            elif any(self.is_lost(v) for v in op.operands):
                self.lose(op)
            elif any(v in self.knowledge.extents for v in op.operands):
                self.refuse(op, f"{without_pattern(op.name)}; an extent of an operand depends on data")
            elif (body := self.decompositions.expand(op, self.resources)) is not None:
                self.lower(body)
            else:
                self.refuse(op, without_pattern(op.name))


def has_pattern(overload: object) -> bool:
    """Whether there is a pattern for an `OpOverload`."""
    namespace, _, rest = op_name(overload).partition(".")
    return namespace in NAMESPACES and lowering_of(ATEN_PASS, aten.op(rest, namespace)) is not None


@dataclass
class Call(GraphBuilder):
    """Writes graph ops for one call, and knows its results: their types are what torch said."""

    op: Operation | None = None
    wrong: list[SSAValue] | None = None
    """Where arguments that torch does not take are counted, if they are."""

    # ---- what torch makes sure of

    def require_places(self, index: SSAValue, extent: int, from_end: bool = False) -> None:
        """Elements are numbers from 0 to an extent, or, counted from the end, from minus that.

        Raises:
            Unconvertible: it is known that one is not, and somebody asks.
        """
        if self.wrong is not None and prod(shape_of(index)):
            at = self.cast(index, i64)
            below = self.compare("lt", at, self.constant(-extent if from_end else 0))
            above = self.compare("ge", at, self.constant(extent))
            self.require_none(self(graph.OrOp, below, above), "an index is out of range")

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

    # ---- what is to come out

    def type(self, index: int = 0) -> TensorType[Attribute]:
        """The type of a result."""
        assert self.op is not None
        return cast("TensorType[Attribute]", self.op.results[index].type)

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of a result."""
        return tuple(self.type(index).get_shape())

    def element(self, index: int = 0) -> Attribute:
        """The element type of a result."""
        return self.type(index).element_type

    def wants(self, index: int) -> bool:
        """Whether anybody reads a result."""
        assert self.op is not None
        return self.op.results[index].first_use is not None

    # ---- arguments

    def tensor(self, value: SSAValue | Scalar, element: Attribute | None = None) -> SSAValue:
        """A tensor or a number as a value, of an element type, by default that of the result."""
        element = element or self.element()
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

    def promoted(self, *values: SSAValue | Scalar) -> list[SSAValue]:
        """Tensors and numbers as values of the one element type that torch computes with for them."""
        element = common_element(values)
        return [self.tensor(v, element) for v in values]

    def to_float(self, value: SSAValue) -> SSAValue:
        """A tensor for a function of floats: integers become the result's float."""
        return self.cast(value, self.element()) if isinstance(element_of(value), dtypes_integer()) else value

    def to_bool(self, value: SSAValue) -> SSAValue:
        """Whether elements are not 0 (NaN is not)."""
        return value if element_of(value) == i1 else self.compare("ne", value, self.number(0, value))

    def minus(self, value: SSAValue) -> SSAValue:
        """`-x`."""
        return self(graph.NegOp, value)

    def squared(self, value: SSAValue) -> SSAValue:
        """`x * x`."""
        return self.mul(value, value)

    def scaled(self, value: SSAValue, factor: Scalar) -> SSAValue:
        """The product with a number; the value itself if that is 1."""
        return value if factor == 1 else self.mul(value, self.tensor(factor, element_of(value)))

    def maximum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The larger one; NaN if either is."""
        return self(graph.MaxOp, a, b)

    def minimum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The smaller one; NaN if either is."""
        return self(graph.MinOp, a, b)


def dtypes_integer() -> type[Attribute]:
    """The class of the types of integers and truth values."""
    from xdsl.dialects.builtin import IntegerType

    return cast("type[Attribute]", IntegerType)


def common_element(values: Sequence[SSAValue | Scalar]) -> Attribute:
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


def _sample(value: SSAValue | Scalar) -> Any:
    if not isinstance(value, SSAValue):
        return value
    torch = cast(Any, torch_package())
    shape = (1,) if shape_of(value) else ()
    return torch.empty(shape, dtype=dtype_of_element(element_of(value)), device="meta")


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
    of the schema that stands between those that it takes before and behind.

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


def converts(
    *overloads: str, asserts: bool = False, bounded: bool = False, namespace: str = ATEN
) -> Callable[[_F], _F]:
    """Decorator of a function that converts calls of these overloads of a namespace.

    It gets a `Call` and those arguments of the schema that it names: values for tensors, lists of them, None for what
    is left out, Python's numbers and strings, and element types for dtypes. It returns what replaces the results, whose
    elements are converted to the type that torch says they have. It is not called where results have no elements,
    unless it `asserts` something. With `bounded` it takes operands some of whose extents depend on data: what it makes
    of them goes through the builder, which hands extents on, and it takes no shape for more than the most there can be.

    ```python
    @converts("addcmul")
    def addcmul(b: Call, self: SSAValue, tensor1: SSAValue, tensor2: SSAValue, value: Scalar) -> Results:
        return b.plus(self, b.scaled(b.mul(tensor1, tensor2), value))
    ```
    """

    def register(function: _F) -> _F:
        parameters = list(inspect.signature(function).parameters.values())[1:]
        wanted = {p.name: p.default is inspect.Parameter.empty for p in parameters}
        members: dict[str, Any] = {"function": staticmethod(function), "wanted": wanted, "asserts": asserts}
        members["takes_bounded"] = bounded
        members["__module__"] = function.__module__
        pattern = cast("type[_FromAten]", type(function.__name__, (_FromAten,), members))
        lowers(ATEN_PASS, *(aten.op(overload, namespace) for overload in overloads))(pattern)
        return function

    return register


class _FromAten(ToGraphPattern):
    """Lowers the calls of an overload by a function."""

    function: ClassVar[Callable[..., Results]]
    wanted: ClassVar[dict[str, bool]]
    """The arguments that the function takes, and whether it needs them."""
    asserts: ClassVar[bool]
    """Whether it does more than to say what results are."""
    takes_bounded: ClassVar[bool]
    """Whether extents of operands may depend on data."""

    def converted(self, op: Operation, b: GraphBuilder) -> Results:
        assert isinstance(op, aten.AtenOp)
        for value in (*op.operands, *op.results):
            _require_real(value)
        for value in () if self.takes_bounded else op.operands:
            require_fixed(b, value, "an operand")
        assert isinstance(self.run, AtenConversion)
        call = Call(op, b.knowledge, b.hint, op, self.run.wrong)
        read = [r.index for r in op.results if r.first_use is not None]
        if read and not self.asserts and not any(prod(call.shape(index)) for index in read):
            # Of what has no elements all is known, and patterns need not ask for extents of 0.
            return [
                call.splat(0, call.shape(i), call.element(i)) if i in read else None for i in range(len(op.results))
            ]
        given = op.arguments()
        places = places_of(self.wanted, list(given))
        arguments = {name: given[place] for name, place in places.items()}
        found = type(self).function(call, **arguments)
        results = [found] if isinstance(found, SSAValue) else list(found)
        return [None if v is None else self._checked(call, i, v) for i, v in enumerate(results)]

    def reason(self, op: Operation, error: Exception) -> str | None:
        """Patterns count on what torch requires of a call. When one fails, torch is asked whether the call is right;
        only then mlc is wrong."""
        if isinstance(error, CompilerBug):
            return None
        return super().reason(op, error) or objection(cast(aten.AtenOp, op))

    def _checked(self, call: Call, index: int, value: SSAValue) -> SSAValue:
        """A result as torch says it is: the elements converted; another shape is a mistake of the pattern."""
        wanted = call.type(index)
        value = call.cast(value, wanted.element_type)
        if type_of(value) != wanted and value in call.knowledge.extents:
            raise Unconvertible(f"the shape of its result depends on data: it is {value.type} at most, not {wanted}")
        assert type_of(value) == wanted, f"the pattern of {call.before.name} gives {value.type} in place of {wanted}"
        said = cast("ArrayAttr[Any] | None", call.before.attributes.get(BOUNDED_EXTENTS))
        dims: Sequence[int] = () if said is None else said.data[index].get_values()
        if {axis for axis in dims if wanted.get_shape()[axis]} != set(call.knowledge.extents.get(value, ())):
            raise Unconvertible("extents of its result depend on data, and mlc does not know what they are")
        return value


def _require_real(value: SSAValue) -> None:
    kind = value.type
    if not isinstance(kind, TensorType):
        return
    element = cast(Attribute, cast(Any, kind).element_type)
    if isinstance(element, ComplexType):
        raise Unconvertible("it computes with complex numbers, which mlc does not")
    if not dtypes.is_supported(element):
        raise Unconvertible(f"it has elements of type {element}, with which mlc does not compute")
