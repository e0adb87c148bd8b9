"""The state in which the searches of a model's kernels begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.tensor import StructuredOp
from mlc.passes.shared.constant_arguments import constant_arguments
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.types import element_type
from mlc.targets.machine import resolve_target
from mlc.tools.lone_kernel import lone_kernel
from mlc.tuning.isolated import Failure, Job
from mlc.tuning.kernel_key import KernelKey, key_of
from mlc.tuning.kernel_loops import KernelLoops
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.mutations import Mutator
from mlc.tuning.ranking import LearnedRanker
from mlc.tuning.record import Record
from mlc.tuning.recorded_schedules import fastest, steps_of, without_idle_steps
from mlc.tuning.schedule_texts import Schedule, parse_schedule, schedule_text
from mlc.tuning.workbench import Workbench

_SECONDS = 60.0
"""The most that a kernel's loops take to be understood."""


def searches_of(
    module: ModuleOp,
    kernels: Sequence[FuncOp],
    calls: Mapping[str, int],
    ctx: CompilerContext,
    options: CompileOptions,
    folder: Path,
    records: Sequence[Record],
    seed: int,
) -> Iterator[KernelSearch]:
    """A search for each of `kernels`, functions of `module` at the tensor level with their schedules by the rules.

    `records` are those of this machine. `seed` fixes what is tried, as far as measurements agree.

    Raises:
        UserError: a kernel cannot be compiled or run as it is.
    """
    constants = constant_arguments(module)
    machine = resolve_target(options.target)
    for number, kernel in enumerate(kernels):
        name = kernel.sym_name.data
        key = key_of(kernel, constants)
        alone = lone_kernel(module, kernel)
        attribute = kernel.attributes.get("schedule")
        rules = attribute.steps if isinstance(attribute, ScheduleAttr) else ()
        rules = _effective(rules, alone, name, ctx, options)
        bench = Workbench(alone, name, ctx, options, folder, rules)
        ops = [op for op in kernel.body.block.ops if isinstance(op, StructuredOp)]
        bits = max((element_bits(op) for op in ops), default=32)
        rng = Random(f"{seed} {number}")
        loops = KernelLoops(alone, name, ctx, options, rng)
        mutator = Mutator(rng, machine.lanes(bits), loops.draw)
        ranker = LearnedRanker(key)
        ranker.learn(records, ctx)
        search = KernelSearch(name, key, max(calls.get(name, 0), 1), bench, rules, bench.seconds, mutator, ranker)
        search.refusal = loops.refusal
        search.waiting = _recorded(records, key, ctx)
        search.know(r.schedule for r in records if r.kernel == key.exact and r.arguments == key.arguments)
        yield search


def element_bits(op: StructuredOp) -> int:
    """The bits of an element of a result, 32 at least: what is narrower is computed in these."""
    width = getattr(element_type(op.result.type), "bitwidth", 32)
    return max(int(width), 32)


def _recorded(records: Sequence[Record], key: KernelKey, ctx: CompilerContext) -> list[Schedule]:
    """What was fast of this kernel, or of ones like it."""
    found: list[Schedule] = []
    for record in fastest([r for r in records if r.confirmed], key):
        try:
            found.append(steps_of(record, key, ctx))
        except UserError:
            continue
    return found[:6]


def _effective(rules: Schedule, alone: ModuleOp, name: str, ctx: CompilerContext, options: CompileOptions) -> Schedule:
    """The steps of the rules that change something, found in a process of its own: steps may be a plugin's.

    Raises:
        UserError: one of them names no loop, or does not end.
    """

    def work() -> str:
        copy = alone.clone()
        function = next(op for op in copy.ops if isinstance(op, FuncOp) and op.sym_name.data == name)
        return schedule_text(without_idle_steps(rules, copy, function, ctx.clone(), options))

    found = Job(work, _SECONDS).value()
    if isinstance(found, Failure):
        raise UserError(f"the schedule of '{name}' by the rules cannot be carried out: {found.reason}")
    return parse_schedule(found, ctx) if found else ()
