"""What a pass is.

A pass is a dataclass with a `name`, its options as typed fields with defaults, and `run`. It lives alone in a file
whose name is the pass name (`passes/loop/tile.py` holds `tile`); `passes/registry.py` finds it there. The folder says
at which level of the IR it works.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc.support.context import CompilerContext
from mlc.support.rounding import Rounding


@dataclass(frozen=True)
class Place:
    """Where a pass runs in the named pipelines."""

    before: str
    """The pass in front of which it runs, in all pipelines that have that one."""
    reason: str
    """What for, in a few words."""


@dataclass(frozen=True)
class Pass(ModulePass):
    """A transformation of a module, in place. The first line of its docstring is its one-line description."""

    ir_level: ClassVar[str | None] = None
    """The level of the IR that the pass works on or, of a crossing, starts from; None if it works on any.

    A pass in a folder `passes/<level>/` or `passes/<level>_to_<level>/` need not declare it; one in `passes/any_level/`
    has none.
    """

    rounding: ClassVar[Rounding | None] = None
    """How far the pass may move what floats are; None if every bit stays. `--check-each` holds the pass to it."""

    place: ClassVar[Place | None] = None
    """Where the named pipelines run it, if it is a pass of a plugin; None if they do not."""

    def rounding_in(self, module: ModuleOp) -> Rounding | None:
        """How far it may have moved floats in `module`, as it left it: `rounding`, unless the module allows more."""
        del module
        return self.rounding

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        package, _, rest = cls.__module__.partition(".passes.")
        if package == "mlc" and "ir_level" not in vars(cls):
            folder = rest.partition(".")[0]
            cls.ir_level = None if folder == "any_level" else folder.partition("_to_")[0]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run under any xDSL driver; one that brings no weight data gets an empty store."""
        self.run(op, ctx if isinstance(ctx, CompilerContext) else CompilerContext())

    @abstractmethod
    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        """Transform `module`; it verifies before and after.

        Raises:
            UserError: the module asks for something that cannot be done.
        """
