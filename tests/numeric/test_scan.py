"""Loops that carry values compute what NumPy's loops do, at all levels of optimisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import mlc
from mlc.compiler.compilation import new_context
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.default_passes import default_passes
from mlc.support.context import CompilerContext
from mlc.tests.numeric.random_scans import RandomScans
from mlc.tests.numeric.scan_models import CASES, Case

Array = NDArray[Any]
FEWER = [case for case in CASES if "cumsum" not in case.name or "3d-axis1" in case.name]


def _close(found: Sequence[Array], wanted: Sequence[Array]) -> None:
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_all_levels(case: Case) -> None:
    inputs = case.inputs()
    wanted = case.oracle(*inputs)
    for opt_level, threads in ((0, 1), (1, 1), (2, 1), (3, 1), (3, 2)):
        model = mlc.compile(case.text, opt_level=opt_level, threads=threads)
        outputs = model.run({info.name: array for info, array in zip(model.inputs, inputs, strict=True)})
        _close([outputs[info.name] for info in model.outputs], wanted)


@pytest.mark.parametrize("case", FEWER, ids=lambda case: case.name)
def test_arm(case: Case, run_compiled: Callable[..., list[Array]]) -> None:
    inputs = case.inputs()
    _close(run_compiled(mlc.parse(case.text), inputs, "aarch64"), case.oracle(*inputs))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", FEWER, ids=lambda case: case.name)
def test_every_pass_keeps_the_meaning(case: Case) -> None:
    module, ctx = mlc.parse(case.text), new_context()
    _check_passes(module, ctx, 3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("start", range(0, 16, 8))
def test_random_bodies(start: int, run_compiled: Callable[..., list[Array]]) -> None:
    """Every pass, and of a few the code."""
    for seed in range(start, start + 8):
        module, ctx = RandomScans(seed).module(), new_context()
        native = module.clone()
        _check_passes(module, ctx, seed % 4)
        if seed % 4 == 0:
            checker = EquivalenceChecker(new_context())
            checker.start(native)
            inputs = checker.inputs_of("main")
            assert inputs is not None
            outputs = run_compiled(native, inputs, opt_level=3 - seed // 4 % 2)
            checker.compare_outputs("native code", "main", outputs)


def _check_passes(module: ModuleOp, ctx: CompilerContext, opt_level: int) -> EquivalenceChecker:
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    for pass_ in default_passes(opt_level, threads=2, upto="loop"):
        pass_.run(module, ctx)
        module.verify()
        checker.check(pass_.name, module, pass_.rounding)
        assert not checker.skipped
    return checker
