"""Why a call of a kernel takes as long as it does, in words and in parts that add up."""

from __future__ import annotations

import pytest

from mlc.tools.kernel_reason import Reason, reason_of
from mlc.tools.roofline import Bound
from mlc.tuning.measure import MeasuredTime

_BOUND = Bound(10.0, 4.0, "L2")
_SPENT = {"arithmetic": 11.0, "around": 7.0, "spilling": 0.1, "waiting": 0.0, "arriving": 0.0}


def _reason(taken: float | None, spent: dict[str, float] = _SPENT, bound: Bound = _BOUND) -> Reason:
    found = reason_of(bound, spent, {"L2": 1.0, "L3": 3.0}, None if taken is None else _steady(taken))
    assert found is not None
    if taken is None or taken >= 0.95 * bound.time:
        assert sum(time for _, time in found.parts) == pytest.approx(taken or sum(spent.values()), 0.06)
    return found


def _steady(time: float) -> MeasuredTime:
    return MeasuredTime(time, 1.01 * time, 1.02 * time)


def test_measured_time_is_explained_as_far_as_the_estimate_goes() -> None:
    found = _reason(23.0)
    assert found.words == (
        "A call takes 2.30 times as long as its arithmetic needs at full speed. Of the 1.30 beyond that: 0.70 around "
        "the innermost loops (before and after sums); 0.49 not explained by the estimate."
    )
    assert [words for words, _ in found.parts] == [
        "arithmetic at full speed",
        "around the innermost loops (before and after sums)",
        "not explained by the estimate",
    ]


def test_an_estimate_is_explained_where_nothing_was_measured() -> None:
    found = _reason(None)
    assert found.words == (
        "A call is estimated to take 1.81 times as long as its arithmetic needs at full speed. Of the 0.81 beyond "
        "that: 0.70 around the innermost loops (before and after sums); 0.10 for arithmetic in the innermost loops."
    )


def test_what_the_memory_bounds_waits_for_lines() -> None:
    spent = {"loads": 3.0, "waiting": 6.0, "arriving": 8.0}
    found = _reason(None, spent, Bound(2.0, 10.0, "L3"))
    assert found.words == (
        "A call is estimated to take 1.70 times as long as its operands need to come from L3. Of the 0.70 beyond that: "
        "0.40 waiting for lines from L3 (which come in bursts); 0.30 for loads in the innermost loops."
    )


def test_an_estimate_that_is_too_long_explains_nothing() -> None:
    found = _reason(14.0, {"arithmetic": 11.0, "around": 29.0})
    assert found.words == (
        "A call takes 1.40 times as long as its arithmetic needs at full speed. The estimate is 4.00 times, of which "
        "2.90 around the innermost loops (before and after sums): too long to tell where the time goes."
    )
    assert found.parts == [("arithmetic at full speed", 10.0), ("beyond that", 4.0)]


def test_an_estimate_that_is_a_little_too_long() -> None:
    found = _reason(16.0, {"arithmetic": 11.0, "around": 7.0})
    assert found.words == (
        "A call takes 1.60 times as long as its arithmetic needs at full speed. Of the 0.60 beyond that: 0.60 around "
        "the innermost loops (before and after sums). The core alone would take 1.80, of which these are parts in "
        "proportion."
    )


def test_lines_explain_nothing_where_the_core_is_not_shorter() -> None:
    found = _reason(12.8, {"arithmetic": 10.0, "around": 3.1, "waiting": 2.5})
    assert found.words == (
        "A call takes 1.28 times as long as its arithmetic needs at full speed. Of the 0.28 beyond that: 0.28 around "
        "the innermost loops (before and after sums). By estimate 0.25 would wait for L3, which is too long."
    )
    assert all(time > 0 for _, time in found.parts)


def test_lines_that_are_estimated_to_arrive_too_slowly() -> None:
    found = _reason(20.0, {"arithmetic": 10.0, "around": 4.0, "waiting": 30.0, "arriving": 6.0})
    assert found.words == (
        "A call takes 2.00 times as long as its arithmetic needs at full speed. Of the 1.00 beyond that: 0.50 waiting "
        "for lines from L3 (which come in bursts); 0.40 around the innermost loops (before and after sums); 0.10 for "
        "lines from L3 (more than come while it computes). By estimate 3.60 would wait for L3, which is too long."
    )


def test_a_time_below_the_bound_puts_that_into_doubt() -> None:
    assert _reason(8.0, {"arithmetic": 8.0}).words == (
        "A call takes 0.80 times as long as its arithmetic needs at full speed, which is thus wrong: it was measured "
        "while something else ran, or is only planned."
    )


def test_an_estimate_that_is_shorter_than_the_bound_explains_nothing() -> None:
    found = _reason(20.0, {"arithmetic": 8.0})
    assert found.words.endswith("beyond that: 1.00 not explained by the estimate.")


@pytest.mark.parametrize("taken", [9.9, 10.0, 11.0])
def test_little_is_lost_near_the_bound(taken: float) -> None:
    assert _reason(taken).words.endswith("times as long as its arithmetic needs at full speed: little is lost.")


def test_without_an_estimate() -> None:
    assert _reason(20.0, {}).words == (
        "A call takes 2.00 times as long as its arithmetic needs at full speed. Without an estimate, nothing tells why."
    )


def test_what_has_no_bound_or_no_time_has_no_reason() -> None:
    assert reason_of(None, _SPENT, {}, None) is None
    assert reason_of(_BOUND, {}, {}, None) is None
    assert reason_of(Bound(0.0, 0.0, "L1"), _SPENT, {}, None) is None


@pytest.mark.parametrize(("upper", "is_told"), [(28.0, True), (25.0, False)])
def test_measurements_that_differ_by_more_than_what_is_told(upper: float, is_told: bool) -> None:
    """They are told to be 4.9 longer than the estimate."""
    found = reason_of(_BOUND, _SPENT, {}, MeasuredTime(23.0, 24.0, upper))
    assert found is not None
    warning = (
        " Measurements differ by more than that: half of them are 2.40 times or more, a quarter 2.80; measure again "
        "while nothing else runs."
    )
    assert found.words.endswith(warning) == is_told
    assert ("Measurements" in found.words) == is_told
