"""Errors about ops that a conversion refuses: one for all that are refused for the same reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import NameLoc
from xdsl.ir import Operation

from mlc.frontends.operators.refusal import Unconvertible
from mlc.support.errors import NamedOption, UserError
from mlc.support.locations import location_of

_NAMED = 3
"""How many ops a message names."""


class ConversionError(UserError):
    """Ops of one kind cannot be converted, for one reason."""

    def __init__(self, name: str, reason: Unconvertible, ops: Sequence[Operation]) -> None:
        super().__init__((f"{name}: ", *reason.words, _count(ops)), location_of(ops[0]))
        self.reason = reason


def refusals(
    refused: Iterable[tuple[Operation, Unconvertible]], describe: Callable[[Operation], str]
) -> Iterator[ConversionError]:
    """One error for each kind of op, as `describe` names it, and reason, with the number of ops and some names."""
    groups: dict[tuple[str, tuple[str | NamedOption, ...]], list[tuple[Operation, Unconvertible]]] = {}
    for op, reason in refused:
        groups.setdefault((describe(op), reason.words), []).append((op, reason))
    for (name, _), group in groups.items():
        yield ConversionError(name, group[0][1], [op for op, _ in group])


def grouped(wrong: Mapping[Operation, UserError]) -> list[UserError]:
    """One error for each message, with the number of ops and the names of some."""
    groups: dict[tuple[str | NamedOption, ...], list[Operation]] = {}
    for op, error in wrong.items():
        groups.setdefault(error.words, []).append(op)
    return [UserError((*words, _count(ops)), wrong[ops[0]].location) for words, ops in groups.items()]


def labels(ops: Sequence[Operation]) -> list[str]:
    """The names of some ops, quoted, and dots if there are more."""
    names = [f"'{op.location.desc.data}'" for op in ops if isinstance(op.location, NameLoc)]
    return [*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])]


def _count(ops: Sequence[Operation]) -> str:
    """How many ops there are, and the names of some; nothing for one."""
    named = ", ".join(labels(ops))
    return f" ({len(ops)} nodes{f': {named}' if named else ''})" if len(ops) > 1 else ""
