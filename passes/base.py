"""What a pass is.

A pass is a dataclass with a `name`, its options as typed fields with defaults, and `run`. It lives alone in a file
whose name is the pass name (`passes/loop/tile.py` holds `tile`); `passes/registry.py` finds it there.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class Pass(ModulePass):
    """A transformation of a module, in place. The first line of its docstring is its one-line description."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run under any xDSL driver; one that brings no weight data gets an empty store."""
        self.run(op, ctx if isinstance(ctx, CompilerContext) else CompilerContext())

    @abstractmethod
    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        """Transform `module`; it verifies before and after.

        Raises:
            UserError: the module asks for something that cannot be done.
        """
