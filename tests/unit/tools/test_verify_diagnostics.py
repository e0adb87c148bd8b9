"""`mlc-opt --verify-diagnostics` and `--split-input-file`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mlc.support.context import CompilerContext, Remark
from mlc.support.errors import Note, SourceLocation, UserError, UserErrors
from mlc.tools.expected_diagnostics import (
    Diagnostic,
    diagnostics_of,
    diagnostics_of_remarks,
    mismatches,
    parse_expectations,
)

if TYPE_CHECKING:
    from tests.conftest import CommandLine


def _messages(text: str, *found: Diagnostic, optional: tuple[str, ...] = ()) -> list[str]:
    return [f"{e.location}: {e.message}" for e in mismatches(parse_expectations(text, "f"), found, "f", optional)]


@pytest.mark.parametrize(
    ("comment", "line"),
    [
        ("op // expected-error {{x}}", 1),
        ("// expected-error@+1 {{x}}", 2),
        ("\n\n// expected-error @-2 {{x}}", 1),
        ("// expected-error @below {{x}}\n// expected-note @below {{y}}\nop", 3),
        ("op\n// expected-note @above {{y}}\n// expected-error @above {{x}}", 1),
        ("// expected-error @unknown {{x}}", None),
    ],
)
def test_places(comment: str, line: int | None) -> None:
    (e,) = (e for e in parse_expectations(comment, "f") if e.kind == "error")
    assert e.line == line


def test_what_is_expected_and_found_is_quiet() -> None:
    text = "a // expected-error {{wrong}} expected-note-re {{de{{.}}ined}}\nb // expected-warning {{x}}"
    found = (Diagnostic("note", "is defined here", 1), Diagnostic("error", "this is wrong", 1))
    assert _messages(text, *found, Diagnostic("warning", "x", 2)) == []


def test_what_is_missing_or_unexpected_is_told() -> None:
    text = "a // expected-error {{wrong}}"
    assert _messages(text) == ["f:1: expected error 'wrong' was not produced"]
    assert _messages("a", Diagnostic("error", "wrong", 1)) == ["f:1: unexpected error: wrong"]
    assert _messages("a", Diagnostic("error", "wrong", None)) == ["None: unexpected error: wrong"]
    assert _messages("a", Diagnostic("remark", "wrong", 1), optional=("remark",)) == []
    assert len(_messages(text, Diagnostic("error", "wrong", 2))) == 2
    assert len(_messages(text, Diagnostic("note", "wrong", 1))) == 2


def test_each_expectation_is_met_once() -> None:
    twice = (Diagnostic("error", "wrong", 1), Diagnostic("error", "wrong", 1))
    assert _messages("a // expected-error {{wrong}}", *twice) == ["f:1: unexpected error: wrong"]
    assert _messages("a // expected-error {{wrong}} expected-error {{wrong}}", *twice) == []


def test_text_may_hold_braces() -> None:
    assert _messages("a // expected-error {{found {x}}}", Diagnostic("error", "found {x}", 1)) == []


@pytest.mark.parametrize(
    ("text", "accepted", "refused"),
    [
        ("f(x) has [1] + {{[0-9]+}} of .*", "f(x) has [1] + 23 of .*", "f(x) has [1] + 23 of 4"),
        ("{{a|b}}c{{.*}}d", "found bc and d", "a"),
        ("found {1}", "found {1}", "found 1"),
        ("'{{a}}'", "'a'", "a"),
        ("a.c", "a.c", "abc"),
    ],
)
def test_only_what_is_in_inner_braces_is_a_regular_expression(text: str, accepted: str, refused: str) -> None:
    comment = f"a // expected-error-re {{{{{text}}}}} expected-error {{{{x}}}}"
    x = Diagnostic("error", "x", 1)
    assert _messages(comment, Diagnostic("error", accepted, 1), x) == []
    assert len(_messages(comment, Diagnostic("error", refused, 1), x)) == 2


def test_text_without_re_is_literal() -> None:
    assert _messages("a // expected-error {{found {{.*}} x}}", Diagnostic("error", "found {{.*}} x", 1)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a // expected-error wrong", "an expected diagnostic needs its text in {{double braces}}"),
        ("a // expected-error-re {{x {{(}}}}", "malformed regular expression"),
        ("a // expected-error-re {{x {{y}}", "malformed regular expression: '{{' is not closed"),
    ],
)
def test_malformed_comments(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message.replace("{", "\\{")):
        parse_expectations(text, "f")


def test_errors_with_notes_and_remarks() -> None:
    error = UserError("bad", SourceLocation("f", 3, 1), [Note("see here", SourceLocation("f", 1))])
    expected = [Diagnostic("error", "bad", 3), Diagnostic("note", "see here", 1)]
    assert diagnostics_of(error) == expected
    assert diagnostics_of(UserErrors([error, error])) == expected * 2
    ctx = CompilerContext(remarks=[Remark("fused", None)], warnings=[Remark("not tiled", None)])
    assert diagnostics_of_remarks(ctx) == [
        Diagnostic("remark", "fused", None),
        Diagnostic("warning", "not tiled", None),
    ]


_BAD = "func.func @f() {\n  %x = arith.constant\n  return\n}\n"


def test_an_expected_error_is_success(mlc_opt: CommandLine) -> None:
    line = int(mlc_opt(stdin=_BAD).err.split(":")[1])
    text = _BAD.splitlines()
    text[line - 1] += " // expected-error-re {{{{.}}}}"
    result = mlc_opt("--verify-diagnostics", stdin="\n".join(text))
    assert (result.status, result.err) == (0, "")


def test_an_unexpected_error_is_failure(mlc_opt: CommandLine) -> None:
    result = mlc_opt("--verify-diagnostics", stdin=_BAD)
    assert result.status == 1
    assert "unexpected error:" in result.err


def test_a_missing_error_is_failure(mlc_opt: CommandLine) -> None:
    result = mlc_opt("--verify-diagnostics", stdin="// expected-error @unknown {{nothing}}\n")
    assert result.status == 1
    assert "expected error 'nothing' was not produced" in result.err


def test_parts_of_a_split_file(mlc_opt: CommandLine) -> None:
    """Each part runs on its own, and lines are counted from the start of the file."""
    good = "func.func private @g()\n"
    result = mlc_opt("--split-input-file", stdin=f"{good}// -----\n{_BAD}// -----\n{good}")
    assert result.status == 1
    assert result.err.startswith("<stdin>:4:") or result.err.startswith("<stdin>:5:")
    assert result.out.count("// -----\n") == 2
    assert result.out.count("@g") == 2
