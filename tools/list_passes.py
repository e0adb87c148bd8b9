"""`mlc-opt --list-passes`."""

from __future__ import annotations

import inspect
from typing import TextIO

from mlc.passes.options import Option, options_of
from mlc.passes.registry import load_pass, pass_names


def list_passes(stream: TextIO) -> None:
    """Print each pass: its name, the first line of its docstring, and its options with type, default and meaning."""
    for name in pass_names():
        pass_type = load_pass(name)
        stream.write(f"--{name}\n    {summary(name)}\n")
        for option in options_of(pass_type):
            stream.write(f"      {_describe(option)}\n")


def summary(name: str) -> str:
    """The first line of the docstring of the pass `name`."""
    return (inspect.getdoc(load_pass(name)) or "").partition("\n")[0]


def _describe(option: Option) -> str:
    default = "required" if option.default is None else f"default: {option.default or 'empty'}"
    return f"{option.name}: {option.type} ({default})"
