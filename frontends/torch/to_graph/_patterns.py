"""How functions that convert calls of operators of PyTorch are called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any, ClassVar, TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import aten
from mlc.dialects.aten.bounds import BOUNDED_EXTENTS
from mlc.dialects.graph.types import element_of, shape_of, type_of
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, each_part, number_of
from mlc.frontends.operators.complex_values import is_complex, part_of
from mlc.frontends.operators.conversions import Converts, PatternOfPairs, each_of_parts
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.open_shapes import require_fixed
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Found, places_of
from mlc.frontends.torch.to_graph._conversion import ATEN_PAIRS, ATEN_PASS, OF_COMPLEX, AtenConversion
from mlc.frontends.torch.to_graph._decompositions import objection
from mlc.frontends.torch.to_graph._open_calls import chosen, require_said
from mlc.pass_manager.lowering import lowers
from mlc.support import dtypes
from mlc.support.errors import CompilerBug, Words
from mlc.support.torch_namespaces import ATEN

_NUMBERS = ("number", "Optional[number]", "List[number]")
"""The types of arguments that may be complex numbers of Python, as torch spells them."""


_Function = TypeVar("_Function", bound=Callable[..., Any])


class _FromAten(PatternOfPairs):
    """Converts the calls of an overload.

    The function gets a `Call` and those arguments of the schema that it names: values for tensors, lists of them, None
    for what is left out, Python's numbers and strings, and element types for dtypes. Elements of what it returns are
    converted to the type that torch says they have. It is not called where results have no elements, unless it
    `asserts` something. Calls that take or give complex numbers are refused, unless a function with `parts` or with
    `pairs` is for them.
    """

    PASS: ClassVar[str] = ATEN_PASS
    PARAMETERS: ClassVar[str] = "(b, ...), the call and arguments that have names in the schema"
    OPTIONS: ClassVar[Mapping[str, Any]] = {
        "asserts": False, "bounded": False, "parts": False, "pairs": False, "sizes": (),
    }  # fmt: skip
    wanted: ClassVar[dict[str, bool]]
    """The arguments that the function takes, and whether it needs them."""
    asserts: ClassVar[bool]
    bounded: ClassVar[bool]
    sizes: ClassVar[tuple[str, ...]]

    @classmethod
    def takes(cls, parameters: Mapping[str, inspect.Parameter]) -> bool:
        return len(parameters) > 0

    @classmethod
    def op_class(cls, name: str, domain: str) -> type[Operation]:
        return aten.op(name, domain or ATEN)

    @classmethod
    def register(
        cls, function: Callable[..., Any], ops: Sequence[type[Operation]], benefit: int, options: Mapping[str, Any]
    ) -> None:
        parameters = list(inspect.signature(function).parameters.values())[1:]
        wanted = {p.name: p.default is inspect.Parameter.empty for p in parameters}
        pairs, members = options.get("pairs"), {"wanted": wanted, **options}
        if not pairs:
            super().register(function, ops, benefit, members)
        if pairs or options.get("parts"):
            base = _FromPairs if pairs else _FromParts
            lowers(ATEN_PAIRS, *ops, benefit=benefit)(base.of(function, members))

    def converted(self, op: Operation, b: GraphBuilder) -> Found:
        run = self.run
        assert isinstance(op, aten.AtenOp)
        assert isinstance(run, AtenConversion)
        for value in (*op.operands, *op.results):
            _require_supported(value)
        for value in () if self.bounded else op.operands:
            for part in number_of(run.number(value)):
                require_fixed(b, part, "an operand")
        call = Call(op, b.knowledge, b.hint, op=op, wrong=run.wrong, extents=run.extents)
        read = [r.index for r in op.results if r.first_use is not None]
        if read and not self.asserts and not any(prod(call.shape(index)) for index in read):
            # Of what has no elements all is known, and patterns need not ask for extents of 0.
            return [_none_of(call, r) if r.index in read else None for r in op.results]
        given = op.arguments()
        places = places_of(self.wanted, list(given))
        arguments = {name: chosen(name, given[at], run.extents, name in self.sizes) for name, at in places.items()}
        found = self.results(call, arguments, op)
        return [None if v is None else self._checked(call, i, v) for i, v in enumerate(found)]

    def results(self, call: Call, arguments: Mapping[str, Any], op: aten.AtenOp) -> list[RealOrPair | None]:
        """What the function gives for arguments, values of the source among them."""
        return self.called(op, call, **arguments)

    def reason(self, op: Operation, error: Exception) -> Words | Unconvertible | None:
        """Patterns count on what torch requires of a call. When one fails, torch is asked whether the call is right;
        only then mlc is wrong."""
        if isinstance(error, CompilerBug):
            return None
        if (found := super().reason(op, error)) is not None:
            return found
        run = self.run
        assert isinstance(run, AtenConversion)
        if run.extents:  # of which torch cannot be asked
            return (
                f"mlc has no form of it for extents that are known at the call only ({type(error).__name__}: {error})"
            )
        return objection(cast(aten.AtenOp, op))

    def _checked(self, call: Call, index: int, number: RealOrPair) -> RealOrPair:
        """A result as torch says it is: the elements converted; another shape is a mistake of the pattern."""
        kind, name = call.type(index), call.before.name
        assert isinstance(number, Pair) == is_complex(call.before.results[index]), f"the pattern of {name} for {kind}"
        wanted = TensorType(part_of(kind.element_type), kind.get_shape())
        said = cast("ArrayAttr[Any] | None", call.before.attributes.get(BOUNDED_EXTENTS))
        dims: Sequence[int] = () if said is None else said.data[index].get_values()
        bounded = {axis for axis in dims if wanted.get_shape()[axis]}

        def checked(value: SSAValue) -> SSAValue:
            value = call.cast(value, wanted.element_type)
            if call.extents and len(shape_of(value)) == len(wanted.get_shape()) and not bounded:
                require_said(call, value, call.sizes(index), wanted.get_shape())
                return value
            if type_of(value) != wanted and value in call.knowledge.extents:
                found = f"it is {value.type} at most, not {wanted}"
                raise Unconvertible(f"the shape of its result depends on data: {found}")
            if type_of(value) != wanted:
                raise self.mistake(call.op, f"returns {value.type}; required: {wanted}")
            if bounded != set(call.knowledge.extents.get(value, ())):
                raise Unconvertible("extents of its result depend on data, and mlc does not know what they are")
            return value

        return each_part(number, checked)


class _FromPairs(_FromAten):
    """Lowers those with complex numbers, by a function of pairs."""

    def results(self, call: Call, arguments: Mapping[str, Any], op: aten.AtenOp) -> list[RealOrPair | None]:
        run = self.run
        assert isinstance(run, AtenConversion)
        return self.called(op, call, **{name: _numbers(run, each) for name, each in arguments.items()})


class _FromParts(_FromAten):
    """Lowers those with complex numbers, by a function that is called twice."""

    def results(self, call: Call, arguments: Mapping[str, Any], op: aten.AtenOp) -> list[RealOrPair | None]:
        run = self.run
        assert isinstance(run, AtenConversion)
        if any(map(_is_real, arguments.values())):
            raise Unconvertible(OF_COMPLEX)
        scalars = {a.name for a in op.schema.arguments if a.type in _NUMBERS}

        def convert(part: int) -> list[Any]:
            chosen = {n: _part(_numbers(run, each), part, n in scalars) for n, each in arguments.items()}
            # What torch does not take is counted once.
            return self.called(op, replace(call, wrong=None) if part else call, **chosen)

        return each_of_parts(op, convert)


def _numbers(run: AtenConversion, value: Any) -> Any:
    """An argument, or a list of them, with what complex values have become."""
    if isinstance(value, list):
        return [_numbers(run, each) for each in cast("list[Any]", value)]
    return run.number(cast(SSAValue, value)) if isinstance(value, SSAValue) else value


def _part(value: Any, part: int, is_scalar: bool) -> Any:
    """The real (0) or the imaginary (1) part of an argument; what is not a complex number is the same for both."""
    if isinstance(value, list):
        return [_part(each, part, is_scalar) for each in cast("list[Any]", value)]
    if isinstance(value, Pair):
        return value.im if part else value.re
    if is_scalar and isinstance(value, int | float | complex):
        # A number of Python that is an integer stays one, so that functions of integers still take it.
        return (value.imag if part else value.real) if isinstance(value, complex) else 0 if part else value
    return value


def _is_real(value: Any) -> bool:
    """Whether an argument, or one of a list, is floats."""
    if isinstance(value, list):
        return any(map(_is_real, cast("list[Any]", value)))
    return isinstance(value, SSAValue) and not is_complex(found := cast(SSAValue, value)) and is_float(found)


def _none_of(call: Call, result: SSAValue) -> RealOrPair:
    """A result that has no elements."""
    kind = cast("TensorType[Attribute]", result.type)
    empty = call.splat(0, kind.get_shape(), part_of(kind.element_type))
    return Pair(empty, empty) if is_complex(result) else empty


def _require_supported(value: SSAValue) -> None:
    if isinstance(value.type, TensorType) and not dtypes.is_supported(part_of(element := element_of(value))):
        raise Unconvertible(f"it has elements of type {element}, with which mlc does not compute")


converts = Converts(_FromAten)
"""Decorator of a function that converts calls of overloads, `add.Tensor` or `relu`, of torch's own namespace or of the
`domain`, such as `torchvision`.

```python
@converts("addcmul")
def addcmul(b: Call, self: SSAValue, tensor1: SSAValue, tensor2: SSAValue, value: Scalar) -> Results:
    return b.add(self, b.scaled(b.mul(tensor1, tensor2), value))
```
"""


def of_numbers(*names: str) -> Callable[[_Function], _Function]:
    """Decorator of a function that is for real and for complex numbers: it gets and returns values or pairs."""

    def register(function: _Function) -> _Function:
        return converts(*names, pairs=True)(converts(*names)(function))

    return register
