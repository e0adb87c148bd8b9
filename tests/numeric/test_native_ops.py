"""Every graph op, compiled, computes what the reference says, on all element types that it takes.

The cases of a family of ops make one module with a result for each of them. At -O3 each op is a kernel of its own; at
-O0 and for other machines the family is one kernel, which takes a fraction of the time to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, ModuleOp, f32, f64, i1, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import tensor
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import from_numpy, to_numpy
from mlc.support.resources import Resources

Array = NDArray[Any]
Run = Callable[..., list[Array]]

FLOATS: tuple[Attribute, ...] = (f32, f64)
INTEGERS: tuple[Attribute, ...] = (i32, i64)
ALL: tuple[Attribute, ...] = (*FLOATS, *INTEGERS, i1)

EXACT, ROUNDED, SUMMED, POWER = 0, 8, 64, 1024
"""How many units in the last place, of the element or (for sums) of the largest one, a result may be off. The error of
a power grows with its exponent, which `exp` takes from `y * log(x)`."""


@dataclass(frozen=True, eq=False)
class Case:
    """One op on some inputs."""

    build: Callable[..., Operation]
    """From one value per input to the op."""
    inputs: tuple[Array, ...]
    ulps: int = EXACT
    terms: float = 0
    """The size of numbers that cancel in the result, where the error grows with them."""


def data(shape: Sequence[int], element: Attribute = f32, seed: int = 0) -> Array:
    """Random elements: normal floats, integers from -99 to 99, booleans."""
    rng, dtype = np.random.default_rng([seed, *shape]), to_numpy(element)
    if element == i1:
        return np.asarray(rng.integers(0, 2, shape)).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return np.asarray(rng.integers(-99, 100, shape)).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def special(element: Attribute) -> Array:
    """Floats of every kind, and the integers at the ends of their range; an odd number of them."""
    dtype = to_numpy(element)
    if np.issubdtype(dtype, np.integer):
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        return np.array([0, 1, -1, 2, 7, -7, 1000, least, most, least + 1, 12345], dtype)
    tiny, huge = np.finfo(dtype).tiny, np.finfo(dtype).max
    kinds = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan, tiny, -tiny / 4, huge, -huge, 1e-5, -30.0, 88.0]
    return np.array([*kinds, 1.5, 3.0, -0.75, 100.25, -1234.5, 2.0, 1 / 3], dtype)


def _unary() -> list[Case]:
    cases: list[Case] = []
    exact = (graph.NegOp, graph.AbsOp, graph.ReluOp, graph.FloorOp, graph.CeilOp, graph.SqrtOp)
    wave = (graph.SinOp, graph.CosOp)
    others = (graph.ExpOp, graph.LogOp, graph.RsqrtOp, graph.TanhOp, graph.SigmoidOp, graph.ErfOp)
    for element in FLOATS:
        both = np.concatenate([special(element), data((40,), element) * 5]).astype(to_numpy(element))
        cases += [Case(op, (both,)) for op in exact]
        cases += [Case(op, (both,), ROUNDED) for op in others]
        cases += [Case(lambda x, a=a: graph.GeluOp(x, a), (both,), ROUNDED, terms=1) for a in ("none", "tanh")]
        cases += [Case(op, (np.where(np.abs(both) < 1e4, both, np.nan),), ROUNDED) for op in wave]
    for element in INTEGERS:
        cases += [Case(op, (special(element),)) for op in (graph.NegOp, graph.AbsOp, graph.ReluOp, graph.NotOp)]
    cases.append(Case(graph.NotOp, (data((3, 11), i1),)))
    return cases


def _pairs(element: Attribute) -> tuple[Array, Array]:
    """All pairs of special values, as two vectors."""
    values = special(element) if element != i1 else np.array([False, True])
    return np.repeat(values, len(values)), np.tile(values, len(values))


def _binary() -> list[Case]:
    cases: list[Case] = []
    arithmetic = (graph.AddOp, graph.SubOp, graph.MulOp, graph.MaxOp, graph.MinOp)
    for element in (*FLOATS, *INTEGERS):
        cases += [Case(op, _pairs(element)) for op in arithmetic]
    cases += [Case(graph.DivOp, _pairs(element)) for element in FLOATS]
    for element in INTEGERS:
        a, b = _pairs(element)
        meaningful = (b != 0) & ~((b == -1) & (a == np.iinfo(a.dtype).min))
        cases.append(Case(graph.DivOp, (a[meaningful], b[meaningful])))
    for element in FLOATS:
        cases.append(Case(graph.PowOp, (np.abs(data((9, 7), element)), data((9, 7), element, 1) * 3), POWER))
        a, b = _pairs(element)
        normal = ~(np.abs(a) < np.finfo(a.dtype).tiny) | (a == 0)
        cases.append(Case(graph.PowOp, (a[normal], b[normal]), POWER))
    cases += [Case(op, _pairs(element)) for op in (graph.AndOp, graph.OrOp) for element in (*INTEGERS, i1)]
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
    cases = [Case(graph.SubOp, (data(a), data(b, seed=1))) for a, b in shapes]
    cases.append(Case(graph.WhereOp, (data((3, 1), i1), data((1, 20)), data((), seed=1))))
    return cases


def _compare() -> list[Case]:
    return [
        Case(lambda a, b, p=predicate: graph.CompareOp(p, a, b), _pairs(element))
        for element in ALL
        for predicate in graph.Predicate
    ]


def _cast() -> list[Case]:
    cases: list[Case] = []
    for source in ALL:
        values = data((37,), source)
        if source in FLOATS:
            finite = special(source)
            values = np.concatenate([values * 1000, finite[np.abs(finite) < 1e6]]).astype(values.dtype)
        elif source in INTEGERS:
            values = special(source)
        for target in ALL:
            if source != target:
                cases.append(Case(lambda x, t=target: graph.CastOp(x, t), (values,)))
    cases.append(Case(lambda x: graph.CastOp(x, i1), (special(f32),)))
    with np.errstate(over="ignore"):
        cases.append(Case(lambda x: graph.CastOp(x, f32), (special(f64),)))
    cases += [Case(graph.WhereOp, (data((5, 9), i1), data((5, 9), t), data((5, 9), t, 1))) for t in ALL]
    return cases


def _matmul() -> list[Case]:
    sizes = [(1, 1, 1), (7, 13, 5), (17, 33, 65), (64, 64, 64), (1, 100, 10), (50, 3, 1), (6, 1, 31)]
    cases = [Case(graph.MatmulOp, (data((m, k)), data((k, n), seed=1)), SUMMED) for m, k, n in sizes]
    stacks = [((2, 3, 4, 5), (5, 6)), ((3, 1, 4, 5), (2, 5, 6)), ((5, 4, 9), (5, 9, 17)), ((4, 6), (3, 6, 2))]
    cases += [Case(graph.MatmulOp, (data(a), data(b, seed=1)), SUMMED) for a, b in stacks]
    for element in (f64, *INTEGERS):
        cases.append(Case(graph.MatmulOp, (data((9, 21), element), data((21, 35), element, 1)), SUMMED))
    return cases


def _conv2d() -> list[Case]:
    configurations: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
        # image NCHW, weights OIHW
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
        cases.append(Case(lambda x, w, o=options: graph.Conv2dOp(x, w, **o), (x, w), SUMMED))
        last = (np.ascontiguousarray(x.transpose(0, 2, 3, 1)), np.ascontiguousarray(w.transpose(2, 3, 1, 0)))
        cases.append(Case(lambda x, w, o=options: graph.Conv2dOp(x, w, layout="NHWC", **o), last, SUMMED))
    for element in (f64, i32):
        inputs = (data((1, 3, 6, 6), element), data((4, 3, 3, 3), element, 1))
        cases.append(Case(graph.Conv2dOp, inputs, SUMMED))
    return cases


def _pool() -> list[Case]:
    configurations: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
        ((1, 16, 8, 8), (2, 2), {"strides": (2, 2)}),
        ((2, 3, 9, 10), (3, 2), {}),
        ((1, 5, 7, 7), (3, 3), {"strides": (2, 1), "padding": (1, 2, 1, 0)}),
        ((1, 19, 4, 4), (4, 4), {}),
    ]
    cases: list[Case] = []
    for image, kernel, options in configurations:
        for layout in ("NCHW", "NHWC"):
            x = data(image)
            if layout == "NHWC":
                x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
            o = {**options, "layout": layout}
            cases.append(Case(lambda x, k=kernel, o=o: graph.MaxPool2dOp(x, k, **o), (x,)))
            for count in (False, True):
                o = {**options, "layout": layout, "count_include_pad": count}
                cases.append(Case(lambda x, k=kernel, o=o: graph.AvgPool2dOp(x, k, **o), (x,), SUMMED))
    image = data((1, 2, 8, 8))
    image[0, 0, 3, 4], image[0, 1, 5, 5], image[0, 0, 0, 0] = np.nan, np.inf, -np.inf
    dilated: dict[str, Any] = {"dilations": (2, 3), "padding": (1, 1, 0, 2)}
    cases.append(Case(lambda x: graph.MaxPool2dOp(x, (2, 2), **dilated), (image,)))
    cases.append(Case(lambda x: graph.MaxPool2dOp(x, (2, 2), **dilated), (data((1, 2, 8, 8), i32) - 200,)))
    cases.append(Case(lambda x: graph.AvgPool2dOp(x, (2, 2), (1, 1), (1, 0, 0, 1)), (data((1, 2, 5, 5), f64),), SUMMED))
    return cases


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
    cases: list[Case] = []
    for number, kind in enumerate(graph.ReduceKind):
        for shape, where in axes:
            ulps = EXACT if kind in ("max", "min") else SUMMED
            keep = (number + len(where)) % 2 == 0
            cases.append(Case(lambda x, k=kind, w=where, p=keep: graph.ReduceOp(k, x, w, p), (data(shape),), ulps))
    for kind in ("sum", "max", "min", "prod"):
        for element in (*INTEGERS, f64):
            x = data((3, 21), element)
            cases.append(Case(lambda x, k=kind: graph.ReduceOp(k, x, (1,), True), (x,), SUMMED))
    odd = np.array([[1, np.nan, 2], [-np.inf, np.inf, 0], [-0.0, -0.0, -0.0], [np.inf, 1, 2]], np.float32)
    cases += [Case(lambda x, k=k: graph.ReduceOp(k, x, (1,)), (odd,)) for k in ("sum", "max", "min", "prod", "mean")]
    return cases


def _normalize() -> list[Case]:
    cases: list[Case] = []
    for shape, axis in [((5,), 0), ((4, 10), 1), ((4, 10), 0), ((2, 3, 17), 1), ((2, 3, 4, 5), 2), ((3, 1), 1)]:
        cases.append(Case(lambda x, a=axis: graph.SoftmaxOp(x, a), (data(shape) * 4,), SUMMED))
    large = np.array([[1e4, 1e4 - 1, -1e4], [-np.inf, 0, 1], [np.nan, 0, 1], [3e38, -3e38, 0]], np.float32)
    cases.append(Case(lambda x: graph.SoftmaxOp(x, 1), (large,), SUMMED))
    cases.append(Case(lambda x: graph.SoftmaxOp(x, 0), (data((3, 3), f64),), SUMMED))
    for shape, axis in [((2, 16, 24), 2), ((2, 5, 7), 1), ((2, 5, 7), 0), ((3, 1), 1)]:
        inputs = (data(shape) * 3 + 100, data(shape[axis:], seed=1), data(shape[axis:], seed=2))
        cases.append(Case(lambda x, s, b, a=axis: graph.LayerNormOp(x, s, b, a), inputs, SUMMED, terms=500))
    for element, axis in ((f32, 1), (f32, 3), (f64, 0)):
        shape = (2, 3, 4, 19)
        scale, bias, mean = (data((shape[axis],), element, seed) for seed in range(3))
        inputs = (data(shape, element), scale, bias, mean, np.abs(data((shape[axis],), element, 3)) + mean.dtype.type(1))
        cases.append(Case(lambda *v, a=axis: graph.BatchNormOp(*v, axis=a), inputs, SUMMED))
    return cases


def _rearrange() -> list[Case]:
    cases: list[Case] = []
    for shape, new in [((4, 6), (24,)), ((24,), (2, 3, 4)), ((1,), ()), ((), (1, 1)), ((2, 3, 4), (4, 6))]:
        cases.append(Case(lambda x, s=new: graph.ReshapeOp(x, s), (data(shape),)))
    for shape, order in [((5, 9), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 3, 4, 17), (0, 3, 1, 2)), ((3,), (0,))]:
        cases.append(Case(lambda x, p=order: graph.TransposeOp(x, p), (data(shape),)))
    cases.append(Case(lambda x: graph.TransposeOp(x, (1, 0)), (data((5, 6), i1),)))
    for axis, shapes in ((0, [(2, 3), (1, 3), (4, 3)]), (1, [(3, 2), (3, 17)]), (2, [(2, 2, 1)] * 4), (0, [(5,)])):
        inputs = tuple(data(s, seed=i) for i, s in enumerate(shapes))
        cases.append(Case(lambda *v, a=axis: graph.ConcatOp(v, a), inputs))
    for shape, cut in [((9,), ([1], [9], [3])), ((6, 40), ([2, 3], [5, 40], [1, 1])), ((4, 4), ([0, 1], [4, 4], [2, 2]))]:
        cases.append(Case(lambda x, c=cut: graph.SliceOp(x, *c), (data(shape),)))
    for element in ALL:
        cases.append(Case(lambda x: graph.PadOp(x, (1, 0), (2, 5), 1), (data((3, 14), element),)))
    cases.append(Case(lambda x: graph.PadOp(x, (0, 0, 3), (1, 0, 0), -np.inf), (data((2, 2, 2)),)))
    return cases


FAMILIES: dict[str, Callable[[], list[Case]]] = {
    "unary": _unary,
    "binary": _binary,
    "broadcast": _broadcast,
    "compare": _compare,
    "cast": _cast,
    "matmul": _matmul,
    "conv2d": _conv2d,
    "pool": _pool,
    "reduce": _reduce,
    "normalize": _normalize,
    "rearrange": _rearrange,
}


def _module(cases: Sequence[Case], one_kernel: bool) -> tuple[ModuleOp, list[Array]]:
    """A module whose `main` gives the results of all cases, and its inputs."""
    inputs = {id(a): a for case in cases for a in case.inputs}
    types = [tensor(a.shape, from_numpy(a.dtype)) for a in inputs.values()]
    outside = Block(arg_types=types)
    inside = Block(arg_types=types) if one_kernel else outside
    values: dict[int, SSAValue] = dict(zip(inputs, inside.args, strict=True))
    ops = [case.build(*(values[id(a)] for a in case.inputs)) for case in cases]
    inside.add_ops(ops)
    results = [op.results[0] for op in ops]
    if one_kernel:
        inside.add_op(graph.YieldOp(*results))
        fusion = graph.FusionOp("all", outside.args, [r.type for r in results], Region(inside))
        outside.add_op(fusion)
        results = list(fusion.outputs)
    outside.add_op(ReturnOp(*results))
    signature = FunctionType.from_lists(types, [r.type for r in results])
    module = ModuleOp([FuncOp("main", signature, Region(outside))])
    module.verify()
    return module, list(inputs.values())


def _check(cases: Sequence[Case], found: Sequence[Array], expected: Sequence[Array]) -> None:
    problems: list[str] = []
    for case, got, want in zip(cases, found, expected, strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        wrong = ~_agrees(got, want, case)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            op = case.build.__name__ if isinstance(case.build, type) else ""
            shapes = [f"{a.dtype}{list(a.shape)}" for a in case.inputs]
            arguments = [a[at] for a in case.inputs if a.shape == want.shape]
            problems.append(
                f"case {cases.index(case)} {op} {shapes}: {int(wrong.sum())} of {want.size} wrong; "
                f"at {at} it is {got[at]!r}, expected {want[at]!r} for {arguments}"
            )
    assert not problems, "\n".join(problems)


def _agrees(got: Array, want: Array, case: Case) -> NDArray[np.bool_]:
    """Where elements agree; NaN agrees with NaN, and a zero with a zero of either sign."""
    with np.errstate(all="ignore"):
        if not np.issubdtype(want.dtype, np.floating) or case.ulps == EXACT:
            return (got == want) | ((got != got) & (want != want))
        size = np.maximum(np.abs(want), case.terms)
        if case.ulps == SUMMED:
            size = np.maximum(size, np.max(size, where=np.isfinite(size), initial=0))
        allowed = np.maximum(case.ulps * np.finfo(want.dtype).eps * size, np.finfo(want.dtype).tiny)
        close = np.isfinite(want) & (np.abs(got - want) <= allowed)
        return close | (got == want) | (np.isnan(got) & np.isnan(want))


@pytest.mark.parametrize("family", FAMILIES)
def test_each_op_is_a_kernel(family: str, run_compiled: Run) -> None:
    cases = FAMILIES[family]()
    module, inputs = _module(cases, one_kernel=False)
    _check(cases, run_compiled(module, inputs), run_function(module, "main", inputs, Resources()))


@pytest.mark.parametrize(("target", "opt_level"), [("native", 0), ("x86-64-v2", 3), ("aarch64", 2)])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_one_kernel(family: str, target: str, opt_level: int, run_compiled: Run) -> None:
    cases = FAMILIES[family]()
    module, inputs = _module(cases, one_kernel=True)
    _check(cases, run_compiled(module, inputs, target, opt_level), run_function(module, "main", inputs, Resources()))
