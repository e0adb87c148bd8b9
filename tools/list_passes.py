"""`mlc-opt --list-passes`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TextIO

from mlc.pass_manager.named_pipelines import named_pipeline
from mlc.pass_manager.options import Option, options_of
from mlc.pass_manager.registry import load_pass, pass_names, pipeline_names
from mlc.pass_manager.stage import Stage


def list_passes(stream: TextIO) -> None:
    """Print each pass: its name, the first line of its docstring, and its options with type, default and meaning; then
    each named pipeline with its passes and the reason for each."""
    for name in pass_names():
        pass_type = load_pass(name)
        stream.write(f"--{name}\n    {summary(name)}\n")
        for option in options_of(pass_type):
            stream.write(f"      {_describe(option)}\n")
    for name in pipeline_names():
        stream.write(f"--{name}\n    {summary(name)}\n")
        if (pipeline := named_pipeline(name)) is not None:
            stream.writelines(f"      {row}\n" for row in rows_of(pipeline.stages))


def summary(name: str) -> str:
    """What a pass or a named pipeline is for, in one line: of a pass, the first one of its docstring."""
    if (pipeline := named_pipeline(name)) is not None:
        return pipeline.summary
    return (inspect.getdoc(load_pass(name)) or "").partition("\n")[0]


def rows_of(stages: Sequence[Stage]) -> list[str]:
    """The passes of a pipeline, a line for each: the level that it belongs to, the reason, the plugin that it is of."""
    width = max((len(stage.passes) for stage in stages), default=0)
    origins = [f" (of {stage.origin})" if stage.origin else "" for stage in stages]
    rows = [f"{stage.level:<6}  {stage.passes:<{width}}  {stage.reason}" for stage in stages]
    return [row + origin for row, origin in zip(rows, origins, strict=True)]


def _describe(option: Option) -> str:
    default = "required" if option.default is None else f"default: {option.default or 'empty'}"
    return f"{option.name}: {option.type} ({default})"
