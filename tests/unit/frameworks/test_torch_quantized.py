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
from mlc.tools import mlc_opt

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


class _PerToken(torch.nn.Module):
    """Scales and zero points of each row come from data, by one of two operators."""

    def __init__(self, choose: str) -> None:
        super().__init__()
        self.choose = getattr(_OPS, choose)

    def forward(self, x: Any) -> Any:
        scale, zero = self.choose(x, torch.int8)
        q = _OPS.quantize_per_token(x, scale, zero, -128, 127, torch.int8)
        y = _OPS.dequantize_per_token(q, scale, zero, -128, 127, torch.int8, torch.float32)
        return q, y, scale.float(), zero.float()


class _Dynamic(torch.nn.Module):
    """One scale and one zero point, of the range of all numbers."""

    def forward(self, x: Any) -> Any:
        scale, zero = _OPS.choose_qparams.tensor(x, 0, 255, 1e-6, torch.uint8)
        q = _OPS.quantize_per_tensor.tensor(x, scale, zero, 0, 255, torch.uint8)
        return q, _OPS.dequantize_per_tensor.tensor(q, scale, zero, 0, 255, torch.uint8), scale.float(), zero.float()


class _Grouped(torch.nn.Module):
    """Groups of a row; without zero points on the way back."""

    def __init__(self, group: int, columns: int) -> None:
        super().__init__()
        self.group = group
        self.scales = torch.nn.Buffer(2.0 ** torch.arange(-3, 3 * columns - 3).reshape(3, columns))
        self.zeros = torch.nn.Buffer(torch.arange(3 * columns).reshape(3, columns).to(torch.int32))

    def forward(self, x: Any) -> Any:
        q = _OPS.quantize_per_channel_group(x, self.scales, self.zeros, -8, 7, torch.int8, self.group)
        more = (-8, 7, torch.int8, self.group, torch.float32)
        with_zeros = _OPS.dequantize_per_channel_group(q, self.scales, self.zeros, *more)
        return q, with_zeros, _OPS.dequantize_per_channel_group(q, self.scales, None, *more)


def _check_within_a_step(module: Any, x: Any, tmp_path: Path) -> None:
    """Integers are the same but for those next to the middle of two steps; what is computed from them fits."""
    torch.export.save(torch.export.export(module, (x,)), tmp_path / "model.pt2")
    q, y, scale, zero = mlc.compile(tmp_path / "model.pt2")(x.numpy())
    q_, y_, scale_, zero_ = (v.numpy() for v in module(x))
    np.testing.assert_array_equal(scale, scale_)
    np.testing.assert_array_equal(zero, zero_)
    off = np.abs(q.astype(int) - q_.astype(int))
    assert off.max() <= 1 and np.count_nonzero(off) < 3
    np.testing.assert_allclose(y[off == 0], y_[off == 0], rtol=1e-6)


@pytest.mark.parametrize("choose", ["choose_qparams_per_token", "choose_qparams_per_token_asymmetric"])
def test_per_token(choose: str, tmp_path: Path) -> None:
    x = torch.randn(2, 5, 40, generator=torch.Generator().manual_seed(1)) * torch.logspace(-6, 6, 40)
    x[0, 0], x[0, 1], x[0, 2] = 0, x[0, 1].abs(), -x[0, 2].abs()
    _check_within_a_step(_PerToken(choose), x, tmp_path)


@pytest.mark.parametrize("sign", [None, 1, -1])
def test_scales_of_all_numbers(sign: int | None, tmp_path: Path) -> None:
    x = torch.randn(7, 40, generator=torch.Generator().manual_seed(1))
    _check_within_a_step(_Dynamic(), x if sign is None else sign * x.abs(), tmp_path)


@pytest.mark.parametrize(("group", "columns"), [(4, 2), (8, 1), (128, 1)])
def test_groups_of_rows(group: int, columns: int, tmp_path: Path) -> None:
    _check(_Grouped(group, columns), torch.randn(3, 8, generator=torch.Generator().manual_seed(1)), tmp_path=tmp_path)


def test_products_of_dynamic_numbers_are_those_of_integers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = torch.nn.Buffer(torch.randint(-128, 128, (48, 64), dtype=torch.int8))
            self.scales = torch.nn.Buffer(torch.rand(48) / 100)

        def forward(self, x: Any) -> Any:
            scale, zero = _OPS.choose_qparams_per_token_asymmetric(x, torch.int8)
            q = _OPS.quantize_per_token(x, scale, zero, -128, 127, torch.int8)
            x = _OPS.dequantize_per_token(q, scale, zero, -128, 127, torch.int8, torch.float32)
            zeros = torch.zeros(48, dtype=torch.int64)
            w = _OPS.dequantize_per_channel(self.w, self.scales, zeros, 0, -128, 127, torch.int8)
            return torch.nn.functional.linear(x, w)

    torch.manual_seed(3)
    module, x = Layer(), torch.randn(5, 64)
    torch.export.save(torch.export.export(module, (x,)), tmp_path / "model.pt2")
    found = mlc.compile(tmp_path / "model.pt2")(x.numpy())
    np.testing.assert_allclose(found, module(x).numpy(), atol=2e-2 * float(module.scales.max()) * 128)
    mlc_opt.main([str(tmp_path / "model.pt2"), "-O3", "--emit=mlir:graph", "--target=sapphirerapids"])
    assert "tensor<5x64xui8>, tensor<64x48xi8> -> tensor<5x48xi32>" in capsys.readouterr().out
