"""Who measures schedules: this machine, or, with the same interface, the workers of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mlc.schedules.records.record import TunedMachine
from mlc.tuning.work import Answer, Site, Work
from mlc.tuning.workplace import Workplace


class Executor(Protocol):
    """Carries out work at places that may come and go."""

    def sites(self) -> Sequence[Site]:
        """The places that there are now.

        Raises:
            UserError: there are none, and none is to be expected.
        """
        ...

    def start(self, site: Site, work: Work) -> None:
        """Give work to a place that has none."""
        ...

    def wait(self, seconds: float) -> Sequence[tuple[Site, Work, Answer]]:
        """What was done since the last call, after waiting so long at most if that is nothing; no work is begun for 0.

        The answer of a place that is gone is `Lost`.
        """
        ...


class LocalExecutor:
    """This machine, in this process: nothing runs beside what is measured."""

    def __init__(self, workplace: Workplace, machine: TunedMachine, jobs: int) -> None:
        """
        Raises:
            UserError: a kernel cannot be compiled or run as it is.
        """
        self._workplace = workplace
        self._site = Site("", machine, jobs, tuple(workplace.survey()))
        self._work: Work | None = None

    def sites(self) -> Sequence[Site]:
        return [self._site]

    def start(self, site: Site, work: Work) -> None:
        self._work = work

    def wait(self, seconds: float) -> Sequence[tuple[Site, Work, Answer]]:
        if (work := self._work) is None:
            return []
        self._work = None
        if (found := self._workplace.so_far) is not None:  # an interrupt came before the rest was measured
            self._workplace.so_far = None
            return [(self._site, work, found)]
        if not seconds:
            return []
        try:
            return [(self._site, work, self._workplace.carry_out(work))]
        except KeyboardInterrupt:
            self._work = work if self._workplace.so_far is not None else None
            raise
