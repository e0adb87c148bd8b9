"""What the inputs of an op may be: indices, the starts of rows. Inputs drawn at random obey it (`--check-each`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from mlc.support.functions import ASCENDING, RANGE, marks_of, range_in
from mlc.support.locations import error_at


@dataclass(frozen=True)
class AllowedValues:
    """The elements of an input are from `least` to `most`, both included."""

    least: int
    most: int
    ascending: bool = False
    """Whether none is less than the one before it in its row, and the first and the last are `least` and `most`: the
    starts of the rows of a sparse matrix (CSR)."""
    step: int = 1
    """How far apart they are."""


class DeclaresInputs(ABC):
    """An op that is defined for some values of its operands only. A class of ops derives from it, beside its base."""

    @abstractmethod
    def input_values(self, operand: int) -> AllowedValues | None:
        """What the operand of this number may be; None for any values."""


class _Known(Protocol):
    def __call__(self, function: str) -> Sequence[AllowedValues | None]: ...


def values_of_inputs(function: FuncOp, calls: Sequence[CallOp], known: _Known) -> list[AllowedValues | None]:
    """What each argument of a function may be: as its attributes say (`mlc.range`, `mlc.ascending`), or an op that
    uses it, or one of its `calls`, of whose arguments `known` is told.

    Raises:
        UserError: an attribute is not two numbers.
    """
    arguments = function.body.block.args
    marks = marks_of(arguments, function.arg_attrs)
    found = [_said(function, said) or _of_users(value) for value, said in zip(arguments, marks, strict=True)]
    for call in calls if None in found else ():
        found = [mine or _of_argument(v, known) for mine, v in zip(found, call.arguments, strict=True)]
    return found


def _said(function: FuncOp, marks: Mapping[str, Attribute]) -> AllowedValues | None:
    said = marks.get(RANGE)
    if said is None:
        return None
    ends: Sequence[Any] = cast(Any, said).get_values() if isinstance(said, DenseArrayBase) else ()
    allowed = range_in(marks) if all(isinstance(end, int) for end in ends) else None
    if allowed is None:
        required = "the least and the greatest value, as array<i64: 0, 9>, and perhaps how far apart they are"
        raise error_at(function, f"'{RANGE}' is {said}; required: {required}")
    return AllowedValues(allowed[0], allowed[-1], ASCENDING in marks, allowed.step)


def _of_users(value: SSAValue) -> AllowedValues | None:
    users = [use for use in value.uses if isinstance(use.operation, DeclaresInputs)]
    return next((v for use in users if (v := cast(DeclaresInputs, use.operation).input_values(use.index))), None)


def _of_argument(value: SSAValue, known: _Known) -> AllowedValues | None:
    """What an argument of a call may be, if it is one of the caller's own."""
    if not isinstance(value, BlockArgument):
        return None
    caller: Operation | None = value.block.parent_op()
    values = known(caller.sym_name.data) if isinstance(caller, FuncOp) else ()
    return values[value.index] if value.index < len(values) else None
