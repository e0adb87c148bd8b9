"""Complex tensors of torch by the backend and in exports, beside eager torch."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.support.errors import UserError
from tests.conftest import CommandLine
from tests.unit.frameworks.eager import assert_as_eager, assert_same, assert_same_gradients, backend, compiled, torch

nn = torch.nn
DTYPES = [torch.complex64, torch.complex128]
"""Those that are computed with."""


def _all_native() -> None:
    report = backend.report()
    assert not report.fallbacks, report


def frequencies(dim: int, length: int, dtype: Any = torch.float32) -> Any:
    """The rotations of Llama's code: a complex number of size 1 for each place and pair of numbers."""
    per_pair = 1.0 / (10000.0 ** (torch.arange(0, dim, 2, dtype=dtype) / dim))
    angles = torch.outer(torch.arange(length, dtype=dtype), per_pair)
    return torch.polar(torch.ones_like(angles), angles)


def rotated(x: Any, freqs: Any) -> Any:
    """Pairs of neighbours turned, as Llama's code has it."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    turned = pairs * freqs.view(1, x.shape[1], 1, x.shape[-1] // 2)
    return torch.view_as_real(turned).flatten(3).type_as(x)


class Attention(nn.Module):
    """Attention with rotary embeddings, whose rotations are a buffer of complex numbers."""

    def __init__(self, dim: int = 12, heads: int = 2, length: int = 9) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim, bias=False) for _ in range(4))
        self.register_buffer("freqs", frequencies(dim // heads, length), persistent=False)
        self.freqs: Any

    def forward(self, x: Any) -> Any:
        q, k, v = (w(x).view(*x.shape[:2], self.heads, -1) for w in (self.q, self.k, self.v))
        freqs = self.freqs[: x.shape[1]]
        q, k = rotated(q, freqs), rotated(k, freqs)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        weights = torch.softmax(q @ k.transpose(2, 3) / q.shape[-1] ** 0.5, -1)
        return self.o((weights @ v).transpose(1, 2).flatten(2))


class Recurrence(nn.Module):
    """A diagonal state space model (S4D): a kernel from complex parameters, and a convolution by Fourier transforms."""

    def __init__(self, channels: int = 3, states: int = 4) -> None:
        super().__init__()
        self.log_step = nn.Parameter(torch.rand(channels) - 3)
        self.log_decay = nn.Parameter(torch.log(0.5 * torch.ones(channels, states)))
        self.turn = nn.Parameter(torch.pi * torch.arange(states).repeat(channels, 1))
        self.out = nn.Parameter(torch.randn(channels, states, dtype=torch.complex64))
        self.skip = nn.Parameter(torch.randn(channels))

    def forward(self, u: Any) -> Any:
        length = u.shape[-1]
        poles = -torch.exp(self.log_decay) + 1j * self.turn
        moved = poles * torch.exp(self.log_step)[:, None]
        powers = torch.exp(moved[..., None] * torch.arange(length))
        scaled = self.out * (torch.exp(moved) - 1.0) / poles
        kernel = 2 * torch.einsum("hn,hnl->hl", scaled, powers).real
        product = torch.fft.rfft(u, n=2 * length) * torch.fft.rfft(kernel, n=2 * length)
        return torch.fft.irfft(product, n=2 * length)[..., :length] + u * self.skip[:, None]


def _filtered(x: Any, weight: Any) -> Any:
    """A global filter of an image (a product in the space of frequencies)."""
    x = torch.fft.rfft2(x, dim=(1, 2), norm="ortho")
    return torch.fft.irfft2(x * torch.view_as_complex(weight), s=(6, 9), dim=(1, 2), norm="ortho")


def test_rotary_embeddings_of_a_model() -> None:
    model = Attention()
    assert_as_eager(model, torch.randn(2, 7, 12))
    _all_native()


@pytest.mark.slow
def test_a_model_with_rotary_embeddings_trains() -> None:
    model = Attention()
    assert_same_gradients(model, torch.randn(2, 9, 12, requires_grad=True), parameters=list(model.parameters()))
    _all_native()


def test_gradients_of_rotations() -> None:
    """Those of the rotations too, which are complex."""
    freqs = frequencies(6, 5, torch.float64).requires_grad_()

    def lengths(x: Any, freqs: Any) -> Any:
        return rotated(x, freqs)

    assert_same_gradients(lengths, torch.randn(2, 5, 3, 6, dtype=torch.float64, requires_grad=True), freqs)
    _all_native()


@pytest.mark.slow
def test_a_state_space_model() -> None:
    model = Recurrence()
    assert_as_eager(model, torch.randn(2, 3, 11))
    _all_native()
    assert_same_gradients(model, torch.randn(2, 3, 11, requires_grad=True), parameters=list(model.parameters()))
    _all_native()


@pytest.mark.slow
def test_filters_in_the_space_of_frequencies() -> None:
    x, weight = torch.randn(2, 6, 9, 3), torch.randn(6, 5, 3, 2)
    assert_as_eager(_filtered, x, weight)
    _all_native()


def test_an_exported_model_has_real_inputs_and_outputs() -> None:
    """As complex numbers lie in memory; constants of the model are complex, too."""
    factor = torch.randn(5, dtype=torch.complex64)

    def scaled(z: Any) -> Any:
        return {"product": z * factor, "size": z.abs()}

    z = torch.randn(3, 5, dtype=torch.complex64)
    model = mlc.torch.compile(scaled, z)
    found = model.run({"z": torch.view_as_real(z).numpy()})
    assert [(i.name, i.shape) for i in model.inputs] == [("z", (3, 5, 2))]
    np.testing.assert_allclose(found["product"], torch.view_as_real(z * factor).numpy(), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found["size"], z.abs().numpy(), rtol=1e-6)


def _inputs(dtype: Any) -> dict[str, Any]:
    z = torch.randn(3, 4, dtype=dtype)
    return {
        "as it is": z,
        "conjugate": z.conj(),
        "strided": torch.randn(4, 6, dtype=dtype)[:, ::2],
        "transposed": z.t(),
        "expanded": torch.randn(1, 4, dtype=dtype).expand(3, 4),
        "offset": torch.randn(10, dtype=dtype)[3:],
        "no dims": torch.tensor(2.0 - 1j, dtype=dtype),
        "no elements": torch.empty(0, 3, dtype=dtype),
        "real part of a conjugate": z.conj().imag,
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", _inputs(torch.complex64))
def test_inputs_of_any_layout(name: str) -> None:
    for dtype in DTYPES:
        x = _inputs(dtype)[name]
        fast = compiled(lambda x: (x * 2 + 1, x.sum()))
        assert_same(fast(x), (x * 2 + 1, x.sum()))
        _all_native()


def test_conjugates_that_are_only_noted() -> None:
    """A tensor that holds other numbers than its memory."""
    x = torch.randn(3, 4, dtype=torch.complex128).conj()
    assert_as_eager(lambda x: (x * 2, x.sum()), x)
    _all_native()


def _results(z: Any) -> Any:
    w = z * 2j
    return w.real, w.imag, torch.view_as_real(w), w, w.conj(), w.conj().imag, w.t(), z.conj(), z.imag, w[0]


def test_results_that_are_views_hold_the_same_numbers() -> None:
    z = torch.randn(3, 4, dtype=torch.complex64)
    with torch.no_grad():
        for found, expected in zip(compiled(_results)(z), _results(z), strict=True):
            torch.testing.assert_close(found, expected)
            torch.testing.assert_close(found + 0, expected + 0)


def test_views_of_conjugates_that_torch_reads() -> None:
    """Torch refuses to read the memory of a conjugate, which is what its graph says."""
    z = torch.rand(4, dtype=torch.complex64)
    assert_as_eager(lambda z: torch.special.airy_ai((z * 2).conj().real) + 1, z)
    assert [f.operator for f in backend.report().fallbacks] == ["aten.special_airy_ai"]


def test_a_complex_buffer_is_changed_in_its_own_memory() -> None:
    def changed(state: Any, x: Any) -> Any:
        state.mul_(x).add_(1j)
        return state.real * 2

    for state in (torch.randn(4, dtype=torch.complex64), torch.randn(8, dtype=torch.complex64)[::2]):
        assert_as_eager(changed, state, torch.randn(4))
        _all_native()


@pytest.mark.slow
def test_any_number_of_rows() -> None:
    """Code for fewer rows than it is made for."""
    fast = compiled(lambda z: torch.view_as_real(z * 1j).sum(-1), dynamic=True)
    with torch.no_grad():
        for rows in (3, 5, 6, 7, 12):
            z = torch.randn(rows, 4, dtype=torch.complex64)
            assert_same(fast(z), torch.view_as_real(z * 1j).sum(-1))
    _all_native()


def test_an_index_out_of_range_counts_once() -> None:
    """For both parts of a number together."""
    z, at = torch.randn(4, dtype=torch.complex64), torch.tensor([0, 7, -9])
    model = mlc.torch.compile(lambda z, at: z[at].abs(), (z, torch.tensor([0, 1, 2])), checked=True)
    found = model.run({"z": torch.view_as_real(z).numpy(), "at": at.numpy()})
    assert found["wrong_elements"] == 2


def _chosen(z: Any, w: Any) -> Any:
    return torch.cond(z.abs().sum() > 3, lambda z, w: (z * w, z * 1j), lambda z, w: (z * z, z - w), (z, w))


def _repeated(z: Any) -> Any:
    return torch._higher_order_ops.while_loop(
        lambda i, z: i < 5, lambda i, z: (i + 1, z * (0.5 + 0.5j)), (torch.tensor(0), z)
    )


@pytest.mark.slow
def test_branches_and_loops() -> None:
    for size in (0.1, 10):
        assert_as_eager(_chosen, size * torch.randn(4, dtype=torch.complex64), torch.randn(4))
        _all_native()
    assert_as_eager(_repeated, torch.randn(3, dtype=torch.complex128))
    _all_native()


@pytest.mark.slow
def test_exports_with_open_dims_and_without_operators() -> None:
    rows = torch.export.Dim("rows", min=2, max=9)
    z = torch.randn(3, 2, dtype=torch.complex64)
    model = mlc.torch.compile(lambda z: z * z.sum(), z, dynamic_shapes=({0: rows},))
    assert repr(model) == "<mlc model with open dims (z [?, 2, 2])>"
    for n in (2, 5):
        z = torch.randn(n, 2, dtype=torch.complex64)
        found = model(torch.view_as_real(z).numpy())
        np.testing.assert_allclose(found, torch.view_as_real(z * z.sum()).numpy(), rtol=1e-5, atol=1e-5)
    with pytest.raises(UserError, match=r"input 'z' is z \[\?, 2, 2\], which 5x2 does not fit"):
        mlc.torch.compile(lambda z: z * 2, z, dynamic_shapes=({0: rows},), shapes={"z": (5, 2)})
    found = mlc.torch.compile(lambda z: z, z)(torch.view_as_real(z).numpy())
    np.testing.assert_array_equal(found, torch.view_as_real(z).numpy())


def test_a_text_says_what_callers_see(mlc: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "z.pt2"
    module = nn.Module()
    module.forward = lambda z, w: {"product": z * w}  # pyright: ignore[reportAttributeAccessIssue]
    program = torch.export.export(module, (torch.ones(2, 3, dtype=torch.complex64), torch.ones(3)))
    torch.export.save(program, path)
    found = mlc("check", str(path)).out
    assert "input z: tensor<2x3x2xf32>" in found
    assert "output product: tensor<2x3x2xf32>" in found


def test_what_is_left_of_a_graph_stays_in_torch() -> None:
    """Eigenvalues are torch's; what is computed of them is native."""
    assert_as_eager(lambda x: torch.linalg.eigvals(x).abs().sort().values * 2, torch.randn(4, 4))
    assert [f.operator for f in backend.report().fallbacks] == ["aten.linalg_eig"]


_PARTS: list[tuple[Callable[..., Any], str]] = [
    (lambda z: torch.matrix_exp(z), "aten.linalg_matrix_exp: it computes with complex numbers, for which"),
    (lambda z: z.view(torch.int32), "it reads the bits of complex numbers as those of another type"),
    (lambda z: torch.linalg.eigvals(z), "mlc has no eigenvalues of matrices that are not symmetric"),
    (lambda z: z.to(torch.complex32), "its elements are torch.complex32, which has no type in the IR"),
]


@pytest.mark.parametrize(("function", "message"), _PARTS)
def test_what_is_refused(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        mlc.torch.compile(function, torch.randn(4, 4, dtype=torch.complex64))


@pytest.mark.slow
def test_linear_algebra_of_complex_matrices() -> None:
    def filtered(a: Any, x: Any) -> Any:
        definite = a @ a.mH + 4 * torch.eye(4, dtype=a.dtype)
        factor = torch.linalg.cholesky_ex(definite)[0]
        return torch.linalg.solve_ex(a, x)[0], torch.cholesky_solve(x, factor), torch.linalg.qr(a)[1], a.prod(-1)

    a, x = torch.randn(2, 4, 4, dtype=torch.complex64), torch.randn(2, 4, 3, dtype=torch.complex64)
    assert_as_eager(filtered, a, x)
    _all_native()


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"center": False},
        {"hop_length": 4, "win_length": 12, "window": True, "normalized": True, "onesided": False, "length": 90},
        {"hop_length": 4, "window": True, "length": 100},
    ],
    ids=["plain", "all frequencies", "to a length"],
)
def test_short_time_transforms_and_back(options: dict[str, Any]) -> None:
    given = dict(options)
    if given.pop("window", False):
        given["window"] = torch.hann_window(given.get("win_length", 16))
    elif not given.get("center", True):
        given["hop_length"] = 4
    forth = {key: value for key, value in given.items() if key != "length"}
    x = torch.randn(2, 100)
    assert_as_eager(lambda x: torch.istft(torch.stft(x, 16, return_complex=True, **forth), 16, **given), x)
    _all_native()
    spectrum = torch.stft(x, 16, return_complex=True, **forth)
    found = mlc.torch.compile(lambda z: torch.istft(z, 16, **given), spectrum)(torch.view_as_real(spectrum).numpy())
    np.testing.assert_allclose(found, torch.istft(spectrum, 16, **given).numpy(), atol=2e-6)


@pytest.mark.slow
def test_transforms_of_long_primes() -> None:
    assert_as_eager(lambda x: torch.fft.irfft(torch.fft.rfft(x) * 2, n=4099), torch.randn(2, 4099))
    _all_native()
