"""Verifying a module, with errors located at the offending operation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from traceback import walk_tb

import xdsl
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from mlc.support.errors import UserError
from mlc.support.locations import error_at, location_of
from mlc.support.requirements import Violation, check_requirements
from mlc.syntax.accepted import AcceptedOps
from mlc.syntax.dominance import error_of, undominated_uses
from mlc.syntax.errors import LIMIT, mistake_of, raise_all, reason_of
from mlc.syntax.mismatches import explain
from mlc.syntax.names import go_on
from mlc.syntax.region_flow import problems_of_flow
from mlc.syntax.structure import problems_of
from mlc.syntax.symbols import indexed_symbols, redefinitions
from mlc.syntax.words import name_of, one_line

_XDSL = Path(xdsl.__file__).parent


def verify_module(module: Operation, *, checked: bool = True, check: Callable[[], None] = go_on) -> None:
    """Check every operation, its blocks and branches, and that definitions dominate uses. The time is linear.

    Args:
        module: or an operation in one, which is checked with all inside it.
        checked: whether upstream's requirements hold that xDSL's ops do not have (`parse_module`).
        check: is called before each operation, and may raise `ReadingStopped`.

    Raises:
        ReadingStopped: `check` raises it.
        UserError: at the operation that is wrong, with its verifier's message (UserErrors: in several places).
    """
    errors: list[UserError] = []
    failed: set[Operation] = set()  # what is wrong inside of an operation would be told again
    accepted = AcceptedOps()
    with indexed_symbols():
        for op in _inner_first(module):
            check()
            if op not in failed:
                problems = [*problems_of(op)] or [*problems_of_flow(op)]
                found = [error_at(place, message) for place, message in problems]
                found = found or redefinitions(op) or _errors_of(op, accepted, checked)
                errors += found
                failed.update([op] if found else ())
            if op in failed and (outer := op.parent_op()) is not None:
                failed.add(outer)
            if len(errors) >= LIMIT:
                break
    if not errors:
        errors = [error_of(op, operand) for op, operand in islice(undominated_uses(module), LIMIT)]
    if errors:
        raise_all(errors[:LIMIT])


def _inner_first(root: Operation) -> list[Operation]:
    """All operations in the order of the text, each after those that it contains; nesting may be deep."""
    order: list[Operation] = []
    pending = [root]
    while pending:
        op = pending.pop()
        order.append(op)
        for region in op.regions:
            for block in region.blocks:
                pending.extend(block.ops)
    return order[::-1]


def _errors_of(op: Operation, accepted: AcceptedOps, checked: bool) -> list[UserError]:
    """What the verifiers of an operation, of its traits and of its class, say, and what upstream requires besides.

    `Operation.verify` of xDSL would do the same and look at blocks, which `structure.py` does in linear time. Where a
    class has a method of that name, it is called after the others, as it may count on what they check.
    """
    try:
        accepted.verify(op)
        if type(op).verify is not Operation.verify:
            op.verify(verify_nested_ops=False)
        if checked:
            check_requirements(op)
    except Exception as e:
        if (mistake := mistake_of(type(op), e, location_of(op))) is not None:
            raise mistake from e
        if (reason := reason_of(e, f"its verifier fails with {type(e).__name__}: {one_line(str(e))}")) is None:
            raise
        message = explain(op, str(e) if isinstance(e, VerifyException) else reason)
        error = error_at(op, message if _names_op(e) else f"'{name_of(op)}': {message}")
        error.constraint = e.constraint if isinstance(e, Violation) else None
        error.__cause__ = e
        return [error]
    return []


def _names_op(error: Exception) -> bool:
    """Whether an error says which op it is about: our verifiers do, and those of plugins are told to; xDSL's do not."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return isinstance(error, VerifyException) and not Path(frame.f_code.co_filename).is_relative_to(_XDSL)
