"""Flags for the options of a compilation, made of their declaration."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from mlc.compiler.options import OPTIONS
from mlc.pass_manager.pipeline_options import Choice
from mlc.tools.driver import ArgumentParser


def flag_of(name: str) -> str:
    """The flag of an option by its name in Python."""
    return (name in OPTIONS and OPTIONS[name].flag) or f"--{name.replace('_', '-')}"


class _Choose(argparse.Action):
    """Notes an option that is given in `chosen`."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        namespace.chosen = {**namespace.chosen, self.dest: values}


def add_options(parser: ArgumentParser, options: Mapping[str, Choice], helps: Mapping[str, str] | None = None) -> None:
    """Declare options, which arguments collect in a dictionary `chosen`; `helps` are for those that a command uses
    otherwise."""
    parser.set_defaults(chosen={})
    for name, each in options.items():
        parser.add_argument(
            flag_of(name),
            action=_Choose,
            dest=name,
            type=int if each.kind == "number" else str,
            default=argparse.SUPPRESS,
            choices=each.choices,
            metavar=each.metavar,
            help=(helps or {}).get(name, each.help),
        )
