"""What the checker of passes knows of a function: what it has to compute, for which inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from mlc.pass_manager._spread import Spread
from mlc.pass_manager.snapshots import Snapshot
from mlc.reference.inputs import Draw
from mlc.reference.interpreter import FunctionInterface
from mlc.reference.sums import Sums
from mlc.support.input_values import AllowedValues
from mlc.support.rounding import Rounding

Array = NDArray[Any]
NO_SUMS = Sums()


@dataclass
class CheckedCase:
    """A draw of inputs, what the function computed for it at the start, and what its last form did."""

    draw: Draw
    inputs: list[Array]
    first: list[Array]
    last: list[Array]
    spread: Spread
    """Of `first`."""


@dataclass
class Expected:
    """What a function computes, for some inputs. It is run when something is to be compared with it."""

    interface: FunctionInterface
    start: Snapshot
    """The module when the function was first seen."""
    values: Sequence[AllowedValues | None] = ()
    """What each argument may be."""
    cases: list[CheckedCase] | None = None
    """None until they are run."""
    sums: Sums = NO_SUMS
    """Of the last form."""
    is_open: bool = False
    """Whether its sums had no order at the start: runs with noise tell where they overflow in one order only."""
    moved: Rounding | None = None
    """How far floats may have moved since the start."""


@dataclass(frozen=True)
class LateForm:
    """What a pass made of a module, whose functions have not been run yet."""

    before: Snapshot
    form: Snapshot
    rounding: Rounding | None
    """How far the pass may move floats."""
