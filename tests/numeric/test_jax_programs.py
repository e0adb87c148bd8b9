"""Programs of JAX as people write them, compiled, beside JAX itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax: Any = pytest.importorskip("jax")
from mlc.frameworks import jax as mlc_jax  # noqa: E402
from tests.numeric.jax_programs import PROGRAMS  # noqa: E402


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    program = PROGRAMS[name]
    expected = jax.tree.leaves(jax.jit(program.function)(*program.arguments))
    found = jax.tree.leaves(mlc_jax.jit(program.function)(*program.arguments))
    assert [(a.shape, a.dtype) for a in found] == [(a.shape, a.dtype) for a in expected]
    for one, two in zip(found, expected, strict=True):
        kind = np.complex128 if two.dtype.kind == "c" else np.float64
        result, wish = np.asarray(one).astype(kind), np.asarray(two).astype(kind)
        is_number = np.isfinite(wish)
        assert np.array_equal(result[~is_number], wish[~is_number], equal_nan=True)
        scale = max(float(np.abs(wish[is_number]).max(initial=0)), 1e-30)
        assert float(np.abs(result - wish)[is_number].max(initial=0)) <= program.tolerance * scale
