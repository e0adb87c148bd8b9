"""Tensors without elements: every op gives what the definition of it says, by its reference and as native code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import to_numpy
from mlc.support.resources import Resources
from mlc.tests.numeric.native_cases import Case, case, module_of

Array = NDArray[Any]
Run = Callable[..., list[Array]]
SHAPES: tuple[tuple[int, ...], ...] = ((0,), (2, 0, 3), (0, 1))
LEAST, MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def data(*shape: int, element: Attribute = f32) -> Array:
    """Ones: what they are does not matter."""
    return np.ones(shape, to_numpy(element))


def _joined(axis: int, *values: SSAValue) -> Operation:
    return graph.ConcatOp(values, axis)


def _elementwise() -> list[tuple[Case, Any]]:
    """No result has an element."""
    found: list[Case] = []
    for shape in SHAPES:
        x, n, mask = data(*shape), data(*shape, element=i32), data(*shape, element=i1)
        for op in graph.UNARY_OPS:
            found.append(case(op, mask if op is graph.NotOp else x))
        for op in graph.BINARY_OPS:
            of_integers = issubclass(op, graph.AndOp | graph.OrOp | graph.XorOp | graph.ShlOp | graph.ShrOp)
            found.append(case(op, n if of_integers else x, n if of_integers else x))
        found.append(case(graph.WhereOp, mask, x, data()))
        found.append(case(partial(graph.CompareOp, "lt"), x, x))
        found += [case(graph.CastOp, x, element_type=t) for t in (f64, i64, i1)]
        found.append(case(graph.BitcastOp, x, element_type=i32))
    found += [case(graph.AddOp, data(0, 3), data(3)), case(graph.AddOp, data(0, 1), data(1, 3))]
    found.append(case(graph.AddOp, data(0), data(1)))
    return [(c, None) for c in found]


def _reductions() -> list[tuple[Case, Any]]:
    neutral: dict[str, float] = {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf, "mean": np.nan}
    found: list[tuple[Case, Any]] = []
    for kind, number in neutral.items():
        op = partial(graph.ReduceOp, kind)
        found += [(case(op, data(3, 0), axes=[1]), number), (case(op, data(0, 4), axes=[0, 1]), number)]
        found.append((case(op, data(3, 0, 4, element=f64), axes=[1], keepdims=True), number))
        found.append((case(op, data(0, 4), axes=[1]), None))
    for kind, integer in {"sum": 0, "prod": 1, "max": LEAST, "min": MOST}.items():
        found.append((case(partial(graph.ReduceOp, kind), data(3, 0, element=i32), axes=[1]), integer))
    found += [(case(op, data(0, 4), axis=axis), None) for op in (graph.ArgMaxOp, graph.ArgMinOp) for axis in (1,)]
    found.append((case(graph.ArgMaxOp, data(0, 0), axis=1), None))
    return found


def _contractions() -> list[tuple[Case, Any]]:
    return [
        (case(graph.MatmulOp, data(3, 0), data(0, 4)), 0),
        (case(graph.MatmulOp, data(2, 3, 0, element=i64), data(0, 4, element=i64)), 0),
        (case(graph.MatmulOp, data(0, 3), data(3, 4)), None),
        (case(graph.MatmulOp, data(2, 3), data(3, 0)), None),
        (case(graph.MatmulOp, data(0, 2, 3), data(0, 3, 4)), None),
        (case(graph.MatmulOp, data(0, 2, 3), data(3, 4)), None),
        (case(graph.Conv2dOp, data(0, 3, 5, 5), data(4, 3, 3, 3), padding=(1, 1, 1, 1)), None),
        (case(graph.Conv2dOp, data(1, 3, 5, 5), data(0, 3, 3, 3)), None),
        (case(graph.Conv2dOp, data(1, 0, 5, 5), data(2, 0, 3, 3)), 0),
        (case(graph.Conv3dOp, data(1, 0, 5, 5, 5), data(2, 0, 3, 3, 3)), 0),
        (case(graph.ConvTranspose2dOp, data(0, 3, 5, 5), data(3, 4, 3, 3), strides=(2, 2)), None),
        (case(graph.ConvTranspose2dOp, data(1, 0, 5, 5), data(0, 4, 3, 3), strides=(2, 2)), 0),
        (case(graph.MaxPool2dOp, data(0, 3, 5, 5), kernel=(2, 2), padding=(1, 1, 1, 1)), None),
        (case(graph.MaxPool2dOp, data(1, 1, 0, 2), kernel=(2, 2), padding=(1, 0, 1, 0)), -np.inf),
        (case(graph.ArgMaxPool2dOp, data(0, 3, 5, 5), kernel=(2, 2)), None),
        (case(graph.AvgPool3dOp, data(1, 0, 5, 5, 5), kernel=(2, 2, 2)), None),
    ]


def _normalizations() -> list[tuple[Case, Any]]:
    c = data(4)
    return [
        (case(graph.SoftmaxOp, data(3, 0), axis=1), None),
        (case(graph.SoftmaxOp, data(0, 3), axis=1), None),
        (case(graph.LayerNormOp, data(0, 4), c, c, axis=1), None),
        (case(graph.LayerNormOp, data(3, 0), data(0), data(0), axis=1), None),
        (case(graph.RmsNormOp, data(0, 4), c, axis=1), None),
        (case(graph.GroupNormOp, data(0, 4, 3), c, c, groups=2), None),
        (case(graph.GroupNormOp, data(2, 4, 0), c, c, groups=2), None),
        (case(graph.BatchNormOp, data(0, 4, 2), c, c, c, c, axis=1), None),
    ]


def _moves() -> list[tuple[Case, Any]]:
    none = np.zeros((0,), np.int64)
    return [
        (case(graph.ReshapeOp, data(0, 3), shape=(2, 0, 5)), None),
        (case(graph.TransposeOp, data(0, 3, 2), permutation=(2, 0, 1)), None),
        (case(graph.BroadcastOp, data(1, 3), shape=(0, 3)), None),
        (case(graph.ReverseOp, data(0, 3), axes=(0, 1)), None),
        (case(partial(_joined, 0), data(0, 3), data(2, 3)), 1),
        (case(partial(_joined, 1), data(2, 0), data(2, 3), data(2, 0)), 1),
        (case(partial(_joined, 0), data(0, 3), data(0, 3)), None),
        (case(partial(_joined, 1), data(0, 3), data(0, 2)), None),
        (case(graph.SliceOp, data(5, 3), starts=(2, 0), ends=(2, 3)), None),
        (case(graph.SliceOp, data(0, 3), starts=(0, 1), ends=(0, 3)), None),
        (case(graph.PadOp, data(0, 3), low=(1, 1), high=(2, 0), value=1.5), 1.5),
        (case(graph.PadOp, data(0, 3), low=(0, 1), high=(0, 0), value=1.5), None),
        (case(graph.GatherOp, data(4, 3), none, axis=0), None),
        (case(graph.GatherOp, data(0, 3), none, axis=0), None),
        (case(graph.GatherOp, data(4, 3), np.zeros((2, 0), np.int64), axis=1), None),
        (case(graph.GatherOp, data(4, 0), np.array([1, 2]), axis=0), None),
        (case(partial(graph.ScatterNdOp, "add"), data(4, 3), np.zeros((0, 1), np.int64), data(0, 3), axes=[0]), 1),
    ]


FAMILIES: dict[str, Callable[[], list[tuple[Case, Any]]]] = {
    "elementwise": _elementwise,
    "reductions": _reductions,
    "contractions": _contractions,
    "normalizations": _normalizations,
    "moves": _moves,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_tensors_without_elements(family: str, run_compiled: Run) -> None:
    """As kernels of their own and as one kernel, from -O0 to -O3."""
    cases = [c for c, _ in FAMILIES[family]()]
    for one_kernel, level in ((False, 0), (False, 1), (False, 3), (True, 0), (True, 2)):
        module, inputs = module_of(cases, one_kernel)
        expected = run_function(module, "main", inputs, Resources())
        for found in (expected, run_compiled(module, inputs, "native", level)):
            for (c, number), result, meant in zip(FAMILIES[family](), found, expected, strict=True):
                assert (result.shape, result.dtype) == (meant.shape, meant.dtype), c.build
                assert (result.size == 0) == (number is None), c.build
                if number is not None:
                    np.testing.assert_array_equal(result, np.full_like(result, number), str(c.build))
