"""The pass `use-winograd`: what it measures, and what it does when an error is too large."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import new_context
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.pipeline import default_steps
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.passes.graph import use_winograd
from mlc.passes.graph._winograd import Array, WinogradProblem, measured_error, transformed
from mlc.passes.graph.use_winograd import UseWinogradPass
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.winograd import FILTER, RESULT, TILES, WINDOW, span
from mlc.syntax import parse_module
from mlc.targets.machine import resolve_target

_TEXT = """
  func.func @main(%x: tensor<1x28x28x64xf32>) -> tensor<1x26x26x64xf32> {
    %w = graph.constant dense<0.5> : tensor<3x3x64x64xf32>
    %y = graph.conv2d %x, %w {layout = "NHWC"} : tensor<1x28x28x64xf32>, tensor<3x3x64x64xf32> -> tensor<1x26x26x64xf32>
    return %y : tensor<1x26x26x64xf32>
  }"""


@pytest.mark.parametrize("tile", TILES)
def test_matrices_give_the_sum_over_taps(tile: int) -> None:
    """The identity of Lavin and Gray, in one dimension, for unit vectors: exact up to thirds."""
    b, g, a = (np.asarray(m[tile]) for m in (WINDOW, FILTER, RESULT))
    for place in range(span(tile)):
        for tap in range(3):
            found = a @ (g[:, tap] * b[:, place])
            expected = [float(place - i == tap) for i in range(tile)]
            np.testing.assert_allclose(found, expected, atol=1e-15)


@pytest.mark.parametrize("tile", TILES)
def test_weights_are_rounded_once(tile: int) -> None:
    weights = np.random.default_rng(0).standard_normal((3, 3, 4, 5)).astype(np.float32)
    matrix = np.asarray(FILTER[tile])
    exact = np.einsum("ia,jb,abcn->ijcn", matrix, matrix, weights.astype(np.float64)).reshape(-1, 4, 5)
    found = transformed(weights, tile)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=2**-24, atol=1e-12)


def test_measured_errors() -> None:
    weights = np.random.default_rng(0).standard_normal((3, 3, 64, 64)).astype(np.float32)
    two, four = (measured_error(weights, tile) for tile in TILES)
    assert 0 < two < four < 1e-4
    assert measured_error(weights.astype(np.float64), 4) < 1e-13
    assert measured_error(np.zeros_like(weights), 4) == 0
    weights[0, 0, 0, 0] = np.inf
    with np.errstate(all="ignore"):
        assert measured_error(weights, 2) == np.inf


def _run(ctx: CompilerContext, error: float, monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleOp, list[str]]:
    """The text after the pass, where F(4 x 4, 3 x 3) is off by 2e-3 and F(2 x 2, 3 x 3) by `error`; and remarks."""

    def measured(weights: Array, tile: int) -> float:
        return 2e-3 if tile == 4 else error

    monkeypatch.setattr(use_winograd, "measured_error", measured)
    module = parse_module(_TEXT, "test", ctx)
    UseWinogradPass(target="x86-64-v4").run(module, ctx)
    return module, [remark.message for remark in ctx.remarks]


def test_smaller_tiles_where_the_error_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    ctx = new_context()
    module, (remark,) = _run(ctx, 1e-5, monkeypatch)
    assert "tile 2" in str(module)
    assert (
        "; F(4 x 4, 3 x 3): the largest error on random images is 2.0e-03 of the largest element, more than 0.0001;"
        in remark
    )
    (warning,) = ctx.warnings
    words = "the largest error on random images is 1.0e-05 of the largest element"
    assert warning.message == f"Winograd's F(2 x 2, 3 x 3): {words}"


def test_direct_where_all_errors_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    ctx = new_context()
    module, (remark,) = _run(ctx, 2e-4, monkeypatch)
    assert "graph.conv2d" in str(module)
    assert remark.endswith("the largest error on random images is 2.0e-04 of the largest element, more than 0.0001")
    assert not ctx.warnings


def test_estimates_follow_shapes() -> None:
    """Many channels and tiles gain; few channels, or so few tiles that weights are most of what is read, do not."""
    machine = resolve_target("x86-64-v4")

    def gain(size: int, channels: int, tile: int) -> float:
        problem = WinogradProblem(1, size, size, channels, channels, 4)
        return problem.direct_cycles(machine) / problem.winograd_cycles(tile, machine)

    assert gain(56, 128, 4) > 1.5
    assert gain(56, 4, 4) < 1
    assert gain(4, 512, 4) < 1


def test_only_fast_runs_it() -> None:
    assert "use-winograd" not in {step.passes for step in default_steps(PipelineOptions(opt_level=3))}
    assert "use-winograd" in {step.passes for step in default_steps(PipelineOptions(opt_level=3, accuracy="fast"))}


def test_unknown_accuracy() -> None:
    with pytest.raises(UserError, match="found accuracy 'quick'; required: exact or fast"):
        CompileOptions(accuracy="quick").check()
