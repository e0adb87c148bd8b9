"""Errors about ops that a conversion refuses: one for all that are refused for the same reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import NameLoc
from xdsl.ir import Operation

from mlc.support.errors import UserError
from mlc.support.locations import location_of

_NAMED = 3
"""How many ops a message names."""


def refusals(refused: Iterable[tuple[Operation, str]], describe: Callable[[Operation], str]) -> Iterator[UserError]:
    """One error for each kind of op, as `describe` names it, and reason, with the number of ops and some names."""
    groups: dict[tuple[str, str], list[Operation]] = {}
    for op, reason in refused:
        groups.setdefault((describe(op), reason), []).append(op)
    for (name, reason), ops in groups.items():
        yield UserError(f"{name}: {reason}{_count(ops)}", location_of(ops[0]))


def grouped(wrong: Mapping[Operation, UserError]) -> list[UserError]:
    """One error for each message, with the number of ops and the names of some."""
    groups: dict[str, list[Operation]] = {}
    for op, error in wrong.items():
        groups.setdefault(error.message, []).append(op)
    return [UserError(f"{message}{_count(ops)}", wrong[ops[0]].location) for message, ops in groups.items()]


def labels(ops: Sequence[Operation]) -> list[str]:
    """The names of some ops, quoted, and dots if there are more."""
    names = [f"'{op.location.desc.data}'" for op in ops if isinstance(op.location, NameLoc)]
    return [*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])]


def _count(ops: Sequence[Operation]) -> str:
    """How many ops there are, and the names of some; nothing for one."""
    named = ", ".join(labels(ops))
    return f" ({len(ops)} nodes{f': {named}' if named else ''})" if len(ops) > 1 else ""
