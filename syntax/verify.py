"""Verifying a module, with errors located at the offending operation."""

from __future__ import annotations

from itertools import islice

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from mlc.support.errors import UserError, UserErrors
from mlc.support.locations import error_at
from mlc.syntax.dominance import error_of, undominated_uses
from mlc.syntax.mismatches import explain

_LIMIT = 5
"""Errors that are reported for one module (xDSL prints the whole module for each)."""


def verify_module(module: ModuleOp) -> None:
    """Check every operation, and that definitions dominate uses.

    Raises:
        UserError: at the operation that is wrong, with its verifier's message (UserErrors: in several places).
    """
    errors: list[UserError] = []
    failed: set[Operation] = set()
    for op in _inner_first(module):
        error = None if op in failed else _error_in(op)  # what is wrong inside would be told again
        if error is None and op not in failed:
            continue
        if error is not None:
            errors.append(error)
        if (outer := op.parent_op()) is not None:
            failed.add(outer)
        if len(errors) == _LIMIT:
            break
    if not errors:
        errors = [error_of(op, operand) for op, operand in islice(undominated_uses(module), _LIMIT)]
    if errors:
        raise errors[0] if len(errors) == 1 else UserErrors(errors)


def _inner_first(root: Operation) -> list[Operation]:
    """All operations in the order of the text, each behind those that it contains; nesting may be deep."""
    order: list[Operation] = []
    pending = [root]
    while pending:
        op = pending.pop()
        order.append(op)
        for region in op.regions:
            for block in region.blocks:
                pending.extend(block.ops)
    return order[::-1]


def _error_in(op: Operation) -> UserError | None:
    try:
        op.verify(verify_nested_ops=False)
        for region in op.regions:
            _verify_blocks(op, region)
    except DiagnosticException as e:
        # xDSL may wrap the verifier's message into a print of the module.
        text = str(e)
        if text.count("\n") > 2 and isinstance(e.__cause__, VerifyException):
            text = str(e.__cause__)
        message = explain(op, text)
        return error_at(op, message if op.name in message else f"'{op.name}': {message}")
    return None


def _verify_blocks(op: Operation, region: Region) -> None:
    block = region.first_block
    if block is not None and block is region.last_block and block.is_empty and not op.has_trait(NoTerminator):
        raise VerifyException("a region's only block is empty, it needs at least a terminator")
