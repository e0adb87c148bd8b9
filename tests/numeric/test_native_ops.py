"""Every graph op, compiled, computes what the reference says, on all element types that it takes.

The cases of a family of ops make one module with a result for each of them. At -O3 each op is a kernel of its own; at
-O0 and for other machines the family is one kernel, which takes a fraction of the time to compile.
"""

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
from mlc.support.dtypes import least_of, limits_of, most_of, to_numpy
from mlc.tests.numeric.native_cases import (
    ALL,
    FLOATS,
    INTEGERS,
    POWER,
    ROUNDED,
    SUMMED,
    Case,
    case,
    compile_and_check,
    data,
    special,
)

Array = NDArray[Any]
Run = Callable[..., list[Array]]


def _unary() -> list[Case]:
    cases: list[Case] = []
    exact = (
        *(graph.NegOp, graph.AbsOp, graph.ReluOp, graph.SignOp, graph.SqrtOp),
        *(graph.FloorOp, graph.CeilOp, graph.RoundOp, graph.TruncOp),
    )
    periodic = (graph.SinOp, graph.CosOp, graph.TanOp)
    rounded = (
        *(graph.ExpOp, graph.ExpM1Op, graph.LogOp, graph.Log1pOp, graph.RsqrtOp, graph.SigmoidOp, graph.ErfOp),
        *(graph.TanhOp, *(op for op in graph.TRIGONOMETRIC_OPS if op not in periodic)),
    )
    for element in FLOATS:
        x = np.concatenate([special(element), data((40,), element) * 5]).astype(to_numpy(element))
        cases += [case(op, x) for op in exact]
        cases += [case(op, x, ulps=ROUNDED) for op in rounded]
        cases.append(case(graph.SiluOp, x, ulps=ROUNDED))
        cases += [case(graph.GeluOp, x, ulps=ROUNDED, terms=1, approximate=a) for a in ("none", "tanh")]
        angles = np.where(np.abs(x) < 1e4, x, np.nan)
        cases += [case(op, angles, ulps=ROUNDED) for op in periodic]
    for element in INTEGERS:
        of_integers = (graph.NegOp, graph.AbsOp, graph.ReluOp, graph.SignOp, graph.NotOp)
        cases += [case(op, special(element)) for op in of_integers]
    return [*cases, case(graph.NotOp, data((3, 11), i1))]


def _pairs(element: Attribute) -> tuple[Array, Array]:
    """All pairs of special values, as two vectors."""
    values = special(element) if element != i1 else np.array([False, True])
    return np.repeat(values, len(values)), np.tile(values, len(values))


def _binary() -> list[Case]:
    cases: list[Case] = []
    arithmetic = (graph.AddOp, graph.SubOp, graph.MulOp, graph.MaxOp, graph.MinOp, graph.RemOp, graph.ModOp)
    for element in (*FLOATS, *INTEGERS):
        cases += [case(op, *_pairs(element)) for op in arithmetic]
    for element in FLOATS:
        a, b = _pairs(element)
        cases.append(case(graph.DivOp, a, b))
        normal = (a == 0) | ~(np.abs(a) < limits_of(a.dtype).smallest_normal)
        cases.append(case(graph.PowOp, a[normal], b[normal], ulps=POWER))
        a, b = np.abs(data((9, 7), element)), data((9, 7), element, 1) * 3
        cases.append(case(graph.PowOp, a, b, ulps=POWER))
    for element in INTEGERS:
        a, b = _pairs(element)
        defined = (b != 0) & ~((b == -1) & (a == np.iinfo(a.dtype).min))
        cases.append(case(graph.DivOp, a[defined], b[defined]))
        places = np.array([0, 1, 5, 7, 8, 31, 32, 63, 64, 127, -1, np.iinfo(a.dtype).min], a.dtype)
        shifted = np.repeat(special(element), len(places)), np.tile(places, len(special(element)))
        cases += [case(op, *shifted) for op in (graph.ShlOp, graph.ShrOp, graph.PowOp)]
    logic = (graph.AndOp, graph.OrOp, graph.XorOp)
    cases += [case(op, *_pairs(element)) for op in logic for element in (*INTEGERS, i1)]
    return cases


def _broadcast() -> list[Case]:
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((4, 5), (5,)),
        ((4, 1), (1, 19)),
        ((2, 3, 4), (3, 1)),
        ((17,), ()),
        ((), ()),
        ((), (2, 2)),
        ((1,), (5,)),
        ((2, 1, 3, 1), (4, 1, 6)),
        ((1, 1), (1,)),
        ((2, 1, 2, 1, 33), (2, 2, 3, 33)),
    ]
    cases = [case(graph.SubOp, data(a), data(b, seed=1)) for a, b in shapes]
    return [*cases, case(graph.WhereOp, data((3, 1), i1), data((1, 20)), data((), seed=1))]


def _compare() -> list[Case]:
    return [
        case(partial(graph.CompareOp, predicate), *_pairs(element)) for element in ALL for predicate in graph.Predicate
    ]


def _cast() -> list[Case]:
    cases: list[Case] = []
    for source in ALL:
        values = data((37,), source)
        if source in FLOATS:
            values = np.concatenate([values * 1000, special(source)]).astype(values.dtype)
        elif source in INTEGERS:
            values = special(source)
        cases += [case(graph.CastOp, values, element_type=target) for target in ALL if source != target]
        if source in (f32, f64):
            cases += [case(graph.CastOp, _around_limits(source, t), element_type=t) for t in INTEGERS]
    same_size = ((f32, i32), (i32, f32), (f64, i64), (i64, f64), (i1, i1))
    cases += [case(graph.BitcastOp, data((3, 11), source), element_type=target) for source, target in same_size]
    cases += [case(graph.CastOp, special(f32), element_type=i1), case(graph.CastOp, special(f64), element_type=f32)]
    return cases + [case(graph.WhereOp, data((5, 9), i1), data((5, 9), t), data((5, 9), t, 1)) for t in ALL]


def _around_limits(source: Attribute, target: Attribute) -> Array:
    """The floats next to the least and the greatest integer of a type, and to what is beyond them, and NaN."""
    dtype = to_numpy(source)
    ends = np.array([e + n for e in (least_of(target), most_of(target)) for n in (-1, -0.5, 0, 0.5, 1)], dtype)
    up, down = (np.nextafter(ends, dtype.type(to)) for to in (np.inf, -np.inf))
    return np.concatenate([ends, up, down, np.array([np.nan, -np.nan, 0, -0.0, -0.75], dtype)])


def _quantization() -> list[Case]:
    """Scales of each kind, all types of quantised numbers; ties, numbers beyond the range, and NaN."""
    cases: list[Case] = []
    for element in FLOATS:
        dtype = to_numpy(element)
        x = np.concatenate([special(element), np.arange(-150, 150).astype(dtype) / dtype.type(2)])[None, :]
        scales = np.array([[1], [0.5], [-0.37], [0]], dtype)
        for kind in sorted(graph.QUANTIZED, key=str):
            zero = np.array([[0], [1], [least_of(kind)], [most_of(kind)]], np.int64).astype(to_numpy(kind))
            cases.append(case(graph.QuantizeOp, x, scales, zero))
            cases.append(case(graph.QuantizeOp, x, scales[2, 0], zero[1, 0]))
            span = np.arange(max(least_of(kind), -300), min(most_of(kind), 300) + 1).astype(to_numpy(kind))
            cases.append(case(graph.DequantizeOp, span[None, :], scales, zero))
    return cases


def _matmul() -> list[Case]:
    sizes = [(1, 1, 1), (7, 13, 5), (17, 33, 65), (64, 64, 64), (1, 100, 10), (50, 3, 1), (6, 1, 31)]
    pairs: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((m, k), (k, n)) for m, k, n in sizes]
    pairs += [((2, 3, 4, 5), (5, 6)), ((3, 1, 4, 5), (2, 5, 6)), ((5, 4, 9), (5, 9, 17)), ((4, 6), (3, 6, 2))]
    cases = [case(graph.MatmulOp, data(a), data(b, seed=1), ulps=SUMMED) for a, b in pairs]
    for element in (f64, *INTEGERS):
        cases.append(case(graph.MatmulOp, data((9, 21), element), data((21, 35), element, 1), ulps=SUMMED))
    return cases


def _conv2d() -> list[Case]:
    # images NCHW, weights OIHW
    configurations: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
        ((1, 1, 8, 8), (16, 1, 3, 3), {"padding": (1, 1, 1, 1)}),
        ((2, 3, 9, 11), (5, 3, 3, 3), {"strides": (2, 2)}),
        ((1, 4, 7, 7), (8, 4, 1, 1), {}),
        ((1, 2, 12, 10), (3, 2, 3, 2), {"dilations": (2, 3), "padding": (2, 0, 1, 3)}),
        ((1, 6, 6, 6), (4, 3, 3, 3), {"groups": 2, "padding": (1, 1, 1, 1)}),
        ((2, 5, 8, 8), (5, 1, 3, 3), {"groups": 5, "strides": (1, 2)}),
        ((1, 3, 8, 8), (6, 1, 3, 3), {"groups": 3, "padding": (0, 1, 0, 1)}),
        ((1, 17, 5, 5), (33, 17, 5, 5), {}),
        ((3, 16, 6, 6), (32, 16, 3, 3), {"padding": (1, 1, 1, 1), "strides": (3, 1)}),
    ]
    cases: list[Case] = []
    for image, weights, options in configurations:
        x, w = data(image), data(weights, seed=1)
        cases.append(case(graph.Conv2dOp, x, w, ulps=SUMMED, **options))
        last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)), np.ascontiguousarray(w.transpose(2, 3, 1, 0))
        cases.append(case(graph.Conv2dOp, *last, ulps=SUMMED, layout="NHWC", **options))
    for element in (f64, i32):
        inputs = data((1, 3, 6, 6), element), data((4, 3, 3, 3), element, 1)
        cases.append(case(graph.Conv2dOp, *inputs, ulps=SUMMED))
    return cases


def _conv_transpose2d() -> list[Case]:
    # images NCHW, weights IOHW
    configurations: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
        ((1, 5, 6, 7), (5, 18, 2, 2), {"strides": (2, 2)}),
        ((2, 4, 5, 5), (4, 3, 4, 4), {"strides": (2, 2), "padding": (1, 1, 1, 1)}),
        ((1, 3, 5, 6), (3, 4, 3, 3), {"strides": (2, 2), "padding": (1, 1, 1, 1), "output_padding": (1, 1)}),
        ((1, 3, 5, 6), (3, 4, 3, 3), {"strides": (2, 2), "padding": (1, 1, 1, 1)}),
        ((1, 3, 5, 6), (3, 2, 3, 3), {"padding": (1, 0, 1, 2)}),
        ((1, 2, 4, 5), (2, 3, 1, 2), {"strides": (3, 1)}),
        ((1, 2, 4, 5), (2, 3, 3, 3), {"strides": (2, 3), "dilations": (2, 2), "output_padding": (1, 0)}),
        ((1, 2, 4, 5), (2, 3, 3, 4), {"strides": (4, 3), "dilations": (3, 2), "padding": (2, 3, 4, 1)}),
        ((1, 6, 4, 4), (6, 2, 4, 4), {"strides": (2, 2), "groups": 3, "padding": (1, 1, 1, 1)}),
        ((2, 17, 4, 4), (17, 1, 4, 4), {"strides": (2, 2), "groups": 17, "padding": (1, 1, 1, 1)}),
        ((1, 6, 4, 4), (6, 1, 3, 3), {"groups": 3, "strides": (1, 2)}),
        ((1, 2, 3, 3), (2, 2, 2, 2), {"padding": (3, 0, 0, 2), "strides": (2, 2)}),
    ]
    cases: list[Case] = []
    for image, weights, options in configurations:
        x, w = data(image), data(weights, seed=1)
        cases.append(case(graph.ConvTranspose2dOp, x, w, ulps=SUMMED, **options))
        last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)), np.ascontiguousarray(w.transpose(2, 3, 0, 1))
        cases.append(case(graph.ConvTranspose2dOp, *last, ulps=SUMMED, layout="NHWC", **options))
    for element in (f64, i32):
        inputs = data((1, 3, 4, 4), element), data((3, 4, 3, 3), element, 1)
        cases.append(case(graph.ConvTranspose2dOp, *inputs, ulps=SUMMED, strides=(2, 2)))
    return cases


def _pool() -> list[Case]:
    configurations: list[tuple[tuple[int, ...], dict[str, Any]]] = [
        ((1, 16, 8, 8), {"kernel": (2, 2), "strides": (2, 2)}),
        ((2, 3, 9, 10), {"kernel": (3, 2)}),
        ((1, 5, 7, 7), {"kernel": (3, 3), "strides": (2, 1), "padding": (1, 2, 1, 0)}),
        ((1, 19, 4, 4), {"kernel": (4, 4)}),
    ]
    cases: list[Case] = []
    for shape, options in configurations:
        first = data(shape)
        for layout, x in (("NCHW", first), ("NHWC", np.ascontiguousarray(first.transpose(0, 2, 3, 1)))):
            cases += [case(op, x, layout=layout, **options) for op in (graph.MaxPool2dOp, graph.ArgMaxPool2dOp)]
            for count in (False, True):
                build = partial(graph.AvgPool2dOp, count_include_pad=count)
                cases.append(case(build, x, ulps=SUMMED, layout=layout, **options))
    image = data((1, 2, 8, 8))
    image[0, 0, 3, 4], image[0, 1, 5, 5], image[0, 0, 0, 0] = np.nan, np.inf, -np.inf
    for x in (image, data((1, 2, 8, 8), i32) - np.int32(200)):
        dilated: dict[str, Any] = {"kernel": (2, 2), "dilations": (2, 3), "padding": (1, 1, 0, 2)}
        cases += [case(op, x, **dilated) for op in (graph.MaxPool2dOp, graph.ArgMaxPool2dOp)]
    cases.append(case(graph.AvgPool2dOp, data((1, 2, 5, 5), f64), ulps=SUMMED, kernel=(2, 2), padding=(1, 0, 0, 1)))
    cases.append(
        case(graph.AvgPool2dOp, data((1, 3, 7, 8)), ulps=SUMMED, kernel=(2, 3), dilations=(3, 2), padding=(1,) * 4)
    )
    return cases


def _volumes() -> list[Case]:
    """Three spatial dimensions, in both layouts."""
    convolutions: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
        ((1, 3, 4, 9, 8), (16, 3, 3, 3, 3), {"padding": (1,) * 6}),
        ((2, 4, 5, 6, 7), (6, 2, 1, 3, 2), {"groups": 2, "strides": (2, 1, 2), "padding": (0, 1, 0, 0, 1, 1)}),
    ]
    transposed: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
        (
            (1, 4, 2, 3, 4),
            (4, 3, 3, 3, 3),
            {"strides": (1, 2, 3), "padding": (1, 1, 0, 0, 1, 1), "output_padding": (0, 1, 0)},
        ),
        ((1, 4, 2, 3, 3), (4, 1, 3, 2, 3), {"groups": 4, "strides": (2, 3, 2), "dilations": (1, 2, 1)}),
    ]
    cases: list[Case] = []
    for build, weight_axes, configurations in (
        (graph.Conv3dOp, (1, 0), convolutions),
        (graph.ConvTranspose3dOp, (0, 1), transposed),
    ):
        for image, weights, options in configurations:
            x, w = data(image), data(weights, seed=1)
            cases.append(case(build, x, w, ulps=SUMMED, **options))
            last = _channels_last(x), np.ascontiguousarray(np.moveaxis(w, weight_axes, (-2, -1)))
            cases.append(case(build, *last, ulps=SUMMED, layout="NDHWC", **options))
    pools: list[dict[str, Any]] = [
        {"kernel": (1, 3, 2), "strides": (1, 2, 1), "padding": (0, 1, 1, 0, 2, 0)},
        {"kernel": (2, 2, 2), "dilations": (1, 2, 3), "padding": (1, 0, 2, 0, 1, 1)},
    ]
    for options in pools:
        for x, layout in ((data((2, 5, 4, 6, 7)), "NCDHW"), (_channels_last(data((1, 19, 3, 5, 6))), "NDHWC")):
            cases += [case(op, x, layout=layout, **options) for op in (graph.MaxPool3dOp, graph.ArgMaxPool3dOp)]
            cases.append(case(graph.AvgPool3dOp, x, ulps=SUMMED, layout=layout, **options))
    return cases


def _channels_last(image: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(image, 1, -1))


def _reduce() -> list[Case]:
    axes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((40,), (0,)),
        ((6, 33), (1,)),
        ((6, 33), (0,)),
        ((3, 4, 5), (0, 2)),
        ((3, 4, 20), (1,)),
        ((2, 3, 4, 5), (1, 2, 3)),
        ((2, 3), ()),
        ((7, 1), (1,)),
    ]
    odd = np.array([[1, np.nan, 2], [-np.inf, np.inf, 0], [-0.0, -0.0, -0.0], [np.inf, 1, 2]], np.float32)
    cases: list[Case] = []
    for number, kind in enumerate(graph.ReduceKind):
        build = partial(graph.ReduceOp, kind)
        for shape, where in axes:
            keep = (number + len(where)) % 2 == 0
            cases.append(case(build, data(shape), ulps=SUMMED, axes=where, keepdims=keep))
        cases.append(case(build, odd, axes=(1,)))
        if kind in ("sum", "max"):  # more than the second cache holds, with rows and columns left over
            large = np.round(data((1101, 701)) * 8).astype(np.float32)
            cases.append(case(build, large, axes=(0,)))
        for element in (f64,) if kind == "mean" else (f64, *INTEGERS):
            cases.append(case(build, data((3, 21), element), ulps=SUMMED, axes=(1,), keepdims=True))
    return cases


def _normalize() -> list[Case]:
    cases: list[Case] = []
    places: list[tuple[tuple[int, ...], int]] = [((5,), 0), ((4, 10), 1), ((4, 10), 0), ((2, 3, 17), 1), ((3, 1), 1)]
    for shape, axis in (*places, ((2, 3, 4, 5), 2)):
        cases.append(case(graph.SoftmaxOp, data(shape) * 4, ulps=SUMMED, axis=axis))
    large = np.array([[1e4, 1e4 - 1, -1e4], [-np.inf, 0, 1], [np.nan, 0, 1], [3e38, -3e38, 0]], np.float32)
    cases.append(case(graph.SoftmaxOp, large, ulps=SUMMED, axis=1))
    cases.append(case(graph.SoftmaxOp, data((3, 3), f64), ulps=SUMMED, axis=0))
    blocks: list[tuple[tuple[int, ...], int]] = [((2, 16, 24), 2), ((2, 5, 7), 1), ((2, 5, 7), 0), ((3, 1), 1)]
    for shape, axis in blocks:
        inputs = data(shape) * 3 + 100, data(shape[axis:], seed=1), data(shape[axis:], seed=2)
        cases.append(case(graph.LayerNormOp, *inputs, ulps=SUMMED, terms=500, axis=axis))
        cases.append(case(graph.RmsNormOp, *inputs[:2], ulps=SUMMED, axis=axis))
    images: list[tuple[tuple[int, ...], int, int]] = [
        ((2, 6, 5, 7), 3, 1),
        ((2, 5, 7, 32), 8, 3),
        ((1, 4, 9), 4, 1),
        ((3, 20), 1, 1),
        ((1, 5, 3, 48), 2, 3),
    ]
    for shape, groups, axis in images:
        inputs = data(shape) * 3 + 10, data(shape[axis : axis + 1], seed=1), data(shape[axis : axis + 1], seed=2)
        cases.append(case(graph.GroupNormOp, *inputs, ulps=SUMMED, terms=50, groups=groups, axis=axis))
    for element in FLOATS:
        inputs = data((2, 18), element), data((18,), element, 1)
        cases.append(case(graph.RmsNormOp, *inputs, ulps=SUMMED, axis=1, epsilon=1e-3))
    shape = (2, 3, 4, 19)
    for element, axis in ((f32, 1), (f32, 3), (f64, 0)):
        scale, bias, mean, variance = (data((shape[axis],), element, seed) for seed in range(4))
        inputs = data(shape, element), scale, bias, mean, np.abs(variance) + variance.dtype.type(1)
        cases.append(case(graph.BatchNormOp, *inputs, ulps=SUMMED, axis=axis))
    return cases


def _concat(axis: int, *values: SSAValue) -> Operation:
    return graph.ConcatOp(values, axis)


def _rearrange() -> list[Case]:
    cases: list[Case] = []
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((4, 6), (24,)), ((24,), (2, 3, 4)), ((2, 3, 4), (4, 6))]
    for shape, new in (*shapes, ((1,), ()), ((), (1, 1))):
        cases.append(case(graph.ReshapeOp, data(shape), shape=new))
    orders: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((5, 9), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((3,), (0,))]
    for shape, order in (*orders, ((2, 3, 4, 17), (0, 3, 1, 2))):
        cases.append(case(graph.TransposeOp, data(shape), permutation=order))
    cases.append(case(graph.TransposeOp, data((5, 6), i1), permutation=(1, 0)))
    parts: list[tuple[int, list[tuple[int, ...]]]] = [
        (0, [(2, 3), (1, 3), (4, 3)]),
        (1, [(3, 2), (3, 17)]),
        (2, [(2, 2, 1)] * 4),
        (0, [(5,)]),
    ]
    for axis, pieces in parts:
        cases.append(case(partial(_concat, axis), *(data(s, seed=i) for i, s in enumerate(pieces))))
    cases += [
        case(graph.SliceOp, data((9,)), starts=(1,), ends=(9,), strides=(3,)),
        case(graph.SliceOp, data((6, 40)), starts=(2, 3), ends=(5, 40)),
        case(graph.SliceOp, data((4, 4), i1), starts=(0, 1), ends=(4, 4), strides=(2, 2)),
        case(graph.PadOp, data((2, 2, 2)), low=(0, 0, 3), high=(1, 0, 0), value=-np.inf),
    ]
    return cases + [case(graph.PadOp, data((3, 14), t), low=(1, 0), high=(2, 5), value=1) for t in ALL]


FAMILIES: dict[str, Callable[[], list[Case]]] = {
    "unary": _unary,
    "binary": _binary,
    "broadcast": _broadcast,
    "compare": _compare,
    "cast": _cast,
    "quantization": _quantization,
    "matmul": _matmul,
    "conv2d": _conv2d,
    "conv_transpose2d": _conv_transpose2d,
    "pool": _pool,
    "volumes": _volumes,
    "reduce": _reduce,
    "normalize": _normalize,
    "rearrange": _rearrange,
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("family", FAMILIES)
def test_each_op_is_a_kernel(family: str, run_compiled: Run) -> None:
    compile_and_check(FAMILIES[family](), run_compiled, one_kernel=False)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("target", "opt_level"), [("native", 0), ("x86-64-v2", 3), ("aarch64", 2)])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_one_kernel(family: str, target: str, opt_level: int, run_compiled: Run) -> None:
    compile_and_check(FAMILIES[family](), run_compiled, target, opt_level, one_kernel=True)
