"""The collector of lit tests itself: what it makes of RUN lines, and that it fails when it has to."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.testing import lit
from mlc.testing.lit import PipedCommand


def test_directives(tmp_path: Path) -> None:
    file = tmp_path / "t.mlir"
    file.write_text(
        "// RUN: mlc-opt %s \\\n// RUN:   --cse\n// REQUIRES: clang, qemu\n// XFAIL: *\n// NO-CHECK-EACH: odd\n"
        "// SLOW: minutes\n"
        "// RUN: true\n"
    )
    script = lit.read_script(file)
    assert script.runs == ["mlc-opt %s --cse", "true"]
    assert script.requires == ["clang", "qemu"]
    assert script.expected_failures == ["*"]
    assert not script.checks_each
    assert script.is_slow


def test_substitutions() -> None:
    assert lit.substitute("%s %S %t.o 5%%", Path("/a/b.mlir"), Path("/tmp/x")) == "/a/b.mlir /a /tmp/x/t.o 5%"


@pytest.mark.parametrize(
    ("command", "stages"),
    [
        ("mlc-opt x | filecheck y", [PipedCommand(["mlc-opt", "x"]), PipedCommand(["filecheck", "y"])]),
        (
            "not mlc-opt x 2>&1 | filecheck y",
            [PipedCommand(["not", "mlc-opt", "x"], stderr="|"), PipedCommand(["filecheck", "y"])],
        ),
        (
            "mlc x 2>&1 >'o o' | filecheck",
            [PipedCommand(["mlc", "x"], stdout="o o", stderr="|"), PipedCommand(["filecheck"])],
        ),
        ("mlc x >o 2>&1", [PipedCommand(["mlc", "x"], stdout="o", stderr="o")]),
        ("mlc x2>o 2 2> e", [PipedCommand(["mlc", "x2", "2"], stdout="o", stderr="e")]),
        ("filecheck x < o", [PipedCommand(["filecheck", "x"], stdin="o")]),
        ('mlc-opt --tile="sizes=8,4 loops=m,n"', [PipedCommand(["mlc-opt", "--tile=sizes=8,4 loops=m,n"])]),
        ("mlc-opt '--pass-pipeline=tile{sizes=8}'", [PipedCommand(["mlc-opt", "--pass-pipeline=tile{sizes=8}"])]),
        ("mlc-opt 'x > 2>&1 y' \"|\"", [PipedCommand(["mlc-opt", "x > 2>&1 y", "|"])]),
        ("mlc-opt x >", None),
        ("mlc-opt x >> y", None),
        ("mlc-opt x && mlc-opt y", None),
        ("mlc-opt $HOME", None),
        ('mlc-opt "$HOME"', None),
        ('mlc-opt "a\\"b"', None),
        ("mlc-opt 'x", None),
        ("grep x y", None),
        ("mlc-opt x | sort", None),
        ("", None),
    ],
)
def test_lines_that_need_no_shell(command: str, stages: list[PipedCommand] | None) -> None:
    assert lit.parse_simple(command) == stages


_GOOD = "// CHECK: @f\nfunc.func private @f()\n"
_TESTS = {
    "passes": ("// RUN: mlc-opt %s | filecheck %s\n" + _GOOD, "passed"),
    "mismatch": ("// RUN: mlc-opt %s | filecheck %s\n// CHECK: @g\nfunc.func private @f()\n", "failed"),
    "first_command_fails": ("// RUN: mlc-opt nowhere.mlir | filecheck --allow-empty %s\n// CHECK-NOT: x\n", "failed"),
    "not_of_success": ("// RUN: not mlc-opt %s | filecheck %s\n" + _GOOD, "failed"),
    "not_of_failure": ("// RUN: not mlc-opt nowhere.mlir\n", "passed"),
    "checked_and_merged": ("// RUN: mlc-opt %s --cse --remarks 2>&1 | filecheck %s\n" + _GOOD, "passed"),
    "files": (
        "// RUN: mlc-opt %s --cse --remarks 2>%t.e >%t.o\n"
        "// RUN: filecheck --allow-empty --check-prefix=NONE %s < %t.e\n"
        "// RUN: filecheck %s --input-file %t.o\n// NONE-NOT: {{.}}\n" + _GOOD,
        "passed",
    ),
    "error_in_file": ("// RUN: mlc-opt nowhere.mlir 2>%t\n", "failed"),
    "error_and_no_output": (
        "// RUN: not mlc-opt nowhere.mlir 2>&1 >%t | filecheck %s\n// CHECK: error: {{.*}}nowhere.mlir\n",
        "passed",
    ),
    "in_shell": ("// RUN: mlc-opt %s > %t && filecheck %s < %t\n" + _GOOD, "passed"),
    "in_shell_pipefail": ("// RUN: false | true; exit $?\n", "failed"),
    "in_shell_not": ("// RUN: (not mlc-opt nowhere.mlir)\n", "passed"),
    "second_line_fails": ("// RUN: mlc-opt %s\n// RUN: not mlc-opt %s\n" + _GOOD, "failed"),
    "no_run_line": (_GOOD, "failed"),
    "feature_missing": ("// REQUIRES: cray\n// RUN: false\n", "skipped"),
    "expected_failure": ("// XFAIL: *\n// RUN: false\n", "xfailed"),
    "unexpected_pass": ("// XFAIL: *\n// RUN: true\n", "failed"),
}

pytest_plugins = ["pytester"]


def test_slow_tests_can_be_left_out(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from mlc.testing.lit import pytest_collect_file")
    (pytester.path / "quick.mlir").write_text("// RUN: true\n")
    (pytester.path / "long.mlir").write_text("// RUN: true\n// SLOW: minutes\n")
    result = pytester.runpytest_inprocess(
        "-m", "not slow", "-W", "error", "-p", "no:asyncio", "--import-mode=importlib"
    )
    result.assert_outcomes(passed=1, deselected=1)


def test_outcomes(pytester: pytest.Pytester) -> None:
    """One run over files of every kind."""
    pytester.makeconftest("from mlc.testing.lit import pytest_collect_file")
    for name, (text, _) in _TESTS.items():
        (pytester.path / f"{name}.mlir").write_text(text)
    inputs = pytester.path / "Inputs"
    inputs.mkdir()
    (inputs / "ignored.mlir").write_text("nothing")
    result = pytester.runpytest_inprocess("-q", "-rA", "--import-mode=importlib")
    outcomes = [o for _, o in _TESTS.values()]
    result.assert_outcomes(**{kind: outcomes.count(kind) for kind in set(outcomes)})
    shown = result.stdout.str()
    for name, (_, outcome) in _TESTS.items():
        if outcome in ("passed", "failed"):
            assert f"{outcome.upper()} {name}.mlir::lit" in shown
