"""Why a node cannot be converted."""

from __future__ import annotations

from mlc.support.bindings import NEEDS_VALUE


class Unconvertible(Exception):
    """What a node asks for cannot be done. The message says what was found, and what is required."""


class Unfit(Unconvertible):
    """The shapes or types of operands do not fit. The message says so of graph ops; what the specification says of the
    node, if it says anything, comes first."""


class Unknown(Unconvertible):
    """A node needs the values of an operand, which are known only when the model runs."""

    def __init__(self, operand: str) -> None:
        super().__init__(
            f"'{operand}' {NEEDS_VALUE}, and depends on what the model is given; "
            "an input that only steers is given by --value NAME=NUMBER"
        )
