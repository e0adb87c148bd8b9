"""`vectorize`: run the iterations of a loop as the lanes of vectors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.legality import note_if_refused
from mlc.analysis.nests import functions_with_loops, loops_named
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.vectorize import require_at_most, vectorize
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError


@dataclass(frozen=True)
class VectorizePass(Pass):
    """Turn the named parallel loops into vector code, one lane per iteration.

    `--vectorize="loops=ni"`, `--vectorize="loops=ni lanes=16"`: see `vectorize`. A loop that cannot be vectorized
    stays, with a remark that says why.
    """

    name = "vectorize"

    loops: tuple[str, ...] = ()
    """The names of the loops."""
    lanes: int = 0
    """The most lanes of a vector, some of which may stay inactive; 0 for exactly one per iteration."""
    limit: int = 64
    """The most lanes; longer loops are to be tiled first."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loops:
            raise UserError('vectorize: expected the names of loops, as in "loops=ni"')
        require_loops(module, self.name, self.loops)
        for function in functions_with_loops(module):
            for name in self.loops:
                for loop in reversed(loops_named(function, name)):
                    with note_if_refused(ctx.remarks, loop, f"loop '{name}' not vectorized"):
                        require_at_most(loop, self.limit)
                        vectorize(loop, self.lanes or None)
