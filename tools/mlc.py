"""`mlc`: compile models, run them, see what the machine offers. Each command is a file, `tools/mlc_<command>.py`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Protocol, cast

from mlc.pass_manager.registry import suggest
from mlc.support.errors import UserError
from mlc.support.version import __version__
from mlc.tools.driver import ArgumentParser, Namespace, run_tool

COMMANDS = {
    "compile": "compile a model to IR, assembly, an object, a library, a program or a C header",
    "check": "say at once what stands in the way of compiling a model",
    "import": "write a model of ONNX as text of the graph level, with its weights beside it",
    "quantize": "write a model whose products take integers of 8 bits, and tell how far it is off",
    "run": "run a model on inputs from a file, check its answers, measure it",
    "generate": "print what follows a prompt by a language model in a file of GGUF",
    "chat": "talk with a language model in a file of GGUF",
    "serve": "answer requests over HTTP with a language model, as OpenAI's interface has them",
    "perplexity": "measure how well a language model predicts a text",
    "bisect": "find the first pass and op after which a model computes something else",
    "explain": "show what each kernel computes, how, and how near it comes to the machine's limits",
    "explore": "write a page that shows each pass, the graph, and each kernel on all levels",
    "diff": "say what differs between two compilations: schedules, estimates, code",
    "tune": "search for faster schedules by measuring them here, and keep what is found",
    "lsp": "serve editors: errors, documentation and completion for texts of IR",
    "new": "start a dialect or a pass of your own: a folder with one Python file and its tests",
    "targets": "list the machines that mlc compiles for",
    "machine": "measure this machine, or show what schedules know of one",
    "cache": "show how large the cache is, trim it, clear it",
    "doctor": "show what mlc found on this machine: clang, linker, emulators, cache",
    "completion": "print a script that completes command lines in bash, zsh or fish",
}


class Command(Protocol):
    """A module that holds one command."""

    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int | None]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool and return its exit status: 0, 1 after a user error, 70 after a bug in mlc."""
    return run_tool("mlc", lambda: _run(list(sys.argv[1:] if argv is None else argv)))


def _run(argv: list[str]) -> int | None:
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(_help(), end="")
        return None
    if argv[0] == "--version":
        print(f"mlc {__version__}")
        return None
    name, *rest = argv
    if name not in COMMANDS:
        guess = suggest(name, list(COMMANDS)) or f" (the commands are {', '.join(COMMANDS)})"
        raise UserError(f"unknown command '{name}'{guess}")
    command = cast(Command, importlib.import_module(f"mlc.tools.mlc_{name}"))
    parser = ArgumentParser(f"mlc {name}", command.__doc__ or "")
    command.add_arguments(parser)
    return command.run(parser.parse(rest))


def _help() -> str:
    rows = "".join(f"  {name:<11} {text}\n" for name, text in COMMANDS.items())
    return f"usage: mlc COMMAND ...\n\n{rows}\n'mlc COMMAND --help' explains one; 'mlc-opt' runs single passes.\n"


if __name__ == "__main__":
    sys.exit(main())
