"""What steps say of a schedule, without its loops: of use among schedules of one kind of kernel only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from math import log2

from mlc.schedules.records.schedule_texts import Schedule


def step_features(steps: Schedule, sizes: Sequence[int]) -> dict[str, float]:
    """What trees can ask of a schedule: which step is where, on which loop, with which number; and the extents."""
    found: dict[str, float] = {f"extent {i}": log2(max(size, 1)) for i, size in enumerate(sizes)}
    product = 0.0
    for place, step in enumerate(steps):
        name = f"{step.name} {' '.join(step.loops)}"
        found[f"{name} at"] = place
        found[f"number of {step.name}"] = found.get(f"number of {step.name}", 0) + 1
        for f in fields(step):
            value = getattr(step, f.name)
            if isinstance(value, int):
                found[f"{name} {f.name}"] = value
                product += log2(max(value, 1))  # the level of `clang(0)` is not a size
    return {**found, "steps": len(steps), "product": product}
