"""Loops that the options of a pass name have to exist: a name that is wrong is not to be silence."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp

from mlc.dialects.loop import ForOp
from mlc.support.errors import UserError


def require_loops(module: ModuleOp, pass_name: str, names: Iterable[str]) -> None:
    """Check that each of `names` is the name of a loop somewhere in `module`.

    Raises:
        UserError: one is not; it lists the names that there are.
    """
    present = dict.fromkeys(op.dim.data for op in module.walk() if isinstance(op, ForOp))
    for name in names:
        if name not in present:
            there = f"the loops {', '.join(present)}" if present else "no loops: run --lower-to-loops first"
            raise UserError(f"{pass_name}: no loop is named '{name}'; the module has {there}")
