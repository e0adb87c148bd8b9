"""Helpers: parse a text with all dialects, print a module, and read the errors of a wrong text."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from mlc.dialects.registry import register_dialects
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError, UserErrors
from mlc.syntax import parse_module, print_module, verify_module

FILE = "test.mlir"


class Syntax:
    """Parsing and printing in one context."""

    def __init__(self, allow_unregistered: bool = False) -> None:
        self.ctx = CompilerContext(allow_unregistered=allow_unregistered)
        register_dialects(self.ctx)

    def parse(self, text: str, base: Path | None = None) -> ModuleOp:
        module = parse_module(text, FILE, self.ctx, base)
        verify_module(module)
        return module

    def print(self, module: ModuleOp, generic: bool = False, debuginfo: bool = False) -> str:
        stream = StringIO()
        print_module(module, self.ctx, stream, generic, debuginfo)
        return stream.getvalue()

    def errors(self, text: str, base: Path | None = None) -> list[str]:
        """The errors of a wrong text, as `line:column message`, notes behind them as `line:column note message`."""
        with pytest.raises(UserError) as caught:
            self.parse(text, base)
        error = caught.value
        return [line for e in (error.errors if isinstance(error, UserErrors) else [error]) for line in lines_of(e)]


def lines_of(error: UserError) -> list[str]:
    """An error and its notes, one line each."""
    lines = [(error.location, "", error.message), *((n.location, "note: ", n.message) for n in error.notes)]
    return [f"{p.line}:{p.column} {kind}{message}" if p else f"{kind}{message}" for p, kind, message in lines]


@pytest.fixture
def syntax() -> Syntax:
    return Syntax()


@pytest.fixture
def lenient() -> Syntax:
    """Takes operations and attributes of unknown dialects."""
    return Syntax(allow_unregistered=True)


@pytest.fixture
def errors(syntax: Syntax) -> Callable[[str], list[str]]:
    return syntax.errors
