"""Integers of each width, at the reference and compiled, compute what Python's integers do, wrapped to the width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.reference.interpreter import run_function
from mlc.support.resources import Resources
from mlc.tests.conftest import CommandLine
from mlc.tests.numeric.integer_models import (
    Integer,
    cast_expected,
    cast_model,
    elementwise_expected,
    elementwise_model,
    floats,
    pairs,
    structured_expected,
    structured_inputs,
    structured_model,
)

Array = NDArray[Any]
Run = Callable[..., list[Array]]

NAMES = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
MACHINES = {
    8: (("native", 3), ("native", 0), ("x86-64-v2", 3), ("aarch64", 3)),
    16: (("native", 3),),
    32: (("aarch64", 3),),
    64: (("native", 3), ("x86-64-v2", 3)),
}
"""By width. 64 bits are converted in ways of their own where there is no AVX-512."""


@pytest.fixture(params=NAMES)
def kind(request: pytest.FixtureRequest) -> Integer:
    return Integer(request.param)


def _check(kind: Integer, text: str, inputs: Sequence[Array], expected: Sequence[Array], run_compiled: Run) -> None:
    """What the reference and the compiled model give, on each machine, is what is expected."""
    module = mlc.parse(text)
    given = list(inputs)
    runs = {"reference": run_function(module, "main", given, Resources())}
    runs |= {f"{t} -O{level}": run_compiled(module, given, t, level) for t, level in MACHINES[kind.width]}
    for where, outputs in runs.items():
        for number, (found, wanted) in enumerate(zip(outputs, expected, strict=True)):
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), (where, number)
            different = (found != wanted) & ((found == found) | (wanted == wanted))
            assert not different.any(), (where, number, found[different][:5], wanted[different][:5])


def test_elementwise(kind: Integer, run_compiled: Run) -> None:
    """Of all pairs of an 8-bit type."""
    a, b = pairs(kind)
    _check(kind, elementwise_model(kind), [a, b], elementwise_expected(kind, a, b), run_compiled)


@pytest.mark.sampled(4)
def test_structured(kind: Integer, run_compiled: Run) -> None:
    inputs = structured_inputs(kind)
    _check(kind, structured_model(kind), inputs, structured_expected(kind, inputs), run_compiled)


def test_casts(kind: Integer, run_compiled: Run) -> None:
    with np.errstate(over="ignore"):
        inputs = [kind.values(), floats().astype(np.float32), floats()]
    _check(kind, cast_model(kind), inputs, cast_expected(kind, *inputs), run_compiled)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", [structured_model, cast_model])
@pytest.mark.parametrize("name", ["i8", "ui8", "ui32"])
def test_every_pass_keeps_the_numbers(name: str, model: Callable[[Integer], str], mlc_opt: CommandLine) -> None:
    result = mlc_opt("-O3", "--check-each", stdin=model(Integer(name)))
    assert (result.status, "compared" in result.err) == (0, True), result.err
