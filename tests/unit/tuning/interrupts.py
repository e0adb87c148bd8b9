"""Ctrl-C in the middle of a search."""

from __future__ import annotations

from typing import Any

import pytest

from mlc.tuning.kernel_search import KernelSearch


def interrupt_after_the_first_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise KeyboardInterrupt once a candidate was measured, also one that is faster alone, and not in its model."""

    def then_interrupt(then: Any) -> Any:
        def measured(self: KernelSearch, *arguments: Any) -> None:
            then(self, *arguments)
            raise KeyboardInterrupt

        return measured

    monkeypatch.setattr(KernelSearch, "measured", then_interrupt(KernelSearch.measured))
    monkeypatch.setattr(KernelSearch, "disappointed", then_interrupt(KernelSearch.disappointed))
