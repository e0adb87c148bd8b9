"""A schedule template as a plugin: one op over rows that are as short as a vector, without a tile around it."""

from __future__ import annotations

from collections.abc import Iterator

from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize


class ShortRows(ScheduleTemplate):
    """One op over rows of one vector each: the rows are written out."""

    name = "short_rows"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        if len(kernel.ops) != 1 or kernel.ops[0].num_parallel != 2 or kernel.ops[0].dim_sizes[-1] != kernel.lanes:
            return
        row, lane, *_ = kernel.ops[0].dim_names
        yield Candidate((Vectorize(lane, kernel.lanes), Unroll(row)))
        yield Candidate((Vectorize(lane, kernel.lanes),), "rows in a loop")
