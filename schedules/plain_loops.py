"""The default pipeline around the steps of schedules: what makes a kernel's plain loops, and what follows the steps."""

from __future__ import annotations

from mlc.pass_manager.base import Pass
from mlc.pass_manager.default_passes import default_passes

_CARRIES_OUT_STEPS = "apply-schedule"


def passes_around_steps(opt_level: int, threads: int) -> tuple[list[Pass], list[Pass]] | None:
    """The passes from the tensor level to where steps are carried out, and those from there to the end of the loop
    level; None if this pipeline carries none out."""
    passes = default_passes(opt_level, threads, "loop", "tensor")
    position = next((i for i, each in enumerate(passes) if each.name == _CARRIES_OUT_STEPS), None)
    return None if position is None else (passes[:position], passes[position + 1 :])
