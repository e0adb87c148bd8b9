"""Where an operation stands in its source, as far as it is known."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, LocationAttr, NameLoc, UnknownLoc
from xdsl.ir import Attribute, Operation

from mlc.support.errors import SourceLocation, UserError


def location_of(op: Operation) -> SourceLocation | None:
    """The source location of `op`, or of the nearest enclosing op that has one."""
    found = known_location_of(op)
    return None if found is None else found[1]


def known_location_of(op: Operation) -> tuple[Attribute, SourceLocation] | None:
    """The location of `op`, or of the nearest enclosing op that has one, as the IR has it, and what it means.

    The attribute tells ops apart that stand in one line: its names are those of nodes.
    """
    current: Operation | None = op
    while current is not None:
        if (found := _resolve(current.location)) is not None:
            return current.location, found
        current = current.parent_op()
    return None


def error_at(op: Operation, message: str) -> UserError:
    """A user error about `op`, placed there."""
    error = UserError(message, location_of(op))
    error.subject = op.name
    return error


def place_new_ops(op: Operation, location: LocationAttr) -> None:
    """Give `op`, and the ops in it, that have no location one: of the op around them, and at the outside `location`."""
    if isinstance(op.location, UnknownLoc):
        op.location = location
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                place_new_ops(inner, op.location)


def _resolve(location: Attribute) -> SourceLocation | None:
    match location:
        case FileLineColLoc():
            return SourceLocation(location.filename.data, location.line.data, location.column.data)
        case UnknownLoc():
            return None
        case NameLoc():
            inner = _resolve(location.location)
            return replace(inner, name=location.desc.data) if inner and not inner.line else inner
        case CallSiteLoc():
            return _resolve(location.callee)
        case FusedLoc():
            return next((r for part in cast(ArrayAttr[Attribute], location.locations) if (r := _resolve(part))), None)
        case _:
            return None
