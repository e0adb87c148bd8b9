"""How functions are registered that convert operators: one decorator, which each source has for its own operators.

```python
@converts("Gelu", bounded=True)
def gelu(b: Node) -> Results:
    return b(graph.GeluOp, b[0], b.one_of("approximate", "none", "tanh"))
```

A function gets one call of the operator, an `OperatorCall`: a builder of graph ops before the op, which knows
operands, attributes and results as its source has them. It returns what replaces the results, and raises
`Unconvertible` where that cannot be done. Options, such as `bounded`, say what it takes; a source declares those that
it knows.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypedDict, TypeVar, Unpack, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.frontends.operators.complex_numbers import Pair
from mlc.frontends.operators.complex_values import ConversionOfPairs, is_complex, part_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.to_graph import ToGraphPattern
from mlc.pass_manager.lowering import lowers
from mlc.support.blame import place_of_code
from mlc.support.errors import UserError

_F = TypeVar("_F", bound=Callable[..., Any])
_Op = TypeVar("_Op", bound=Operation)


@dataclass(kw_only=True)
class OperatorCall(GraphBuilder, Generic[_Op]):
    """Writes graph ops for one op of a source, which it knows. A source adds what its ops have."""

    op: _Op

    def wants(self, index: int) -> bool:
        """Whether the result with this number is there and has a use."""
        return index < len(self.op.results) and self.op.results[index].first_use is not None


@dataclass(kw_only=True)
class TypedCall(OperatorCall[_Op]):
    """A call of a source that knows the types of results beforehand."""

    def type(self, index: int = 0) -> TensorType[Attribute]:
        """The type of a result."""
        return cast("TensorType[Attribute]", self.op.results[index].type)

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of a result."""
        return tuple(self.type(index).get_shape())

    def element(self, index: int = 0) -> Attribute:
        """The element type of a result; of complex numbers that of their parts."""
        return part_of(self.type(index).element_type)


class FunctionPattern(ToGraphPattern):
    """Converts ops by a function. A source derives from it and says in `converted` what the function gets."""

    PASS: ClassVar[str]
    """The pass that functions register for."""
    OPTIONS: ClassVar[Mapping[str, Any]]
    """The options of the decorator, with their defaults: class attributes of the patterns that it makes."""
    PARAMETERS: ClassVar[str] = "(b), the call of the operator"
    """What functions take, in words."""
    function: ClassVar[Callable[..., Any]]

    @classmethod
    def takes(cls, parameters: Mapping[str, inspect.Parameter]) -> bool:
        """Whether a function with these parameters can be called."""
        needed = [p for p in parameters.values() if p.default is p.empty and p.kind <= p.POSITIONAL_OR_KEYWORD]
        return len(parameters) > 0 and len(needed) <= 1

    @classmethod
    @abstractmethod
    def op_class(cls, name: str, domain: str) -> type[Operation]:
        """The class of the ops of an operator; the domain is empty if it is the source's own."""

    @classmethod
    def of(cls, function: Callable[..., Any], options: Mapping[str, Any]) -> type[Self]:
        """The pattern that a function makes."""
        members = {"function": staticmethod(function), "__module__": function.__module__, **cls.OPTIONS, **options}
        return cast("type[Self]", type(function.__name__, (cls,), members))

    def called(self, op: Operation, /, *arguments: Any, **named: Any) -> list[Any]:
        """What the function returns, one result or several, as a list.

        Raises:
            UserError: that is something else, and the function is a plugin's.
        """
        found: Any = type(self).function(*arguments, **named)
        results = list(cast("Sequence[Any]", found)) if isinstance(found, Sequence) else [found]
        if not all(each is None or isinstance(each, SSAValue | Pair) for each in results):
            raise self.mistake(op, f"returns {found!r}; required: a value, or a list of values")
        return results

    def mistake(self, op: Operation, what: str) -> Exception:
        """The error that the function does something wrong, at its line if it is a plugin's."""
        message = f"'{self.function.__name__}', which converts '{op.name}', {what}"
        place = place_of_code(getattr(self.function, "__code__", None))
        return AssertionError(message) if place is None else UserError(message, place)

    @classmethod
    def register(
        cls, function: Callable[..., Any], ops: Sequence[type[Operation]], benefit: int, options: Mapping[str, Any]
    ) -> None:
        """Let a function convert ops of some classes."""
        lowers(cls.PASS, *ops, benefit=benefit)(cls.of(function, options))


class PatternOfPairs(FunctionPattern):
    """Converts ops that may have complex operands and results, which are pairs of real ones."""

    @property
    def pairs_run(self) -> ConversionOfPairs:
        """The run, which knows what complex values have become."""
        assert isinstance(self.run, ConversionOfPairs)
        return self.run

    def replace(self, op: Operation, results: Sequence[Any], rewriter: PatternRewriter) -> None:
        run = self.pairs_run
        for old, new in zip(op.results, results, strict=False):
            if isinstance(new, Pair):
                run.pairs[old] = new
            elif new is not None:
                new.name_hint = old.name_hint or new.name_hint
                old.replace_all_uses_with(new)
        if any(isinstance(new, Pair) for new in results):
            run.replaced.append(op)
            rewriter.notify_op_modified(op)
        else:
            rewriter.erase(op)


def each_of_parts(op: Operation, convert: Callable[[int], Sequence[Any]]) -> list[Any]:
    """The results of an op whose real (0) and imaginary (1) parts are computed in the same way: that of both where a
    result is complex, else that of the real part."""
    results = zip(op.results, convert(0), convert(1), strict=False)
    return [Pair(re, im) if re is not None and is_complex(r) else re for r, re, im in results]


class Options(TypedDict, total=False):
    """What a function takes, and what is done around it. A source has those that it declares."""

    bounded: bool
    """It takes operands with dims whose extents depend on data. All that is made of them goes through the builder,
    which hands these extents on, and no shape is taken for more than the most that there can be. Others are not called
    for such operands."""
    rounds_once: bool | Callable[[Any], bool]
    """Operands of f16 and bf16 are f32 for it, and results are rounded in the end: several graph ops would round, and
    overflow, between them. A function of the call says where that depends on it."""
    parts: bool
    """It runs for the real and for the imaginary parts of complex numbers on their own, as a move does."""
    pairs: bool
    """It is for complex numbers only, and gets and returns a `Pair` for each; another function is for real ones."""
    sizes: tuple[str, ...]
    """The integers among its arguments that may depend on extents of the call; it gets them as sizes
    (`operators/sizes.py`). A call is refused where others do."""
    asserts: bool
    """It does more than to say what results are, and is called where these have no elements, too."""


@dataclass(frozen=True)
class Converts:
    """The decorator of a source: `converts = Converts(FromOnnx)`."""

    pattern: type[FunctionPattern]

    def __call__(
        self, *names: str, domain: str = "", benefit: int = 1, **options: Unpack[Options]
    ) -> Callable[[_F], _F]:
        """Decorator of a function that converts the operators with these names, of a domain that is not the source's
        own if one is given. The function of the highest benefit counts; those of mlc have 1.

        Raises:
            TypeError: the source has no such option, or the function does not take a call of the operator.
            ValueError: another function with this benefit converts one of the operators.
        """
        pattern = self.pattern
        if unknown := [option for option in options if option not in pattern.OPTIONS]:
            raise TypeError(
                f"conversions of '{pattern.PASS}' have no option '{unknown[0]}'; they have domain, benefit, "
                f"{', '.join(pattern.OPTIONS)}"
            )

        def register(function: _F) -> _F:
            parameters = inspect.signature(function).parameters
            if not pattern.takes(parameters):
                found = ", ".join(parameters)
                raise TypeError(f"'{function.__name__}' takes ({found}); required: {pattern.PARAMETERS}")
            pattern.register(function, [pattern.op_class(name, domain) for name in names], benefit, {**options})
            return function

        return register
