"""Functions of JAX as people write them, as native code, beside JAX itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax: Any = pytest.importorskip("jax")
from mlc.benchmarks import jax_models  # noqa: E402
from mlc.frameworks import jax as mlc_jax  # noqa: E402

_SMALL: dict[str, Any] = {
    "transformer": lambda: jax_models.transformer(2, 16, 32, 4),
    "rnn": lambda: jax_models.rnn(7, 3, 16),
    "lstm_training": lambda: jax_models.lstm_training(5, 3, 16),
    "decode": lambda: jax_models.decode(20, 32, 4),
    "k_means": lambda: jax_models.k_means(50, 4, 3, 4),
    "fft_convolution": lambda: jax_models.fft_convolution(96),
    "ode": lambda: jax_models.ode(50),
    "flax_cnn": jax_models.flax_cnn,
    "resnet50": lambda: jax_models.resnet50(33),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _SMALL)
def test_model(name: str) -> None:
    if name in ("flax_cnn", "resnet50"):
        pytest.importorskip("flax")
    function, arguments = _SMALL[name]()
    expected = jax.tree.leaves(jax.jit(function)(*arguments))
    found = jax.tree.leaves(mlc_jax.jit(function)(*arguments))
    assert len(found) == len(expected)
    for one, two in zip(found, expected, strict=True):
        assert one.dtype == two.dtype
        largest = max(float(np.abs(np.asarray(two)).max()), 1e-30)
        assert float(np.abs(np.asarray(one, np.float64) - np.asarray(two, np.float64)).max()) <= 1e-4 * largest


def test_every_model_is_tried() -> None:
    assert set(_SMALL) == set(jax_models.MODELS)
