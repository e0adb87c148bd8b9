"""Torch is made ready before its tests are timed, and draws the same numbers in each."""

from __future__ import annotations

import sys
from typing import Any

import pytest


@pytest.fixture(scope="session")
def ready_torch() -> Any:
    """The package, with all that the first compilation imports; None where no test imports it."""
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.compile(_next, backend="mlc")(torch.ones(1, requires_grad=True)).sum().backward()
    return torch


def _next(x: Any) -> Any:
    return x + 1


@pytest.fixture(autouse=True)
def seeded(ready_torch: Any) -> None:
    """The same random numbers for each test."""
    if ready_torch is not None:
        ready_torch.manual_seed(0)
