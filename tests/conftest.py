"""What all tests share: a compile cache of their own, kept between runs, and a way to call the command lines."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Keep the user's compile cache out of the tests, and the tests' own across runs."""
    patch = pytest.MonkeyPatch()
    patch.setenv("MLC_CACHE_DIR", str(config.cache.mkdir("mlc")) if config.cache else "")
    patch.delenv("MLC_CC", raising=False)
    patch.delenv("MLC_TRACEBACK", raising=False)
    config.add_cleanup(patch.undo)


@dataclass(frozen=True)
class Result:
    """How a command line ended."""

    status: int
    out: str
    err: str


class CommandLine(Protocol):
    """Calls a tool with arguments and, perhaps, standard input."""

    def __call__(self, *arguments: str, stdin: bytes | str = b"") -> Result: ...


@pytest.fixture
def mlc_opt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs `mlc-opt` in this process."""
    from mlc.tools.mlc_opt import main

    return _caller(main, capsys, monkeypatch)


@pytest.fixture
def mlc(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs `mlc` in this process."""
    from mlc.tools.mlc import main

    return _caller(main, capsys, monkeypatch)


def _caller(
    main: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> CommandLine:
    def call(*arguments: str, stdin: bytes | str = b"") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capsys.readouterr()
        status = main(arguments)
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return call
