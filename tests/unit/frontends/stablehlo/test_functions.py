"""Functions of JAX: what their StableHLO becomes at the graph level computes what JAX computes.

The reference of the graph level runs them, nothing is compiled. Programs that check themselves are run likewise.
"""

# JAX gives types that are not whole.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.compiler.compilation import new_context
from mlc.frontends.stablehlo.to_graph.convert_stablehlo_to_graph import ConvertStablehloToGraphPass
from mlc.reference.interpreter import run_function
from mlc.syntax import parse_module
from mlc.testing.stablehlo_suite import programs, run_file

jax: Any = pytest.importorskip("jax")
jnp: Any = jax.numpy
lax: Any = jax.lax
Array = NDArray[Any]
_ROOT = Path(__file__).parents[4]


def _floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


_X, _IMAGE = _floats(4, 6), _floats(2, 6, 7, 3)
_INTS = np.array([[5, -3, 5, 2], [-9, 7, 0, 7]], np.int32)
_PLACES = np.array([[1], [3], [1], [-1]], np.int32)
_TRUTHS = _X > 0
_NONE = np.zeros((3, 0, 2), np.float32)
_1X1 = (1, 1, 1, 1)


def _window(combine: Any, start: Any, window: Any, strides: Any, padding: Any, **more: Any) -> Callable[[Any], Any]:
    return lambda x: lax.reduce_window(x, start, combine, window, strides, padding, **more)


def _scatter(kind: str, x: Any, start: float = 1.0) -> tuple[Callable[..., Any], Array, Array, Array]:
    """Updates at places, one of which is met twice, and two of which are outside."""
    numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
    function = getattr(lax, kind)
    updates = np.array([start, 2, 3, 4]).astype(x.dtype)
    return lambda x, i, u: function(x, i, u, numbers, mode="fill"), x, _PLACES, updates


def _known_places(x: Any) -> Any:
    numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
    return lax.scatter(x, np.array([[1], [-1]]), np.arange(2, dtype=np.float32), numbers, mode="fill")


def _up_to(x: Any) -> Any:
    return lax.while_loop(lambda c: c[0] <= 3, lambda c: (c[0] + 1, c[1] * 2 + x), (0, x))


def _before_the_first(x: Any) -> Any:
    """Starts at 0 and below, of which all are the first row."""
    return lax.fori_loop(0, 4, lambda i, s: s + lax.dynamic_slice_in_dim(x, 0 - i, 1) * (i + 1), jnp.zeros((1, 6)))


def _read_and_written(x: Any) -> Any:
    """Each step reads the row that the one in front of it has written."""

    def step(i: Any, y: Any) -> Any:
        row = lax.dynamic_slice_in_dim(y, 3 - i, 1) + lax.dynamic_slice_in_dim(x, i, 1)
        return lax.dynamic_update_slice_in_dim(y, row, i, 0)

    return lax.fori_loop(0, 4, step, jnp.ones((4, 6)))


def _steps(x: Any) -> Any:
    """A counted loop that reads and writes rows, from the start and from the end."""

    def step(i: Any, carried: Any) -> Any:
        total, rows, back = carried
        total = total + x[i] * (i + 1)
        return total, rows.at[i].set(total), back.at[3 - i].set(x[3 - i] - total)

    return lax.fori_loop(0, 4, step, (jnp.zeros(6), jnp.zeros((4, 6)), jnp.ones((4, 6))))


def _scan(x: Any) -> Any:
    def step(carried: Any, row: Any) -> Any:
        carried = carried * 0.5 + row
        return carried, (carried, row.sum())

    return lax.scan(step, jnp.ones(6), x, reverse=True)


def _until(x: Any) -> Any:
    return lax.while_loop(lambda c: (c[0] < 50) & (c[1] < 9), lambda c: (c[0] * 1.5 + 1, c[1] + 1), (abs(x).sum(), 0))


def _cases() -> dict[str, tuple[Any, ...]]:
    conv = lax.conv_general_dilated
    product = lax.dot_general
    return {
        "sum": (lambda x: x.sum(0), _X),
        "product": (lambda x: jnp.prod(x, axis=1), _X),
        "product of nothing": (lambda x: jnp.prod(x, axis=1), _NONE),
        "sum of nothing": (lambda x: x.sum(1), _NONE),
        "greatest integer": (lambda x: x.max(1), _INTS),
        "least, from a number": (lambda x: lax.reduce(x, np.float32(-1), lax.min, (1,)), _X),
        "product, from a number": (lambda x: lax.reduce(x, np.float32(3), lax.mul, (0,)), _X),
        "any": (lambda x: x.any(0), _TRUTHS),
        "all": (lambda x: x.all(1), _TRUTHS),
        "all of nothing": (lambda x: (x > 0).all(1), _NONE),
        "any of nothing": (lambda x: (x > 0).any(1), _NONE),
        "xor of truths": (lambda x: lax.reduce(x, False, lax.bitwise_xor, (0,)), _TRUTHS),
        "argmax": (lambda x: jnp.argmax(x, axis=0), _INTS),
        "argmin": (lambda x: jnp.argmin(x, axis=1), _INTS),
        "argmax with NaN": (lambda x: jnp.argmax(x, axis=1), np.array([[1, np.nan, 3], [2, 5, 5]], np.float32)),
        "running sum": (lambda x: jnp.cumsum(x, 1), _X),
        "running sum from the end": (lambda x: lax.cumsum(x, 0, reverse=True), _X),
        "running product": (lambda x: lax.cumprod(x, 1), _X),
        "running maximum": (lambda x: lax.cummax(x, 1, reverse=True), _INTS),
        "pooling": (
            _window(lax.max, -np.inf, (1, 3, 2, 1), (1, 2, 2, 1), ((0, 0), (1, 0), (0, 1), (0, 0))), _IMAGE),
        "pooling of channels in front": (
            _window(lax.max, -np.inf, (1, 1, 3, 2), (1, 1, 2, 1), ((0, 0), (0, 0), (1, 1), (1, 0))), _IMAGE),
        "dilated pooling": (
            _window(lax.max, -np.inf, (1, 2, 2, 1), _1X1, "VALID", window_dilation=(1, 2, 3, 1)), _IMAGE),
        "padding as wide as a window": (
            _window(lax.max, -np.inf, (1, 2, 2, 1), _1X1, ((0, 0), (2, 0), (0, 1), (0, 0))), _IMAGE),
        "windows of sums": (
            _window(lax.add, np.float32(0), (2, 3), (1, 2), ((1, 0), (2, 1)), window_dilation=(2, 1)), _X),
        "windows of sums, from a number": (_window(lax.add, np.float32(5), (2, 3), (1, 2), "VALID"), _X),
        "windows between which is nothing": (
            _window(lax.add, np.float32(0), (2, 2), (1, 1), ((0, 0), (1, 1)), base_dilation=(2, 3)), _X),
        "windows of minima": (_window(lax.min, np.int32(2**31 - 1), (2, 2), (1, 1), ((1, 0), (0, 1))), _INTS),
        "windows of products": (_window(lax.mul, np.float32(1), (4, 1), (1, 1), "VALID"), _X),
        "gradient of pooling": (
            jax.grad(lambda x: (_window(lax.max, -np.inf, (1, 2, 3, 1), (1, 2, 3, 1), "VALID")(x) ** 2).sum()), _IMAGE),
        "sort": (lambda x: jnp.sort(x, axis=0), _X),
        "sort, descending": (lambda x: jnp.sort(x, axis=1, descending=True), _INTS),
        "sort, unsigned, descending": (
            lambda x: jnp.sort(x, descending=True), np.array([3, 2**32 - 1, 0, 2**31], np.uint32)),
        "order, stable": (lambda x: jnp.argsort(x, axis=1, descending=True), _INTS),
        "sort by two keys": (
            lambda x, y: lax.sort((x, y, jnp.arange(4)), num_keys=2), np.array([1, 0, 1, 0]), _floats(4)),
        "the greatest": (lambda x: lax.top_k(x, 3), _X),
        "scatter": _scatter("scatter", _floats(3)),
        "scatter, sums": _scatter("scatter_add", _floats(3)),
        "scatter, products": _scatter("scatter_mul", _floats(3)),
        "scatter, minima": _scatter("scatter_min", _floats(3), -5),
        "scatter, maxima": _scatter("scatter_max", np.array([1, 2, 3], np.int32)),
        "scatter of rows": (lambda x, i: x.at[i].add(2.0), _X, np.array([2, 0, 2])),
        "gather of rows": (lambda x, i: x[i], _X, np.array([[3, -1], [0, 2]])),
        "gather of columns": (lambda x, i: x[:, i], _X, np.array([5, -6, 1])),
        "gather of points": (lambda x, i, j: x[i, j], _X, np.array([3, 0]), np.array([[1], [5]])),
        "along an axis": (lambda x, i: jnp.take_along_axis(x, i, 1), _X, np.array([[0], [5], [-1], [2]])),
        "slice that moves": (
            lambda x, i: lax.dynamic_slice(x, (i, i + 1), (2, 3)), _X, np.int32(1)),
        "slice that stays inside": (lambda x, i: lax.dynamic_slice(x, (i, -i), (2, 3)), _X, np.int32(9)),
        "slice at a known place": (lambda x: lax.dynamic_slice(x, (np.int32(-9), np.int32(9)), (2, 3)), _X),
        "update that stays inside": (lambda x, i: lax.dynamic_update_slice(x, x[:2, :3], (i, -i)), _X, np.int32(9)),
        "slice with steps": (lambda x: x[3:0:-2, 1::3], _X),
        "padding, between, and cutting": (lambda x: lax.pad(x, np.float32(7), ((1, -1, 1), (-2, 3, 2))), _X),
        "reversed": (lambda x: x[:, ::-1], _X),
        "concatenated": (lambda x: jnp.concatenate([x, x[:, :0], x[:, 4:]], 1), _X),
        "broadcast": (lambda x: lax.broadcast_in_dim(x, (6, 3, 4), (2, 0)), _X),
        "transposed": (lambda x: jnp.transpose(x, (3, 0, 2, 1)), _IMAGE),
        "counted": (lambda: lax.broadcasted_iota(jnp.int32, (2, 3), 1),),
        "product of stacks": (
            lambda x, y: product(x, y, (((2,), (1,)), ((0,), (2,)))), _floats(2, 3, 4), _floats(5, 4, 2)),
        "convolution": (
            lambda x, w: conv(x, w, (2, 1), ((1, 0), (0, 2)), rhs_dilation=(1, 2),
                              dimension_numbers=("NHWC", "HWIO", "NHWC")), _IMAGE, _floats(3, 2, 3, 4)),
        "convolution of groups": (
            lambda x, w: conv(x, w, (1,), "SAME", feature_group_count=2), _floats(2, 4, 7), _floats(6, 2, 3)),
        "convolution, transposed": (
            lambda x, w: conv(x, w, (1, 1), ((2, 1), (1, 2)), lhs_dilation=(2, 3)), _floats(1, 2, 3, 4),
            _floats(3, 2, 3, 3)),
        "convolution, groups of the batch": (
            lambda x, w: conv(x, w, (1,), "VALID", batch_group_count=2), _floats(4, 3, 7), _floats(6, 3, 3)),
        "steps": (_steps, _X),
        "steps that read what they write": (_read_and_written, _X),
        "steps up to a number": (_up_to, _X),
        "rows before the first": (_before_the_first, _X),
        "scatter at known places": (_known_places, _floats(3)),
        "pooling, from a number": (_window(lax.max, np.float32(0.5), (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), _IMAGE),
        "scan": (_scan, _X),
        "until": (_until, _X),
        "branch": (lambda x, i: lax.switch(i, [lambda x: x + 1, lambda x: x * 2, lambda x: -x], x), _X, np.int32(7)),
        "condition": (lambda x: lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, x), abs(_X)),
        "division of integers": (lambda x: (x // 3, x % -4, lax.rem(x, 4), lax.div(x, -3)), _INTS),
        "clamp": (lambda x: lax.clamp(np.float32(-0.5), x, np.float32(0.25)), _X),
    }  # fmt: skip


CASES = _cases()


def _at_the_graph_level(function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Array]:
    ctx = new_context()
    module = parse_module(jax.jit(function, keep_unused=True).lower(*arguments).as_text(), "function", ctx)
    ConvertStablehloToGraphPass().run(module, ctx)
    return run_function(module, "main", [np.asarray(each) for each in arguments], ctx.resources)


@pytest.mark.parametrize("name", CASES)
def test_function(name: str) -> None:
    function, *given = CASES[name]
    arguments = tuple(jnp.asarray(each) for each in given)
    found = _at_the_graph_level(function, arguments)
    wanted = [np.asarray(each) for each in jax.tree.leaves(jax.jit(function)(*arguments))]
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("path", programs(_ROOT / "tests/numeric/stablehlo_programs"), ids=lambda path: path.stem)
def test_programs_that_check_themselves(path: Path) -> None:
    outcomes = run_file(path, "graph")
    assert outcomes and [each for each in outcomes if each.status != "right"] == []


def test_what_lies_outside_leaves_the_sign_of_a_zero() -> None:
    function, _, places, updates = _scatter("scatter_add", _floats(3))
    (found,) = _at_the_graph_level(function, (np.array([-0.0, 1, -0.0], np.float32), places, updates))
    assert np.signbit(found).tolist() == [True, False, True]
