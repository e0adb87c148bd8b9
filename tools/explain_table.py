"""All kernels of a model in a table: beside the limits of the machine, or beside estimates of their loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median

from xdsl.dialects.func import FuncOp

from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.pass_manager.pipeline import default_steps
from mlc.support.errors import UserError
from mlc.tools.kernel_numbers import KernelNumbers, ModelNumbers, amount
from mlc.tools.kernel_products import products_of
from mlc.tools.kernel_trace import TracedRuns
from mlc.tools.kernel_work import work_of
from mlc.tools.progress import progress_bar
from mlc.tools.schedule_estimate import kernel_on_loops, steps_of
from mlc.tuning.measure import MeasuredTime

_REST = "the rest"
_NOTE = f"""\
A flop is an operation on a number, a multiply-add two; exp and the like count as the formulas that compute them.
Kernels are measured alone, with operands in the nearest cache; '{_REST}' is what the model takes beyond them: operands
that are farther away, code that is cold, calls. Times are the shortest of many calls."""
_INLINED = "inlined"
_INLINED_NOTE = f"""\
What is {_INLINED} is not a call any more but a part of the loop that called it; its time is in '{_REST}'."""
_SUM = "sum"
_TRACED_NOTE = """\
Times in the trace are medians of all runs of a kernel, between others; those beside them are the shortest of many calls
of the kernel alone, with operands in the nearest cache. The ratio is that of the first to the second."""
_ESTIMATES_NOTE = """\
Kernels are measured alone, with random inputs and with operands in the nearest cache that holds them, as it is
estimated. Times are the shortest of many calls; the ratio is that of the measured to the estimated time."""


def _measured(
    numbers: ModelNumbers, kernels: Sequence[FuncOp], whole: bool = False
) -> tuple[list[KernelNumbers], MeasuredTime | None]:
    """`ModelNumbers.of`, which takes about a second for each kernel, with a progress bar."""
    with progress_bar("measuring") as bar:
        return numbers.of(kernels, whole, bar and partial(bar.update, "kernels"))


def print_table(numbers: ModelNumbers, kernels: Sequence[FuncOp]) -> None:
    """A line for each kernel, one for what the model takes beyond them, and one for the model."""
    rows, measured_model = _measured(numbers, kernels, whole=True)
    bounds = [numbers.roofline.bound(row.work) for row in rows]
    inside = {row.name for row in rows if row.seconds is not None} & inlined_kernels(numbers)
    costs = [
        row.calls * (0 if row.name in inside else bound.time if row.seconds is None else row.seconds)
        for row, bound in zip(rows, bounds, strict=True)
    ]
    model = sum(costs) if measured_model is None else measured_model.shortest
    width = max((len(row.name) for row in rows), default=0)
    width = max(width, len(_REST))
    print(
        f"{'kernel':<{width}} {'calls':>5} {'products':>8} {'flop':>8} {'bytes':>8} {'flop/B':>7} {'bound by':>8} "
        f"{'at least':>15} {'measured':>9} {'of bound':>8} {'of model':>8}"
    )
    for kernel, row, bound, cost in zip(kernels, rows, bounds, costs, strict=True):
        products = products_of(kernel, numbers.roofline.machine)
        types = "-" if products is None else products.words
        found, reached, part = "-", "-", f"{cost / max(model, 1e-30):.0%}"
        if row.name in inside:
            found, part = _INLINED, "-"
        elif row.seconds is not None:
            found, reached = numbers.time(row.seconds), f"{bound.time / row.seconds:.0%}"
        print(
            f"{row.name:<{width}} {row.calls:>5} {types:>8} {amount(row.work.flops):>8} {amount(row.work.bytes):>8} "
            f"{row.work.intensity:>7.3g} {bound.limit:>8} {numbers.time(bound.time):>15} {found:>9} "
            f"{reached:>8} {part:>8}"
        )
    if numbers.runs_here:
        rest = max(0.0, model - sum(costs))  # kernels may be slower alone, by what else runs meanwhile
        print(f"{_REST:<{width}} {'':>57} {numbers.time(rest):>9} {'':>8} {rest / model:>8.0%}")
    calls, flops = sum(row.calls for row in rows), sum(row.calls * row.work.flops for row in rows)
    least = numbers.time(sum(row.calls * bound.time for row, bound in zip(rows, bounds, strict=True)))
    total = numbers.time(model) if numbers.runs_here else "-"
    print(f"{'model':<{width}} {calls:>5} {'':>8} {amount(flops):>8} {'':>8} {'':>7} {'':>8} {least:>15} {total:>9}")
    _print_notes(numbers, _NOTE)
    if inside:
        print(f"\n{_INLINED_NOTE}")
    numbers.print_doubts([b.time / r.seconds for r, b in zip(rows, bounds, strict=True) if r.seconds])


def print_estimates(numbers: ModelNumbers, kernels: Sequence[FuncOp]) -> None:
    """A line for each kernel with the time that its loops are estimated to take, and one for the sum of all calls."""
    rows, _ = _measured(numbers, kernels)
    width = max((len(row.name) for row in rows), default=0)
    width = max(width, len(_SUM))

    def line(name: str, calls: str, times: Sequence[str], decided_by: str) -> None:
        estimated, measured, ratio, part = times
        cells = f"{name:<{width}} {calls:>5} {estimated:>15} {measured:>9} {ratio:>6} {part:>8}  {decided_by}"
        print(cells.rstrip())

    line("kernel", "calls", ("estimated", "measured", "ratio", "of bound"), "decided by")
    calls, all_estimated, all_measured, all_bounds = 0, 0.0, 0.0, 0.0
    for row, kernel in zip(rows, kernels, strict=True):
        loops = kernel_on_loops(numbers.module, kernel, numbers.ctx, numbers.options)
        found = loops.estimate(steps_of(kernel))
        estimated = None if found is None else numbers.from_cycles(found.cycles)
        bound = numbers.roofline.bound(row.work).time
        times = _beside(numbers, estimated, row.seconds, bound)
        line(row.name, str(row.calls), times, "-" if found is None else found.decided_by)
        if estimated is not None:
            calls += row.calls
            all_estimated += row.calls * estimated
            all_measured += row.calls * (row.seconds or 0.0)
            all_bounds += row.calls * bound
    times = _beside(numbers, all_estimated, all_measured if numbers.runs_here else None, all_bounds)
    line(_SUM, str(calls), times, "")
    print(
        f"\nEstimates are for {numbers.estimated_for}, of the loops that schedules make. They rest on: {numbers.facts}."
    )
    if calls < sum(row.calls for row in rows):
        print("A kernel without one is part of a loop that calls it, or too long; it is not in the sum.")
    _print_notes(numbers, _ESTIMATES_NOTE)
    numbers.print_doubts([numbers.roofline.bound(row.work).time / row.seconds for row in rows if row.seconds])


def print_traced(numbers: ModelNumbers, kernels: Sequence[FuncOp], traced: Mapping[str, TracedRuns]) -> None:
    """A line for each kernel with its time alone, and the median of what it took in a trace.

    Raises:
        UserError: the trace has none of the kernels, or says that it is of another model.
    """
    names = [kernel.sym_name.data for kernel in kernels]
    if not any(name in traced for name in names):
        found = ", ".join(f"'{name}'" for name in traced) or "nothing"
        raise UserError(f"found {found} in the trace; required: one of the model's kernels, {', '.join(names)}")
    _require_same_kernels({k.sym_name.data: work_of(k, numbers.ctx).flops for k in kernels}, traced)
    rows, _ = _measured(numbers, kernels)
    width = max([len("kernel"), *map(len, names)])
    print(f"{'kernel':<{width}} {'runs':>6} {'measured':>9} {'in trace':>9} {'ratio':>6}")
    for row in rows:
        times = traced[row.name].seconds if row.name in traced else ()
        there = median(times) if times else None
        alone = "-" if row.seconds is None else numbers.time(row.seconds)
        ratio = f"{there / row.seconds:.2f}" if there and row.seconds else "-"
        traced_time = "-" if there is None else amount(there, "s")
        print(f"{row.name:<{width}} {len(times):>6} {alone:>9} {traced_time:>9} {ratio:>6}")
    _print_notes(numbers, _TRACED_NOTE)


def _require_same_kernels(flops: Mapping[str, int], traced: Mapping[str, TracedRuns]) -> None:
    """Raises: UserError if a kernel of the trace computes something else than that of the model, or it has none."""
    for name, runs in traced.items():
        if runs.flops is not None and flops.get(name) != runs.flops:
            found = f"one with {flops[name]:,} flops" if name in flops else "none of that name"
            raise UserError(
                f"the trace is of another model, or of other options: it has a kernel '{name}' with {runs.flops:,} "
                f"flops; the model has {found}"
            )


def _beside(numbers: ModelNumbers, estimated: float | None, seconds: float | None, bound: float) -> tuple[str, ...]:
    """Both times, their ratio, and the part of the bound that the measured one is, as far as they are known."""
    return (
        "-" if estimated is None else numbers.time(estimated),
        "-" if seconds is None else numbers.time(seconds),
        f"{seconds / estimated:.2f}" if seconds and estimated else "-",
        f"{bound / seconds:.0%}" if seconds else "-",
    )


def inlined_kernels(numbers: ModelNumbers) -> set[str]:
    """The kernels that are not functions any more: parts of the loops that called them."""
    ctx = numbers.ctx.clone()
    module = numbers.model.clone()
    options = numbers.options
    steps = [step.passes for step in default_steps(options, "loop", "tensor")]
    deciding = [step for step in steps if step in ("convert-tensor-to-loop", "inline-kernels")]
    PassManager(ctx).run(module, parse_passes(",".join(deciding)))
    before, after = ({f.sym_name.data for f in m.ops if isinstance(f, FuncOp)} for m in (numbers.model, module))
    return before - after


def _print_notes(numbers: ModelNumbers, note: str) -> None:
    """What the numbers of a table are; `note` is of those that were measured."""
    if not numbers.runs_here:
        print(
            f"\nThis machine cannot run code for {numbers.options.target}: cycles are planned{numbers.cores('for')}, "
            "and nothing was measured."
        )
        return
    print(f"\n{note}")
    if numbers.options.threads > 1:
        print(f"Measured on up to {numbers.options.threads} threads, bounds{numbers.cores()}.")
