"""Where steps may take iterations of a loop with a limit in blocks, and where not."""

from __future__ import annotations

import pytest

from mlc.analysis.legality import Refused, largest_block, require_no_limit, require_same_end, require_whole_blocks
from mlc.dialects.loop import ForOp
from mlc.tests.unit.passes.loop.programs import Program

_ARGUMENTS = "%x: memref<96xf32>, %n: index, %m: index, %y: memref<96xf32> {mlc.output}"


def _loops(kind: str, *limits: str, step: int = 1, span: tuple[int, int] = (0, 96)) -> list[ForOp]:
    """A loop with each of these limits."""
    return Program(
        _ARGUMENTS,
        "\n".join(
            f"""loop.for {kind} "k" %k{i} = {span[0]} to {span[1]} {limit} step {step} {{
                  %a{i} = loop.load %x[%k{i}] : memref<96xf32>
                  loop.store %a{i}, %y[%k{i}] : memref<96xf32>
                }}"""
            for i, limit in enumerate(limits)
        ),
    ).loops


def test_a_serial_loop_ends_between_blocks() -> None:
    (loop,) = _loops("serial", "limit %n by 16")
    require_whole_blocks(loop, 8)
    require_whole_blocks(loop, 16)
    with pytest.raises(Refused, match=r"its limit is a multiple of 16; required: one of 32"):
        require_whole_blocks(loop, 32)
    assert [largest_block(loop, size) for size in (4, 16, 64, 24)] == [4, 16, 16, 8]
    with pytest.raises(Refused, match=r"required: one of 5"):
        largest_block(loop, 5)


def test_steps_count() -> None:
    (loop,) = _loops("serial", "limit %n by 16", step=2)
    require_whole_blocks(loop, 8)
    with pytest.raises(Refused, match=r"required: one of 32"):
        require_whole_blocks(loop, 16)
    assert largest_block(loop, 16) == 8


def test_a_loop_between_two_limits_runs_as_a_whole() -> None:
    for span in (64, 79), (64, 80), (70, 80):
        (loop,) = _loops("serial", "limit %n by 16", span=span)
        require_whole_blocks(loop, 15)
        assert largest_block(loop, 15) == 15
    for span in (64, 81), (63, 79):
        (loop,) = _loops("serial", "limit %n by 16", span=span)
        with pytest.raises(Refused, match=r"its limit is a multiple of 16; required: one of 15"):
            require_whole_blocks(loop, 15)


def test_a_parallel_loop_may_run_on() -> None:
    (loop,) = _loops("parallel", "limit %n by 16")
    require_whole_blocks(loop, 7)
    require_no_limit(loop)
    assert largest_block(loop, 7) == 7


def test_loops_without_a_limit() -> None:
    (loop,) = _loops("serial", "")
    require_whole_blocks(loop, 7)
    require_no_limit(loop)
    assert largest_block(loop, 7) == 7


def test_no_limit() -> None:
    (loop,) = _loops("serial", "limit %n")
    with pytest.raises(Refused, match=r"it ends at a limit, which is known at run time"):
        require_no_limit(loop)


def test_two_loops_become_one() -> None:
    require_same_end(*_loops("serial", "limit %n", "limit %n"))
    require_same_end(*_loops("parallel", "limit %n", "limit %m"))
    require_same_end(*_loops("parallel", "limit %n", ""))
    for other in ("limit %m", ""):
        with pytest.raises(Refused, match=r"their limits are not the same"):
            require_same_end(*_loops("serial", "limit %n", other))
