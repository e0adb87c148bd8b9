"""Forms that take long to run are run if something is wrong at the end: who is blamed then, and after how many runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mlc.compiler.compilation import new_context
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.late_checking import LateChecker
from mlc.pass_manager.wrong_value import WrongValue
from mlc.reference.work import work_of
from mlc.support.errors import CompilerBug
from mlc.syntax import parse_module

KERNEL = """
    func.func private @k(%a: memref<4xf32>, %y: memref<4xf32> {{mlc.output}}) {{
      loop.for parallel "i" %i = 0 to 4 {{
        %0 = loop.load %a[{place}] : memref<4xf32>
        %1 = {op} %0 : f32
        loop.store %1, %y[%i] : memref<4xf32>
      }}
      return
    }}
    func.func @main(%x: memref<4xf32>, %y: memref<4xf32> {{mlc.output}}) {{
      %t = memref.alloc() : memref<4xf32>
      func.call @k(%x, %t) : (memref<4xf32>, memref<4xf32>) -> ()
      loop.for parallel "i" %i = 0 to 4 {{
        %0 = loop.load %t[%i] : memref<4xf32>
        %1 = {last} %0 : f32
        loop.store %1, %y[%i] : memref<4xf32>
      }}
      return
    }}
"""
RIGHT = KERNEL.format(place="%i", op="math.absf", last="arith.negf")
ELSEWHERE = KERNEL.format(place="-%i + 3", op="math.absf", last="arith.negf")
OTHER_OP = KERNEL.format(place="%i", op="arith.negf", last="arith.negf")
OUTSIDE = KERNEL.format(place="%i + 1", op="math.absf", last="arith.negf")
WRONG_MODEL = KERNEL.format(place="%i", op="math.absf", last="math.absf")


def checker_of(forms: Sequence[str]) -> LateChecker:
    """One that has seen these forms, of other names each, after passes p1, p2 and so on, and has run the first."""
    ctx = new_context()
    modules = [parse_module(text.replace('"i"', f'"i{n}"'), "m.mlir", ctx) for n, text in enumerate(forms)]
    checker = LateChecker(ctx, most=(0, 0))
    checker.start(modules[0])
    for number, module in enumerate(modules[1:], start=1):
        checker.check(f"p{number}", module)
    return checker


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that the checker runs from here on."""
    names: list[str] = []
    run = EquivalenceChecker._run  # pyright: ignore[reportPrivateUsage]

    def counted(self: EquivalenceChecker, form: Any, name: str, inputs: Sequence[Any]) -> Any:
        names.append(name)
        return run(self, form, name, inputs)

    monkeypatch.setattr(EquivalenceChecker, "_run", counted)
    return names


def _native_error(checker: LateChecker, name: str) -> CompilerBug:
    """What is raised when native code gives zeros."""
    inputs = checker.cases_of(name)[0]
    with pytest.raises(WrongValue) as caught:
        checker.compare_outputs("native code", name, [np.zeros_like(inputs[0])])
    return caught.value


def test_forms_are_not_run_if_nothing_is_wrong_at_the_end(runs: list[str]) -> None:
    checker = checker_of([RIGHT] * 20)
    started = len(runs)
    checker.settle({"main": None, "k": None})
    assert len(runs) == started
    checker = checker_of([RIGHT] * 20)
    runs.clear()
    checker.settle({})  # nobody has compared anything: the last forms are run
    assert runs.count("main") == len(checker.cases_of("main"))


@pytest.mark.parametrize("at", [1, 2, 13, 20])
def test_the_first_wrong_form_of_many_is_found_in_few_runs(at: int, runs: list[str]) -> None:
    checker = checker_of([RIGHT] * at + [OTHER_OP] * (21 - at))
    wrong = {name: _native_error(checker, name) for name in ("k", "main")}
    runs.clear()
    with pytest.raises(WrongValue, match=rf"after 'p{at}', 'k' computes something else") as caught:
        checker.settle(wrong)
    assert caught.value.stage == f"p{at}"
    assert caught.value.forms is not None
    before, after = (str(form.module) for form in caught.value.forms)
    assert "math.absf" in before and "math.absf" not in after
    draws = max(len(checker.cases_of(name)) for name in ("k", "main"))
    assert runs.count("k") <= 6 * draws and runs.count("main") <= 6 * draws  # 20 forms


def test_a_mistake_of_a_pass_that_reads_where_it_must_not() -> None:
    checker = checker_of([RIGHT, RIGHT, OUTSIDE, OUTSIDE])
    with pytest.raises(CompilerBug, match="after 'p2', 'k' has undefined behavior: "):
        checker.settle({})


def test_a_model_may_be_wrong_where_its_kernels_are_right() -> None:
    checker = checker_of([RIGHT, RIGHT, RIGHT, WRONG_MODEL])
    with pytest.raises(WrongValue, match="after 'p3', 'main' computes something else"):
        checker.settle({"k": None, "main": _native_error(checker, "main")})


def test_native_code_is_to_blame_if_all_forms_are_right() -> None:
    checker = checker_of([RIGHT] * 4)
    for name in ("k", "main"):
        with pytest.raises(WrongValue, match=f"in 'native code', '{name}' computes something else"):
            checker.settle({"k": None, "main": None} | {name: _native_error(checker, name)})


def test_what_is_undone_is_no_wrong_result() -> None:
    checker_of([RIGHT, OTHER_OP, RIGHT]).settle({})


def test_a_kernel_may_change_its_meaning_with_its_callers() -> None:
    """Then a model is right, and its kernel computes something else."""
    turned = ELSEWHERE.replace("loop.load %t[%i]", "loop.load %t[-%i + 3]")
    checker = checker_of([RIGHT, turned, turned])
    checker.settle({"k": _native_error(checker, "k"), "main": None})
    checker = checker_of([RIGHT, turned, turned, turned.replace("arith.negf", "math.absf")])
    with pytest.raises(WrongValue, match="after 'p3', 'main' computes something else"):
        checker.settle({name: _native_error(checker, name) for name in ("k", "main")})


SIGNATURE = """
    func.func @main(%x: tensor<4xf32>{more}) -> tensor<4xf32> {{
      %0 = graph.{op} %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }}
"""


def test_a_mistake_before_the_signature_changes() -> None:
    """What follows is compared with the first form of the new signature, which is wrong already."""
    texts = [
        SIGNATURE.format(more=more, op=op) for more, op in (("", "abs"), ("", "neg"), (", %y: tensor<4xf32>", "neg"))
    ]
    with pytest.raises(WrongValue, match="after 'p1', 'main' computes something else"):
        checker_of([*texts, texts[-1]])
    right = [text.replace("neg", "abs") for text in texts]
    checker_of([*right, right[-1]]).settle({})
    with pytest.raises(WrongValue, match="after 'p3', 'main' computes something else"):
        checker_of([*right, texts[-1]]).settle({})


def test_a_kernel_that_nobody_calls() -> None:
    kernel, other = (text[: text.index("func.func @main")] for text in (RIGHT, OTHER_OP))
    with pytest.raises(WrongValue, match="after 'p1', 'k' computes something else"):
        checker_of([kernel, other, other]).settle({})


def test_of_two_passes_of_one_name_the_wrong_one_is_blamed() -> None:
    """The first changes a kernel, which is run at once, with its caller; the second makes a mistake in the caller."""
    turned = ELSEWHERE.replace("loop.load %t[%i]", "loop.load %t[-%i + 3]")
    ctx = new_context()
    first, *forms = (
        parse_module(text, "m.mlir", ctx) for text in (RIGHT, turned, turned.replace("arith.negf", "math.absf"))
    )
    checker = LateChecker(ctx, most=(0, work_of(first, "k").total))
    checker.start(first)
    for form in forms:
        checker.check("cse", form)
    with pytest.raises(WrongValue, match="after 'cse', 'main' computes something else") as caught:
        checker.settle({})
    assert caught.value.form is not None and caught.value.form.number == 2


def test_what_takes_long_is_decided_by_its_work(runs: list[str]) -> None:
    ctx = new_context()
    module = parse_module(RIGHT, "m.mlir", ctx)
    checker = LateChecker(ctx)
    checker.start(module)
    with pytest.raises(WrongValue, match="after 'p1', 'k' computes something else"):
        checker.check("p1", parse_module(OTHER_OP, "m.mlir", ctx))
    assert "k" in runs
