"""Search for faster schedules of a model's kernels by measuring them on this machine, and keep what is found in a file
of records: `mlc compile` takes schedules from there. With KERNEL, only that one is tuned. Ctrl-C ends the search early;
what was measured is kept, the table is printed, and the exit status is 130.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import Compilation
from mlc.compiler.options import CompileOptions
from mlc.schedules.records.record import TunedMachine
from mlc.schedules.records.record_file import (
    RECORDS_VARIABLE,
    append_records,
    default_records_file,
    read_records,
    require_writable,
)
from mlc.schedules.records.recorded_schedules import record_to_take
from mlc.support.errors import UserError
from mlc.targets import host
from mlc.targets.host import can_run
from mlc.targets.machine import resolve_target
from mlc.targets.machine_file import why_no_place
from mlc.tools.compile_arguments import CompileArguments, add_compile_arguments, read_model, start_compilation
from mlc.tools.driver import INTERRUPTED, ArgumentParser, Namespace, print_remarks
from mlc.tools.outlined_kernels import outlined_kernels
from mlc.tools.tune_report import Board, print_results
from mlc.tuning.dask_executor import DaskExecutor, require_distributed
from mlc.tuning.executor import Executor, LocalExecutor
from mlc.tuning.model_parcel import ModelParcel
from mlc.tuning.picture import draw_picture, require_picture
from mlc.tuning.start import Searches, tunable_kernels
from mlc.tuning.trees import can_learn
from mlc.tuning.tuner import Tuner
from mlc.tuning.workplace import Workplace

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
    scheduler: str | None

    @property
    def options(self) -> CompileOptions:
        """The choices that shape the code, without records: a search starts from the rules."""
        return replace(super().options, records="")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add = parser.add_argument
    add("model", help="the model: text, or a file of ONNX or PyTorch; '-' is text on standard input")
    add("kernel", metavar="KERNEL", nargs="?", help="tune this kernel alone: a name that `mlc explain` shows (all)")
    add("--budget", metavar="TIME", default="60s", help="how long to search: 60s, 10m, 1h (60s)")
    add("--picture", metavar="FILE.png", help="draw each measured schedule, and the best so far, over time")
    add(
        "--jobs",
        type=int,
        metavar="N",
        help="candidates that are compiled at a time; one is measured at a time (cores)",
    )
    scheduler = "measure on the workers of the Dask cluster whose scheduler is there: tcp://host:8786 (this machine)"
    add("--scheduler", metavar="ADDRESS", help=scheduler)
    add_compile_arguments(
        parser,
        records="append what is measured to FILE, and begin with what it holds, instead of your own records",
        seed="another number tries other schedules; also of the random inputs of --check-each (0)",
    )


def run(arguments: Namespace) -> int:
    """Check all that may be wrong, then search."""
    args = Arguments(**vars(arguments))
    seconds = parse_budget(args.budget)
    if args.jobs is not None and args.jobs < 1:
        raise UserError(f"--jobs {args.jobs}: at least 1 is needed")
    args.bindings.require_single("what is tuned")
    args.bindings.require_fixed("what is tuned")
    options = args.options
    options.check()
    if options.opt_level < 2:
        raise UserError(f"found -O{options.opt_level}; schedules are carried out from -O2 on")
    machine = resolve_target(options.target)
    if args.scheduler is not None:
        require_distributed()
    elif not can_run(machine.arch, machine.required_cpu_flags):
        raise UserError(
            f"this machine cannot run code for '{options.target}', so nothing can be measured; tune on a machine that "
            "can, and give its records to `mlc compile --records FILE`"
        )
    path = _records_path(args.chosen.get("records"))
    if args.picture is not None:
        require_picture(Path(args.picture))
    known = require_writable(path)
    timed = start_compilation(read_model(args.model, args), args)
    compilation = timed.compilation
    compilation.ctx.warnings += known.problems
    parcel = _parcel(args, compilation) if args.scheduler is not None else None
    compilation.lower("tensor")
    compilation.finish()
    print_remarks(compilation.ctx, remarks=args.remarks)
    timed.report()
    kernels = _chosen(compilation, args.kernel)
    if not can_learn():
        print("note: without scikit-learn nothing learns from measurements (pip install 'mlc[tune]')", file=sys.stderr)
    searches = Searches(options, known.records, args.seed)
    tuner: Tuner | None = None
    interrupted, stopped = False, None
    with ExitStack() as stack:
        board = stack.enter_context(Board(seconds))
        stack.callback(searches.stop)
        try:
            executor: Executor
            if parcel is None:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mlc-tune-")))
                workplace = Workplace(compilation.module, kernels, compilation.ctx, options, folder)
                executor = LocalExecutor(workplace, TunedMachine.of(options), args.jobs or host.core_count())
            else:
                executor = stack.enter_context(DaskExecutor(args.scheduler or "", parcel, args.jobs, board.note))
            tuner = Tuner(executor, searches.of, compilation.ctx, lambda record: append_records(path, [record]))
            tuner.changed = lambda search: board.show(searches.found, search)
            tuner.lost = lambda reason: board.note(f"note: {reason}; what it was busy with is tried again")
            tuner.run(seconds)
        except KeyboardInterrupt:
            interrupted = True
            with suppress(UserError):  # of a cluster that is gone: there is nothing to be had from it
                if tuner is not None:
                    tuner.finish()
        except UserError as e:
            if not searches.found:
                raise
            stopped = e
    records = read_records(path).records
    print_results(searches.found, lambda search: record_to_take(records, search.key, searches.machine_of(search)))
    print(f"records: {path}" if path.exists() else "no records: nothing was measured")
    if interrupted:
        print("interrupted: what was measured until then is kept", file=sys.stderr)
    if args.picture is not None and searches.found:
        draw_picture(searches.found, Path(args.picture))
    if stopped is not None:
        raise stopped
    return INTERRUPTED if interrupted else 0


def _parcel(args: Arguments, compilation: Compilation) -> ModelParcel:
    """The model as workers get it: as it was read."""
    return ModelParcel.of(compilation.module, compilation.ctx, args.options, args.kernel, args)


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
        raise UserError(
            f"found no place for records: {why_no_place(RECORDS_VARIABLE)}; "
            f"required: --records FILE, or a file's name in {RECORDS_VARIABLE}"
        )
    return path


def _chosen(compilation: Compilation, name: str | None) -> Sequence[FuncOp]:
    """The kernels to tune; a schedule that a person wrote is kept by every compilation, so it is none to improve.

    Raises:
        UserError: there are none, or none of that name, or loops of the model become that kernel.
    """
    loops, _ = outlined_kernels(compilation.module, compilation.ctx, compilation.options)
    of_rules = [each.sym_name.data for each in loops if name in (None, each.sym_name.data)]
    named = (
        ", ".join(f"'{each}'" for each in of_rules) + ", which loops of the model become: rules choose their schedules"
    )
    kernels: Sequence[FuncOp] = []
    if name is None or not of_rules:
        kernels, written = tunable_kernels(compilation.module, name, compilation.ctx)
        for each in written:
            print(f"note: the schedule of '{each}' was written by a person, so it is kept", file=sys.stderr)
    if of_rules and kernels:
        print(f"note: left out are {named}", file=sys.stderr)
    elif of_rules:
        raise UserError(f"found {named}, so there is nothing to tune")
    if not kernels:
        raise UserError("the model has no kernels whose schedules are free, so there is nothing to tune")
    return kernels
