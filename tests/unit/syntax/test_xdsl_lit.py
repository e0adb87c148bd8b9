"""xDSL's own lit tests pass with `mlc-opt --xdsl` in place of `xdsl-opt`, but for the listed ones.

A test is a file with RUN lines; all run in this process. Not run are lines that need tools which mlc does not replace
(`mlir-opt`, `xdsl-run`, ...) or a shell; a file of only such lines is not a test here.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Generator
from pathlib import Path

import pytest
import xdsl
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute
from xdsl.utils.diagnostic import Diagnostic

from mlc.testing.lit import PipedCommand, RunResult, read_script, run_stages

ROOT = Path(xdsl.__file__).parents[1] / "tests" / "filecheck"
EXCEPTIONS = Path(__file__).with_name("xdsl_lit_exceptions.txt")
_UNAVAILABLE = (
    *("mlir-conversion/with-mlir/", "with-heir/", "projects/pyjit/", "backend/llvm/"),
    "xdsl_opt/deprecation_warning.mlir",
)
"""What xDSL's lit configuration turns off where `mlir-opt`, `heir-opt` or `llvmlite` is missing; and a test of a
warning on standard error, which pytest keeps for itself."""
_SHORTHANDS = {
    "XDSL_ROUNDTRIP": "xdsl-opt %s --print-op-generic --split-input-file | xdsl-opt --split-input-file | filecheck %s",
    "XDSL_GENERIC_ROUNDTRIP": "xdsl-opt %s --print-op-generic --split-input-file"
    " | filecheck %s --check-prefix=CHECK-GENERIC",
}
_MINIMUM = 0.95


def stages_of(line: str, test: Path) -> list[PipedCommand] | None:
    """The commands of a RUN line, for `run_stages`; None if it needs a shell or another tool."""
    for name, meaning in _SHORTHANDS.items():
        line = re.sub(rf"\b{name}\b", meaning, line)
    line = re.sub("%[spS]", lambda m: str(test if m[0] == "%s" else test.parent), line)
    lexer = shlex.shlex(line.replace("2>&1", "MERGED"), posix=True, punctuation_chars="|;&<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    stages = [PipedCommand()]
    for word in lexer:
        if word == "|":
            stages.append(PipedCommand())
        elif word == "MERGED":
            stages[-1].stderr = stages[-1].stdout
        else:
            stages[-1].words.append(word)
    for words in (stage.words for stage in stages):
        at = int(words[:1] == ["not"])
        if words[at : at + 1] == ["xdsl-opt"]:
            words[at : at + 1] = ["mlc-opt", "--xdsl"]
        elif words[at : at + 1] != ["filecheck"]:
            return None
    return None if any(re.fullmatch(r"[;&<>]+|%t.*|.*mlir-opt\b.*", w) for s in stages for w in s.words) else stages


def run_test(path: Path) -> RunResult | None:
    """How the RUN lines of a file end, as far as they can be run; None if no line can."""
    outcome = None
    for line in read_script(path).runs:
        if (stages := stages_of(line, path)) is None:
            continue
        reset_xdsl()
        outcome = run_stages(stages)
        if outcome.status:
            break
    return outcome


def reset_xdsl() -> None:
    """Take back what options and texts change in xDSL for the rest of the process."""
    Attribute.__post_init__ = _post_init
    Diagnostic.colored = False
    store = Builtin.get_interface(OpAsmDialectInterface)
    assert store is not None
    store._blob_storage.clear()  # pyright: ignore[reportPrivateUsage]


_post_init = Attribute.__post_init__


@pytest.fixture
def at_root() -> Generator[None]:
    """Run as lit does it: in the folder of the tests, and leave xDSL as it was."""
    before = Path.cwd()
    os.chdir(ROOT)
    yield
    os.chdir(before)
    reset_xdsl()


def listed_exceptions(file: Path) -> dict[str, str]:
    """Reasons by name: lines `name  # reason`."""
    lines = [line for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {name.strip(): reason.strip() for name, _, reason in (line.partition(" # ") for line in lines)}


@pytest.mark.skipif(not ROOT.is_dir(), reason="this build of xDSL comes without its tests")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.usefixtures("at_root")
def test_xdsl_lit_tests() -> None:
    passed, failed = list[str](), dict[str, str]()
    for path in sorted(ROOT.rglob("*.mlir")):
        name = path.relative_to(ROOT).as_posix()
        outcome = None if name.startswith(_UNAVAILABLE) else run_test(path)
        if outcome is not None and outcome.status:
            failed[name] = outcome.log
        elif outcome is not None:
            passed.append(name)
    expected = listed_exceptions(EXCEPTIONS)
    assert not {name: log for name, log in failed.items() if name not in expected}, "tests that are not listed fail"
    assert not expected.keys() - failed.keys(), "listed tests pass, or are not there any more"
    assert all(expected.values()), "an exception needs a reason"
    assert len(passed) >= _MINIMUM * (len(passed) + len(failed))
