"""Constraints of ops by their names, and what upstream requires of ops and types of xDSL's beyond what their own
verifiers check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException


class Violation(VerifyException):
    """A broken constraint of an op. The message is for those who write such ops, `reason` also for those whose model
    became such; `constraint` is its name, `matmul_c2`, by which the documentation of the op lists it."""

    def __init__(self, message: str, reason: str, constraint: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.constraint = constraint


_checks: defaultdict[type[Operation], list[Callable[[Any], None]]] = defaultdict(list)
_type_checks: dict[type[Attribute], Callable[[Any], None]] = {}
complete_dialects: set[str] = set()
"""The dialects of which mlc knows all types and attributes that upstream has: others of theirs are mistakes."""


def requires(*operations: type[Operation]) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """A decorator for a function that raises VerifyException where an op of these classes, or of classes derived from
    them, is not valid.
    """

    def register(check: Callable[[Any], None]) -> Callable[[Any], None]:
        for operation in operations:
            _checks[operation].append(check)
        return check

    return register


def check_requirements(op: Operation) -> None:
    """Check an op that its own verifier has accepted.

    Raises:
        VerifyException: it is not valid.
    """
    for kind in type(op).__mro__:
        for check in _checks.get(kind, ()):
            check(op)


def requires_of_type(*types: type[Attribute]) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """A decorator for the function that raises VerifyException where a type in a text is not valid."""

    def register(check: Callable[[Any], None]) -> Callable[[Any], None]:
        _type_checks.update(dict.fromkeys(types, check))
        return check

    return register


def check_type(attribute: Attribute) -> None:
    """Check a type or an attribute of a dialect that a text holds.

    Raises:
        VerifyException: it is not valid.
    """
    if (check := _type_checks.get(type(attribute))) is not None:
        check(attribute)
