"""Choosing the loops of reductions that read nothing along memory: every third element, a diagonal, one column of some.

LLVM makes vectors of loops that are left as they are, but not of those that add up floats, since their order would
change. So the last dim of the result becomes vectors, whose lanes are loaded one by one: that takes less than half of
the time in which additions wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.steps.vectorize_reduction import VectorizeReduction
from mlc.schedules.templates.row import nests_of


class Gathers(ScheduleTemplate):
    """One nest that reduces what does not follow each other in memory: vectors that are loaded lane by lane."""

    name = "gather"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        nests, lanes = nests_of(kernel.ops), kernel.lanes
        if len(nests) != 1 or not nests[0].reductions:
            return
        results = list(nests[0].over)
        reduced = nests[0].reductions[0].dim_names[-1]
        if not results:
            yield Candidate((VectorizeReduction(reduced, lanes),))
            return
        yield Candidate((Tile(results[-1], lanes), Vectorize(f"{results[-1]}i", lanes)))
        yield Candidate((Tile(results[-1], 4), Unroll(f"{results[-1]}i")), "4 results at a time, no vectors")
        yield Candidate((VectorizeReduction(reduced, lanes),), "terms of a result as vectors")
