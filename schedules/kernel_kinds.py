"""What plugins import that were written before schedule templates had this name: it works, with a warning."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel, distinct
from mlc.support.former_names import warn_of_name

Offer = Candidate


class KernelKind(ScheduleTemplate):
    """A schedule template whose candidates are called offers."""

    @abstractmethod
    def offers(self, kernel: TensorKernel) -> Iterator[Candidate]:
        """The candidates."""

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        return self.offers(kernel)


warn_of_name(
    "'mlc.schedules.kernel_kinds' is called 'mlc.schedules.schedule_template' now: "
    "derive from ScheduleTemplate, whose method is 'candidates', and yield Candidate"
)

__all__ = ["KernelKind", "Offer", "TensorKernel", "distinct"]
