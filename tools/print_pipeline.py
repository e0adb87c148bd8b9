"""`mlc-opt --print-pipeline`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from mlc.passes.base import Pass
from mlc.passes.options import parse_words, pipeline_text
from mlc.passes.pipeline import default_steps
from mlc.tools.list_passes import members


def print_pipeline(
    entries: Sequence[str], passes: Sequence[Pass], threads: int, upto: str, stream: TextIO, accuracy: str = "exact"
) -> None:
    """Print the passes of each `-O` (as far as the level `upto`) and of each named pipeline among `entries`, with the
    level that each belongs to and the reason why it runs; then all `passes` as an option that runs the same."""
    for entry in entries:
        if not entry.startswith("-O"):
            for word in parse_words(entry):
                if word.pipeline is not None:
                    stream.write(f"// --{word.pipeline.name}\n")
                    stream.writelines(f"// {row}\n" for row in members(word.pipeline))
            continue
        rows = [
            (step.level, step.spelling(threads, accuracy), step.reason)
            for step in default_steps(int(entry[2:]), threads, upto, accuracy=accuracy)
        ]
        width = max((len(name) for _, name, _ in rows), default=0)
        stream.write(f"// {entry}\n")
        stream.writelines(f"// {level:<6}  {name:<{width}}  {reason}\n" for level, name, reason in rows)
    stream.write(f"--pass-pipeline='{pipeline_text(passes)}'\n")
