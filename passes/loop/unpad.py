"""`unpad`: let windows at the border of an image run over what is inside it, so that no padded copy is needed."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.unpad import Unpad
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.rounding import Rounding


@dataclass(frozen=True)
class UnpadPass(Pass):
    """Read images themselves instead of padded copies, by splitting the named loops into borders and what is inside.

    `--unpad="loops=y,x"`: see `unpad`. A buffer whose windows have another form stays, with a remark.
    """

    name = "unpad"
    rounding = Rounding(0, "products with padding are left out", skips_zeros=True)

    loops: tuple[str, ...] = ()
    """The names of the loops over positions."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loops:
            raise UserError('unpad: expected the names of loops, as in "loops=y,x"')
        require_loops(module, self.name, self.loops)
        step = Unpad.along(*self.loops)
        for function in functions_with_loops(module):
            ctx.remarks += step.unpad(function)
