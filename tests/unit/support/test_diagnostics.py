"""Errors as text."""

from __future__ import annotations

from mlc.support.diagnostics import render
from mlc.support.errors import Note, SourceLocation, UserError, UserErrors

SOURCES = {"a.mlir": "first\n\tsecond line\n"}


def test_an_error_with_its_line_and_notes() -> None:
    note = Note("defined here", SourceLocation("a.mlir", 1, 1))
    error = UserError("wrong", SourceLocation("a.mlir", 2, 9), [note])
    assert render(error, SOURCES).split("\n") == [
        "a.mlir:2:9: error: wrong",
        "  \tsecond line",
        "  \t       ^",
        "a.mlir:1:1: note: defined here",
        "  first",
        "  ^",
    ]


def test_unknown_sources_and_places() -> None:
    assert render(UserError("wrong"), {}) == "error: wrong"
    assert render(UserError("wrong", SourceLocation("b.mlir", 3)), SOURCES) == "b.mlir:3: error: wrong"
    assert render(UserError("wrong", SourceLocation("a.mlir", 99, 1)), SOURCES) == "a.mlir:99:1: error: wrong"


def test_a_whole_line() -> None:
    assert render(UserError("wrong", SourceLocation("a.mlir", 1)), SOURCES) == "a.mlir:1: error: wrong\n  first"


def test_several_errors() -> None:
    errors = UserErrors([UserError("one"), UserError("two")])
    assert render(errors, {}) == "error: one\nerror: two"


def test_long_lines_are_cut_around_the_caret() -> None:
    source = {"a": "x" * 5000 + "!" + "x" * 5000}
    _, line, caret = render(UserError("wrong", SourceLocation("a", 1, 5001)), source).split("\n")
    assert len(line) < 200
    assert line[caret.index("^")] == "!"


def test_colors_for_terminals() -> None:
    assert render(UserError("wrong"), {}, color=True) == "\033[1;31merror:\033[0m wrong"
