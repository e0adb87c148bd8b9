"""What the document tells of the values of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ValueNumbers:
    """How the elements of a value are distributed, in one run; the parts of a complex number are two elements."""

    elements: int
    least: float | None
    """Of the finite elements, as all numbers below; None if there are none."""
    most: float | None
    mean: float | None
    quantiles: Sequence[float]
    """1%, 25%, 50%, 75% and 99% of the finite elements are at most as large."""
    nans: int
    infinities: int
    zeros: int
    first: Sequence[str]
    """The first elements."""


@dataclass(frozen=True)
class ModelResult:
    """What the compiled code gives for the inputs of the document."""

    name: str
    dtype: str
    """By NumPy."""
    shape: Sequence[int]
    digest: str
    """Part of the SHA-256 digest of its bits, in which one NaN is like another."""
    elements: str
    """All of them in base64 if there are few, else nothing."""
    numbers: ValueNumbers


@dataclass(frozen=True)
class ValueDifference:
    """How a value differs from what it was in another form of the model."""

    largest: float | None
    """The largest difference of two elements; None if only one of them is finite, or both but not their difference."""
    at: Sequence[int]
    """Where it is; nowhere if the numbers are in another order."""
    before: str
    """The element there."""
    after: str
    count: int
    """How many elements are not the same to the bit."""
    elements: int
    is_reordered: bool
    """Whether the numbers are the same up to rounding, but at other places: then the difference is that of the numbers
    in ascending order."""


@dataclass(frozen=True)
class PassValue:
    """A value that a pass changed."""

    place: int
    type: str
    difference: ValueDifference


@dataclass(frozen=True)
class PassValues:
    """What the values of a run are after a pass, beside those of the run before it."""

    compared: int
    """How many values both runs have: those of one place, with as many elements of one type."""
    differing: Sequence[PassValue]
    """Those that are not the same to the bit, the largest difference first."""
    reason: str
    """Why there is no run, if there is none."""


@dataclass(frozen=True)
class Picture:
    """A value as an image."""

    width: int
    height: int
    colours: int
    """1 for grey, or 3."""
    words: str
    """Its size before it was made smaller, and what part of the value it is."""
    pixels: str
    """Bytes in base64, row by row: 1 for the smallest number, 255 for the largest, 0 for one that is not finite."""


@dataclass(frozen=True)
class ValueForm:
    """A value of the graph at the tensor level."""

    words: str
    """When."""
    type: str
    difference: ValueDifference | None
    """From the graph; None if no bit differs."""
    numbers: ValueNumbers


@dataclass(frozen=True)
class ModelValue:
    """What a value of the graph was in one run."""

    node: int
    """The number of the node in the graph whose result it is."""
    result: int
    """Which of its results."""
    type: str
    numbers: ValueNumbers
    picture: Picture | None
    forms: Sequence[ValueForm]
    """The same value, where it exists, when the tensor level begins, and when it ends."""
