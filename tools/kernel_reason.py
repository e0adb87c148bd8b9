"""Why a call of a kernel takes as long as it does: its time beside the bound, and what the difference is spent on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mlc.tools.roofline import Bound
from mlc.tuning.measure import MeasuredTime

_WORTH_SAYING = 0.05
"""The part of a time that is worth a word."""
_MOST_TERMS = 4
_LITTLE = 1.1
"""So many times the least time, little is lost."""
_AGREES = 1.25
"""An estimate that is more times as long as the measured time does not tell where that goes."""
_TERMS = {
    "arithmetic": "for arithmetic in the innermost loops",
    "loads": "for loads in the innermost loops",
    "stores": "for stores in the innermost loops",
    "shuffles": "for shuffles in the innermost loops",
    "around": "around the innermost loops (before and after sums)",
    "late results": "waiting for results of other instructions",
    "spilling": "for spilled registers",
    "sharing": "for handing loops to threads",
    "waiting": "waiting for lines from {level} (which come in bursts)",
    "arriving": "for lines from {level} (more than come while it computes)",
}
"""What an estimate is spent on, in words."""
_ARITHMETIC_FIRST = ("arithmetic", "loads", "stores", "shuffles", "around", "late results", "waiting", "arriving")
_LINES_FIRST = ("arriving", "waiting", "loads", "stores", "shuffles", "arithmetic", "around", "late results")
"""What the least time is a part of where it is for arithmetic, and where it is for a level of the memory."""


@dataclass(frozen=True)
class Reason:
    """Why a call takes as long as it does."""

    words: str
    """A sentence or two."""
    parts: Sequence[tuple[str, float]]
    """What a call takes, in words and in the unit of the bound, the least time first. All together they are the
    time."""


def reason_of(
    bound: Bound | None, spent: Mapping[str, float], brought: Mapping[str, float], measured: MeasuredTime | None
) -> Reason | None:
    """Set the time of a call against `bound`; None where neither it nor an estimate is known, or nothing is bounded.

    Args:
        bound: the least time, if there is one.
        spent: that of an estimate, in the unit of the bound; empty if there is none.
        brought: that of the estimate, in any unit.
        measured: in the unit of the bound; without it the estimate is explained.
    """
    taken = sum(spent.values()) if measured is None else measured.shortest
    if bound is None or not bound.time or not taken:
        return None
    fitted = spent if measured is None else _fitted(spent, taken)
    estimated, level = sum(fitted.values()), max(brought, key=lambda name: brought[name], default="memory")
    is_arithmetic = bound.limit == "compute"
    need = "its arithmetic needs at full speed" if is_arithmetic else f"its operands need to come from {bound.limit}"
    how = "is estimated to take" if measured is None else "takes"
    words = f"A call {how} {_times(taken, bound)} times as long as {need}"
    terms = _told(list(_beyond(fitted, level, bound)), _WORTH_SAYING * taken)
    parts = [("arithmetic at full speed" if is_arithmetic else f"operands from {bound.limit}", bound.time), *terms]
    over = taken - max(estimated, bound.time)
    is_told = measured is not None and over >= _WORTH_SAYING * taken
    if is_told:
        parts.append(("not explained by the estimate", over))
    is_too_long = estimated > _AGREES * taken
    if is_too_long:
        parts = [parts[0], ("beyond that", max(taken - bound.time, 0.0))]
    if taken < (1 - _WORTH_SAYING) * bound.time:
        words += ", which is thus wrong: it was measured while something else ran, or is only planned"
        return Reason(f"{words}.", parts)
    if taken <= _LITTLE * bound.time:
        return Reason(f"{words}: little is lost.", parts)
    if not estimated:
        words += ". Without an estimate, nothing tells why"
    elif is_too_long:
        most = f", of which {_times(terms[0][1], bound)} {terms[0][0]}" if terms else ""
        words += f". The estimate is {_times(estimated, bound)} times{most}: too long to tell where the time goes"
    elif len(parts) > 1:
        listed = "; ".join(f"{_times(time, bound)} {each}" for each, time in parts[1:])
        words += f". Of the {_times(taken - bound.time, bound)} beyond that: {listed}"
    if _of_lines(spent) - _of_lines(fitted) >= _WORTH_SAYING * taken:
        words += f". By estimate {_times(_of_lines(spent), bound)} would wait for {level}, which is too long"
    if _of_core(spent) - _of_core(fitted) >= _WORTH_SAYING * taken:
        words += f". The core alone would take {_times(_of_core(spent), bound)}, of which these are parts in proportion"
    return Reason(f"{words}.{_noise(bound, measured, over if is_told else taken)}", parts)


def _of_lines(spent: Mapping[str, float]) -> float:
    """For how long an estimate waits for lines that arrive."""
    return spent.get("waiting", 0.0) + spent.get("arriving", 0.0)


def _of_core(spent: Mapping[str, float]) -> float:
    """How long an estimate takes without that."""
    return sum(spent.values()) - _of_lines(spent)


def _fitted(spent: Mapping[str, float], taken: float) -> Mapping[str, float]:
    """What an estimate that is too long is spent on if it is as long as a measured time: lines arrive faster, and where
    the core alone takes a little longer, all that it does takes less. The same where the core takes much longer."""
    lines, core = _of_lines(spent), _of_core(spent)
    if core + lines <= taken or core > _AGREES * taken:
        return spent
    of_lines, of_core = max(taken - core, 0.0) / lines if lines else 0.0, min(taken / core, 1.0) if core else 1.0
    return {name: time * (of_lines if name in ("waiting", "arriving") else of_core) for name, time in spent.items()}


def _beyond(spent: Mapping[str, float], level: str, bound: Bound) -> Iterator[tuple[str, float]]:
    """What an estimate is spent on beyond the least time, which is a part of what stands first; most lines come from
    `level`."""
    first = _ARITHMETIC_FIRST if bound.limit == "compute" else _LINES_FIRST
    least = bound.time
    for name in dict.fromkeys((*first, *spent)):
        time = spent.get(name, 0.0)
        covered = min(time, least)
        least -= covered
        yield _TERMS.get(name, f"for {name}").format(level=level), time - covered


def _told(terms: Sequence[tuple[str, float]], worth_saying: float) -> list[tuple[str, float]]:
    """The longest terms, and the rest as one."""
    longest = sorted(terms, key=lambda term: -term[1])[:_MOST_TERMS]
    told = [(words, time) for words, time in longest if time >= worth_saying]
    rest = sum(time for _, time in terms) - sum(time for _, time in told)
    return [*told, ("in other ways", rest)] if rest >= worth_saying else told


def _noise(bound: Bound, measured: MeasuredTime | None, compared: float) -> str:
    """A warning where measurements differ by more than what is told of them."""
    if measured is None or measured.spread <= min(abs(compared), measured.shortest - bound.time):
        return ""
    median, upper = _times(measured.median, bound), _times(measured.upper, bound)
    return (
        f" Measurements differ by more than that: half of them are {median} times or more, a quarter {upper}; measure "
        "again while nothing else runs."
    )


def _times(time: float, bound: Bound) -> str:
    """How many times the least time something takes."""
    return f"{time / bound.time:.2f}"
