"""Named pipelines: several passes under one name, which command lines and `--pass-pipeline` take like a pass.

`lower-to-graph`, `lower-to-tensor`, `lower-to-loops` and `lower-to-llvm` bring a module from whatever level it is at
down to that level, by the passes that no program can do without (those of `-O0`). Passes that stand before them
keep their effect, and on a module that is there already they change nothing.

A plugin adds a pipeline as a value of its module, and passes to those of mlc (`mlc.pass_manager.places`):

    PREPARE = NamedPipeline("prepare-toy", "what the toy backend reads", (Stage("graph", "canonicalize", 0, "why"),))
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from mlc.pass_manager.ir_levels import LEVELS, LOWER_TO, SOURCE_LEVELS
from mlc.pass_manager.pipeline import LEVEL_CONVERSIONS, PIPELINE, TEXT_OF_UPSTREAM
from mlc.pass_manager.places import with_placed
from mlc.pass_manager.registry import plugin_pipelines
from mlc.pass_manager.stage import Stage
from mlc.support.errors import UserError


@dataclass(frozen=True)
class NamedPipeline:
    """Passes that run one after the other."""

    name: str
    summary: str
    """What it is for, in one line."""
    stages: tuple[Stage, ...]


@cache
def own_pipelines() -> dict[str, NamedPipeline]:
    """Those of mlc, by name."""
    return {LOWER_TO[level]: _lowering(level) for level in LEVELS}


def _lowering(level: str) -> NamedPipeline:
    needed = [stage for stage in PIPELINE if not stage.since and stage.when is None]
    # There are no options of a compilation: those of passes are what they are by default.
    least = [
        replace(stage, passes=stage.passes.partition("{")[0] if "$" in stage.passes else stage.passes)
        for stage in needed
    ]
    reaching = [f"convert-{source}-to-graph" for source in SOURCE_LEVELS]
    if level in LEVEL_CONVERSIONS:
        reaching = [LEVEL_CONVERSIONS[level], TEXT_OF_UPSTREAM.get(level, "")]
    last = max(number for number, stage in enumerate(least) if stage.passes in reaching)
    return NamedPipeline(LOWER_TO[level], f"From any level above down to the {level} level.", tuple(least[: last + 1]))


def named_pipeline(name: str) -> NamedPipeline | None:
    """The pipeline of this name, with the passes that plugins place in it; None if there is none.

    Raises:
        UserError: a package promises a pipeline that it does not hold, or a plugin places a pass before no pass.
    """
    if (addition := plugin_pipelines.get(name)) is None:
        found = own_pipelines().get(name)
    elif isinstance(found := addition.load(), NamedPipeline) and found.name != name:
        raise UserError(f"{addition.origin} promises a pipeline '{name}', found one named '{found.name}'")
    elif not isinstance(found, NamedPipeline):
        raise UserError(f"{addition.origin} promises a pipeline '{name}', found {found!r}")
    return found and replace(found, stages=with_placed(found.stages, 0))
