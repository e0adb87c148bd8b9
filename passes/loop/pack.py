"""`pack`: store an operand in the order in which the blocks of a loop read it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import (
    ModuleOp,
)

from mlc.analysis.legality import note_if_refused
from mlc.analysis.nests import functions_with_loops, loops_named
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.pack import Packer, argument_of
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError


@dataclass(frozen=True)
class PackPass(Pass):
    """Store an argument of each function as panels, one for each block of a tiled loop.

    `--tile="sizes=0,64" --pack="argument=w loop=n"`:

        func.func private @f(%w: memref<784x200xf32>, …) { for n in 0..200 step 64: … %w[k, n + ni] … }
        call @f(%weights, …)
    ->
        func.func private @f(%w: memref<4x784x64xf32>, …) { for n in 0..200 step 64: … %w[n floordiv 64, k, ni] … }
        call @f(%weights_in_panels, …)

    So a block reads memory from front to back, whatever the shape of the matrix. If all callers pass constants, these
    are packed now; else the kernel packs its argument before it starts. The last panel is filled up with zeros.
    """

    name = "pack"

    argument: str = ""
    """The name of the argument, without `%`; `arg1` for the second argument."""
    loop: str = ""
    """The name of the loop over blocks."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.argument or not self.loop:
            raise UserError('pack: expected an argument and a loop, as in "argument=w loop=n"')
        require_loops(module, self.name, [self.loop])
        packer = Packer.of(module, ctx)
        for function in functions_with_loops(module):
            if not (loops := loops_named(function, self.loop)):
                continue
            with note_if_refused(ctx.remarks, function, f"'{self.argument}' not packed"):
                packer.pack(argument_of(function, self.argument), loops)
