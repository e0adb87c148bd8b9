"""The instrumentations that command-line options ask for."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TextIO

from xdsl.dialects.builtin import ModuleOp

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import CheckEach, Instrumentation, ModulePrinter, Timing
from mlc.support.context import CompilerContext
from mlc.tools.progress import ProgressBar

if TYPE_CHECKING:
    from mlc.compiler.compilation import Compilation
    from mlc.pass_manager.checking import EquivalenceChecker
    from mlc.pass_manager.wrong_value import GivenCase


class ObserverOptions(Protocol):
    """The options that `observers` looks at."""

    print_ir_before_all: bool
    print_ir_before: list[str]
    print_ir_after_all: bool
    print_ir_after: list[str]
    print_ir_after_change: bool
    print_ir_diff: bool
    print_op_generic: bool
    timing: bool
    pass_statistics: bool
    print_patterns: str | None
    print_ir_after_patterns: bool
    print_op_stats: bool
    check_each: bool
    seed: int


def observers(
    options: ObserverOptions,
    ctx: CompilerContext,
    threads: int,
    cc: str | None = None,
    given: Sequence[GivenCase] = (),
    checker: type[EquivalenceChecker] | None = None,
) -> list[Instrumentation]:
    """What to call around each pass, in order: timing is innermost, so it measures nothing but the passes.

    Native code runs on `threads` threads; `cc` names the clang to use instead of the one that is found.
    `checker` checks functions with the `given` inputs, others with random ones; if it is not named, one that runs each
    form at once does.
    """
    result: list[Instrumentation] = []
    if options.timing:
        result.append(Timing(sys.stderr))
    if (printing := _printing(options, ctx)) is not None:
        result.append(printing)
    result += _counting(options, ctx)
    if options.check_each:
        from mlc.pass_manager.checking import EquivalenceChecker
        from mlc.tools.native_check import NativeCheck

        checking = (checker or EquivalenceChecker)(ctx, options.seed, given)
        result.append(NativeCheck(checking, ctx, sys.stderr, threads, cc))
        result.append(CheckEach(checking, sys.stderr))
    return result


def _counting(options: ObserverOptions, ctx: CompilerContext) -> Iterator[Instrumentation]:
    """What counts ops and patterns, or tells of the latter."""
    from mlc.pass_manager.statistics import OpStatistics, PassStatistics, PatternLog

    if options.pass_statistics:
        yield PassStatistics(sys.stderr)
    if options.print_op_stats:
        yield OpStatistics(sys.stderr)
    if options.print_patterns is not None or options.print_ir_after_patterns:
        passes = [name for name in (options.print_patterns or "").split(",") if name]
        yield PatternLog(sys.stderr, passes, _printer(options, ctx) if options.print_ir_after_patterns else None)


def _printing(options: ObserverOptions, ctx: CompilerContext) -> Instrumentation | None:
    """What prints the IR around passes, if anything does."""
    changes = options.print_ir_after_change or options.print_ir_diff
    before = None if options.print_ir_before_all else options.print_ir_before
    # What changed is asked of all passes unless some are named.
    everywhere = options.print_ir_after_all or (changes and not options.print_ir_after)
    after = None if everywhere else options.print_ir_after
    if before == [] and after == []:
        return None
    from mlc.pass_manager.ir_printing import PrintIR

    return PrintIR(sys.stderr, _printer(options, ctx), before, after, changes, options.print_ir_diff)


def _printer(options: ObserverOptions, ctx: CompilerContext) -> ModulePrinter:
    from mlc.syntax import print_module

    def to_stream(module: ModuleOp, stream: TextIO) -> None:
        print_module(module, ctx, stream, generic=options.print_op_generic)

    return to_stream


def show_passes(bar: ProgressBar, compilation: Compilation) -> Instrumentation:
    """What shows on a bar which pass of the default pipeline runs."""
    backend = compilation.backend
    return _ShowPasses(bar, len(backend.passes(compilation.options, backend.levels[-1], None, compilation.sources)))


@dataclass
class _ShowPasses(Instrumentation):
    bar: ProgressBar
    total: int
    done: int = 0
    watches_kernels = False

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        self.bar.update(pass_.name, self.done, self.total)
        self.done += 1
