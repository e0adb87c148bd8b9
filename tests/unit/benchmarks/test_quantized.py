"""Models in short numbers: which there are, how far engines are off, and what the table says."""

from __future__ import annotations

import importlib.util
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from mlc.benchmarks import quantized_models
from mlc.benchmarks.quantized import (
    FAMILIES,
    Family,
    Measured,
    Settings,
    Truth,
    run,
    selected,
    steps_of,
    summary,
    table,
)
from mlc.benchmarks.quantized_models import Calibration, ShortModel, Way, files_of, linear
from mlc.support.errors import UserError


def test_models_are_chosen_by_family_and_name() -> None:
    assert selected(["int8"], "^resnet-18$") == [("int8", ShortModel("resnet-18", "resnet18", "static"))]
    assert [name for name, _ in selected(FAMILIES, "^minilm")] == ["int8", "int8", "bf16"]
    assert selected(["matmul"], "") == []
    assert len({(f, m.name) for f, m in selected(FAMILIES, "")}) == len(selected(FAMILIES, ""))


def test_calibration_draws_floats_and_keeps_integers() -> None:
    example = {"x": np.ones((4, 50), np.float32), "ids": np.arange(8).reshape(1, 8), "mask": np.ones((1, 8), np.int64)}
    drawn = list(Calibration(example))
    assert len(drawn) > 1
    for each in drawn:
        assert each["x"].dtype == np.float32 and 0.5 < each["x"].std() < 2
        assert sorted(each["ids"][0]) == list(range(8)) and each["mask"].all()
    assert not np.array_equal(drawn[0]["ids"], drawn[1]["ids"])
    assert not np.array_equal(drawn[0]["x"], drawn[1]["x"])


def test_a_result_may_differ_as_much_as_quantization_loses() -> None:
    y = np.arange(8, dtype=np.float32)
    truth = Truth({"y": y}, {"y": 0.25}, {"y": 0.5})
    one_step = y + np.float32(0.5) * (np.arange(8) == 3)
    assert truth.difference({"y": one_step}) == 1 and truth.holds({"y": one_step})
    assert truth.difference({"y": y + 1}) == 2 and not truth.holds({"y": y + 1})
    assert not truth.holds({"y": y * np.nan})
    relative = Truth({"y": y}, {"y": 0.25}, None)
    assert relative.difference({"y": one_step}) == pytest.approx(0.5 / 7)


def test_ratios_are_to_peers_and_to_ourselves_in_f32() -> None:
    seconds = {"mlc": [1.0, 2.0], "mlc f32": [4.0, 4.0], "ONNX Runtime": [2.0, 2.0], "OpenVINO": [0.5, 1.0]}
    found = Measured("net", seconds, {"mlc": 1.0, "OpenVINO": 3.2}, True, 2.25)
    assert (found.ratio_to_peer(), found.ratio_to_f32()) == (0.5, 3.0)
    alone = Measured("alone", {"mlc": [1e-3]}, {"mlc": 0.0125}, wrong=["OpenVINO: no"])
    assert alone.ratio_to_peer() is None and alone.ratio_to_f32() is None
    rows = table("int8", [found, alone]).rows
    assert rows[0] == ["net", "1.5e+03", "2e+03", "750", "4e+03", "0.50", "3.00", "1 steps", "", "3 steps", "", "2.2"]
    assert rows[1] == ["alone", "1", "", "", "", "", "", "1.2%", "", "", "", "nan"]
    assert list(summary([found, alone])) == [
        "Ratio to the best peer: geometric mean 0.50, least 0.50 (net).",
        "Ratio to the own f32: geometric mean 3.00, least 3.00 (net).",
        "- alone: OpenVINO: no",
    ]


def test_a_model_needs_a_place_and_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = ShortModel("net", "net", "static")
    monkeypatch.setattr(quantized_models, "cache_folder", lambda: None)
    with pytest.raises(UserError, match="there is no home directory; required: a folder, named by MLC_CACHE_DIR"):
        files_of(model)

    def missing(name: str) -> str:
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(quantized_models, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(quantized_models, "version", missing)
    with pytest.raises(UserError, match=r"No module named 'torch'; pip install torch==.* onnxruntime"):
        files_of(model)


def test_steps_are_those_of_the_last_dequantization(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")

    def steps(body: str) -> dict[str, float] | None:
        head = (
            '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) <float s = {0.5}, uint8 z = {3}>'
        )
        file = str(tmp_path / "model.onnx")
        onnx.save(onnx.parser.parse_model(f"{head} {{ {body} }}"), file)
        return steps_of(file)

    quantized = "q = QuantizeLinear (x, s, z)"
    assert steps(f"{quantized} y = DequantizeLinear (q, s, z)") == {"y": 0.5}
    assert steps(f"{quantized} d = DequantizeLinear (q, s, z) y = Relu (d)") is None
    assert steps(f"{quantized} t = Mul (s, s) y = DequantizeLinear (q, t, z)") is None


@pytest.mark.slow
@pytest.mark.parametrize(("family", "way"), [("int8", "static"), ("int8", "dynamic"), ("bf16", "bf16")])
def test_a_kernel_is_made_once_and_measured(
    family: Family, way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in ("torch", "torchvision", "transformers", "onnxscript", "onnxruntime"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setitem(quantized_models.KERNELS, "tiny", partial(linear, 4, 32, 16))
    (tmp_path / "cache" / "benchmarks" / "tiny+older").mkdir(parents=True)
    model = ShortModel("tiny", "tiny", way)
    settings = Settings("native", 1, os.sched_getaffinity(0), rounds=1)
    assert run([(family, model)], settings, tmp_path) == 0
    shown = capsys.readouterr().out
    assert "| tiny |" in shown and "mlc computes something else" not in shown  # without VNNI, OpenVINO saturates
    assert "| tiny |" in (tmp_path / f"{family}.md").read_text()
    made = sorted((tmp_path / "cache" / "benchmarks").iterdir())
    assert [path.name.partition("+")[0] for path in made] == ["tiny", f"tiny-{way}"] and "older" not in str(made)
    before = [path.stat().st_mtime_ns for path in made]
    assert files_of(model).short.parent == made[1] and [path.stat().st_mtime_ns for path in made] == before
