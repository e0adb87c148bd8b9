"""`mlc tune`: what it says of bad input, what it drops, and that compilations use what it finds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]
from xdsl.dialects.func import FuncOp

import mlc as package
from mlc.compiler import recall
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop.steps import Step
from mlc.pass_manager.manager import PassManager
from mlc.schedules.records.kernel_key import key_of
from mlc.schedules.records.record import Record, TunedMachine
from mlc.schedules.records.record_file import append_records, read_records
from mlc.schedules.records.schedule_texts import schedule_text
from mlc.schedules.steps.fuse import Fuse
from mlc.support.errors import UserError
from mlc.tools.mlc_tune import parse_budget
from mlc.tuning.tuner import Tuner
from tests.unit.tuning.interrupts import interrupt_after_the_first_candidate

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_MODEL = """
func.func @main(%x: tensor<64x96xf32>, %y: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %0 = graph.add %x, %y : tensor<64x96xf32>, tensor<64x96xf32> -> tensor<64x96xf32>
  %1 = graph.softmax %0 axis 1 : tensor<64x96xf32>
  return %1 : tensor<64x96xf32>
}
"""
_PLUGIN = '''
import os
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.rewriter import Rewriter

from mlc.dialects.loop import ForOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class Abort(LoopStep):
    """the compiler crashes"""

    name = "abort"
    example = "abort(n)"
    loop: LoopName

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        os.abort()

    def words(self, plan: LoopPlan) -> str:
        return ""

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return False


@dataclass(frozen=True)
class Stall(Abort):
    """the compiler does not end"""

    name = "stall"
    example = "stall(n)"

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        while True:
            pass


@dataclass(frozen=True)
class Negate(Abort):
    """sums become differences"""

    name = "negate"
    example = "negate(n)"

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        for op in list(loop.walk()):
            if isinstance(op, arith.AddfOp):
                Rewriter.replace_op(op, arith.SubfOp(op.lhs, op.rhs))
'''


@pytest.fixture
def model(tmp_path: Path) -> str:
    file = tmp_path / "model.mlir"
    file.write_text(_MODEL)
    return str(file)


def _kernel() -> Record:
    """A record without a schedule for the one kernel of the model."""
    ctx = new_context()
    module = parse_verified(_MODEL, "model.mlir", ctx, Path())
    options = CompileOptions(records="")
    Compilation(module, ctx, options, PassManager(ctx)).lower("tensor")
    (kernel,) = (op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data != "main")
    key = key_of(kernel)
    about = key.exact, key.kind, key.sizes, key.spelling, key.arguments
    return Record(*about, TunedMachine.of(options), "", "ok", ratio=0.5, confirmed=True, date=Record.now())


def _schedule(mlc: CommandLine, model: str, *options: str) -> str:
    text = mlc("compile", model, "-o", "-", "--emit=mlir:tensor", *options)
    assert text.status == 0, text.err
    return text.out.partition("#loop.schedule<[")[2].partition("]>")[0]


@pytest.mark.parametrize(("text", "seconds"), [("60s", 60), ("10m", 600), ("1.5h", 5400), (" 2s ", 2)])
def test_budgets(text: str, seconds: float) -> None:
    assert parse_budget(text) == seconds


@pytest.mark.parametrize("text", ["60", "1d", "-5s", "0s", "", "s"])
def test_what_is_no_budget(text: str) -> None:
    with pytest.raises(UserError) as raised:
        parse_budget(text)
    assert raised.value.message == f"found --budget '{text}'; required: a time such as 60s, 10m or 1h"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["softmux"], "no kernel 'softmux' in a model with the kernels add_softmax"),
        (["--target", "neoverse-n1"], "this machine cannot run code for 'neoverse-n1', so nothing can be measured; "),
        (["-O", "1"], "found -O1; schedules are carried out from -O2 on"),
        (["--jobs", "0"], "--jobs 0: at least 1 is needed"),
        (["--records", "model.mlir/r"], "cannot write records to 'model.mlir/r': "),
        (["--records", "."], "cannot write records to '.': it is a folder; --records FILE names another file"),
        (
            ["--records", "model.mlir"],
            "cannot write records to 'model.mlir': it holds something else (the line is not ",
        ),
        (["--picture", "search.jpg"], "found --picture 'search.jpg'; required: the name of a PNG file"),
        (["--picture", "none/search.png"], "cannot write 'none/search.png': the folder 'none' does not exist"),
    ],
)
def test_bad_input_is_told_before_the_search(
    mlc: CommandLine, model: str, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "--picture" in options:
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(Path(model).parent)
    result = mlc("tune", model, "--records", "r.jsonl", *options)
    assert (result.status, message in result.err) == (1, True), result.err


def test_without_a_place_for_records(mlc: CommandLine, model: str) -> None:
    result = mlc("tune", model)
    assert "found no place for records: MLC_RECORDS_FILE is empty; required: --records FILE, or a file's" in result.err


def test_a_model_without_kernels(mlc: CommandLine, tmp_path: Path) -> None:
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
    result = mlc("tune", "-", "--records", str(tmp_path / "r.jsonl"), stdin=text)
    assert (
        result.status,
        "the model has no kernels whose schedules are free, so there is nothing to tune" in result.err,
    ) == (1, True)


def test_records_that_are_not_there(mlc: CommandLine, model: str, tmp_path: Path) -> None:
    message = "records file 'none.jsonl' not found; `mlc tune MODEL --records none.jsonl` writes one"
    assert message in mlc("compile", model, "-o", str(tmp_path / "m.so"), "--records", "none.jsonl").err
    with pytest.raises(UserError) as raised:
        package.compile(model, records="none.jsonl")
    assert raised.value.message == message
    with pytest.raises(UserError, match=r"cannot read records from '.*': it is a folder; records names another file"):
        package.compile(model, records=tmp_path)


@pytest.mark.parametrize("command", ["compile", "run", "explain"])
def test_a_file_without_records_is_refused(mlc: CommandLine, model: str, tmp_path: Path, command: str) -> None:
    inputs = tmp_path / "inputs.safetensors"
    save_file({name: np.zeros((64, 96), np.float32) for name in ("x", "y")}, inputs)
    more = {"compile": ("-o", str(tmp_path / "m.so")), "run": ("--inputs", str(inputs)), "explain": ()}[command]
    result = mlc(command, model, *more, "--records", model)
    assert result.status == 1
    assert f"found no record in '{model}' (line 2: it is not JSON); required: a file that `mlc tune" in result.err


def test_lines_that_are_no_records_are_told(mlc: CommandLine, model: str, tmp_path: Path) -> None:
    """Also by a compilation whose result is known."""
    records = tmp_path / "r.jsonl"
    records.write_text(_kernel().line() + "junk\n")
    for _ in range(2):
        told = mlc("compile", model, "-o", str(tmp_path / "m.so"), "--records", str(records)).err
        assert told == f"{records}:2: warning: the line is not a record and is left out: it is not JSON\n"


def test_remarks_and_timing_are_those_of_the_model(mlc: CommandLine, model: str, tmp_path: Path) -> None:
    told = mlc("tune", model, "none", "--remarks", "--timing", "--records", str(tmp_path / "r.jsonl")).err
    assert "remark: graph.add -> graph.softmax: fused into add_softmax" in told
    assert "\nconvert-graph-to-tensor " in told


def test_help_says_what_options_mean_for_a_search(mlc: CommandLine) -> None:
    words = " ".join(mlc("tune", "--help").out.split())
    assert "--records FILE append what is measured to FILE, and begin with what it holds, instead of your own" in words
    assert "--seed N another number tries other schedules; also of the random inputs of --check-each" in words


def test_a_compilation_takes_a_recorded_schedule(mlc: CommandLine, model: str, tmp_path: Path) -> None:
    records = tmp_path / "r.jsonl"
    append_records(records, [replace(_kernel(), schedule="fuse(m), tile(n, 16), vectorize(ni)")])
    assert _schedule(mlc, model, "--records", str(records)) == "fuse(m), tile(n, 16), vectorize(ni)"
    assert _schedule(mlc, model) != "fuse(m), tile(n, 16), vectorize(ni)"
    told = mlc("compile", model, "-o", str(tmp_path / "m.so"), "--records", str(records), "--remarks")
    assert "remark: schedule of a record: 20" in told.err


@pytest.mark.slow
def test_what_is_recalled_depends_on_the_records(
    model: str, tmp_path: Path, lowered_levels: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(recall, "plugin_files", set[str]())  # other tests import installed plugins
    records = tmp_path / "r.jsonl"
    append_records(records, [replace(_kernel(), schedule="fuse(m)")])
    x = np.random.default_rng(0).standard_normal((2, 64, 96)).astype(np.float32)
    found = [np.asarray(package.compile(model)(*x)), np.asarray(package.compile(model, records=records)(*x))]
    np.testing.assert_allclose(*found, rtol=1e-5)
    known = len(lowered_levels)
    package.compile(model, records=records)
    assert len(lowered_levels) == known  # recalled
    append_records(records, [replace(_kernel(), schedule="fuse(m), tile(n, 16), vectorize(ni)", ratio=0.4)])
    package.compile(model, records=records)
    assert len(lowered_levels) > known


def test_what_a_person_scheduled_is_not_tuned(mlc: CommandLine, model: str, tmp_path: Path) -> None:
    text = mlc("compile", model, "-o", "-", "--emit=mlir:tensor").out
    result = mlc("tune", "-", "--records", str(tmp_path / "r.jsonl"), stdin=text)
    assert "the schedule of 'add_softmax' was written by a person, so it is kept" in result.err
    assert "there is nothing to tune" in result.err


@pytest.mark.slow
def test_a_search_writes_records_that_a_compilation_uses(
    mlc: CommandLine, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, picture = tmp_path / "r.jsonl", tmp_path / "search.png"
    rules = _schedule(mlc, model)
    append_records(records, [replace(_kernel(), schedule=rules)])

    def fuse_only(*_: object, **__: object) -> tuple[list[Step], None]:
        return [Fuse("m")], None

    monkeypatch.setattr("mlc.passes.tensor.schedule.choose_steps", fuse_only)
    result = mlc("tune", model, "--budget", "8s", "--records", str(records), "--picture", str(picture))
    assert result.status == 0, result.err
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    assert any(line["outcome"] == "ok" and line["time_ns"] > 0 for line in lines[1:])
    assert all(line["machine"]["threads"] == 1 and line["date"] and line["mlc"] for line in lines)
    assert "schedules measured" in result.out and f"records: {records}" in result.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    confirmed = {line["schedule"]: line["ratio"] for line in lines[1:] if line["confirmed"]}
    assert confirmed and min(confirmed.values()) < 0.9  # one loop after the other is slow
    gains = [line for line in lines[1:] if line["confirmed"] and line["ratio"] <= 0.95]
    assert all(line["model_ratio"] < 1 and line["helps"] for line in gains)  # the kernel is all of the model
    assert _schedule(mlc, model, "--records", str(records)) in confirmed
    x = np.random.default_rng(0).standard_normal((2, 64, 96)).astype(np.float32)
    found, expected = package.compile(model, records=records)(*x), package.compile(model)(*x)
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-5)


@pytest.mark.slow
def test_candidates_that_crash_hang_or_are_wrong_are_dropped(
    mlc: CommandLine, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlc.tuning import kernel_loops, workbench

    monkeypatch.setattr(workbench, "_COMPILE_SECONDS", 15.0)
    monkeypatch.setattr(kernel_loops, "_SECONDS", 1.0)
    plugin, records = tmp_path / "bad.py", tmp_path / "r.jsonl"
    plugin.write_text(_PLUGIN)
    bad = {"abort(m)": "crash", "stall(m)": "hang", "negate(m)": "wrong"}
    append_records(records, [replace(_kernel(), schedule=each, ratio=0.5) for each in bad])
    found: dict[str, str] = {}
    keep: Any = Tuner._record  # pyright: ignore[reportPrivateUsage]

    def until_all_are_kept(self: Tuner, site: Any, search: Any, schedule: Any, outcome: str, **others: Any) -> None:
        keep(self, site, search, schedule, outcome, **others)
        found[schedule_text(schedule)] = outcome
        if bad.keys() <= found.keys():
            raise KeyboardInterrupt

    monkeypatch.setattr(Tuner, "_record", until_all_are_kept)
    result = mlc("tune", model, "--budget", "120s", "--records", str(records), "--load-pass", str(plugin))
    assert result.status == 130, result.err
    assert {schedule: found[schedule] for schedule in bad} == bad
    kept = {r.schedule: r.outcome for r in read_records(records).records}
    assert bad.items() <= kept.items()


@pytest.mark.slow
def test_an_interrupt_prints_the_table(
    mlc: CommandLine, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = tmp_path / "r.jsonl"
    interrupt_after_the_first_candidate(monkeypatch)
    result = mlc("tune", model, "--budget", "60s", "--records", str(records))
    assert result.status == 130
    assert "interrupted: what was measured until then is kept" in result.err
    assert "1 schedules measured" in result.out
    assert any(r.outcome == "ok" for r in read_records(records).records)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.5, 1.5, 3, 5])
def test_an_interrupt_at_any_moment(model: str, tmp_path: Path, seconds: float) -> None:
    """As a terminal sends it, to all processes at once."""
    records = tmp_path / "r.jsonl"
    command = [sys.executable, "-m", "mlc", "tune", model, "--records", str(records)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    # Python ends by the signal where it came while a text was executed, as for a dataclass: a shell says 130, too.
    assert process.returncode in (130, -signal.SIGINT), err
    # While modules are imported it ends without a word.
    assert "Traceback" not in err and ("interrupted" in err or (process.returncode == -signal.SIGINT and not err))
    assert out.count("schedules measured") <= 1
    assert not records.exists() or not read_records(records).problems
