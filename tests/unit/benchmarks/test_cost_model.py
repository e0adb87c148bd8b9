"""Ranks of estimates beside ranks of measurements."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from mlc.benchmarks import cost_model
from mlc.benchmarks.cost_model import MeasuredSchedule, learned, measured_schedules, schedules_again
from mlc.benchmarks.cost_model_kernels import KERNELS
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.support.functions import is_private


@pytest.mark.slow
def test_candidates_of_a_kernel() -> None:
    name = "tanh 200x333"
    rules, *others = found = measured_schedules(name, KERNELS[name], 3, 0)
    assert len(others) == 2
    assert len({tuple(each.loops.items()) for each in found}) == 3
    assert set(rules.loops.values()) == {0.0}
    assert all(each.estimated > 0 and each.measured > 0 and each.again > 0 for each in found)
    assert schedules_again(name, KERNELS[name], [replace(each, estimated=0, loops={}) for each in found]) == found


@pytest.mark.slow
def test_what_is_learnt_of_candidates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn")
    found = [
        MeasuredSchedule(
            kernel, f"{n}", scale * time, scale * time, scale * (n % 7), {"cycles": n % 7 / 7, "ops": float(n)}
        )
        for kernel, scale in (("softmax 512x1024", 10.0), ("gelu 512x1024", 500.0))
        for n in range(40)
        for time in [1 + abs(n - 20) % 17]
    ]
    fifths, others = learned(found)
    assert len(fifths) == len(others) == len(found)
    assert others[5] > others[20] and others[40 + 5] > others[40 + 20]
    file = tmp_path / "found.jsonl"
    file.write_text("".join(json.dumps(asdict(each)) + "\n" for each in found))
    monkeypatch.setattr(cost_model, "schedules_again", lambda _name, _text, measured: measured)  # pyright: ignore
    monkeypatch.setattr("sys.argv", ["cost_model", "--read", str(file), "--learned"])
    cost_model.main()
    lines = capsys.readouterr().out.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("rank correlation "))
    softmax, gelu, mean, *_ = (line.split()[-4:] for line in lines[head + 1 :])
    assert softmax[0] == gelu[0] == "1.00" and abs(float(softmax[1])) < 0.5
    assert float(softmax[3]) > 0.7 and float(mean[3]) > 0.7


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_become_one_function(name: str) -> None:
    ctx = new_context()
    module = parse_verified(KERNELS[name], name, ctx, Path())
    Compilation(module, ctx, CompileOptions(), PassManager(ctx)).lower("tensor")
    assert sum(isinstance(op, FuncOp) and is_private(op) for op in module.ops) == 1


def test_there_are_twenty_kernels() -> None:
    assert len(KERNELS) == 20
