"""Estimates of the kernels of a page: by one process or by several, of which some may end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mlc.tools.explorer import kernel_estimates
from mlc.tools.explorer.document import KernelPage
from mlc.tools.explorer.stored_page import documents_in
from mlc.tuning.isolated import Failure, Job

from .explored import save_hostile_model

if TYPE_CHECKING:
    from tests.conftest import CommandLine


class _FirstEnds(Job):
    """A process, the first of which ends before it has said anything."""

    started = 0

    def value(self) -> object:
        """As if it had crashed."""
        type(self).started += 1
        return Failure("crash", "ended by SIGSEGV") if self.started == 1 else super().value()


@pytest.mark.slow
def test_several_processes_estimate_what_one_does(
    tmp_path: Path, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, page = str(save_hostile_model(tmp_path)), tmp_path / "page.html"

    def kernels(processes: int) -> list[KernelPage]:
        monkeypatch.setenv("MLC_PROCESSES", str(processes))
        assert mlc("explore", model, "-o", str(page), "--target=x86-64-v3").status == 0
        (document,) = documents_in(page.read_text(encoding="utf-8"), page.name)
        return [*document.kernels]

    alone = kernels(1)
    assert len(alone) == 2 and all(each.costs is not None for each in alone)
    assert all(each.neighbours for each in alone)
    assert kernels(3) == alone
    monkeypatch.setattr(kernel_estimates, "Job", _FirstEnds)
    assert kernels(2) == alone
    assert _FirstEnds.started == 4
