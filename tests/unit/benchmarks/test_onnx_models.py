"""Measuring models of ONNX: what the command line says of files, and what the table says of measurements."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.benchmarks.onnx_models import Measured, ModelFile, main, table
from mlc.support.errors import UserError


def test_a_word_is_a_file_and_what_its_inputs_leave_open() -> None:
    model = ModelFile.of("exports/bert.onnx:ids=1x128,batch=2")
    assert (model.path, model.name) == (Path("exports/bert.onnx"), "bert")
    assert model.shapes == {"ids": (1, 128), "batch": 2}
    assert ModelFile.of("net/model.onnx") == ModelFile(Path("net/model.onnx"))
    assert ModelFile.of("net/model.onnx").name == "net"
    with pytest.raises(UserError, match="found 'x' as a shape"):
        ModelFile.of("net.onnx:x")


def test_the_ratio_is_that_of_the_best_peer_within_a_round() -> None:
    seconds = {"mlc": [1.0, 2.0, 4.0], "ONNX Runtime": [2.0, 2.0, 2.0], "OpenVINO": [3.0, 1.0, 12.0]}
    found = Measured("net", seconds, 1e-6, 3.25, 0.125, 1.5)
    assert found.ratio() == 0.5  # of 2, 0.5 and 0.5
    assert Measured("net", {"mlc": [1.0]}, 0, 1, 1, 1).ratio() is None
    other = Measured("other", {"mlc": [1e-3]}, float("inf"), 1, 1, 1, ["OpenVINO: no"])
    assert list(table([found, other])) == [
        "| model | mlc ms | ONNX Runtime ms | OpenVINO ms | ratio | error | cold s | cached s | memory |",
        "|---|---|---|---|---|---|---|---|---|",
        "| net | 2e+03 | 2e+03 | 3e+03 | 0.50 | 1e-06 | 3.2 | 0.12 | 1.5x |",
        "| other | 1 |  |  |  | inf | 1.0 | 1.00 | 1.0x |",
        "\nGeometric mean 0.50, least 0.50.",
        "- other: OpenVINO: no",
    ]


def test_a_wrong_word_is_an_error_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["net.onnx:x"]) == 2
    assert "found 'x' as a shape" in capsys.readouterr().err


@pytest.mark.slow
def test_a_model_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    value = onnx.helper.make_tensor_value_info
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    graph = onnx.helper.make_graph([node], "g", [value("x", 1, ["n", 8])], [value("y", 1, ["n", 8])])
    imports = [onnx.helper.make_opsetid("", 17)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=imports, ir_version=8), str(tmp_path / "tiny.onnx"))
    assert main([f"{tmp_path / 'tiny.onnx'}:n=4", "--repeat", "1"]) == 0
    shown = capsys.readouterr().out
    assert "| tiny |" in shown
    assert "ONNX Runtime ms" in shown
    assert "Geometric mean" in shown
    assert main([f"{tmp_path / 'nothing.onnx'}"]) == 1
    assert "not found" in capsys.readouterr().err
