"""Dialects with more ops than they list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Dialect, Operation


class OpenDialect(Dialect):
    """A dialect that makes a class for an op when a text first names it: the operators of a domain that nobody listed.

    `op_named` gives it, or None for what is not a name of an op.
    """

    def __init__(
        self,
        name: str,
        operations: Sequence[type[Operation]],
        attributes: Sequence[type[Attribute]],
        op_named: Callable[[str], type[Operation] | None],
    ) -> None:
        super().__init__(name, list(operations), list(attributes))
        self.op_named = op_named
