"""When rows are rounded for short weights: by estimates that follow the facts of a machine."""

from __future__ import annotations

import numpy as np
import pytest

from mlc.passes.graph._group_cost import GroupedProduct, integer_weights
from mlc.targets.machine import resolve_target


@pytest.mark.parametrize(
    ("target", "of_bytes", "of_four_bits"),
    [
        ("sapphirerapids", np.uint8, np.uint8),
        ("znver3", np.uint8, np.uint8),
        ("haswell", None, np.uint8),
        ("x86-64-v2", None, np.uint8),
        ("neoverse-n1", np.int8, np.int8),
        ("cortex-a72", None, None),
    ],
)
def test_types_of_weights(target: str, of_bytes: type | None, of_four_bits: type | None) -> None:
    machine = resolve_target(target)
    assert (integer_weights(machine), integer_weights(machine, in_fields=True)) == (of_bytes, of_four_bits)


def test_rounding_pays_with_the_columns() -> None:
    machine, few, many = (
        resolve_target("znver4"),
        GroupedProduct(512, 16, 32, False),
        GroupedProduct(512, 1600, 32, False),
    )
    assert few.integer_cycles(machine, np.uint8) > 1.5 * many.integer_cycles(machine, np.uint8) / 100


def test_four_bits_are_faster_in_integers_without_dot_products_of_bytes() -> None:
    machine, problem = resolve_target("haswell"), GroupedProduct(2048, 2048, 32, True, in_fields=True)
    assert 1.5 < problem.float_cycles(machine) / problem.integer_cycles(machine, np.uint8) < 3
    products, scales, unpacking = 1.5 / 4, 4 / 32, 3 / 8  # of vectors: three instructions for four products
    each = products + (scales + unpacking) / 2
    assert problem.integer_cycles(machine, np.uint8) == pytest.approx(2048 * 2048 / 8 * each, rel=0.01)


def test_what_is_subtracted_costs() -> None:
    machine = resolve_target("znver4")
    plain, less = (GroupedProduct(512, 1600, 16, has_less) for has_less in (False, True))
    assert less.float_cycles(machine) > plain.float_cycles(machine)
    assert less.integer_cycles(machine, np.uint8) > plain.integer_cycles(machine, np.uint8)
