"""Models that answer while they are compiled in the background."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Generator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.compiler import background
from mlc.compiler.tiered_model import TieredModel
from mlc.runtime import InputError
from mlc.support.errors import CompilerBug, UserError
from tests.unit.held_builds import HeldBuilds, held_builds

_MODEL = """
func.func @main(%x: tensor<3x4xf32>, %n: tensor<3xi64>) -> (tensor<3x4xf32>, tensor<3xi64>) {
  %w = graph.constant dense<{number}> : tensor<4x4xf32>
  %y = graph.matmul %x, %w : tensor<3x4xf32>, tensor<4x4xf32> -> tensor<3x4xf32>
  return %y, %n : tensor<3x4xf32>, tensor<3xi64>
}
"""
_X = np.arange(12, dtype=np.float32).reshape(3, 4) / 8
_N = np.arange(3)


def _text(number: float = 0.5) -> str:
    return _MODEL.replace("{number}", f"{number}")


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[HeldBuilds]:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    with held_builds(monkeypatch) as found:
        yield found


def _tiered(text: str | Path) -> TieredModel:
    model = mlc.compile(text, tiered=True)
    assert isinstance(model, TieredModel)
    return model


def test_calls_are_interpreted_until_the_code_is_there(held: HeldBuilds) -> None:
    model = _tiered(_text())
    y, n = model(_X, _N)
    np.testing.assert_allclose(y, _X @ np.full((4, 4), 0.5, np.float32), rtol=1e-6)
    assert not np.shares_memory(n, _N)
    by_name = model.run({"n": _N, "x": _X})
    assert list(by_name) == ["y", "n"]
    np.testing.assert_array_equal(by_name["y"], y)
    assert model.interpreted_calls == 2
    assert repr(model) == "<mlc model (x, n) that is being compiled; 2 calls were interpreted>"
    held.go_on()
    np.testing.assert_allclose(model(_X, _N)[0], y, rtol=1e-6)
    np.testing.assert_allclose(model.run({"x": _X, "n": _N})["y"], y, rtol=1e-6)
    assert (model.interpreted_calls, held.count) == (2, 1)
    assert repr(model) == repr(model.native)
    assert [each.name for each in model.inputs] == ["x", "n"]


def test_what_was_compiled_before_has_one_tier(held: HeldBuilds) -> None:
    first = _tiered(_text())
    held.go_on()
    assert type(mlc.compile(_text(), tiered=True)) is mlc.Model
    assert type(mlc.compile(_text())) is mlc.Model
    assert held.count == 1
    assert type(first.native) is mlc.Model
    assert type(_tiered(_text(0.25)).native) is mlc.Model
    assert held.count == 2


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((_X,), "the model takes 2 inputs"),
        ((_X.astype(np.float64), _N), "input 'x' has dtype float64; required: float32"),
        ((_X[:2], _N), r"input 'x' has shape \(2, 4\); required: \(3, 4\)"),
        ((_X, "three"), "input 'n' is a str; required: a NumPy array"),
    ],
)
def test_wrong_inputs_are_told_by_the_code(held: HeldBuilds, arrays: tuple[object, ...], message: str) -> None:
    model = _tiered(_text())
    held.released.set()
    with pytest.raises(InputError, match=message):
        model(*arrays)


def test_what_else_is_asked_waits_for_the_code(held: HeldBuilds, tmp_path: Path) -> None:
    model = _tiered(_text())
    held.released.set()
    model.save(tmp_path / "model.so")
    y, _ = mlc.load(tmp_path / "model.so")(_X, _N)
    np.testing.assert_array_equal(y, model(_X, _N)[0])
    assert model.signature.name == "main"
    with pytest.raises(AttributeError, match="'Model' object has no attribute 'weight'"):
        _ = model.weight


def test_where_there_will_be_no_code_the_first_tier_stays(held: HeldBuilds) -> None:
    held.failure = "no luck"
    model = _tiered(_text())
    y, _ = model(_X, _N)
    held.go_on()
    with pytest.warns(UserWarning, match="the model could not be compiled, and is interpreted: no luck"):
        np.testing.assert_array_equal(model(_X, _N)[0], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model(_X, _N)[0], y)
    with pytest.raises(CompilerBug, match="no luck"):
        _ = model.inputs


def test_a_wrong_model_is_refused_at_once(held: HeldBuilds) -> None:
    with pytest.raises(UserError, match=r"graph\.matmull"):
        mlc.compile(_text().replace("graph.matmul", "graph.matmull"), tiered=True)
    assert held.count == 0


def test_outputs_that_are_as_long_as_data_says(held: HeldBuilds) -> None:
    onnx = pytest.importorskip("onnx")
    node = onnx.helper.make_node("NonZero", ["x"], ["places"])
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3])
    places = onnx.helper.make_tensor_value_info("places", onnx.TensorProto.INT64, [2, None])
    graph = onnx.helper.make_graph([node], "g", [x], [places])
    message = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model = mlc.compile(message, tiered=True)
    assert isinstance(model, TieredModel)
    data = np.array([[0, 1, -0.0], [np.nan, 0, 2]], np.float32)
    first = model(data)
    np.testing.assert_array_equal(first, np.nonzero(data))
    assert list(model.run({"x": data})) == ["places"]
    held.go_on()
    np.testing.assert_array_equal(model(data), first)


def test_open_dims_have_a_model_for_each_shape(held: HeldBuilds) -> None:
    onnx = pytest.importorskip("onnx")
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["rows", 3])
    y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["rows", 3])
    graph = onnx.helper.make_graph([node], "g", [x], [y])
    message = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model = mlc.compile(message, tiered=True)
    for rows in (2, 5, 2):
        data = np.linspace(-1, 1, rows * 3, dtype=np.float32).reshape(rows, 3)
        np.testing.assert_array_equal(model(data), np.maximum(data, 0))
    held.go_on()
    assert held.count == 2
    assert type(mlc.compile(message, shapes={"rows": range(1, 9)}, tiered=True)) is mlc.Model


def test_given_weights_and_ir_are_compiled_at_once(held: HeldBuilds) -> None:
    text = _text().replace("dense<0.5>", "dense_resource<w>")
    model = mlc.compile(text, weights={"w": np.ones((4, 4), np.float32)}, tiered=True)
    assert type(model) is mlc.Model
    assert type(mlc.compile(mlc.parse(_text()), tiered=True)) is mlc.Model
    assert held.count == 0


def test_where_no_process_can_be_started_a_thread_compiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "executable", "")
    background.end()
    model = mlc.compile(_text(), tiered=True)
    mlc.wait()
    np.testing.assert_allclose(model(_X, _N)[0], _X @ np.full((4, 4), 0.5, np.float32), rtol=1e-6)
    assert not background._worker  # pyright: ignore[reportPrivateUsage]
    assert not isinstance(model, TieredModel) or type(model.native) is mlc.Model


@pytest.mark.slow
def test_another_process_compiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    background.end()
    model = _tiered(_text())
    model(_X, _N)
    mlc.wait()
    (worker,) = background._worker  # pyright: ignore[reportPrivateUsage]
    assert os.getpriority(os.PRIO_PROCESS, worker.process.pid) == os.getpriority(os.PRIO_PROCESS, 0) + 10
    np.testing.assert_allclose(model(_X, _N)[0], _X @ np.full((4, 4), 0.5, np.float32), rtol=1e-6)
    assert model.interpreted_calls == 1
    # What it has made is found again, and one that has ended is replaced.
    assert type(mlc.compile(_text(), tiered=True)) is mlc.Model
    os.kill(worker.process.pid, signal.SIGKILL)
    worker.process.wait()
    assert type(_tiered(_text(0.25)).native) is mlc.Model
    background.end()
    assert worker.process.poll() is not None


@pytest.mark.slow
def test_a_process_that_is_expected_has_imported_what_compilations_need(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[background.Job]()
    do = background.WorkerProcess.do

    def noted(self: background.WorkerProcess, job: background.Job) -> object:
        found = do(self, job)
        asked.append(job)
        return found

    monkeypatch.setattr(background.WorkerProcess, "do", noted)
    background.end()
    background.expect("json", "mlc.passes.graph.fuse")
    end = time.monotonic() + 60
    while not asked:
        assert time.monotonic() < end
        time.sleep(0.05)
    background.expect()  # there is one
    (worker,) = background._worker  # pyright: ignore[reportPrivateUsage]
    names = ["json", "mlc.passes.graph.fuse", "mlc.passes.loop_to_llvm.convert_loop_to_llvm"]
    question: Any = SimpleNamespace(run=partial(eval, f"__import__('sys').modules.keys() >= {set(names)}"))
    assert do(worker, question) is True
    assert [type(job).__name__ for job in asked] == ["_Preparation"]
    background.end()


@pytest.mark.slow
def test_a_process_that_ends_in_the_middle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("mlc.compiler.processes._PROGRAM", "raise SystemExit")
    background.end()
    model = _tiered(_text())
    mlc.wait()
    with pytest.warns(UserWarning, match="interpreted: the process that compiles in the background has ended"):
        model(_X, _N)


@pytest.mark.slow
def test_a_forked_process_compiles_for_itself(held: HeldBuilds) -> None:
    model = _tiered(_text())
    y, _ = model(_X, _N)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python, about forks of programs with threads
        child = os.fork()
    if child == 0:
        held.released.set()
        np.testing.assert_array_equal(model(_X, _N)[0], y)
        mlc.wait()
        calls = model.interpreted_calls
        is_equal = np.allclose(model(_X, _N)[0], y)
        os._exit(0 if is_equal and calls == model.interpreted_calls else 1)
    end = time.monotonic() + 60
    while not (found := os.waitpid(child, os.WNOHANG))[0]:
        assert time.monotonic() < end, "the child hangs"
        time.sleep(0.05)
    assert found[1] == 0


@pytest.mark.slow
def test_the_end_of_a_program_ends_its_compilations(tmp_path: Path) -> None:
    program = f"""
import numpy as np, mlc, mlc.compiler.background as background
model = mlc.compile({_text()!r}, tiered=True)
model(np.zeros((3, 4), np.float32), np.zeros(3, np.int64))
while not background._worker: pass
print(background._worker[0].process.pid, flush=True)
"""
    environment = {**os.environ, "MLC_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(ended.stdout), 0)
