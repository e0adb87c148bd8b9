"""Search for faster schedules of a model's kernels by measuring them on this machine, and keep what is found in a file
of records: `mlc compile` takes schedules from there. With KERNEL, only that one is tuned. Ctrl-C ends the search early;
what was measured is kept, the table is printed, and the exit status is 130.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from mlc.compiler import CompileOptions
from mlc.passes.registry import suggest
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.functions import is_private
from mlc.targets import host
from mlc.targets.host import can_run
from mlc.targets.machine import resolve_target
from mlc.tools.compile_arguments import CompileArguments, add_compile_arguments, read_model, start_compilation
from mlc.tools.driver import INTERRUPTED, ArgumentParser, Namespace
from mlc.tools.tune_report import Board, print_results
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.picture import draw_picture, require_picture
from mlc.tuning.ranking import can_learn
from mlc.tuning.record import TunedMachine
from mlc.tuning.record_file import (
    VARIABLE,
    append_records,
    default_records_file,
    read_records,
    require_writable,
)
from mlc.tuning.start import searches_of
from mlc.tuning.tuner import Tuner

_BUDGET = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)")
_UNITS = {"s": 1, "m": 60, "h": 3600}


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    model: str
    kernel: str | None
    budget: str
    picture: str | None
    jobs: int | None

    @property
    def options(self) -> CompileOptions:
        """The choices that shape the code, without records: a search starts from the rules."""
        return replace(super().options, records="")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add = parser.add_argument
    add("model", help="the model: text, or a file of ONNX or PyTorch; '-' is text on standard input")
    add("kernel", metavar="KERNEL", nargs="?", help="the name of a kernel, as `mlc explain` shows it")
    add("--budget", metavar="TIME", default="60s", help="how long to search: 60s, 10m, 1h (60s)")
    add("--picture", metavar="FILE.png", help="draw how the search went")
    add("--jobs", type=int, metavar="N", help="candidates that are compiled at a time (the number of cores)")
    add_compile_arguments(parser)


def run(arguments: Namespace) -> int:
    """Check all that may be wrong, then search."""
    args = Arguments(**vars(arguments))
    seconds = parse_budget(args.budget)
    jobs = host.core_count() if args.jobs is None else args.jobs
    if jobs < 1:
        raise UserError(f"--jobs {jobs}: at least 1 is needed")
    args.bindings.require_single("what is tuned")
    options = args.options
    options.check()
    if options.opt_level < 2:
        raise UserError(f"found -O{options.opt_level}; schedules are carried out from -O2 on")
    machine = resolve_target(options.target)
    if not can_run(machine.arch, machine.required_cpu_flags):
        raise UserError(
            f"this machine cannot run code for '{options.target}', so nothing can be measured; tune on a machine that "
            "can, and give its records to `mlc compile --records FILE`"
        )
    path = _records_path(args.records)
    if args.picture is not None:
        require_picture(Path(args.picture))
    timed = start_compilation(read_model(args.model), replace(args, records=""))
    timed.compilation.lower("tensor")
    module = timed.compilation.module
    kernels = _chosen(module.ops, args.kernel, timed.compilation.ctx)
    require_writable(path)
    known = read_records(path)
    for problem in known.problems:
        print(f"warning: {problem}", file=sys.stderr)
    if not can_learn():
        print("note: without scikit-learn no model ranks schedules (pip install 'mlc[tune]')", file=sys.stderr)
    calls = Counter(op.callee.string_value() for op in module.walk() if isinstance(op, CallOp))
    searches: list[KernelSearch] = []
    interrupted = False
    tuned = TunedMachine.of(options)
    with tempfile.TemporaryDirectory(prefix="mlc-tune-") as folder, Board(seconds) as board:
        try:
            for search in searches_of(
                module,
                kernels,
                calls,
                timed.compilation.ctx,
                options,
                Path(folder),
                [r for r in known.records if r.machine.is_like(tuned)],
                args.seed,
            ):
                searches.append(search)
                board.show(searches)
            tuner = Tuner(searches, tuned, lambda record: append_records(path, [record]), jobs)
            tuner.changed = lambda search: board.show(searches, search)
            tuner.run(seconds)
        except KeyboardInterrupt:
            interrupted = True
    print_results(searches)
    print(f"records: {path}")
    if interrupted:
        print("interrupted: what was measured until then is kept", file=sys.stderr)
    if args.picture is not None and searches:
        draw_picture(searches, Path(args.picture))
    return INTERRUPTED if interrupted else 0


def parse_budget(text: str) -> float:
    """The seconds of `60s`, `10m`, `1.5h`.

    Raises:
        UserError: it is written otherwise, or is nothing.
    """
    found = _BUDGET.fullmatch(text.strip())
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if seconds <= 0:
        raise UserError(f"found --budget '{text}'; required: a time such as 60s, 10m or 1h")
    return seconds


def _records_path(named: str | None) -> Path:
    """Raises: UserError if there is no place for records."""
    path = Path(named) if named else default_records_file()
    if path is None:
        raise UserError(f"found no place for records; required: --records FILE, a home, or a file's name in {VARIABLE}")
    if path.is_dir():
        raise UserError(f"cannot write records to '{path}': it is a folder; --records FILE names another file")
    return path


def _chosen(ops: Iterable[Operation], name: str | None, ctx: CompilerContext) -> Sequence[FuncOp]:
    """The kernels to tune; a schedule that a person wrote is kept by every compilation, so it is none to improve.

    Raises:
        UserError: there are none, or none of that name.
    """
    kernels = {op.sym_name.data: op for op in ops if isinstance(op, FuncOp) and is_private(op)}
    if name is not None and name not in kernels:
        known = ", ".join(kernels) or "(none)"
        raise UserError(f"no kernel '{name}' in a model with the kernels {known}{suggest(name, list(kernels))}")
    chosen = [kernels[name]] if name is not None else list(kernels.values())
    chosen = [kernel for kernel in chosen if not kernel.is_declaration and len(kernel.body.blocks) == 1]
    for kernel in list(chosen):
        schedule = kernel.attributes.get("schedule")
        if schedule is not None and (kernel.sym_name.data, schedule) not in ctx.rule_schedules:
            chosen.remove(kernel)
            name = kernel.sym_name.data
            print(f"note: the schedule of '{name}' was written by a person, so it is kept", file=sys.stderr)
    if not chosen:
        raise UserError("the model has no kernels whose schedules are free, so there is nothing to tune")
    return chosen
