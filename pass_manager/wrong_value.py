"""That a function computes something else than before, as data: which result, where, and both numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.pass_manager.snapshots import Snapshot
from mlc.pass_manager.wrong_form import WrongForm
from mlc.reference.execution import UndefinedBehavior
from mlc.reference.inputs import Draw
from mlc.support.errors import causes_of

Array = NDArray[Any]


@dataclass(frozen=True)
class GivenCase:
    """Inputs of a function that somebody gives, and what it has to compute for them."""

    function: str
    inputs: Sequence[Array]
    outputs: Sequence[Array | None] = ()
    """For each output what somebody else computed, as far as that is known."""
    source: str = ""
    """Who computed the outputs, in words."""


@dataclass(frozen=True)
class Difference:
    """The first element of a result that is another one than before."""

    function: str
    result: int
    index: tuple[int, ...]
    before: Any
    """The scalars, of NumPy."""
    after: Any
    count: int
    """How many elements of the result differ."""
    size: int
    draw: Draw
    """Of the inputs."""
    inputs: Sequence[Array]

    @staticmethod
    def first(
        function: str, result: int, arrays: tuple[Array, Array], different: Array, draw: Draw, inputs: Sequence[Array]
    ) -> Difference:
        """Of two arrays, before and after, which differ where `different` says."""
        before, after = arrays
        where = tuple(int(i) for i in np.argwhere(different)[0])
        count = int(np.count_nonzero(different))
        return Difference(function, result, where, before[where], after[where], count, before.size, draw, inputs)

    def __str__(self) -> str:
        return (
            f"'{self.function}' computes something else{self.draw}: result {self.result} at {list(self.index)} is "
            f"{self.after}, it was {self.before}; {self.count} of {self.size} elements differ"
        )


class WrongValue(WrongForm):
    """A bug that shows in a value.

    Attributes:
        difference: where.
        made: the form whose own results are wrong, if `source` says so.
        source: who computed what the model as it was read, or as the stage made it first, does not compute; "" for the
            form before.
    """

    def __init__(
        self,
        message: str,
        stage: str,
        difference: Difference,
        forms: tuple[Snapshot, Snapshot] | None = None,
        source: str = "",
        made: Snapshot | None = None,
    ) -> None:
        super().__init__(message, stage, forms)
        self.difference = difference
        self.source = source
        self.made = made

    @property
    def form(self) -> Snapshot | None:
        """The form with the wrong value; None if native code has it."""
        return self.forms[1] if self.forms is not None else self.made


@dataclass(frozen=True)
class Mismatch:
    """What is wrong with a form of a function."""

    found: Difference | str
    cause: UndefinedBehavior | None = None

    def error(self, stage: str, forms: tuple[Snapshot, Snapshot] | None) -> WrongForm:
        """The bug of the pass `stage`, which made the second form of the first."""
        message = f"after '{stage}', {self.found}"
        if isinstance(self.found, Difference):
            return WrongValue(message, stage, self.found, forms)
        bug = WrongForm(message, stage, forms)
        bug.__cause__ = self.cause
        return bug


def wrong_value_in(error: BaseException | None) -> WrongValue | None:
    """The bug that shows in a value, among an error and its causes."""
    return next((each for each in causes_of(error) if isinstance(each, WrongValue)), None)
