"""What was called otherwise before is still understood, with one warning that says what it is called now."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.dialects.test import TestOp as AnyOp

import mlc
from mlc.compiler.compilation import new_context
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop.steps import step_names
from mlc.pass_manager.registry import load_pass, pass_names
from mlc.passes.graph_to_tensor._builder import Builder
from mlc.schedules.records.record import Record, TunedMachine
from mlc.schedules.records.record_file import append_records, read_records
from mlc.schedules.records.recorded_schedules import latest
from mlc.support.former_names import FORMER_NAMES, Noun, name_today
from mlc.support.python_warnings import FormerNameWarning

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_NOW: dict[Noun, list[str]] = {
    "schedule step": step_names(),
    "pass": pass_names(),
    "op": [op.name for name in ("graph", "tensor", "loop") for op in new_context().get_dialect(name).operations],
}
_CALLED = "the {} '{}' is called '{}' now; use the new name"
_TEXT = """func.func private @f(%x: memref<9xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[parallel(k), parallel(k)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "k" %k = 0 to 9 {
    loop.store %zero, %x[%k] : memref<9xf32>
  }
  return
}
"""


@pytest.mark.parametrize("noun", _NOW)
def test_former_names_are_free_and_stand_for_names_of_today(noun: Noun) -> None:
    assert not FORMER_NAMES[noun].keys() & {*_NOW[noun]}
    assert {*FORMER_NAMES[noun].values()} <= {*_NOW[noun]}


def test_a_step_in_text_warns_once_at_its_place(mlc_opt: CommandLine) -> None:
    shown = mlc_opt("-", stdin=_TEXT.encode())
    assert "#loop.schedule<[threads(k), threads(k)]>" in shown.out and shown.status == 0
    message = _CALLED.format("schedule step", "parallel", "threads")
    assert shown.err == f"<stdin>:2:44: warning: {message}\n"


def test_programs_are_warned_when_they_parse() -> None:
    with pytest.warns(UserWarning, match=r":2:44: the schedule step 'parallel' is called 'threads' now") as caught:
        mlc.parse(_TEXT)
    assert [each.filename for each in caught if each.category is UserWarning] == [__file__]


def test_steps_of_records(tmp_path: Path) -> None:
    """They are those of today for all who read them, so a later measurement of the same schedule counts."""
    machine = TunedMachine.of(CompileOptions("x86-64-v3"))
    former = Record("k", "kind", (1,), "", (), machine, "tile(n, 2), parallel(n)", "ok", beside="parallel(n, 4)")
    today = replace(former, schedule="tile(n, 2), threads(n)", date="2026-01-31T00:00:00Z")
    append_records(path := tmp_path / "records.jsonl", [former, former, today])
    found = read_records(path)
    assert [r.schedule for r in found.records] == ["tile(n, 2), threads(n)"] * 3
    assert found.records[0].beside == "threads(n, 4)"
    assert [str(each) for each in found.problems] == [
        f"{path}:1: {_CALLED.format('schedule step', 'parallel', 'threads')}"
    ]
    assert list(latest(found.records).values()) == [replace(today, beside="threads(n, 4)")]


def test_no_warning_of_names_of_today() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for noun, names in _NOW.items():
            assert [name_today(noun, name) for name in names] == names


@pytest.mark.parametrize(("former", "today"), FORMER_NAMES["pass"].items())
def test_passes(former: str, today: str, mlc_opt: CommandLine) -> None:
    with pytest.warns(FormerNameWarning, match=f"the pass '{former}' is called '{today}' now"):
        assert load_pass(former) is load_pass(today)
    for line in ([f"--{former}", f"--{former}"], [f"--pass-pipeline=cse,{former}"]):
        shown = mlc_opt(*line, "--print-pipeline")
        assert shown.status == 0 and today in shown.out and former not in shown.out
        assert shown.err == f"mlc-opt: warning: {_CALLED.format('pass', former, today)}\n"


@pytest.mark.parametrize(("former", "today"), FORMER_NAMES["entry point group"].items())
@pytest.mark.slow  # a process for each
def test_groups_of_entry_points(former: str, today: str, tmp_path: Path) -> None:
    (info := tmp_path / "old-1.0.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: old\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{former}]\nthing = old:Thing\n")
    program = (
        f"from mlc.support.additions import Additions\nprint(Additions('thing', '{today}', lambda _: None).names())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "['thing']\n"
    assert _CALLED.format("entry point group", former, today) in ran.stderr


def test_a_plugin_with_a_kind_of_kernel(tmp_path: Path, mlc_opt: CommandLine) -> None:
    """As `docs/writing-a-pass.md` said that one is written."""
    plugin = (Path(__file__).parents[2] / "lit" / "plugins" / "Inputs" / "short_rows.py").read_text()
    for today, before in (
        ("schedule_template", "kernel_kinds"),
        ("ScheduleTemplate", "KernelKind"),
        ("Candidate", "Offer"),
        ("def candidates", "def offers"),
    ):
        assert today in plugin
        plugin = plugin.replace(today, before)
    (path := tmp_path / "short_rows.py").write_text(plugin)
    model = """func.func private @short(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tensor.map %x[m, n] over (m: 4, n: 4) : tensor<4x4xf32> -> tensor<4x4xf32> {
  ^bb0(%a: f32):
    %1 = arith.addf %a, %a : f32
    tensor.yield %1 : f32
  }
  return %0 : tensor<4x4xf32>
}
"""
    shown = mlc_opt(f"--load-pass={path}", "--schedule=target=cortex-a53", stdin=model.encode())
    assert "#loop.schedule<[vectorize(n, 4), unroll(m)]>" in shown.out
    assert shown.err.startswith("mlc-opt: warning: 'mlc.schedules.kernel_kinds' is called 'mlc.schedules.schedule_t")
    assert shown.err.count("\n") == 1


def test_builders() -> None:
    builder, op = Builder(), AnyOp(result_types=[TensorType(f32, (2,))])
    with pytest.warns(FormerNameWarning, match="'add' of a builder of tensor ops is called 'insert' now"):
        assert builder.add(op) is op.results[0]
    assert builder.ops == [op]


@pytest.mark.parametrize("form", ["tensor.least %x first 2 :", '"tensor.least"(%x) <{count = 2 : i64}> :'])
def test_ops(form: str, mlc_opt: CommandLine) -> None:
    """In their own format and in the generic one."""
    types = "tensor<4x8xi32> -> tensor<4x2xi64>"
    types = types if form.startswith("tensor") else types.replace("tensor<4x8xi32>", "(tensor<4x8xi32>)")
    text = f"""func.func @main(%x: tensor<4x8xi32>) -> tensor<4x2xi64> {{
  %0 = {form} {types}
  %1 = {form} {types}
  return %0 : tensor<4x2xi64>
}}
"""
    shown = mlc_opt("-", stdin=text.encode())
    assert shown.out.count("tensor.top_k %x first 2") == 2
    assert shown.err == f"<stdin>:2:8: warning: {_CALLED.format('op', 'tensor.least', 'tensor.top_k')}\n"
