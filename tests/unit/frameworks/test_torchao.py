"""Models that torchao quantised, beside eager torch and its formulas in f64. Skipped where torchao is missing."""

# Both packages may be missing, so that their functions are of any type here.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.support.errors import UserError
from mlc.targets.machine import resolve_target
from mlc.tools import mlc_opt

torch = pytest.importorskip("torch")
quantization = pytest.importorskip("torchao.quantization", reason="torchao is not installed")
granularity = pytest.importorskip("torchao.quantization.granularity")
_IN, _HIDDEN, _OUT = 256, 512, 256
_WEIGHTS = _IN * _HIDDEN + _HIDDEN * _OUT


def _intx(bits: Any, by: Any) -> Callable[[], Any]:
    return lambda: quantization.IntxWeightOnlyConfig(weight_dtype=bits, granularity=by)


def _dynamic_intx(bits: Any, by: Any) -> Callable[[], Any]:
    return lambda: quantization.Int8DynamicActivationIntxWeightConfig(weight_dtype=bits, weight_granularity=by)


_CONFIGS: dict[str, tuple[Callable[[], Any], int, str]] = {
    "int8 weights": (lambda: quantization.Int8WeightOnlyConfig(), 8, "scaled_matmul"),
    "int8 weights in groups": (
        lambda: quantization.Int8WeightOnlyConfig(granularity=granularity.PerGroup(32)),
        8,
        "scaled_matmul",
    ),
    "int8 weights by rows, with zero points": (_intx(torch.int8, granularity.PerAxis(0)), 8, "scaled_matmul"),
    "int4 weights": (_intx(torch.int4, granularity.PerGroup(32)), 4, "scaled_matmul"),
    "int8 by int8": (lambda: quantization.Int8DynamicActivationInt8WeightConfig(), 8, "ui8"),
    "int8 by int8, one scale": (
        lambda: quantization.Int8DynamicActivationInt8WeightConfig(granularity=granularity.PerTensor()),
        8,
        "ui8",
    ),
    "int8 with zero points by int8": (_dynamic_intx(torch.int8, granularity.PerAxis(0)), 8, "ui8"),
    "int8 with zero points by int4": (_dynamic_intx(torch.int4, granularity.PerGroup(32)), 4, "xui8>"),
}
"""What quantises a model, the bits of its weights, and how products are computed in an exported program."""
_CASES = [pytest.param(*case, id=name) for name, case in _CONFIGS.items()]


def _quantized(config: Any, *layers: Any) -> Any:
    torch.manual_seed(7)
    chosen = layers or (torch.nn.Linear(_IN, _HIDDEN), torch.nn.ReLU(), torch.nn.Linear(_HIDDEN, _OUT))
    model = torch.nn.Sequential(*chosen).eval()
    quantization.quantize_(model, config)
    return model


def _x(rows: int = 4) -> Any:
    return torch.randn(rows, _IN, generator=torch.Generator().manual_seed(3))


def _stored_bits(bits: int) -> int:
    """Of a weight here: those of 8 bits have 16 where nothing multiplies words of bytes."""
    machine = resolve_target("native")
    return 16 if bits == 8 and machine.dot_instruction("ui8", "i8", machine.vector_bits) is None else bits


@pytest.mark.parametrize("strict", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["export", "strict export"])
@pytest.mark.parametrize(("config", "bits", "product"), _CASES)
def test_exported(
    config: Callable[[], Any], bits: int, product: str, strict: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, x = _quantized(config()), _x()
    path, artifact = tmp_path / "model.pt2", tmp_path / "model.so"
    torch.export.save(torch.export.export(model, (x,), strict=strict), path)
    compiled = mlc.compile(path)
    with torch.no_grad():
        np.testing.assert_allclose(compiled(x.numpy()), model(x).numpy(), atol=4e-6)
    compiled.save(artifact)
    assert artifact.stat().st_size <= 1.05 * _WEIGHTS * _stored_bits(bits) / 8 + 200_000
    mlc_opt.main([str(path), "-O3", "--emit=mlir:graph", "--target=sapphirerapids"])
    lines = [line for line in capsys.readouterr().out.splitlines() if "matmul %" in line]
    assert len(lines) == 2
    assert all(product in line and "xi8>" in line for line in lines)


@pytest.mark.parametrize(("config", "bits", "product"), _CASES)
def test_compiled(config: Callable[[], Any], bits: int, product: str) -> None:
    del bits, product
    model, x = _quantized(config()), _x()
    torch._dynamo.reset()
    mlc.torch.reset()
    with torch.no_grad():
        np.testing.assert_allclose(torch.compile(model, backend="mlc")(x).numpy(), model(x).numpy(), atol=4e-6)
    assert "in torch" not in str(mlc.torch.report())


def test_subclasses_that_are_unwrapped(tmp_path: Path) -> None:
    """As torchao's documentation has it for torch.export of older versions."""
    utils = pytest.importorskip("torchao.utils")
    model, x = _quantized(_CONFIGS["int4 weights"][0]()), _x()
    wanted = model(x).detach().numpy()
    utils.unwrap_tensor_subclass(model)
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "model.pt2")
    np.testing.assert_allclose(mlc.compile(tmp_path / "model.pt2")(x.numpy()), wanted, atol=4e-6)


# ---- the formulas, in f64


def _dynamic(x: Any, symmetric: bool) -> tuple[Any, Any, Any]:
    """The integers of each row with their scales and zero points; each step in f32, as torchao writes it."""
    least, most = np.minimum(x.min(1, keepdims=True), 0), np.maximum(x.max(1, keepdims=True), 0)
    span = np.maximum(-least, most) / np.float32(127.5) if symmetric else (most - least) / np.float32(255)
    scale = np.maximum(span, np.finfo(np.float32).smallest_normal)
    zero = np.zeros_like(scale) if symmetric else np.clip(-128 - np.rint(least / scale), -128, 127)
    return np.clip(np.rint(x * (1 / scale)) + zero, -128, 127), scale, zero


def _spread(array: Any, shape: Any) -> Any:
    """A number for each group of a row, for each element of it."""
    return np.repeat(array.numpy().astype(np.float64), shape[1] // array.shape[1], 1)


@pytest.mark.parametrize(
    ("name", "symmetric"),
    [
        ("int4 weights", None),
        ("int8 by int8", True),
        ("int8 with zero points by int8", False),
        ("int8 with zero points by int4", False),
    ],
)
def test_oracle(name: str, symmetric: bool | None, tmp_path: Path) -> None:
    model, x = _quantized(_CONFIGS[name][0](), torch.nn.Linear(_IN, _OUT)), _x(33).numpy()
    torch.export.save(torch.export.export(model, (torch.tensor(x),)), tmp_path / "model.pt2")
    weight, bias = model[0].weight, model[0].bias.detach().numpy().astype(np.float64)
    w = weight.qdata.numpy().astype(np.float64)
    if (zero := getattr(weight, "zero_point", None)) is not None:
        w = w - _spread(zero, w.shape)
    w = w * _spread(weight.scale, w.shape)
    if symmetric is None:
        values = x.astype(np.float64)
    else:
        q, scale, zero = _dynamic(x, symmetric)
        values = (q.astype(np.float64) - zero) * scale
    wanted = values @ w.T + bias
    found = mlc.compile(tmp_path / "model.pt2")(x)
    assert np.abs(found - wanted).max() <= 2e-6 * np.abs(values).max() * np.abs(w).sum(1).max()


# ---- single operators


class _Blocks(torch.nn.Module):
    """By blocks of two dims, to the integers of a type or to fewer."""

    def __init__(self, dtype: Any, limits: tuple[int | None, int | None], zero: int) -> None:
        super().__init__()
        self.dtype, self.limits = dtype, limits
        self.scale = torch.nn.Buffer(torch.rand(2, 3, generator=torch.Generator().manual_seed(1)) / 8 + 0.01)
        self.zero = torch.nn.Buffer(torch.full((2, 3), zero, dtype=torch.int32))

    def forward(self, x: Any, factor: Any) -> Any:
        operators, sizes = torch.ops.torchao, [2, 5]
        scale = self.scale * factor  # not known, so that both sides multiply by its reciprocal
        q = operators.quantize_affine(x, sizes, scale, self.zero, self.dtype, *self.limits)
        return q, operators.dequantize_affine(q, sizes, scale, self.zero, self.dtype, *self.limits)


@pytest.mark.parametrize(
    ("dtype", "limits", "zero"),
    [
        (torch.int8, (None, None), 3),
        (torch.int8, (-8, 7), 0),
        (torch.uint8, (0, 15), 8),
        (torch.uint8, (None, 200), 255),
    ],
)
def test_blocks(dtype: Any, limits: tuple[int | None, int | None], zero: int, tmp_path: Path) -> None:
    module, x = _Blocks(dtype, limits, zero), torch.randn(4, 15, generator=torch.Generator().manual_seed(2))
    x[0, :3] = torch.tensor([1e9, -1e9, 0])
    factor = torch.ones(())
    torch.export.save(torch.export.export(module, (x, factor)), tmp_path / "model.pt2")
    found = mlc.compile(tmp_path / "model.pt2")(x.numpy(), factor.numpy())
    for a, b in zip(found, module(x, factor), strict=True):
        assert a.dtype == b.numpy().dtype
        np.testing.assert_array_equal(a, b.numpy())


def test_what_cannot_be_quantised_is_told(tmp_path: Path) -> None:
    class Floats(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            scale, zero = torch.ones(4, 1), torch.zeros(4, 1)
            return torch.ops.torchao.quantize_affine(x, [1, 8], scale, zero, torch.float8_e4m3fn, -9.0, 9.0)

    torch.export.save(torch.export.export(Floats(), (torch.ones(4, 8),)), tmp_path / "model.pt2")
    with pytest.raises(UserError, match=r"it quantises to elements of type f8E4M3FN; required: i8, ui8, i16, ui16"):
        mlc.compile(tmp_path / "model.pt2")


def test_classes_of_weights_are_found_by_a_process_that_has_not_imported_torchao(tmp_path: Path) -> None:
    model, x = _quantized(_CONFIGS["int8 weights"][0]()), _x()
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "model.pt2")
    script = f"import mlc; mlc.compile({str(tmp_path / 'model.pt2')!r})"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert not run.returncode, run.stderr
