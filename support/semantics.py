"""What ops compute: a function for each class of ops, registered by a decorator beside the op or in `reference/`.

Most ops are functions from arrays to arrays; `evaluates` registers theirs. The others (loops, memory, calls, data
behind resource names) need the frame that holds the values of a running function (`mlc.reference.execution.Frame`);
`executes` registers theirs. A plugin adds its own ops with the same decorators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.ir import Operation

from mlc.support.additions import counts

if TYPE_CHECKING:  # ops are defined without NumPy, and importing it takes 0.1 s
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    Array = Any
Evaluator = Callable[..., Array | Sequence[Array]]
_E = TypeVar("_E", bound=Evaluator)
_X = TypeVar("_X", bound="Callable[[Any, Any], None]")


class UndefinedBehavior(Exception):
    """A program did what has no meaning, such as reading outside of a buffer."""


class InputsUndefined(UndefinedBehavior):
    """A program has no meaning for the inputs at hand, such as an index out of range; it may have one for others."""


@dataclass(frozen=True)
class Meaning:
    """What ops of a class compute."""

    function: Callable[..., Any]
    takes_operands: bool
    """Whether it takes the arrays of the operands, and no frame."""


_meanings: dict[type[Operation], list[Meaning]] = {}
"""By class of ops: of several one counts, as the others are of files that are loaded no more."""


def evaluates(*op_types: type[Operation]) -> Callable[[_E], _E]:
    """Decorator: `f(op, *operands)` computes the result of these ops, or the sequence of their results.

    An abstract class of ops stands for all that derive from it and have no meaning of their own.

    Raises:
        ValueError: an op has a meaning already.
    """

    def register(function: _E) -> _E:
        _register(op_types, Meaning(function, takes_operands=True))
        return function

    return register


def executes(*op_types: type[Operation]) -> Callable[[_X], _X]:
    """Decorator: `f(op, frame)` runs these ops in a frame, from which it takes operands and where it puts results.

    Raises:
        ValueError: an op has a meaning already.
    """

    def register(function: _X) -> _X:
        _register(op_types, Meaning(function, takes_operands=False))
        return function

    return register


def _register(op_types: Sequence[type[Operation]], meaning: Meaning) -> None:
    for op_type in op_types:
        if _counting(op_type) is not None:
            raise ValueError(f"'{op_type.name}' has two reference semantics")
        _meanings.setdefault(op_type, []).append(meaning)


def meaning_of(op_type: type[Operation]) -> Meaning | None:
    """What is registered for a class of ops, or else for its nearest abstract base."""
    return next((found for base in op_type.__mro__ if (found := _counting(base)) is not None), None)


def _counting(op_type: type[Operation]) -> Meaning | None:
    return next((each for each in _meanings.get(op_type, ()) if counts(each.function.__module__)), None)


def meanings_of(module: str) -> Iterator[tuple[type[Operation], Meaning]]:
    """What a Python module has registered, after the ops that it is for."""
    found = ((op_type, each) for op_type, meanings in _meanings.items() for each in meanings)
    return ((op_type, each) for op_type, each in found if each.function.__module__ == module)
