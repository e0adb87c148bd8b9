"""Estimates what the kernels of a text take, and prints them as JSON: `python -m mlc.tools.language_server.kernel_costs
FILE`. The language server asks it in a process of its own, as estimates run passes; weight files are not opened.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.options import CompileOptions
from mlc.dialects.tensor import StructuredOp
from mlc.plugins.arguments import PluginArguments, add_plugin_arguments
from mlc.support.errors import CompilerBug, UserError
from mlc.targets.machine import resolve_target
from mlc.tools.driver import ArgumentParser, Namespace, run_tool
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.outline import OutlineEntry, outline
from mlc.tools.schedule_estimate import kernel_on_loops, steps_of

_SECONDS = 20.0
"""After so long no further kernel is begun."""
_FIRST_OPS = 16
"""Among these ops of a kernel stands one in index notation."""


class KernelCost(NamedTuple):
    """What a call of a kernel is estimated to take."""

    seconds: float
    decided_by: str
    machine: str
    is_scheduled: bool
    """Whether the text says by which schedule; else the loops are as they are made first."""


def is_kernel(function: FuncOp) -> bool:
    """Whether a function computes in index notation, so that its loops can be estimated."""
    if not function.body.blocks:
        return False
    return any(isinstance(op, StructuredOp) for op in islice(function.body.block.ops, _FIRST_OPS))


def sound_kernels(text: AnalysedText) -> Iterator[tuple[FuncOp, OutlineEntry]]:
    """The kernels of the outermost module of a text in which no error is; none if an error is at no place of it."""
    places = [error.location for error in text.errors]
    if any(place is None or place.file != text.file for place in places):
        return
    wrong = [text.source.position(place) for place in places if place is not None]
    for entry in outline(text):
        inside = range(entry.start, entry.end)
        if isinstance(entry.op, FuncOp) and is_kernel(entry.op) and not any(at in inside for at in wrong):
            yield entry.op, entry


def kernel_costs(text: AnalysedText) -> dict[str, KernelCost]:
    """The costs of the kernels of a text that are without errors by their names, of those that can be estimated, for
    the machine that this program runs on.
    """
    kernels = [kernel for kernel, _ in sound_kernels(text)]
    if not kernels:
        return {}
    module = kernels[0].parent_op() or ModuleOp([*text.reading.ops])
    if not isinstance(module, ModuleOp):
        return {}
    options, found = CompileOptions(), dict[str, KernelCost]()
    machine, end = resolve_target(options.target), time.monotonic() + _SECONDS
    for kernel in kernels:
        if time.monotonic() > end:
            break
        try:
            cost = kernel_on_loops(module, kernel, text.ctx, options).estimate(steps_of(kernel))
        except (UserError, CompilerBug):
            continue  # an editor hints at what is known
        if cost is not None:
            is_scheduled = "schedule" in kernel.attributes
            found[kernel.sym_name.data] = KernelCost(
                cost.seconds(machine), cost.decided_by, str(machine.cpu), is_scheduled
            )
    return found


def _run(arguments: Namespace) -> None:
    given = vars(arguments)
    PluginArguments(**{name: given[name] for name in ("load_dialect", "load_pass", "irdl_file")}).load()
    file = Path(given["model"])
    costs = kernel_costs(AnalysedText(file.read_text(encoding="utf-8"), str(file), file.parent))
    json.dump(costs, sys.stdout)


def main() -> int:
    """Run it and return the exit status: 0, 1 after a user error."""
    parser = ArgumentParser("kernel-costs", __doc__ or "")
    parser.add_argument("model")
    add_plugin_arguments(parser)
    return run_tool("kernel-costs", lambda: _run(parser.parse(sys.argv[1:])))


if __name__ == "__main__":
    sys.exit(main())
