"""The passes of the default pipelines."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.pass_manager.base import Pass
from mlc.pass_manager.ir_levels import LEVELS
from mlc.pass_manager.options import parse_passes
from mlc.pass_manager.pipeline import default_steps
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.pass_manager.stage import Stage


def default_passes(
    opt_level: int, threads: int = 1, upto: str = LEVELS[-1], after: str | None = None, accuracy: str = "exact"
) -> list[Pass]:
    """The passes of `default_steps` for CPUs."""
    options = PipelineOptions(opt_level=opt_level, threads=threads, accuracy=accuracy)
    return passes_of(default_steps(options, upto, after), options)


def passes_of(steps: Sequence[Stage], options: PipelineOptions) -> list[Pass]:
    """The passes of some steps."""
    return [p for step in steps for p in parse_passes(step.spelling(options))]
