"""How far rounding errors spread in a function: measured, by runs with noise, and by more of them before an alarm.

What has a chance of one in eight, such as that the exponent of a power becomes an integer, is not seen in two runs, and
happens in one of eight functions that a pass rounds differently.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.pass_manager.snapshots import Snapshot
from mlc.reference.agreement import Array, spread
from mlc.reference.execution import Noise
from mlc.reference.interpreter import run_function
from mlc.reference.work import work_of

_FIRST, _MOST = 2, 32
"""How many runs there are at first, and before an alarm."""
_MOST_WORK = 20_000_000
"""How much work (`work_of`) those before an alarm may be."""
_OF_MORE = 0.5
"""What those after the first count: the largest of 30 normally distributed numbers is about twice the larger of two."""


class Spread:
    """That of the outputs of one form of a function for some inputs, as far as it is known."""

    def __init__(self, form: Snapshot, name: str, inputs: Sequence[Array]) -> None:
        self._form, self._name, self._inputs = form, name, inputs
        self._base: list[Array] = []
        self._known: list[Array] = []
        self._runs = 0

    def of(self, output: int) -> Array:
        """By how much each element of an output moves."""
        if not self._runs:
            self._base = self._run(None)
            self._measure(_FIRST)
        return self._known[output]

    def grows(self) -> bool:
        """Measure it in twice as many runs; False if there were enough, or more are too much work."""
        runs = 2 * self._runs
        if runs > _MOST or runs * work_of(self._form.module, self._name).total > _MOST_WORK:
            return False
        self._measure(runs)
        return True

    def _measure(self, runs: int) -> None:
        found = spread(self._base, [self._run(Noise(i)) for i in range(self._runs, runs)])
        more = [_OF_MORE * each for each in found]
        self._known = [np.maximum(a, b) for a, b in zip(self._known, more, strict=True)] if self._runs else found
        self._runs = runs

    def _run(self, noise: Noise | None) -> list[Array]:
        return run_function(self._form.module, self._name, self._inputs, self._form.resources, noise=noise)
