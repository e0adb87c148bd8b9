"""Complex numbers of torch at the graph level, beside eager torch: zeros of both signs, infinities and NaN, and the
samples of torch's own operator tests, forward and backward."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

from mlc.testing.torch_graphs import run_graph, traced  # noqa: E402
from mlc.testing.torch_operators import run_operator  # noqa: E402

_Function = Callable[..., Any]
_PARTS = [0.0, -0.0, 1.0, -2.0, inf, -inf, nan]
DTYPES = [torch.complex64, torch.complex128]


def _numbers(dtype: Any, parts: list[float] | None = None) -> Any:
    """A complex number of any two parts."""
    parts = _PARTS if parts is None else parts
    return torch.tensor([complex(a, b) for a in parts for b in parts], dtype=dtype)


def _of_mlc(function: _Function, *tensors: Any) -> Any:
    graph = traced(lambda *values: [function(*values)], list(tensors))
    (found,) = run_graph(graph, list(tensors), native=False)
    return found


def _parts_of(x: Any) -> Any:
    x = x.resolve_conj()
    return (torch.view_as_real(x) if x.is_complex() else x[..., None].double()).numpy()


def _assert_same(found: Any, expected: Any, *operands: Any, atol: float = 0) -> None:
    """Equal numbers, but for their last digits, and zeros of one sign."""
    assert found.dtype == expected.dtype
    a, b = _parts_of(found), _parts_of(expected)
    same = np.isclose(a, b, rtol=1e-5, atol=atol, equal_nan=True) & ((np.signbit(a) == np.signbit(b)) | (b != 0))
    wrong = np.flatnonzero(~same.all(-1))
    assert not len(wrong), [([x[i].item() for x in operands], found[i], expected[i]) for i in wrong[:5].tolist()]


_SAME: dict[str, _Function] = {
    "abs": torch.abs,
    "angle": torch.angle,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "log": torch.log,
    "log2": torch.log2,
    "sigmoid": torch.sigmoid,
    "conj": torch.conj,
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "isfinite": torch.isfinite,
    "reciprocal": torch.reciprocal,
    "1 / z": lambda z: 1 / z,
    "z * 2": lambda z: z * 2.0,
    "z * (1 + 2j)": lambda z: z * (1 + 2j),
    "z / 2": lambda z: z / 2.0,
    "z * z.real": lambda z: z * z.real,
    "z ** 0": lambda z: z**0,
    "z ** 2": lambda z: z**2,
    "z ** 3": lambda z: z**3,
    "z ** 0.5": lambda z: z**0.5,
    "z ** -0.5": lambda z: z**-0.5,
    "z ** -1": lambda z: z**-1,
    "z ** -2": lambda z: z**-2,
    "z.bool()": lambda z: z.bool(),
    "logical_not": torch.logical_not,
    "to real": lambda z: torch.ops.aten._to_copy(z, dtype=torch.float64),
    "polar": lambda z: torch.polar(z.real, z.imag),
}
"""Functions of one operand that are eager torch's everywhere."""


@pytest.mark.parametrize("name", _SAME)
@pytest.mark.parametrize("dtype", DTYPES)
def test_zeros_infinities_and_nan_are_as_in_eager(name: str, dtype: Any) -> None:
    z = _numbers(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, of imaginary parts that are dropped
        _assert_same(_of_mlc(_SAME[name], z), _SAME[name](z), z)


@pytest.mark.parametrize("function", [torch.mul, torch.div, torch.eq, torch.ne])
@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_of_all_kinds(function: _Function, dtype: Any) -> None:
    z = _numbers(dtype)
    x, y = z.repeat_interleave(len(z)), z.repeat(len(z))
    _assert_same(_of_mlc(function, x, y), function(x, y), x, y)


def test_exponentials_are_those_of_c() -> None:
    """By NumPy's, but for the sign of zeros that have no angle."""
    z = _numbers(torch.complex128)
    with np.errstate(all="ignore"):
        expected = torch.from_numpy(np.exp(z.numpy()))
    known = ~torch.isinf(z.real) | torch.isfinite(z.imag)
    _assert_same(_of_mlc(torch.exp, z)[known], expected[known], z[known])
    assert torch.equal(_of_mlc(torch.exp, torch.tensor([complex(-inf, nan)])), torch.zeros(1, dtype=torch.complex64))


@pytest.mark.parametrize("name", ["add", "subtract", "negative"])
def test_sums_are_those_of_the_parts(name: str) -> None:
    """As in NumPy; eager torch multiplies by 1, or subtracts from 0, before."""
    z = _numbers(torch.complex128)
    x, y = z.repeat_interleave(len(z)), z.repeat(len(z))
    operands = (x,) if name == "negative" else (x, y)
    with np.errstate(all="ignore"):
        expected = torch.from_numpy(getattr(np, name)(*(v.numpy() for v in operands)))
    _assert_same(_of_mlc(getattr(torch, name), *operands), expected, *operands)


@pytest.mark.parametrize("dtype", DTYPES)
def test_inverse_tangents_of_large_and_infinite_numbers(dtype: Any) -> None:
    parts = [0.0, -0.0, 0.5, -3.0, 1e30, -1e30, 3e38, inf, -inf]
    z = _numbers(dtype, parts)
    for function in (torch.atanh, torch.atan):
        expected = function(z.to(torch.complex128)).to(dtype)
        _assert_same(_of_mlc(function, z), expected, z, atol=1e-29)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_whose_squares_overflow(dtype: Any) -> None:
    parts = [1e-38, 3e37, -2e37, 1e20, -1e-20]
    z = _numbers(dtype, parts)
    x, y = z.repeat_interleave(len(z)), z.repeat(len(z))
    found = _of_mlc(torch.div, x, y)
    expected = x.numpy().astype(np.complex128) / y.numpy().astype(np.complex128)
    inside = (np.abs(expected) < 1e37) & (np.abs(expected) > 1e-37)
    assert inside.sum() > 300
    np.testing.assert_allclose(found.numpy()[inside], expected[inside], rtol=1e-6)


_MOVES: dict[str, _Function] = {
    "cat of both kinds": lambda z: torch.cat([z, z.real, z.abs().int()]),
    "cat with nothing": lambda z: torch.cat([z.view(-1, 2), z[:0]]),
    "stack": lambda z: torch.stack([z, z * 1j], 1),
    "where of both kinds": lambda z: torch.where(z.real > 0, z, z.imag),
    "where of a number": lambda z: torch.where(z.real > 0, z, 1 - 2j),
    "masked_fill": lambda z: z.masked_fill(z.real > 0, 3j),
    "pad": lambda z: torch.nn.functional.pad(z.view(-1, 2), (1, 2), value=2.5),
    "index": lambda z: z.view(-1, 2)[torch.tensor([3, 0, -1])],
    "index_put": lambda z: z.index_put((torch.tensor([3, 0, 3]),), z[:3], accumulate=True),
    "scatter_add": lambda z: z.scatter_add(0, torch.tensor([1, 1, 0]), z[:3] * 2),
    "as_strided": lambda z: z.as_strided((3, 2), (1, 3)),
    "full": lambda z: torch.full_like(z, 1 - 2j) + torch.ones_like(z) + torch.full((1,), 2j),
    "eye": lambda z: torch.eye(3, dtype=z.dtype) * z[0],
    "mean": lambda z: z.view(-1, 2).mean(0),
    "cumsum": lambda z: z.cumsum(0),
    "var": lambda z: z.view(-1, 2).var(1),
    "norm": lambda z: torch.linalg.vector_norm(z.view(-1, 2), dim=1),
    "any": lambda z: (z.view(-1, 2) * 0j).any(1),
    "all": lambda z: (z.view(-1, 2) * torch.tensor([0j, 1j])).all(1),
    "bits": lambda z: z.view(z.real.dtype)[:8].view(z.dtype),
    "alpha": lambda z: torch.add(z, z.real, alpha=2j) - torch.sub(z, z, alpha=1 - 1j),
    "addmm": lambda z: torch.addmm(z[:2], z.view(2, -1), z.view(-1, 2), beta=2j, alpha=1 - 1j),
    "vdot": lambda z: torch.vdot(z, z * 1j)[None],
    "real by complex": lambda z: z.real.view(2, -1).to(z.dtype) @ z.view(-1, 2),
    "convolution": lambda z: torch.nn.functional.conv1d(z.view(1, 2, -1), z[:12].view(3, 2, 2), z[:3]),
    "odd transforms": lambda z: torch.fft.fft(z[:15].view(3, 5), dim=0, norm="ortho"),
    "half of odd transforms": lambda z: torch.fft.irfft(torch.fft.rfft(z[:15].real, norm="forward"), n=15),
    "transforms of several dims": lambda z: torch.fft.ifftn(z.view(2, 3, 3), dim=(2, 0)),
    "transforms that start in the middle": lambda z: torch.fft.irfft2(z.view(2, 3, 3), dim=(2, 1), s=(5, 4)),
    "both halves": lambda z: torch.fft.fft(z.real[:7]),
    "a transform of one number": lambda z: torch.fft.irfft(z[:1], n=1),
}
"""What moves and sums elements, on 18 numbers."""


@pytest.mark.parametrize("name", _MOVES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_what_moves_and_sums(name: str, dtype: Any) -> None:
    z = torch.from_numpy(np.random.default_rng(0).standard_normal((18, 2))).view(torch.complex128)[:, 0].to(dtype)
    torch.testing.assert_close(_of_mlc(_MOVES[name], z), _MOVES[name](z))


_SAMPLED = (
    "abs", "acos", "add", "addmm", "angle", "asin", "atan", "bmm", "cat", "cumsum", "diagonal",
    "div.no_rounding_mode", "exp", "expm1", "fft.fft", "fft.fft2", "fft.fftn", "fft.hfft", "fft.ifft", "fft.irfft",
    "fft.irfftn", "flip", "gather", "index_put", "index_select", "linalg.vector_norm", "log1p", "masked_fill",
    "matmul", "mean", "mul", "nn.functional.conv2d", "nn.functional.linear", "permute", "pow", "reciprocal", "roll",
    "rsub", "scatter", "sgn", "sigmoid", "sin", "sqrt", "square", "std", "stft", "sub", "sum", "tan", "tanh",
    "tril", "unfold", "view_as_real", "where",
)  # fmt: skip


@pytest.mark.sampled(7)
@pytest.mark.slow
@pytest.mark.parametrize("name", _SAMPLED)
def test_samples_of_torch(name: str) -> None:
    """Forward, and backward where torch has gradients."""
    outcomes = run_operator(name, "complex64", limit=6) + run_operator(name, "complex64", limit=2, with_gradients=True)
    assert any(o.status == "pass" for o in outcomes)
    assert not [o for o in outcomes if o.status in ("wrong", "bug")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["complex", "polar", "fft.rfft", "fft.rfftn", "fft.ihfft", "fft.ihfft2", "view_as_complex", "stft"]
)
def test_samples_that_begin_with_real_numbers(name: str) -> None:
    outcomes = run_operator(name, "float32", limit=6) + run_operator(name, "float32", limit=2, with_gradients=True)
    assert {o.status for o in outcomes} == {"pass"}
