"""Print a script by which a shell completes the command lines of mlc and mlc-opt. To turn it on:

bash    eval "$(mlc completion bash)"          in ~/.bashrc
zsh     eval "$(mlc completion zsh)"           in ~/.zshrc
fish    mlc completion fish | source           in ~/.config/fish/config.fish
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence

from mlc.compiler import emit_text
from mlc.compiler.native_backend import NativeBackend
from mlc.dialects.registry import dialect_names
from mlc.pass_manager.registry import pass_names, pipeline_names
from mlc.targets.machine import available_targets
from mlc.tools.completion_scripts import CompletedCommand, CompletedTool, Flag, bash, fish, zsh
from mlc.tools.driver import ArgumentParser, Namespace
from mlc.tools.mlc_compile import forms_of
from mlc.tools.opt_arguments import make_parser

_SHELLS: dict[str, Callable[[Sequence[CompletedTool]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("shell", choices=sorted(_SHELLS), help="the shell to write for")


def run(arguments: Namespace) -> None:
    """Print the script."""
    print(_SHELLS[arguments.shell](_tools()), end="")


def _tools() -> list[CompletedTool]:
    from mlc.tools.mlc import COMMANDS

    commands: list[CompletedCommand] = []
    for name, text in COMMANDS.items():
        parser = ArgumentParser(f"mlc {name}", "")
        importlib.import_module(f"mlc.tools.mlc_{name}").add_arguments(parser)
        commands.append(_command(name, text, parser))
    passes = tuple(Flag((f"--{name}",), "", False, ()) for name in (*pass_names(), *pipeline_names()))
    opt = _command("", "", make_parser())
    return [
        CompletedTool("mlc", tuple(commands)),
        CompletedTool("mlc-opt", (CompletedCommand("", "", opt.flags + passes, ()),)),
    ]


def _command(name: str, text: str, parser: argparse.ArgumentParser) -> CompletedCommand:
    actions = parser._actions  # pyright: ignore[reportPrivateUsage]  # argparse has no other way to ask
    flags = tuple(_flag(action, name) for action in actions if action.option_strings)
    words = next((_choices(a) for a in actions if not a.option_strings and a.choices), ())
    return CompletedCommand(name, text, flags, words)


def _flag(action: argparse.Action, command: str) -> Flag:
    values = _choices(action) or _values(action.option_strings[-1], command)
    return Flag(tuple(action.option_strings), action.help or "", action.nargs != 0, values)


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices or ()))


def _values(flag: str, command: str) -> tuple[str, ...]:
    """What options take that argparse leaves to the tools to check, so that these can say more."""
    match flag:
        case "--target":
            return tuple(machine.name for machine in available_targets())
        case "--emit":
            return tuple(forms_of(NativeBackend())) if command == "compile" else emit_text.TEXT_FORMS
        case "--print-ir-after" | "--print-ir-before":
            return (*pass_names(), *pipeline_names())
        case "--print-grammar":
            return tuple(dialect_names())
        case _:
            return ()
