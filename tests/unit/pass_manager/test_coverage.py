"""The checker says what it has compared, and what it left out, when and why."""

from __future__ import annotations

import pytest

from mlc.pass_manager.checking import EquivalenceChecker
from tests.unit.pass_manager.checked_forms import parse, run_check

MODEL = """
    func.func @NAME(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
      %a = graph.add %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
      %b = graph.OP %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
      return %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
    }
"""
OPEN = "func.func @NAME(%x: tensor<?xf32>) { return }"
STATIC = "func.func @NAME(%x: tensor<2xf32>) { return }"


def _named(text: str, name: str = "main") -> str:
    return text.replace("NAME", name)


def test_coverage_counts_values_and_names_what_is_left_out() -> None:
    text = _named(MODEL.replace("OP", "sub"))
    checker = run_check(text, text)
    assert checker.coverage() == ["found no function that a pass changed"]
    checker = run_check(text, text.replace("return", "%c = graph.neg %a : tensor<2x3xf32>\n      return"))
    draws = len(checker.cases_of("main"))
    assert checker.coverage() == [f"compared {draws * 12} values of 1 function"]
    module, ctx = parse("func.func private @index(%i: index) { return }")
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    assert checker.coverage() == [
        "compared 0 values of 0 functions",
        "did not check 'index': its arguments are not all tensors or buffers",
    ]


@pytest.mark.parametrize(("trips", "other_orders"), [(20, True), (5000, False)])
def test_coverage_names_long_functions_whose_loops_run_in_lockstep_only(trips: int, other_orders: bool) -> None:
    module, ctx = parse(f"""
        func.func @copy(%x: memref<{trips}xf32>, %y: memref<{trips}xf32> {{mlc.output}}) {{
          loop.for parallel "n" %n = 0 to {trips} {{
            %a = loop.load %x[%n] : memref<{trips}xf32>
            loop.store %a, %y[%n] : memref<{trips}xf32>
          }}
          return
        }}
    """)
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    _, *notes = checker.coverage()
    said = "ran the parallel loops of 'copy' in lockstep only: over 4,000 ops one after the other"
    assert notes == ([] if other_orders else [said])


@pytest.mark.parametrize(
    ("forms", "when"),
    [
        ([OPEN, STATIC, STATIC], " as it was read"),
        ([OPEN, OPEN, STATIC], " up to 'cse'"),
        ([STATIC, OPEN, STATIC], " after 'cse'"),
        ([STATIC, OPEN, OPEN], " from 'cse' to 'dce'"),
        ([OPEN, OPEN, OPEN], ""),
        ([OPEN, STATIC, STATIC, OPEN], " as it was read, after 'cse'"),
        ([STATIC, OPEN, STATIC, OPEN], " after 'cse', after 'cse'"),
        ([OPEN, OPEN, STATIC, OPEN, OPEN], " up to 'cse', from 'cse' to 'fuse'"),
    ],
)
def test_ranges_of_passes_have_no_gaps(forms: list[str], when: str) -> None:
    """Several passes may have one name; the other function changes each time, so that each form is looked at."""
    texts = [_named(form) + _named(STATIC, f"other{n}") for n, form in enumerate(forms)]
    module, ctx = parse(texts[0])
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    for stage, text in zip(("cse", "dce", "cse", "fuse"), texts[1:], strict=False):
        checker.check(stage, parse(text)[0])
    _, *notes = checker.coverage()
    assert notes == [f"did not check 'main'{when}: its shapes are not all static"]


def test_what_is_left_out_of_a_module_has_nothing_to_do_with_the_module_before() -> None:
    module, ctx = parse(_named(STATIC, "first") + _named(OPEN, "kernel"))
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    checker.check("cse", parse(_named(STATIC, "first") + _named(OPEN, "kernel") + _named(STATIC, "new"))[0])
    module, _ = parse(_named(OPEN, "second") + _named(OPEN, "kernel"))
    checker.start(module)
    checker.check("cse", parse(_named(STATIC, "second") + _named(OPEN, "kernel"))[0])
    _, *notes = checker.coverage()
    assert notes == [
        "did not check 'kernel': its shapes are not all static",
        "did not check 'second' as it was read: its shapes are not all static",
    ]
