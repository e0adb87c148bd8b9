"""Passes that are written for xDSL alone: each runs as a pass of mlc does."""

from __future__ import annotations

import dataclasses
import inspect
from functools import cache
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext


def as_pass(foreign: ModulePass) -> Pass:
    """A pass of xDSL as one of mlc, with its options.

    Raises:
        TypeError: it is not a pass.
    """
    if isinstance(foreign, Pass):
        return foreign
    if not isinstance(cast(object, foreign), ModulePass):
        raise TypeError(f"found {foreign!r} as pass; required: an object of a class of passes, such as FusePass()")
    fields = [f.name for f in dataclasses.fields(foreign) if f.init]
    return as_pass_type(type(foreign))(**{name: getattr(foreign, name) for name in fields})


@cache
def as_pass_type(foreign: type[ModulePass]) -> type[Pass]:
    """A class of passes of xDSL as one of passes of mlc, with its name, its options and what it says of itself."""
    if issubclass(foreign, Pass):
        return foreign

    def run(self: ModulePass, module: ModuleOp, ctx: CompilerContext) -> None:
        foreign.apply(self, ctx, module)

    members: dict[str, object] = {"__module__": foreign.__module__, "__doc__": foreign.__doc__}
    if not inspect.isabstract(foreign):  # else it has no `apply`, and is not a pass of mlc either
        members["run"] = run
    bases: tuple[type, ...] = (foreign, Pass)
    return type(foreign.__name__, bases, members)  # pyright: ignore[reportGeneralTypeIssues]
