"""What upstream MLIR writes as linalg on tensors computes what NumPy does: as it is, on each level, and compiled."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.compiler.compilation import new_context, parse_verified
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.reference.interpreter import run_function
from mlc.tests.numeric.linalg_programs import FAMILIES
from mlc.tests.numeric.upstream_programs import Array, Program, module_of

PROGRAMS = [program for family in FAMILIES.values() for program in family()]
LEVELS = ("", "convert-linalg-to-tensor", "lower-to-loops")
MLIR_OPT = next((path for n in range(40, 18, -1) if (path := shutil.which(f"mlir-opt-{n}"))), None)


def _check(name: str, found: Sequence[Array], expected: Sequence[Array]) -> None:
    for got, want in zip(found, expected, strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype), name
        if want.dtype.kind == "f":
            bound = 64 * np.finfo(want.dtype).eps
            scale = np.abs(want[np.isfinite(want)]).max(initial=1)
            np.testing.assert_allclose(got, want, rtol=bound, atol=bound * scale, err_msg=name)
        else:
            np.testing.assert_array_equal(got, want, err_msg=name)


def _run_on_all_levels(program: Program) -> None:
    ctx = new_context()
    module = parse_verified(program.function("main"), "program.mlir", ctx, Path())
    for passes in LEVELS:
        PassManager(ctx).run(module, parse_passes(passes) if passes else [])
        module.verify()
        _check(
            f"{program.name} {passes}", run_function(module, "main", program.inputs, ctx.resources), program.expected
        )


@pytest.mark.parametrize("program", PROGRAMS[::13], ids=lambda p: p.name)
def test_some_programs(program: Program) -> None:
    _run_on_all_levels(program)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_all_programs(family: str) -> None:
    for program in FAMILIES[family]():
        _run_on_all_levels(program)


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_compiled(family: str) -> None:
    programs = list(FAMILIES[family]())
    ctx = new_context()
    model = mlc.compile(parse_verified(module_of(programs), "programs.mlir", ctx, Path()))
    found = model(*(each for p in programs for each in p.inputs))
    _check(family, found, [each for p in programs for each in p.expected])


@pytest.mark.slow
@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("family", FAMILIES)
def test_upstream_says_the_same_of_named_ops(family: str) -> None:
    """The programs are valid upstream, and what upstream makes of named ops computes the same."""
    assert MLIR_OPT is not None
    programs = list(FAMILIES[family]())
    command = [MLIR_OPT, "--linalg-generalize-named-ops", "--mlir-print-op-generic"]
    text = subprocess.run(command, input=module_of(programs), capture_output=True, text=True, check=True).stdout
    ctx = new_context()
    module = parse_verified(text, "generic.mlir", ctx, Path())
    for number, program in enumerate(programs):
        found = run_function(module, f"p{number}", program.inputs, ctx.resources)
        _check(program.name, found, program.expected)


def test_there_are_many_programs() -> None:
    assert len({p.name for p in PROGRAMS}) == len(PROGRAMS) >= 190
