"""Forms of a module as passes might leave them, as texts, and what the checker says of them."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import new_context
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.support.context import CompilerContext
from mlc.support.rounding import Rounding
from mlc.syntax import parse_module


def parse(text: str) -> tuple[ModuleOp, CompilerContext]:
    """A module, and the context that it is in."""
    ctx = new_context()
    return parse_module(text, "test.mlir", ctx), ctx


def run_check(before: str, after: str, rounding: Rounding | None = None) -> EquivalenceChecker:
    """A checker that has seen a module after two passes, of which the second changed it."""
    module, ctx = parse(before)
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    checker.check("first", module)
    checker.check("second", parse(after)[0], rounding)
    return checker
