"""What a module asserts of the shapes that it is given: `stablehlo.custom_call @shape_assertion(%holds, %a, %b)`."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import StringAttr

from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, in_symbols
from mlc.frontends.stablehlo.to_graph._calls import HloCall

_PLACE = re.compile(r"{(\d+)}")
"""Where the message has an operand, by its number after the first one."""


def require_asserted(b: HloCall) -> None:
    """Check that an assertion holds, for all extents that a call may have.

    Raises:
        Unconvertible: it does not, or that is not proved.
    """
    known = b.known(0)
    sizes = b.knowledge.sizes.get(b[0])
    holds: AnySize | None = int(known.item()) if known is not None else None if sizes is None else sizes.item()
    if holds == 1:
        return
    found = "is not met" if holds == 0 else "is not proved for all extents that a call may have"
    raise Unconvertible(f"an assertion {found}: {_PLACE.sub(lambda m: _shown(b, int(m[1]) + 1), _message(b))}")


def _message(b: HloCall) -> str:
    said = b.op.attributes.get("error_message")
    return said.data if isinstance(said, StringAttr) else "it has no message"


def _shown(b: HloCall, index: int) -> str:
    """An operand in words."""
    if index >= len(b.op.operands):
        return "?"
    try:
        return ", ".join(map(in_symbols, b.sizes(index)))
    except Unconvertible:
        return "?"
