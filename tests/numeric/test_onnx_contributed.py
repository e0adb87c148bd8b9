"""Operators of ONNX Runtime as native code, beside the runtime: a case of each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.tests.unit.frontends.onnx.contributed_blocks import BLOCKS, QUANTIZED_LAYERS
from mlc.tests.unit.frontends.onnx.contributed_cases import QUANTIZED
from mlc.tests.unit.frontends.onnx.contributed_fused import ATTENTION, FUSED
from mlc.tests.unit.frontends.onnx.operator_cases import Case
from mlc.tests.unit.frontends.onnx.test_contributed import by_runtime, model_of

_EACH: dict[str, Case] = {case[0]: case for case in (*QUANTIZED, *FUSED, *ATTENTION, *BLOCKS, *QUANTIZED_LAYERS)}


@pytest.mark.slow
@pytest.mark.parametrize("case", _EACH.values(), ids=_EACH)
def test_native(case: Case, tmp_path: Path) -> None:
    """Integers are within one step, as at the graph level."""
    model, given = model_of(case)
    (tmp_path / "model.onnx").write_bytes(model)
    found = mlc.compile(tmp_path / "model.onnx").run(given)
    near = case[2].get("near", 1e-5)
    pairs = list(zip(found.values(), by_runtime(model, given), strict=True))
    for one, other in pairs[: case[2].get("compared")]:
        assert one.dtype == other.dtype and one.shape == other.shape
        if one.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=near, atol=near)
        else:
            apart = np.abs(one.astype(np.int64) - other.astype(np.int64))
            assert apart.max() <= 1 and (apart > 0).mean() <= case[2].get("share", 0.03)
