"""`partition-loops`: split loops into a border and an interior, so that no padded copy of an image is needed."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.partition import Partition
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.rounding import Rounding


@dataclass(frozen=True)
class PartitionLoopsPass(Pass):
    """Read images themselves instead of padded copies, by splitting the named loops into borders and what is inside.

    `--partition-loops="loops=y,x"`: see the step `partition`. A buffer whose windows have another form
    stays, with a remark.
    """

    name = "partition-loops"
    rounding = Rounding(0, "products with padding are left out", skips_zeros=True)

    loops: tuple[str, ...] = ()
    """The names of the loops over positions."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loops:
            raise UserError('partition-loops: expected the names of loops, as in "loops=y,x"')
        require_loops(module, self.name, self.loops)
        step = Partition.along(*self.loops)
        for function in functions_with_loops(module):
            ctx.remarks += step.apply_to(function)
