"""`schedule` takes the default of a template, unless loops of another candidate are estimated to be far cheaper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import constant_arguments
from mlc.compiler.compilation import new_context, parse_verified
from mlc.dialects.loop.steps import Step
from mlc.pass_manager.default_passes import default_passes
from mlc.schedules import schedule_template
from mlc.schedules.choice import MARGIN, choose
from mlc.schedules.default_schedule import choose_steps, tensor_kernel
from mlc.schedules.kernel_on_loops import KernelOnLoops
from mlc.schedules.schedule_template import (
    ORDER,
    Candidate,
    ScheduleTemplate,
    TensorKernel,
    candidates_of,
    distinct,
    templates,
)
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.functions import is_private
from mlc.targets.machine import resolve_target


def _sum_of_rows(rows: int, columns: int) -> str:
    x, y = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    return f"func.func @main(%x: {x}) -> {y} {{\n%0 = graph.reduce sum %x axes [1] : {x} -> {y}\nreturn %0 : {y}\n}}"


def _product(m: int, k: int, n: int) -> str:
    x, w, y = f"tensor<{m}x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    op = f"%0 = graph.matmul %x, %w : {x}, {w} -> {y}"
    return f"func.func @main(%x: {x}, %w: {w}) -> {y} {{\n{op}\nreturn %0 : {y}\n}}"


def _kernel(text: str, target: str, facts: Mapping[str, Any] | None = None) -> tuple[TensorKernel, CompilerContext]:
    ctx = new_context(target)
    module = parse_verified(text, "model.mlir", ctx, Path())
    for pass_ in default_passes(3, upto="tensor"):
        if pass_.name == "schedule":
            break
        pass_.run(module, ctx)
    (function,) = (op for op in module.ops if isinstance(op, FuncOp) and is_private(op))
    machine = resolve_target(target).with_facts(facts or {}, {})
    kernel = tensor_kernel(function, machine, constant_arguments(module), ctx, {})
    assert kernel is not None
    return kernel, ctx


@pytest.mark.parametrize(
    ("text", "target", "facts", "difference"),
    [
        # Additions that are late for long: four rows of them do not wait for each other.
        (_sum_of_rows(64, 512), "x86-64-v3", {"add_latency": 8}, "4 rows at a time"),
        (_sum_of_rows(64, 512), "neoverse-n1", {"adds": 1}, "4 rows at a time"),
        # What is packed comes back from farther away.
        (_product(48, 256, 256), "neoverse-n1", {"l2_bytes": 64 << 10}, "operands read where they lie"),
    ],
)
def test_one_fact_lets_another_offer_win(text: str, target: str, facts: dict[str, Any], difference: str) -> None:
    kernel, ctx = _kernel(text, target)
    usual = choose(candidates_of(kernel), kernel, ctx)
    assert usual is not None and not usual.difference
    assert not ctx.remarks
    changed, ctx = _kernel(text, target, facts)
    chosen = choose(candidates_of(changed), changed, ctx)
    assert chosen is not None and chosen.difference == difference
    (remark,) = (str(each) for each in ctx.remarks)
    assert f"scheduled with {difference}: estimated to take 0." in remark
    assert "of the time of the usual schedule, which" in remark
    default = next(candidates_of(changed))
    loops = KernelOnLoops(changed.function, changed.constants, ctx, changed.machine)
    cycles = [found.cycles for each in (default, chosen) if (found := loops.estimate(each.steps)) is not None]
    assert cycles[1] <= (1 - MARGIN) * cycles[0]


def _estimated(kernel: TensorKernel) -> set[str]:
    """The candidates beside the default, and not only shown."""
    return {candidate.difference for candidate in candidates_of(kernel) if not candidate.is_only_shown} - {""}


def test_rows_in_each_others_way_and_those_of_main_memory_are_packed() -> None:
    """Estimates know nothing of either."""
    in_place, text, page = {"operands read where they lie"}, _product(64, 64, 1024), {"set_period": 8192}
    assert not _estimated(_kernel(text, "skylake-avx512")[0])
    assert _estimated(_kernel(text, "skylake-avx512", page)[0]) == in_place
    size = 64 * 1024 * 4
    near, far = ({"l2_bytes": size - less, "l3_bytes": size - less, **page} for less in (0, 1))
    assert _estimated(_kernel(text, "skylake-avx512", near)[0]) == in_place
    assert not _estimated(_kernel(text, "skylake-avx512", far)[0])


def test_short_rows_overlap_whatever_estimates_say() -> None:
    """As many vectors as start while one is loaded and computed with: 2 x (4 + 4), in two rows of 64 elements."""
    for columns, rows in ((56, set[str]()), (64, {"4 rows at a time", "one row at a time"})):
        kernel, _ = _kernel(_sum_of_rows(512, columns), "x86-64-v3")
        memory, issue = kernel.machine.memory, kernel.machine.issue
        assert issue.fma_units * (memory.l1_latency + issue.fma_latency) == 2 * 64 // 8
        assert _estimated(kernel) == rows


def test_the_same_input_has_the_same_schedule() -> None:
    def chosen() -> list[str]:
        kernel, ctx = _kernel(_sum_of_rows(64, 512), "x86-64-v3", {"add_latency": 8})
        steps, _ = choose_steps(kernel, ctx, estimates=True)
        return [step.spelling for step in steps]

    assert chosen() == chosen()


def test_rules_alone_estimate_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, ctx = _kernel(_sum_of_rows(64, 512), "x86-64-v3", {"add_latency": 8})
    monkeypatch.setattr(KernelOnLoops, "estimate", _fail)
    steps, _ = choose_steps(kernel, ctx, estimates=False)
    assert tuple(steps) == next(candidates_of(kernel)).steps


def test_small_kernels_are_not_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KernelOnLoops, "estimate", _fail)
    kernel, ctx = _kernel(_sum_of_rows(7, 512), "x86-64-v3")
    assert choose(candidates_of(kernel), kernel, ctx) == next(candidates_of(kernel))


@pytest.mark.parametrize("op", ["func.call @missing(%x)", "tensor.cast %x"])
def test_what_cannot_be_lowered_has_the_favourite(op: str) -> None:
    """A function that is not in sight, and an op that nobody makes loops of."""
    kind = "tensor<64x512xf32>"
    types = f": ({kind}) -> {kind}" if "call" in op else f": {kind} to {kind}"
    ctx = new_context("x86-64-v3")
    text = f"""
    func.func private @missing({kind}) -> {kind}
    func.func private @kernel(%x: {kind}) -> tensor<64xf32> {{
      %y = {op} {types}
      %0 = tensor.reduce add %y[m, k] over (m: 64) reduce (k: 512) : {kind} -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }}"""
    *_, function = parse_verified(text, "model.mlir", ctx, Path()).ops
    assert isinstance(function, FuncOp)
    kernel = tensor_kernel(function, resolve_target("x86-64-v3").with_facts({"add_latency": 8}, {}), {}, ctx, {})
    assert kernel is not None
    assert choose(candidates_of(kernel), kernel, ctx) == next(candidates_of(kernel))


def test_what_is_only_shown_is_not_asked_for() -> None:
    kernel, ctx = _kernel(_sum_of_rows(64, 512), "x86-64-v3")
    default = next(candidates_of(kernel))

    def candidates() -> Any:
        yield default
        yield Candidate((), "loops as they are", is_only_shown=True)
        _fail()

    assert choose(candidates(), kernel, ctx) is default


class _Gives(ScheduleTemplate):
    """A schedule template that gives what it was told to."""

    name = "given"

    def __init__(self, candidates: object) -> None:
        self._candidates = candidates

    def candidates(self, kernel: TensorKernel) -> Any:
        return self._candidates


def test_a_candidate_holds_steps() -> None:
    for steps in ([Tile("n", 8)], Tile("n", 8), ("tile(n, 8)",), None):
        with pytest.raises(TypeError, match="a Candidate takes a tuple of steps of a schedule, found "):
            Candidate(cast(Any, steps))


@pytest.mark.parametrize("candidates", [None, Candidate((Tile("n", 8),)), [(Tile("n", 8),)], "tile(n, 8)"])
def test_what_is_not_a_candidate(candidates: object, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, _ = _kernel(_sum_of_rows(64, 512), "x86-64-v3")
    monkeypatch.setattr(schedule_template, "templates", lambda: iter([_Gives(candidates)]))
    with pytest.raises(UserError, match=r"the schedule template 'given' proposes .*; required: each a Candidate"):
        list(candidates_of(kernel))


def test_the_first_candidate_is_one_to_take(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, _ = _kernel(_sum_of_rows(64, 512), "x86-64-v3")
    shown = Candidate((Tile("n", 8),), "never", is_only_shown=True)
    monkeypatch.setattr(schedule_template, "templates", lambda: iter([_Gives([shown])]))
    with pytest.raises(
        UserError, match="the schedule template 'given' proposes a schedule first that is only shown; required"
    ):
        list(candidates_of(kernel))


def test_a_list_of_candidates_is_as_good(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, _ = _kernel(_sum_of_rows(64, 512), "x86-64-v3")
    candidate = Candidate((Tile("n", 8),))
    monkeypatch.setattr(schedule_template, "templates", lambda: iter([_Gives([candidate])]))
    assert list(candidates_of(kernel)) == [candidate]


def _fail(*_: object) -> Any:
    raise AssertionError("nobody needs this")


def _only(*candidates: tuple[list[Step], str]) -> list[Candidate]:
    return [Candidate(tuple(steps), difference) for steps, difference in candidates]


def test_a_slow_default_is_overruled_and_impossible_candidates_are_not_taken() -> None:
    """The first of those that are as cheap; one that names no loop is none."""
    kernel, ctx = _kernel(_product(64, 32, 64), "x86-64-v3")
    good: list[Step] = [Tile("n", 16), Tile("ni", 8), Vectorize("nii", 8), Unroll("ni"), Tile("m", 4), Unroll("mi")]
    candidates = _only(([Tile("n", 8)], ""), ([Tile("nowhere", 8)], "no loop"), (good, "first"), (good, "second"))
    chosen = choose(iter(candidates), kernel, ctx)
    assert chosen is candidates[2]
    only_impossible = _only((good, ""), ([Tile("nowhere", 8)], "no loop"))
    assert choose(iter(only_impossible), kernel, ctx) is only_impossible[0]
    assert choose(iter(()), kernel, ctx) is None


def test_equal_candidates_are_one() -> None:
    a, b = Candidate((Tile("n", 8),)), Candidate((Tile("n", 4),), "other")
    assert list(distinct([a, Candidate((Tile("n", 8),), "again"), Candidate((), "nothing"), b, b])) == [a, b]
    assert not list(distinct([Candidate(()), b]))


def test_kinds_have_names_and_an_order() -> None:
    found = list(templates())
    assert tuple(each.name for each in found) == ORDER
    assert all(type(each).problem() is None and type(each).__doc__ for each in found)
