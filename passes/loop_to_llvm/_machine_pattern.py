"""Patterns that ask what the target can do."""

from __future__ import annotations

from functools import cached_property

from xdsl.pattern_rewriter import RewritePattern

from mlc.support.context import CompilerContext
from mlc.targets.machine import Machine, resolve_target


class MachinePattern(RewritePattern):
    """A pattern that knows the target, which is resolved when it is first asked for."""

    def __init__(self, ctx: CompilerContext) -> None:
        self._target = ctx.target

    @cached_property
    def machine(self) -> Machine:
        """The target."""
        return resolve_target(self._target)
