"""`mlc-opt --print-pipeline`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TextIO

from mlc.pass_manager.base import Pass
from mlc.pass_manager.options import parse_words, pipeline_text
from mlc.pass_manager.pipeline import default_steps
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.pass_manager.stage import Stage
from mlc.tools.list_passes import rows_of


def print_pipeline(
    entries: Sequence[str],
    passes: Sequence[Pass],
    options_of: Callable[[str], PipelineOptions],
    upto: str,
    stages: Sequence[Stage],
    stream: TextIO,
) -> None:
    """Print the passes of each `-O` (as far as the level `upto`) and of each named pipeline among `entries`, with the
    level that each belongs to and the reason why it runs; then all `passes` as an option that runs the same."""
    for entry in entries:
        if entry.startswith("-O"):
            options = options_of(entry)
            steps = default_steps(options, upto, stages=stages)
            shown = [(entry, [replace(step, passes=step.spelling(options)) for step in steps])]
        else:
            pipelines = [word.pipeline for word in parse_words(entry) if word.pipeline is not None]
            shown = [(f"--{pipeline.name}", [*pipeline.stages]) for pipeline in pipelines]
        for name, members in shown:
            stream.write(f"// {name}\n")
            stream.writelines(f"// {row}\n" for row in rows_of(members))
    stream.write(f"--pass-pipeline='{pipeline_text(passes)}'\n")
