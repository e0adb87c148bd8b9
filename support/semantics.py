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


MEANINGS: dict[type[Operation], Meaning] = {}
"""By class of ops; that of an abstract class is for all that derive from it and have none of their own."""


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
        if op_type in MEANINGS:
            raise ValueError(f"'{op_type.name}' has two reference semantics")
        MEANINGS[op_type] = meaning


def meanings_of(module: str) -> Iterator[tuple[type[Operation], Meaning]]:
    """What a Python module has registered, after the ops that it is for."""
    return ((op_type, each) for op_type, each in MEANINGS.items() if each.function.__module__ == module)
