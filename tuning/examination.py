"""What is measured of one candidate: beside the best one, again, beside that by the rules, in the whole model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mlc.schedules.records.recorded_schedules import PLAIN_GAIN
from mlc.schedules.records.schedule_texts import Schedule
from mlc.tuning.comparison import Comparison
from mlc.tuning.isolated import Failure
from mlc.tuning.whole_model import ModelCheck
from mlc.tuning.workbench import Bench


@dataclass(frozen=True)
class Examination:
    """What came of a candidate; what was not needed is None."""

    failure: Failure | None = None
    """Why it was dropped, perhaps after it was measured."""
    first: Comparison | None = None
    """Beside the best one."""
    again: Comparison | None = None
    """At length beside the best one, which it seemed to beat."""
    beside_rules: Comparison | None = None
    """At length beside the schedule by the rules: it has won."""
    model: Comparison | None = None
    """The whole model with it beside that without it."""
    helps: bool = True
    """Whether it is faster in the whole model, too, as far as that can be seen."""


def examine(
    bench: Bench, candidate: Schedule, best: Schedule, check: ModelCheck | None = None, seconds: float = 0.0
) -> Iterator[Examination]:
    """Measure a candidate, as far as it is worth while: what is known after each measurement, all of it at last.

    Args:
        bench: of the kernel, with the candidate and the best one built.
        check: measures it in the whole model, if it won by so much that compilations would use it; None for never.
        seconds: what all calls of the kernel in a call of the model take with the schedule by the rules.
    """
    first = bench.compare(candidate, best)
    if isinstance(first, Failure):
        yield Examination(first)
        return
    yield (found := Examination(first=first))
    if not first.is_won:
        return
    again = bench.compare(candidate, best, thorough=True)
    if isinstance(again, Failure):
        yield replace(found, failure=again)
        return
    yield (found := replace(found, again=again))
    if not again.is_won:
        return
    beside_rules = again if best == bench.rules else bench.compare(candidate, bench.rules, thorough=True)
    if isinstance(beside_rules, Failure):
        yield replace(found, failure=beside_rules)
        return
    is_used = beside_rules.ratio <= 1 - PLAIN_GAIN
    model = check(candidate) if check is not None and is_used else None
    found = replace(found, beside_rules=beside_rules)
    if isinstance(model, Comparison):
        expected = seconds * (1 - beside_rules.ratio) / model.beside
        found = replace(found, model=model, helps=model.helps(expected))
    yield found
