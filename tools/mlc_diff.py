"""Say what differs between two compilations: of two models, or of pages that `mlc explore` wrote with other options, by
another version, or elsewhere. Names count for nothing. With `--measure` the times of kernels that differ are compared,
too. With `--inputs` the code of both is run, and their results are compared to the bit. The status is 1 if something
differs in what was made.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from mlc.tools.compile_arguments import CompileArguments, add_compile_arguments
from mlc.tools.driver import ArgumentParser, Namespace
from mlc.tools.explorer.compare import Comparison, KernelChange, change_in_words, compare
from mlc.tools.explorer.explored_models import documents_of
from mlc.tools.input_file import INPUTS_HELP
from mlc.tools.kernel_numbers import amount


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    before: str
    after: str
    measure: bool
    inputs: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("before", help="a model, which is compiled, or a page that mlc explore wrote")
    parser.add_argument("after", help="the same, which is compared with it")
    words = "measure kernels, and say how the times of those that differ change; about a second for each kernel"
    parser.add_argument("--measure", action="store_true", help=words)
    words = f"run the code of both, and compare the bits of their results: {INPUTS_HELP}; of several calls the first"
    parser.add_argument("--inputs", metavar="FILE", help=words)
    add_compile_arguments(parser)


def run(arguments: Namespace) -> int:
    """Print a line for each thing that differs."""
    args = Arguments(**vars(arguments))
    comparison = compare(*documents_of([args.before, args.after], args, args.measure, args.inputs, with_values=False))
    for name, before, after in comparison.settings:
        print(f"{name}: {before or 'none'} → {after or 'none'}")
    for words in comparison.model:
        print(words)
    for words in comparison.notes:
        print(f"note: {words}", file=sys.stderr)
    for each in comparison.changed:
        print(f"{_name(each)}: {', '.join(each.changes)}")
    print(_summary(comparison))
    return 0 if comparison.is_equal else 1


def _name(change: KernelChange) -> str:
    names = [name for name in (change.before, change.after) if name]
    return " → ".join(dict.fromkeys(names))


def _summary(comparison: Comparison) -> str:
    if comparison.is_equal:
        return "no difference in what was made"
    known = [[t for each in comparison.kernels if (t := each.estimates[side]) is not None] for side in (0, 1)]
    before, after = (sum(times) or None for times in known)
    parts = [f"{len(comparison.changed)} of {len(comparison.kernels)} kernels differ"]
    if before and after:
        parts.append(f"all together {_change(before, after)} estimated, {change_in_words(before, after)}")
    before, after = comparison.measured
    if before and after:
        parts.append(f"the model {_change(before, after)} measured, {change_in_words(before, after)}")
    return "; ".join(parts)


def _change(before: float, after: float) -> str:
    return f"{amount(before, 's')} → {amount(after, 's')}"
