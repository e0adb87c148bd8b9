"""Operators of `quantized_decomposed`, which quantised programs have, beside torch's own."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.dialects.aten.schemas import import_namespace

torch = pytest.importorskip("torch")
import_namespace("quantized_decomposed")
_OPS = torch.ops.quantized_decomposed
if not hasattr(_OPS, "quantize_per_channel"):
    pytest.skip("this torch does not have the operators", allow_module_level=True)

_DTYPES = [torch.int8, torch.uint8, torch.int16, torch.int32]


class _PerTensor(torch.nn.Module):
    """There and back; a scale that is a power of two has an exact reciprocal."""

    def __init__(self, dtype: Any, zero: int, least: int, most: int) -> None:
        super().__init__()
        self.arguments = (0.25, zero, least, most, dtype)

    def forward(self, x: Any) -> Any:
        q = _OPS.quantize_per_tensor(x, *self.arguments)
        return q, _OPS.dequantize_per_tensor(q, *self.arguments)


class _PerChannel(torch.nn.Module):
    def __init__(self, axis: int, with_zero: bool) -> None:
        super().__init__()
        self.axis, self.with_zero = axis, with_zero
        self.scales = torch.nn.Buffer(torch.tensor([0.5, 2.0, 0.125]))
        self.zeros = torch.nn.Buffer(torch.tensor([0, -3, 7]))

    def forward(self, x: Any) -> Any:
        q = _OPS.quantize_per_channel(x, self.scales, self.zeros, self.axis, -127, 127, torch.int8)
        zeros = self.zeros if self.with_zero else None
        return q, _OPS.dequantize_per_channel(q, self.scales, zeros, self.axis, -127, 127, torch.int8)


class _Tensors(torch.nn.Module):
    """Scale and zero point are tensors, of one element and of none."""

    def forward(self, x: Any, scale: Any, zero: Any) -> Any:
        q = _OPS.quantize_per_tensor.tensor(x, scale, zero, 0, 255, torch.uint8)
        return _OPS.dequantize_per_tensor.tensor(q, scale, zero, 0, 255, torch.uint8)


def _x(dtype: Any = torch.float32) -> Any:
    values = torch.linspace(-40, 80, 3 * 3 * 7).reshape(3, 3, 7)
    values[0, 0, :3] = torch.tensor([0.125, 0.375, 1e9])
    return values.to(dtype)


def _check(module: Any, *inputs: Any, tmp_path: Path) -> None:
    program = torch.export.export(module, inputs)
    torch.export.save(program, tmp_path / "model.pt2")
    found = mlc.compile(tmp_path / "model.pt2")(*(v.numpy() for v in inputs))
    wanted = module(*inputs)
    if not isinstance(wanted, tuple):
        found, wanted = (found,), (wanted,)
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.numpy().dtype
        np.testing.assert_array_equal(a, b.numpy())


@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
def test_per_tensor(dtype: Any, tmp_path: Path) -> None:
    info = torch.iinfo(dtype)
    least, most = max(info.min, -(1 << 20)), min(info.max, 1 << 20)
    _check(_PerTensor(dtype, 3, least, most), _x(), tmp_path=tmp_path)


def test_limits_within_the_type(tmp_path: Path) -> None:
    _check(_PerTensor(torch.int8, 0, -127, 100), _x(), tmp_path=tmp_path)


@pytest.mark.parametrize("with_zero", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
def test_per_channel(axis: int, with_zero: bool, tmp_path: Path) -> None:
    _check(_PerChannel(axis, with_zero), _x(), tmp_path=tmp_path)


def test_scales_that_are_tensors(tmp_path: Path) -> None:
    _check(_Tensors(), _x(), torch.tensor([0.5]), torch.tensor([128]), tmp_path=tmp_path)


def test_other_scales_are_at_most_a_step_off(tmp_path: Path) -> None:
    module = _PerTensor(torch.uint8, 100, 0, 255)
    module.arguments = (0.3, *module.arguments[1:])
    torch.export.save(torch.export.export(module, (_x(),)), tmp_path / "model.pt2")
    found, _ = mlc.compile(tmp_path / "model.pt2")(_x().numpy())
    wanted = module(_x())[0].numpy()
    off = np.abs(found.astype(int) - wanted.astype(int))
    assert off.max() <= 1 and np.count_nonzero(off) < 3


def test_torch_compile_runs_them_natively() -> None:
    module = _PerTensor(torch.int8, 3, -128, 127)
    compiled: Any = torch.compile(module, backend="mlc")
    for a, b in zip(compiled(_x()), module(_x()), strict=True):
        assert torch.equal(a, b)
