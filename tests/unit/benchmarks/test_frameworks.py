"""Measuring models of frameworks: what a worker answers, what the table says, and the command on small models."""

from __future__ import annotations

import importlib.util
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.benchmarks import frameworks
from mlc.benchmarks.command import main as command
from mlc.benchmarks.framework_engines import NotMeasuredError, engines_of
from mlc.benchmarks.framework_worker import Worker, serve
from mlc.benchmarks.frameworks import Measured, head, main, row, summary


def test_the_ratio_is_that_of_the_fastest_other_within_a_round() -> None:
    seconds = {"mlc": [1.0, 2.0, 4.0], "inductor": [2.0, 2.0, 2.0], "eager": [3.0, 1.0, 12.0]}
    assert Measured("net", seconds).ratio() == 0.5  # of 2, 0.5 and 0.5
    assert Measured("net", {"mlc": [1.0]}).ratio() is None
    assert Measured("net", {"eager": [1.0]}).ratio() is None


def test_the_table() -> None:
    engines = ["mlc", "XLA"]
    seconds = {"mlc": [1e-3, 2e-3, 3e-3], "XLA": [3e-3, 3e-3, 3e-3]}
    found = Measured("net", seconds, {"mlc": 1.5, "XLA": 6.0}, {"mlc": 0.25, "XLA": 2.0}, 1e-6)
    failed = Measured("other", {"XLA": [1.0]}, {"XLA": 3.0}, {}, None, ["mlc: no"])
    assert [*head(engines), row(found, engines), row(failed, engines)] == [
        "| model | mlc ms | XLA ms | ratio | error | mlc cold s | XLA cold s | mlc warm s | XLA warm s |",
        "|---|---|---|---|---|---|---|---|---|",
        "| net | 2 | 3 | 1.50 | 1e-06 | 1.50 | 6.00 | 0.25 | 2.00 |",
        "| other |  | 1e+03 |  |  |  | 3.00 |  |  |",
    ]
    worse = Measured("train_net", {"mlc": [2.0], "XLA": [1.0]}, {"mlc": 9.0, "XLA": 10.0}, {"mlc": 0.5})
    assert list(summary([found, failed, worse], "XLA")) == [
        "inference: geometric mean 1.50, least 1.50 (net)",
        "training: geometric mean 0.50, least 0.50 (train_net)",
        "first results, cold: at most 0.90 of XLA's time (train_net)",
        "first results, warm: at most 0.50 s (train_net)",
        "- other: mlc: no",
    ]
    assert next(iter(summary([found], "XLA"))) == "models: geometric mean 1.50, least 1.50 (net)"


def test_what_computes_something_else_is_named() -> None:
    found = Measured("net")
    right = [np.ones(3, np.float32), np.array(2), np.zeros((0, 2))]
    results = {"mlc": right, "inductor": [np.full(3, 1.5), *right[1:]], "ONNX Runtime": right[:1], "eager": right}
    frameworks._compare(found, results, "eager")  # pyright: ignore[reportPrivateUsage]
    assert found.error == 0.0
    assert found.wrong == [
        "inductor computes something else than eager, by 5e-01",
        "ONNX Runtime computes something else than eager, by 0e+00",
    ]


def test_nobody_trains_by_an_export() -> None:
    assert "ONNX Runtime" in engines_of("torch", "resnet18")
    assert "ONNX Runtime" not in engines_of("torch", "train_resnet18")


def _answers(orders: str, start: Any) -> list[dict[str, Any]]:
    out = io.StringIO()
    serve(io.StringIO(orders), out, start)
    return [json.loads(line.removeprefix("mlc-bench: ")) for line in out.getvalue().splitlines()]


def test_a_worker_answers_each_order(tmp_path: Path) -> None:
    calls: list[str] = []
    file = tmp_path / "results.npz"

    def first() -> list[Any]:
        calls.append("first")
        return [np.arange(3)]

    ready, one, two = _answers(f"first {file}\nturn 0.001\n", lambda: (first, lambda: lambda: calls.append("call")))
    assert ready == {"ready": True}
    assert 0 < one["seconds"] < 5 and 0 < two["seconds"] < 5
    assert calls[0] == "first" and set(calls[1:]) == {"call"}
    with np.load(file) as archive:
        assert [archive[key].tolist() for key in archive.files] == [[0, 1, 2]]


def test_what_an_engine_raises_is_its_answer() -> None:
    def broken() -> Any:
        raise ValueError("two\nlines")

    def refuses() -> Any:
        raise NotMeasuredError("stays in torch: fft")

    assert _answers("", broken) == [{"error": "ValueError: two lines"}]
    assert _answers("first x", lambda: (refuses, broken))[1:] == [{"error": "stays in torch: fft"}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["jax", "--engines", "mlc,TVM"], "no engine is called TVM; found mlc, XLA"),
        (["jax", "--only", "nothing"], "no model is called 'nothing'; --list shows them"),
        (["jax", "--only", "("], "--only takes a regular expression, found '('"),
    ],
)
def test_what_is_not_there_is_named(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jax")
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_frameworks_are_families_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jax")
    assert command(["jax", "--list", "--only", "^ode$"]) == 0
    assert capsys.readouterr().out == "ode\n"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def missing(_: str) -> Any:
        raise ModuleNotFoundError("No module named 'jax'")

    monkeypatch.setattr(frameworks, "names", missing)
    assert main(["jax"]) == 2
    assert capsys.readouterr().err == "No module named 'jax'; pip install jax\n"


@pytest.mark.slow
def test_a_worker_that_cannot_start_says_why(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    with pytest.raises(NotMeasuredError, match="KeyError: 'nothing'"):
        Worker("jax", "nothing", "mlc", 1, frameworks.default_cores(1), tmp_path)


@pytest.mark.slow
def test_a_function_of_jax(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jax")
    assert main(["jax", "--only", "^ode$", "--repeat", "1"]) == 0
    shown = capsys.readouterr().out
    assert "| ode |" in shown and "models: geometric mean" in shown
    assert "first results, warm: at most" in shown and "- ode" not in shown


@pytest.mark.slow
def test_a_model_of_torch(capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the export, where the packages that make one are installed."""
    pytest.importorskip("torch")
    exports = all(importlib.util.find_spec(name) for name in ("onnxruntime", "onnxscript"))
    engines = ["mlc", "eager", *(["ONNX Runtime"] if exports else [])]
    assert main(["torch", "--only", "^small_gpt$", "--repeat", "1", "--engines", ",".join(engines)]) == 0
    shown = capsys.readouterr().out
    cells = next(line for line in shown.splitlines() if line.startswith("| small_gpt |")).strip("| ").split(" | ")
    assert len(cells) == 3 + 3 * len(engines) and all(cells)
    assert "- small_gpt" not in shown
