"""Scales and zero points from the numbers that a tensor has."""

from __future__ import annotations

import numpy as np
import pytest

from mlc.quantization.calibration import METHODS, Numbers, quantized_weights, scale_of


def _numbers(*arrays: object) -> Numbers:
    numbers = Numbers()
    given = [np.asarray(a, np.float32) for a in arrays]
    for array in given:
        numbers.widen(array)
    for array in given:
        numbers.count(array)
    return numbers


def test_a_range_is_that_of_all_samples_and_holds_zero() -> None:
    scale = _numbers([1, 2], [3, 5.1]).scale("minmax", symmetric=False)
    assert (scale.scale, scale.zero_point) == (np.float32(5.1 / 255), 0)
    scale = _numbers([-3, -1], [-2]).scale("minmax", symmetric=False)
    assert (scale.scale, scale.zero_point) == (np.float32(3 / 255), 255)


def test_the_zero_point_is_the_integer_of_zero() -> None:
    scale = scale_of(-1, 3, symmetric=False)
    assert scale.zero_point == 64 and scale.zero_point.dtype == np.uint8
    scale = scale_of(-1, 3, symmetric=True)
    assert scale.zero_point == 0 and scale.zero_point.dtype == np.int8 and scale.scale == np.float32(3 / 127)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("symmetric", [False, True])
def test_a_tensor_of_zeros_has_the_scale_1(method: str, symmetric: bool) -> None:
    assert _numbers([0, 0, 0]).scale(method, symmetric).scale == 1


def test_a_scale_is_a_normal_number() -> None:
    assert scale_of(0, 1e-44, symmetric=False).scale == np.finfo(np.float32).smallest_normal


def test_percentiles_leave_out_what_is_far_from_the_others() -> None:
    values = np.concatenate([np.linspace(0, 1, 100_000), [1000]])
    assert _numbers(values).scale("percentile", symmetric=False).scale * 255 < 2
    assert _numbers(values).scale("minmax", symmetric=False).scale * 255 == pytest.approx(1000)


def test_the_mean_square_error_weighs_what_is_cut_off_against_steps() -> None:
    random = np.random.default_rng(0)
    values = np.concatenate([random.standard_normal(1_000_000), [12.0]]).astype(np.float32)

    def error(method: str) -> float:
        scale = _numbers(values).scale(method, symmetric=False)
        steps = np.clip(np.rint(values / scale.scale) + scale.zero_point, 0, 255) - scale.zero_point
        return float(np.mean((steps * scale.scale - values) ** 2))

    assert error("mse") < 0.8 * error("minmax")


def test_weights_have_a_scale_for_each_element_of_an_axis() -> None:
    weights = np.array([[1, 10, 0], [-2, 5, 0]], np.float32)
    integers, scales = quantized_weights(weights, 1)
    assert integers.tolist() == [[64, 127, 0], [-127, 64, 0]] and integers.dtype == np.int8
    np.testing.assert_array_equal(scales, np.array([[2 / 127, 10 / 127, 1]], np.float32))
