"""A plugin of pytest that runs tests in another order: `-p mlc.testing.shuffled`; `MLC_ORDER=7` asks for this one."""

from __future__ import annotations

import os
import random
import secrets

import pytest

_VARIABLE = "MLC_ORDER"


def pytest_configure(config: pytest.Config) -> None:
    """Choose an order that all workers share."""
    del config
    os.environ.setdefault(_VARIABLE, str(secrets.randbelow(10**6)))


def pytest_report_header() -> str:
    """Say which order it is."""
    return f"{_VARIABLE}={os.environ[_VARIABLE]}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests into that order."""
    random.Random(int(os.environ[_VARIABLE])).shuffle(items)
