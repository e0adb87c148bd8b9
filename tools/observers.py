"""The instrumentations that command-line options ask for."""

from __future__ import annotations

import sys
from typing import Protocol, TextIO

from xdsl.dialects.builtin import ModuleOp

from mlc.passes.instrumentation import CheckEach, Instrumentation, PrintAfter, Timing
from mlc.support.context import CompilerContext


class ObserverOptions(Protocol):
    """The options that `observers` looks at."""

    print_ir_after_all: bool
    print_ir_after: list[str]
    print_op_generic: bool
    timing: bool
    check_each: bool
    seed: int
    threads: int


def observers(options: ObserverOptions, ctx: CompilerContext, cc: str | None = None) -> list[Instrumentation]:
    """What to call around each pass, in order: timing is innermost, so it measures nothing but the passes.

    `cc` names the clang to use instead of the one that is found.
    """
    result: list[Instrumentation] = []
    if options.timing:
        result.append(Timing(sys.stderr))
    if options.print_ir_after_all or options.print_ir_after:
        from mlc.syntax import print_module

        def to_stream(module: ModuleOp, stream: TextIO) -> None:
            print_module(module, ctx, stream, generic=options.print_op_generic)

        names = None if options.print_ir_after_all else options.print_ir_after
        result.append(PrintAfter(names, sys.stderr, to_stream))
    if options.check_each:
        from mlc.passes.checking import EquivalenceChecker
        from mlc.tools.native_check import NativeCheck

        checker = EquivalenceChecker(ctx, options.seed)
        result.append(NativeCheck(checker, ctx, sys.stderr, options.threads, cc))
        result.append(CheckEach(checker, sys.stderr))
    return result
