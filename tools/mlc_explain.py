"""Show what mlc makes of a model's kernels: with KERNEL, what that one computes, its schedule in words, its work, and
its time beside the least one that the machine allows; without, a table of all of them, also beside `--estimates`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import constant_arguments
from mlc.api import compile as compile_model
from mlc.frontends.gguf.source import GgufModel
from mlc.pass_manager.registry import suggest
from mlc.schedules.lone_kernel import is_about_caller
from mlc.schedules.trial import carries_out_schedules, try_schedule
from mlc.support.context import Remark
from mlc.support.errors import UserError
from mlc.support.functions import models_of
from mlc.support.locations import location_of
from mlc.support.model_source import ModelSource
from mlc.support.types import tensor_type
from mlc.tools.compile_arguments import CompileArguments, add_compile_arguments, read_model, start_compilation
from mlc.tools.driver import ArgumentParser, Namespace, print_remarks
from mlc.tools.explain_table import print_estimates, print_table, print_traced
from mlc.tools.kernel_numbers import ModelNumbers, amount, spread_words
from mlc.tools.kernel_products import KernelProducts, products_of
from mlc.tools.kernel_reason import reason_of
from mlc.tools.kernel_text import text_of
from mlc.tools.kernel_trace import runs_in_trace
from mlc.tools.kernel_work import KernelWork
from mlc.tools.node_kernels import NodeKernels
from mlc.tools.roofline import Bound
from mlc.tools.schedule_choice import ScheduleChoice
from mlc.tools.schedule_estimate import RunnerUp, candidates_beside, kernel_on_loops, runners_up, steps_of
from mlc.tools.schedule_text import describe_schedule
from mlc.tools.token_ledger import TokenLedger, print_ledger
from mlc.tuning.measure import MeasuredTime

_RUNNERS_UP = 5
"""How many schedules near to that of a kernel are shown."""
_WORTH_SAYING = 0.02
"""The part of an estimate that is worth a word."""


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    model: str
    kernel: str | None
    estimates: bool
    compare: str | None
    per_token: bool


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("model", help="the model: text, or a file of ONNX or PyTorch; '-' is text on standard input")
    words = "the name of a kernel, as the table shows it, or of a node of the model, or of a module within one kernel"
    parser.add_argument("kernel", metavar="KERNEL", nargs="?", help=words)
    words = (
        "beside the measured time of each kernel what its loops are estimated to take; with KERNEL that is shown anyway"
    )
    parser.add_argument("--estimates", action="store_true", help=words)
    words = "beside the measured times those of a trace ('mlc run --trace FILE'), where kernels run one after the other"
    parser.add_argument("--compare", metavar="FILE", help=words)
    words = (
        "of a language model what one token costs: bytes, the least time, and which kernels lose the rest; that is "
        "what is shown of one without KERNEL, --estimates and --compare"
    )
    parser.add_argument("--per-token", action="store_true", help=words)
    add_compile_arguments(parser)


def run(arguments: Namespace) -> None:
    """Compile as far as kernels have schedules, then count, predict and measure."""
    args = Arguments(**vars(arguments))
    args.bindings.require_single("what is explained")
    args.bindings.require_fixed("what is explained")
    if args.estimates and not carries_out_schedules(args.options):
        raise UserError(
            f"found --estimates with -O{args.options.opt_level}, which carries out no schedules, whose loops are what "
            "is estimated; required: -O2 or -O3"
        )
    if args.compare and (args.kernel or args.estimates):
        raise UserError("found --compare with a kernel or --estimates; required: --compare alone, for all kernels")
    traced = runs_in_trace(args.compare) if args.compare else {}
    source = read_model(args.model, args)
    asks_more = bool(args.kernel or args.estimates or args.compare)
    if args.per_token or (isinstance(source, GgufModel) and not asks_more and _is_for_tokens(args)):
        _explain_token(source, args, asks_more)
        return
    timed = start_compilation(source, args)
    nodes = NodeKernels()
    if args.kernel is not None:
        nodes.watch(timed.compilation)
    timed.compilation.lower("tensor")
    timed.compilation.finish()
    numbers = ModelNumbers.about(timed.compilation)
    kernels = {kernel.sym_name.data: kernel for kernel in numbers.kernels}
    if args.compare:
        print_traced(numbers, list(kernels.values()), traced)
    elif args.kernel is None:
        (print_estimates if args.estimates else print_table)(numbers, list(kernels.values()))
    else:
        _print_kernel(numbers, kernels[_kernel_named(args.kernel, kernels, nodes)])
    print_remarks(timed.compilation.ctx, remarks=False)
    timed.report()


def _kernel_named(name: str, kernels: Mapping[str, FuncOp], nodes: NodeKernels) -> str:
    """The kernel of a name, or that computes the node of a name, or the nodes in a module; which is printed then.

    Raises:
        UserError: there is none, or there are several for a module.
    """
    if name in kernels:
        return name
    found = [kernel for kernel in nodes.of(name) if kernel in kernels]
    if not found:
        guess = suggest(name, [*kernels, *nodes.names])
        raise UserError(f"no kernel '{name}' in a model with the kernels {', '.join(kernels) or '(none)'}{guess}")
    if nodes.is_node(name):
        others = f"; parts of it, or what it reads, in {', '.join(found[1:])}" if len(found) > 1 else ""
        print(f"'{name}' is computed by {found[0]}{others}\n")
    elif len(found) > 1:
        raise UserError(
            f"found '{name}', a module whose nodes are computed by {', '.join(found)}; required: one of "
            "these, or a node"
        )
    else:
        print(f"'{name}' is computed by {found[0]}\n")
    return found[0]


def _is_for_tokens(args: CompileArguments) -> bool:
    """Whether no shape is given that the code for one token does not have."""
    return set(args.bindings.shapes) <= {"context"}


def _explain_token(source: ModelSource, args: CompileArguments, asks_more: bool) -> None:
    """Print what one token costs.

    Raises:
        UserError: the model is none of GGUF, or an option is wrong.
    """
    if asks_more:
        raise UserError("found --per-token with a kernel, --estimates or --compare; required: --per-token alone")
    if not isinstance(source, GgufModel):
        raise UserError(f"found --per-token with '{source.file}'; required: a language model in a file of GGUF")
    if not _is_for_tokens(args):
        raise UserError("found --shape of something else than 'context'; required: --shape context=N at most")
    timed = start_compilation(source, args)
    timed.compilation.lower("tensor")
    numbers = ModelNumbers.about(timed.compilation)
    model = None
    if numbers.runs_here:
        chosen: dict[str, Any] = {**args.chosen, "instrument": "kernels", "shapes": args.bindings.shapes}
        model = compile_model(source.path, **chosen)
    (decode,) = models_of(timed.compilation.module)
    print_ledger(TokenLedger.of(numbers, tensor_type(decode.args[-1]).get_shape()[1]), model)


def _print_kernel(numbers: ModelNumbers, kernel: FuncOp) -> None:
    """All about one kernel."""
    ctx = numbers.ctx
    outcomes = try_schedule(numbers.module, kernel, ctx, numbers.options)
    steps = list(describe_schedule(kernel, constant_arguments(numbers.module), outcomes))
    is_scheduled = carries_out_schedules(numbers.options)
    ignored = "" if is_scheduled or not steps else f", which -O{numbers.options.opt_level} does not carry out"
    print(f"{text_of(kernel)}\n\nschedule{ignored}")
    width = max((len(spelling) for spelling, _ in steps), default=0)
    for spelling, words in steps:
        print(f"  {spelling:<{width}}  {words}")
    if not steps:
        print("  none")
    about = [remark for remark in ctx.remarks if _is_about(remark, kernel)]
    (explained,), _ = numbers.of([kernel])
    about += [remark for remark in explained.remarks if not is_about_caller(remark)]
    told = {reason for outcome in outcomes for reason in outcome.refusals}
    if others := list(_once([remark for remark in dict.fromkeys(about) if remark.message not in told])):
        print("\nremarks", *others, sep="\n  ")
    work, bound = explained.work, numbers.roofline.bound(explained.work)
    print("\none call")
    share, zeros = (flops / max(work.flops, 1) for flops in (work.multiply_adds, work.with_padding))
    padding = f", {zeros:.0%} with padding, which need not be computed" if zeros else ""
    print(f"  {'flops':<10} {amount(work.flops, 'flop')}, {share:.0%} in multiply-adds{padding}")
    print(f"  {'bytes':<10} {amount(work.bytes, 'B')}: what is read of operands, and results, once each")
    print(f"  {'intensity':<10} {work.intensity:.3g} flop/B")
    print(f"  {'bound by':<10} {_limit(numbers, bound)}")
    print(f"  {'at least':<10} {numbers.time(bound.time)}{numbers.cores()}")
    if explained.seconds is None:
        print(f"  {'measured':<10} not here: this machine cannot run code for {numbers.options.target}")
    else:
        rate = amount(work.flops / explained.seconds, "flop/s")
        share = bound.time / explained.seconds
        threads = f", on up to {numbers.options.threads} threads" if numbers.options.threads > 1 else ""
        time = numbers.time(explained.seconds)
        print(f"  {'measured':<10} {time}{threads}, {rate}, {share:.0%} of what is possible{numbers.cores()}")
        assert explained.measured is not None
        print(f"  {'spread':<10} {spread_words(explained.measured)}")
    if (products := products_of(kernel, numbers.roofline.machine)) is not None:
        _print_products(numbers, products, work, bound.time if explained.seconds is None else explained.seconds)
    if is_scheduled:
        _print_estimate(numbers, kernel, bound, explained.measured)
    else:
        print(
            f"\nno estimate: -O{numbers.options.opt_level} carries out no schedules, whose loops are what is estimated"
        )
    if explained.seconds is not None:
        numbers.print_doubts([bound.time / explained.seconds])


def _once(remarks: Sequence[Remark]) -> Iterator[str]:
    """What remarks say, each message once: a kernel that is called for each layer of a model has those of all calls."""
    alike: dict[str, list[Remark]] = {}
    for remark in remarks:
        alike.setdefault(remark.message, []).append(remark)
    for first, *others in alike.values():
        places = "place" if len(others) == 1 else "places"
        yield f"{first} (the same at {len(others)} other {places})" if others else str(first)


def _print_estimate(numbers: ModelNumbers, kernel: FuncOp, bound: Bound, measured: MeasuredTime | None) -> None:
    """What this schedule should take, beside the measured time, and those near to it."""
    ctx, options, machine = numbers.ctx, numbers.options, numbers.roofline.machine
    loops = kernel_on_loops(numbers.module, kernel, ctx, options)
    found = loops.estimate(steps_of(kernel))
    if found is None:
        print("\nno estimate: its loops are not a function of their own, or too many")
        return

    def time(cycles: float) -> str:
        return numbers.time(numbers.from_cycles(cycles))

    def parts(each: Mapping[str, float]) -> str:
        named = sorted(each.items(), key=lambda part: -part[1])
        return ", ".join(f"{name} {time(cycles)}" for name, cycles in named if cycles >= _WORTH_SAYING * found.cycles)

    print(f"\nestimated, for {numbers.estimated_for}, of the loops that the schedule makes")
    print(f"  {'facts':<10} {numbers.facts}")
    print(f"  {'this one':<10} {time(found.cycles)}, decided by {found.decided_by}")
    if measured is not None:
        ratio = measured.shortest / max(numbers.from_cycles(found.cycles), 1e-30)
        print(f"  {'ratio':<10} {ratio:.2f}: the measured time by this one")
    print(f"  {'core':<10} {parts(found.parts) or 'next to nothing'}")
    if found.around >= _WORTH_SAYING * found.cycles:
        around = "of that around the innermost loops: what comes before and after sums"
        print(f"  {'around':<10} {time(found.around)} {around}")
    brought = {f"from {level}": cycles for level, cycles in found.brought.items()}
    print(f"  {'lines':<10} {parts(brought) or 'next to nothing'}")
    if found.waiting >= _WORTH_SAYING * found.cycles:
        print(f"  {'waiting':<10} {time(found.waiting)}, while lines come in bursts and nothing is computed")
    if found.spilled:
        print(f"  {'registers':<10} {found.spilled} more than there are, if no operand is read from memory directly")
    spent = {name: numbers.from_cycles(cycles) for name, cycles in found.spent.items()}
    if (reason := reason_of(bound, spent, found.brought, measured)) is not None:
        print(f"  {'why':<10} {reason.words}")

    chosen = ScheduleChoice.of(kernel, found, numbers.module, ctx, machine)
    print(f"  {'chosen as':<10} {chosen.origin}")

    def show(heading: str, schedules: Sequence[RunnerUp], *, is_candidate: bool) -> None:
        if schedules:
            print(f"\n{heading}")
        for each in schedules:
            ratio, why = each.estimate.cycles / max(found.cycles, 1e-9), chosen.why_not(each, is_candidate=is_candidate)
            print(f"  {ratio:<10.2f} times as long: {each.change}; {each.estimate.decided_by}; {why}")

    candidates = candidates_beside(numbers.module, loops, kernel, ctx, machine)
    show("candidates of its template that were not taken", candidates, is_candidate=True)
    show("one step away", runners_up(loops, kernel, _RUNNERS_UP), is_candidate=False)


def _limit(numbers: ModelNumbers, bound: Bound) -> str:
    """What limits a kernel, and where that number comes from."""
    level = bound.level if bound.limit == "compute" else bound.limit
    times = f"{numbers.time(bound.arithmetic)} for arithmetic, {numbers.time(bound.transfer)} for reading from {level}"
    source = "measured here" if numbers.runs_here else f"planned for {numbers.roofline.machine.name}"
    source += numbers.cores()
    per = "/s" if numbers.runs_here else " per cycle"
    peak = amount(numbers.roofline.peak(), "flop" + per)
    speed = amount(numbers.roofline.bandwidth(level), "B" + per)
    operations = amount(numbers.roofline.operations() / 2, "op" + per)
    return f"{bound.limit}: {times} ({source}: {peak}, {operations}, {speed})"


def _print_products(numbers: ModelNumbers, products: KernelProducts, work: KernelWork, seconds: float) -> None:
    """What multiplies, its peak, and how much of that a call, or the least time of one, uses."""
    peak = numbers.roofline.peak() * max(products.gain, 1.0)
    used = (work.multiply_adds - work.with_padding) / max(seconds, 1e-30) / peak
    per = "/s" if numbers.runs_here else " per cycle"
    lhs, rhs = products.types
    types = f"of {lhs}" if lhs == rhs else f"of {lhs} and {rhs}"
    gain = f", {products.gain:.3g} times that of f32" if products.gain > 1 else ""
    print(f"  {'products':<10} {types}, by {products.instruction}")
    print(f"  {'peak':<10} {used:.0%} of {amount(peak, 'flop' + per)} for these{gain}{numbers.cores()}")


def _is_about(remark: Remark, kernel: FuncOp) -> bool:
    """Of what passes said before there were kernels, and of ops that none is made of, the place alone is known."""
    if remark.kernel is None:
        return remark.location is not None and remark.location == location_of(kernel)
    return remark.kernel == kernel.sym_name.data
