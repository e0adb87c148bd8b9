"""The default pipeline around the steps of schedules: what makes a kernel's plain loops, and what follows the steps."""

from __future__ import annotations

from mlc.pass_manager.base import Pass
from mlc.pass_manager.default_passes import passes_of
from mlc.pass_manager.pipeline import default_steps
from mlc.pass_manager.pipeline_options import PipelineOptions

_CARRIES_OUT_STEPS = "apply-schedule"


def passes_around_steps(options: PipelineOptions) -> tuple[list[Pass], list[Pass]] | None:
    """The passes from the tensor level to where steps are carried out, and those from there to the end of the loop
    level; None if this pipeline carries none out."""
    passes = passes_of(default_steps(options, "loop", "tensor"), options)
    position = next((i for i, each in enumerate(passes) if each.name == _CARRIES_OUT_STEPS), None)
    return None if position is None else (passes[:position], passes[position + 1 :])
