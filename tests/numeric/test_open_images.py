"""Images of all sizes by one compilation, one after the other: nothing of an earlier call, or of a border, is data."""

from __future__ import annotations

import numpy as np
import pytest

import mlc

from .open_images import CALLS, HEIGHTS, WIDTHS, OpenImages, expected


@pytest.mark.parametrize("seed", range(8))
def test_random_networks(seed: int) -> None:
    model = OpenImages(seed).build(4 + seed % 8)
    compiled = mlc.compile(model, shapes={"height": HEIGHTS, "width": WIDTHS}, opt_level=2 + seed % 2)
    for number, (height, width) in enumerate(CALLS):
        x = np.random.default_rng(number).standard_normal((1, 3, height, width)).astype(np.float32)
        wanted = expected(model, x)
        found = compiled(x)
        assert found.shape == wanted.shape
        scale = max(1.0, float(np.abs(wanted).max()))
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4 * scale, err_msg=f"{seed}: {height}x{width}")
