"""Choosing the loops of products of one vector with a matrix: sums of its rows, with a factor for each."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import BlockArgument

from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel
from mlc.schedules.templates.column import column_candidates, column_reduction


class ColumnProducts(ScheduleTemplate):
    """Products of one vector with a matrix that nobody could pack beforehand: read side by side, as sums of rows are.

    Not for a matrix that is known when the program is compiled: that is packed, so that a tile of registers reads it
    front to back. Half a page of each row at a time leaves something for a second thread where a row is one page.
    """

    name = "column_product"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        found, machine = column_reduction(kernel.ops, kernel.machine), kernel.machine
        if found is None or not found.op.contracts or found.bytes <= machine.l1_bytes or not found.is_read_once:
            return
        operands = {value for value in found.op.inputs if isinstance(value, BlockArgument)}
        if not any((kernel.function.sym_name.data, value.index) in kernel.constants for value in operands):
            yield from column_candidates(found, kernel.lanes, machine.memory.set_period // 2)
