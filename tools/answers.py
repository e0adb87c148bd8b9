"""What is to be said about the answers of a model: how many are right, and what cannot be."""

from __future__ import annotations

import numpy as np

from mlc.compiler.model_inputs import Array
from mlc.support.errors import UserError


def note_on_nan(name: str, output: Array) -> str | None:
    """That the output `name` of all calls, [calls, ...], holds NaN, if it does."""
    if output.dtype.kind != "f" or not (count := int(np.count_nonzero(nan := np.isnan(output)))):
        return None
    calls = np.flatnonzero(np.any(np.reshape(nan, (len(nan), -1)), axis=1))
    numbers = f"{count:,} of {output.size:,} numbers"
    return f"note: {numbers} in output '{name}' are NaN, in {len(calls)} of {len(output)} calls (first: {calls[0]})"


def accuracy_of(output: Array, labels: Array) -> tuple[str, list[str]]:
    """How many rows of an output have their largest element where the label says, and notes.

    The last dimension of `output` counts classes; `labels` are integers, one for each of its rows. A label that is no
    class and a row with NaN count as wrong, and are noted.

    Raises:
        UserError: the labels are of another type or number.
    """
    if labels.dtype.kind not in "iu":
        raise UserError(f"labels are integers, found {labels.dtype}")
    classes = output.shape[-1]
    rows, expected = np.reshape(output, (-1, classes)), np.reshape(labels, -1)
    if len(rows) != len(expected):
        raise UserError(f"found {len(expected)} labels for {len(rows)} answers of the model")
    notes: list[str] = []
    if len(outside := np.flatnonzero((expected < 0) | (expected >= classes))):
        first = outside[0]
        notes.append(
            f"note: {len(outside)} of {len(expected)} labels are not among the classes 0 to {classes - 1} and count as "
            f"wrong (first: label {first} is {expected[first]})"
        )
    with_nan = np.any(np.isnan(rows), axis=1) if rows.dtype.kind == "f" else np.zeros(len(rows), np.bool_)
    if np.any(with_nan):
        notes.append(f"note: {np.count_nonzero(with_nan)} of {len(rows)} answers hold NaN and count as wrong")
    right = int(np.count_nonzero((rows.argmax(axis=1) == expected) & ~with_nan))
    return f"accuracy: {100 * right / max(len(rows), 1):.2f}% ({right} of {len(rows)})", notes
