"""Names of resources."""

from __future__ import annotations

import numpy as np

from mlc.support.resources import Resources


def test_a_dropped_name_is_not_given_again() -> None:
    """Who remembers a constant by its name, such as what packs them, would find another one."""
    resources = Resources()
    first = resources.add(np.zeros(2), "w.words4")
    resources.drop(first)
    assert resources.add(np.ones(2), "w.words4") == "w.words4.1"
    assert first not in resources


def test_copies_know_what_was_dropped() -> None:
    resources = Resources()
    resources.drop(resources.add(np.zeros(2), "w"))
    assert resources.clone().add(np.ones(2), "w") == "w.1"
