"""What upstream requires of ops of xDSL's beyond what their own verifiers check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation

_checks: defaultdict[type[Operation], list[Callable[[Any], None]]] = defaultdict(list)


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
