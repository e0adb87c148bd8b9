"""What the benchmarks measure is right: the cases that the reference computes quickly, one test for each.

`python -m benchmarks` compares all of them before it measures any.
"""

from __future__ import annotations

import pytest

from mlc.benchmarks.case import Case
from mlc.benchmarks.engines import TOLERANCE, compile_case, mlc_function, reference_output, relative_error
from mlc.benchmarks.suite import cases_by_family

_MOST_FLOPS = 60_000_000
_MOST_BYTES = 8 << 20

CASES = [case for _, case in cases_by_family() if case.flops <= _MOST_FLOPS and case.bytes <= _MOST_BYTES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mlc_agrees_with_the_reference(case: Case) -> None:
    runner = mlc_function(case, compile_case(case))
    runner.call()
    assert relative_error(runner.output(), reference_output(case)) <= TOLERANCE
