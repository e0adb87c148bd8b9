"""What `mlc run` says about answers: accuracy, labels that are not classes, NaN."""

from __future__ import annotations

import numpy as np
import pytest

from mlc.support.errors import UserError
from mlc.tools.answers import accuracy_of, note_on_nan

SCORES = np.array([[[0.1, 0.9, 0.0]], [[0.7, 0.2, 0.1]], [[0.0, 0.1, 0.2]], [[0.5, 0.6, 0.1]]], np.float32)


def test_accuracy() -> None:
    assert accuracy_of(SCORES, np.array([1, 0, 0, 1])) == ("accuracy: 75.00% (3 of 4)", [])
    assert accuracy_of(SCORES[:0], np.array([], np.int64)) == ("accuracy: 0.00% (0 of 0)", [])


def test_labels_outside_of_the_classes_are_said_and_wrong() -> None:
    accuracy, notes = accuracy_of(SCORES, np.array([1, -1, 3, 1]))
    assert accuracy == "accuracy: 50.00% (2 of 4)"
    assert notes == [
        "note: 2 of 4 labels are not among the classes 0 to 2 and count as wrong (first: label 1 is -1)",
    ]


def test_nan_is_said_and_wrong() -> None:
    scores = SCORES.copy()
    scores[3, 0, 1] = np.nan  # which argmax takes for the largest
    accuracy, notes = accuracy_of(scores, np.array([1, 0, 2, 1]))
    assert accuracy == "accuracy: 75.00% (3 of 4)"
    assert notes == ["note: 1 of 4 answers hold NaN and count as wrong"]
    assert note_on_nan("scores", scores) == (
        "note: 1 of 12 numbers in output 'scores' are NaN, in 1 of 4 calls (first: 3)"
    )
    assert note_on_nan("scores", SCORES) is None
    assert note_on_nan("counts", np.zeros((2, 3), np.int32)) is None
    assert note_on_nan("number", np.array([1, np.nan], np.float32)) is not None


def test_labels_that_do_not_fit() -> None:
    with pytest.raises(UserError, match="labels are integers, found float64"):
        accuracy_of(SCORES, np.zeros(4))
    with pytest.raises(UserError, match="found 3 labels for 4 answers"):
        accuracy_of(SCORES, np.zeros(3, np.int64))
