"""Traces of kernels for command lines: what is known of kernels beside their times, and reading a trace again."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xdsl.dialects.func import FuncOp

from mlc.schedules.trial import carries_out_schedules
from mlc.support.errors import UserError
from mlc.support.functions import is_private
from mlc.support.model_source import ModelSource
from mlc.targets.machine import resolve_target
from mlc.tools.compile_arguments import CompileArguments, start_compilation
from mlc.tools.kernel_work import work_of
from mlc.tools.schedule_estimate import kernel_on_loops, steps_of

_REQUIRED = "required: a file that 'mlc run --trace' or mlc.trace has written"


def kernel_facts(source: ModelSource, args: CompileArguments) -> dict[str, dict[str, object]]:
    """For each kernel by name its flops, its bytes, and the microseconds that its loops are estimated to take, if the
    `-O` level carries out schedules.

    Raises:
        UserError: the model or an option is wrong.
    """
    compilation = start_compilation(source, args).compilation
    compilation.lower("tensor")
    module, ctx, options = compilation.module, compilation.ctx, compilation.options
    megahertz = resolve_target(options.target).frequency_mhz
    facts: dict[str, dict[str, object]] = {}
    for kernel in [op for op in module.ops if isinstance(op, FuncOp) and is_private(op)]:
        work = work_of(kernel, ctx)
        about = facts[kernel.sym_name.data] = {"flops": work.flops, "bytes": work.bytes}
        if carries_out_schedules(options):
            found = kernel_on_loops(module, kernel, ctx, options).estimate(steps_of(kernel))
            about |= {} if found is None else {"estimated_us": found.cycles / megahertz}
    return facts


@dataclass
class TracedRuns:
    """The runs of one kernel in a trace."""

    seconds: list[float] = field(default_factory=list[float])
    """How long each took."""
    flops: int | None = None
    """What a run computes, if the trace says so."""


def runs_in_trace(file: str) -> dict[str, TracedRuns]:
    """By name the runs of each kernel, as a file of the Trace Event Format says.

    Raises:
        UserError: the file cannot be read, or is none.
    """
    try:
        events: Any = json.loads(Path(file).read_text(encoding="utf-8"))["traceEvents"]
        runs: dict[str, TracedRuns] = defaultdict(TracedRuns)
        for event in events:
            if event["ph"] == "X":
                run = runs[event["name"]]
                run.seconds.append(event["dur"] / 1e6)
                flops: Any = event.get("args", {}).get("flops")
                if not isinstance(flops, int | None):
                    raise TypeError
                run.flops = flops
    except OSError as e:
        raise UserError(f"cannot read '{file}': {e.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"'{file}' is not a trace; {_REQUIRED}") from None
    return runs
