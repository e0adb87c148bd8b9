"""Every rule of extents that depend on data, with bounds of 0, 1, 2 and 3: NumPy computes what is data alone."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, f32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.elementwise import ElementwiseOp
from mlc.dialects.graph.types import shape_of, tensor
from mlc.frontends.operators import extents
from mlc.frontends.operators.extents import result_extents
from mlc.frontends.operators.graph_builder import GraphBuilder, Knowledge
from mlc.frontends.operators.refusal import Unconvertible
from mlc.reference.interpreter import run_function
from mlc.support.resources import Resources

Array = NDArray[Any]
N, M = "N", "M"
"""Dims that are bounded; each has an extent of its own."""
_BEHIND = 1e30
"""What lies behind extents in the test: whoever takes it for data is found."""


@dataclass(frozen=True)
class Case:
    """An op, the shapes of its operands, and what NumPy makes of as much of them as is data."""

    op: type[graph.GraphOp]
    build: Callable[..., graph.GraphOp]
    """Makes the op of its operands."""
    shapes: tuple[tuple[int | str, ...], ...]
    wanted: Callable[..., Array]
    refused: tuple[int, ...] = ()
    """The bounds for which the rule has no answer: there a dim is not told from others."""
    bounds: tuple[int, ...] = (0, 1, 2, 3)
    """Those for which the operands fit at all."""
    least: int = 0
    """The least extent that the op takes."""
    places: int = 0
    """The operand with this number holds places, from -1 to 1; the first one never does."""


def _case(op: Any, *shapes: tuple[int | str, ...], options: tuple[Any, ...] = (), **more: Any) -> Case:
    return Case(op, lambda *v: op(*v, *options), shapes, **more)


def _scattered(
    kind: str, shapes: tuple[tuple[int | str, ...], ...], axis: int = 0, own: tuple[int, ...] = (), **more: Any
) -> Case:
    """Updates along an axis of data, the points of which have places of their own along axes `own`."""
    kinds: dict[str, Callable[[Any, Any], Any]] = {
        "set": lambda x, y: y, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum,
    }  # fmt: skip

    def wanted(data: Array, indices: Array, updates: Array) -> Array:
        found = data.copy()
        for point in np.ndindex(indices.shape[:-1]):
            place = (*(point[i] for i in own), indices[point][0])
            found[place] = kinds[kind](found[place], updates[point])
        return found

    def build(data: SSAValue, indices: SSAValue, updates: SSAValue) -> graph.GraphOp:
        return graph.ScatterNdOp(kind, data, indices, updates, (axis,), own)

    return Case(graph.ScatterNdOp, build, shapes, wanted, places=1, **more)


def _reduced(kind: str, axes: tuple[int, ...], numpy: Any, keepdims: bool = False) -> Case:
    def wanted(x: Array) -> Array:
        start = {"max": -np.inf, "min": np.inf}
        more = {"initial": start[kind]} if kind in start else {}
        return numpy(x, axis=axes, keepdims=keepdims, **more)

    return Case(graph.ReduceOp, lambda x: graph.ReduceOp(kind, x, axes, keepdims), ((3, N),), wanted)


def _concat(axis: int, *shapes: tuple[int | str, ...], refused: tuple[int, ...] = ()) -> Case:
    def build(*v: SSAValue) -> graph.GraphOp:
        return graph.ConcatOp(v, axis)

    return Case(graph.ConcatOp, build, shapes, lambda *v: np.concatenate(v, axis), refused)


def _gather(axis: int, data: tuple[int | str, ...], places: tuple[int | str, ...]) -> Case:
    return _case(graph.GatherOp, data, places, options=(axis,), wanted=lambda x, i: np.take(x, i, axis), places=1)


def _normalized(x: Array, scale: Array, bias: Array | float = 0, center: bool = True) -> Array:
    apart = x - x.mean(-1, keepdims=True) if center else x
    return apart / np.sqrt((apart**2).mean(-1, keepdims=True) + 1e-5) * scale + bias


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(1, keepdims=True, initial=-np.inf))
    return e / e.sum(1, keepdims=True)


def _per_channel(v: Array) -> Array:
    return v[:, None, None]


IMAGES = ((N, 2, 2, 2), (2, 2, 1, 1))
VOLUMES = ((N, 2, 1, 2, 2), (2, 2, 1, 1, 1))
CASES = {
    "add": _case(graph.AddOp, (N, 3), (N, 3), wanted=np.add),
    "add, a row": _case(graph.AddOp, (N, 3), (1, 3), wanted=np.add),
    "add, a column of one": _case(graph.AddOp, (3, N), (3, 1), wanted=np.add),
    "add, other dims": _case(graph.AddOp, (N, 1), (1, M), wanted=np.add),
    "add, fewer dims": _case(graph.AddOp, (2, N), (N,), wanted=np.add),
    "add, as many": _case(graph.AddOp, (N, 3), (2, 3), wanted=np.add, refused=(1, 2), bounds=(1, 2)),
    "add, another extent": _case(graph.AddOp, (N, 3), (M, 3), wanted=np.add, refused=(1, 2, 3)),
    "where": _case(graph.WhereOp, (N,), (2, 1), (2, N), wanted=lambda c, x, y: np.where(c > 0, x, y)),
    "transpose": _case(graph.TransposeOp, (2, N, 3), options=((1, 2, 0),), wanted=lambda x: x.transpose(1, 2, 0)),
    "broadcast": Case(
        graph.BroadcastOp,
        lambda x: graph.BroadcastOp(x, (2, shape_of(x)[0], 4)),
        ((N, 1),),
        lambda x: np.broadcast_to(x, (2, len(x), 4)),
    ),
    "broadcast, of one": _case(
        graph.BroadcastOp,
        (N, 4),
        options=((3, 4),),
        wanted=lambda x: np.broadcast_to(x, (3, 4)),
        refused=(1,),
        bounds=(1,),
    ),
    "reshape, joined": Case(
        graph.ReshapeOp, lambda x: graph.ReshapeOp(x, (shape_of(x)[0] * 6,)), ((N, 2, 3),), lambda x: x.reshape(-1)
    ),
    "reshape, behind": Case(
        graph.ReshapeOp,
        lambda x: graph.ReshapeOp(x, (6, shape_of(x)[2])),
        ((2, 3, N),),
        lambda x: x.reshape(6, x.shape[2]),
        refused=(1,),
    ),
    "reshape, two joined": Case(
        graph.ReshapeOp,
        lambda x: graph.ReshapeOp(x, (shape_of(x)[0] * shape_of(x)[1],)),
        ((N, M),),
        lambda x: x.reshape(-1),
        refused=(1, 2, 3),
    ),
    "concat": _concat(0, (2, 3), (N, 3)),
    "concat, other dims": _concat(1, (N, 3), (N, 2)),
    "concat, in front": _concat(0, (N, 3), (2, 3), refused=(1, 2, 3)),
    "concat, other extents": _concat(1, (N, 3), (M, 3), refused=(1, 2, 3)),
    "slice, of the others": Case(
        graph.SliceOp,
        lambda x: graph.SliceOp(x, (0, 1), (shape_of(x)[0], 3), (1, 1)),
        ((N, 3),),
        lambda x: x[:, 1:3],
    ),
    "slice, the end": Case(
        graph.SliceOp,
        lambda x: graph.SliceOp(x, (0, min(shape_of(x)[1], 1)), (2, shape_of(x)[1])),
        ((2, N),),
        lambda x: x[:, 1:],
    ),
    "slice, the front": Case(
        graph.SliceOp,
        lambda x: graph.SliceOp(x, (0, 0), (2, min(shape_of(x)[1], 2))),
        ((2, N),),
        lambda x: x[:, :2],
    ),
    "slice, in steps": Case(
        graph.SliceOp,
        lambda x: graph.SliceOp(x, (0, 0), (2, shape_of(x)[1]), (1, 2)),
        ((2, N),),
        lambda x: x[:, ::2],
        refused=(1, 2, 3),
    ),
    "gather": _gather(0, (3, 2), (N,)),
    "gather, of the others": _gather(1, (N, 2), (2,)),
    "gather, a column": _gather(1, (N, 2), ()),
    "gather, of rows": _gather(0, (3, N), (2, 2)),
    "gather, a row": _gather(0, (3, N), ()),
    "gather, both": _gather(1, (N, 2), (M, 2)),
    "gather_nd": _case(graph.GatherNdOp, (3, 2), (N, 1), options=((0,),), wanted=lambda x, i: x[i[:, 0]], places=1),
    "gather_nd, whole": _case(
        graph.GatherNdOp, (3, N), (2, 1), options=((0,),), wanted=lambda x, i: x[i[:, 0]], places=1
    ),
    "gather_nd, a batch": Case(
        graph.GatherNdOp,
        lambda x, i: graph.GatherNdOp(x, i, (1,), (0,)),
        ((N, 2), (N, 1)),
        lambda x, i: np.take_along_axis(x, i, 1)[:, 0],
        places=1,
    ),
    "gather_nd, the dim": _case(
        graph.GatherNdOp,
        (N, 2),
        (M, 1),
        options=((0,),),
        wanted=lambda x, i: x[i[:, 0]],
        bounds=(2, 3),
        least=2,
        places=1,
    ),
    "gather_nd, two of three dims": _case(
        graph.GatherNdOp,
        (N, 2, M),
        (5, 3),
        options=((0, 1, 2),),
        wanted=lambda x, i: x[tuple(i.T)],
        bounds=(2, 3),
        least=2,
        places=1,
    ),
    **{f"scatter_nd, {kind}": _scattered(kind, ((3, 2), (N, 1), (N, 2))) for kind in ("set", "add", "mul", "max")},
    "scatter_nd, whole": _scattered("set", ((3, N), (2, 1), (2, N))),
    "scatter_nd, points and whole": _scattered("set", ((3, N), (M, 1), (M, N))),
    "scatter_nd, the dim": _scattered("set", ((N, 2), (M, 1), (M, 2)), bounds=(2, 3), least=2),
    "scatter_nd, two dims of points": _scattered("set", ((3, 2), (N, M, 1), (N, M, 2))),
    "scatter_nd, sums of two dims of points": _scattered("add", ((3, 2), (N, M, 1), (N, M, 2))),
    "scatter_nd, fewer updates": _scattered("set", ((4, 2), (3, 1), (N, 2)), bounds=(3,), refused=(3,)),
    "scatter_nd, shorter rows": _scattered("set", ((4, 3), (2, 1), (2, N)), bounds=(3,), refused=(3,)),
    "scatter_nd, a batch": _scattered("set", ((N, 3), (N, M, 1), (N, M)), 1, (0,)),
    "scatter_nd, the least of a batch": _scattered("min", ((N, 3), (N, M, 1), (N, M)), 1, (0,)),
    "pad": _case(graph.PadOp, (N, 3), options=((0, 1), (0, 0), 0), wanted=lambda x: np.pad(x, [(0, 0), (1, 0)])),
    "pad, the dim": _case(
        graph.PadOp,
        (N, 3),
        options=((1, 0), (2, 0), 7),
        wanted=lambda x: np.pad(x, [(1, 2), (0, 0)], constant_values=7),
    ),
    "pad, both": _case(
        graph.PadOp,
        (N, 3),
        options=((0, 1), (2, 0), -1),
        wanted=lambda x: np.pad(x, [(0, 2), (1, 0)], constant_values=-1),
    ),
    "reverse": _case(graph.ReverseOp, (N, 3), options=((1,),), wanted=lambda x: x[:, ::-1]),
    "reverse, the dim": _case(graph.ReverseOp, (N, 3), options=((0,),), wanted=lambda x: x[::-1]),
    "reverse, both": _case(graph.ReverseOp, (N, M), options=((0, 1),), wanted=lambda x: x[::-1, ::-1]),
    "sum": _reduced("sum", (1,), np.sum),
    "sum, of all": _reduced("sum", (0, 1), np.sum),
    "sum, of the others": _reduced("sum", (0,), np.sum),
    "product": _reduced("prod", (1,), np.prod, True),
    "largest": _reduced("max", (1,), np.max),
    "least": _reduced("min", (1,), np.min, True),
    "argmax": _case(
        graph.ArgMaxOp, (3, N), options=(1, False), wanted=lambda x: x.argmax(1), bounds=(1, 2, 3), least=1
    ),
    "argmin": _case(
        graph.ArgMinOp, (3, N), options=(1, False), wanted=lambda x: x.argmin(1), bounds=(1, 2, 3), least=1
    ),
    "argmax, of the others": _case(graph.ArgMaxOp, (3, N), options=(0, False), wanted=lambda x: x.argmax(0)),
    "argmin, of the others": _case(
        graph.ArgMinOp, (N, 3), options=(1, True), wanted=lambda x: x.argmin(1, keepdims=True)
    ),
    "argsort": _case(graph.ArgsortOp, (N, 3), options=(1,), wanted=lambda x: x.argsort(1, kind="stable")),
    "argsort, the dim": _case(
        graph.ArgsortOp, (N, 3), options=(0,), wanted=lambda x: x.argsort(0, kind="stable"), bounds=(1, 2, 3)
    ),
    "argsort, the first two": _case(
        graph.ArgsortOp,
        (3, N),
        options=(1, True, 2),
        wanted=lambda x: (-x).argsort(1, kind="stable")[:, :2],
        bounds=(2, 3),
    ),
    "softmax": _case(graph.SoftmaxOp, (2, N), options=(1,), wanted=_softmax),
    "softmax, of the others": _case(graph.SoftmaxOp, (N, 3), options=(1,), wanted=_softmax),
    "matmul, rows": _case(graph.MatmulOp, (N, 3), (3, 2), wanted=np.matmul),
    "matmul, columns": _case(graph.MatmulOp, (2, 3), (3, N), wanted=np.matmul),
    "matmul, summed": _case(graph.MatmulOp, (2, N), (N, 3), wanted=np.matmul),
    "matmul, summed unlike": _case(
        graph.MatmulOp, (2, N), (M, 3), wanted=np.matmul, refused=(1, 2, 3), bounds=(1, 2, 3)
    ),
    "matmul, rows and columns": _case(graph.MatmulOp, (N, 3), (3, M), wanted=np.matmul),
    "matmul, a stack": _case(graph.MatmulOp, (N, 2, 3), (3, 2), wanted=np.matmul),
    "matmul, two stacks": _case(graph.MatmulOp, (N, 2, 3), (N, 3, 2), wanted=np.matmul),
    "matmul, a stack and one": _case(graph.MatmulOp, (1, 2, 3), (N, 3, 2), wanted=np.matmul),
    "matmul, a stack and two": _case(
        graph.MatmulOp, (2, 2, 3), (N, 3, 2), wanted=np.matmul, refused=(1, 2), bounds=(1, 2)
    ),
    "matmul, stacks of stacks": _case(graph.MatmulOp, (N, 1, 2, 3), (M, 3, 2), wanted=np.matmul),
    "layer norm": _case(graph.LayerNormOp, (N, 3), (3,), (3,), options=(1,), wanted=_normalized),
    "layer norm, the dim": _case(
        graph.LayerNormOp, (2, N), (3,), (3,), options=(1,), wanted=_normalized, refused=(3,), bounds=(3,)
    ),
    "rms norm": _case(
        graph.RmsNormOp, (N, 3), (3,), options=(1,), wanted=lambda x, scale: _normalized(x, scale, center=False)
    ),
    "group norm": _case(
        graph.GroupNormOp,
        *(IMAGES[0], (2,), (2,)),
        options=(1,),
        wanted=lambda x, s, b: _normalized(x.reshape(len(x), 8), np.repeat(s, 4), np.repeat(b, 4)).reshape(x.shape),
    ),
    "batch norm": _case(
        graph.BatchNormOp,
        *(IMAGES[0], (2,), (2,), (2,), (2,)),
        wanted=lambda x, s, b, m, v: (
            (x - _per_channel(m)) / np.sqrt(_per_channel(v) + 1e-5) * _per_channel(s) + _per_channel(b)
        ),
    ),
    "conv2d": _case(graph.Conv2dOp, *IMAGES, wanted=lambda x, w: np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0])),
    "conv3d": _case(graph.Conv3dOp, *VOLUMES, wanted=lambda x, w: np.einsum("ncdhw,oc->nodhw", x, w[:, :, 0, 0, 0])),
    "transposed conv2d": _case(
        graph.ConvTranspose2dOp, *IMAGES, wanted=lambda x, w: np.einsum("nchw,co->nohw", x, w[:, :, 0, 0])
    ),
    "transposed conv3d": _case(
        graph.ConvTranspose3dOp, *VOLUMES, wanted=lambda x, w: np.einsum("ncdhw,co->nodhw", x, w[:, :, 0, 0, 0])
    ),
    "max pool": _case(graph.MaxPool2dOp, IMAGES[0], options=((2, 2),), wanted=lambda x: x.max((2, 3), keepdims=True)),
    "max pool 3d": _case(
        graph.MaxPool3dOp, VOLUMES[0], options=((1, 2, 2),), wanted=lambda x: x.max((3, 4), keepdims=True)
    ),
    "place in a max pool": _case(
        graph.ArgMaxPool2dOp,
        IMAGES[0],
        options=((2, 2),),
        wanted=lambda x: x.reshape(len(x), 2, 4).argmax(2)[..., None, None],
    ),
    "place in a max pool 3d": _case(
        graph.ArgMaxPool3dOp,
        VOLUMES[0],
        options=((1, 2, 2),),
        wanted=lambda x: x.reshape(len(x), 2, 4).argmax(2)[..., None, None, None],
    ),
    "mean pool": _case(graph.AvgPool2dOp, IMAGES[0], options=((2, 2),), wanted=lambda x: x.mean((2, 3), keepdims=True)),
    "mean pool 3d": _case(
        graph.AvgPool3dOp, VOLUMES[0], options=((1, 2, 2),), wanted=lambda x: x.mean((3, 4), keepdims=True)
    ),
}


def _run(case: Case, bound: int, actual: dict[str, int]) -> tuple[Array, Array]:
    """As much of the result as is data, and what NumPy makes of as much of the operands.

    Raises:
        Unconvertible: the rule refuses the op.
    """
    shapes = [tuple(bound if isinstance(e, str) else e for e in shape) for shape in case.shapes]
    kinds = [i64 if number and number == case.places else f32 for number in range(len(shapes))]
    types = [*map(tensor, shapes, kinds), tensor((), i64), tensor((), i64)]
    function = FuncOp("main", (types, types[:1]))
    block, knowledge = function.body.block, Knowledge(Resources(), result_extents)
    extent_of = {N: block.args[-2], M: block.args[-1]}
    block.add_op(end := ReturnOp())
    b = GraphBuilder(end, knowledge)
    for argument, shape in zip(block.args, case.shapes, strict=False):
        b.bounded(argument, {axis: extent_of[e] for axis, e in enumerate(shape) if isinstance(e, str)})
    result = b.insert(case.build(*block.args[:-2]))
    found = knowledge.extents.get(result, {})
    end.operands = [result, *found.values()]
    function.function_type = type(function.function_type).from_lists(block.arg_types, [v.type for v in end.operands])
    rng = np.random.default_rng(bound)
    whole: list[Array] = []
    data: list[Array] = []
    for number, (shape, named) in enumerate(zip(shapes, case.shapes, strict=True)):
        part = tuple(slice(actual[e] if isinstance(e, str) else e) for e in named)
        is_places = number and number == case.places
        numbers: Any = rng.integers(-1, 2, shape) if is_places else (rng.random(shape) + 0.1).astype(np.float32)
        behind = np.full(shape, 1 << 40 if is_places else _BEHIND).astype(numbers.dtype)
        behind[part] = numbers[part]
        whole.append(behind)
        data.append(numbers[part])
    sizes = [np.array(actual[name]) for name in (N, M)]
    computed, *extents = run_function(ModuleOp([function]), "main", [*whole, *sizes], knowledge.resources)
    for axis, extent in zip(found, extents, strict=True):
        assert extent >= 0
        computed = computed.take(range(int(extent)), axis)
    return computed, case.wanted(*data)


@pytest.mark.parametrize("name, bound", [(name, bound) for name, case in CASES.items() for bound in case.bounds])
def test_what_is_data_comes_of_data(name: str, bound: int):
    case = CASES[name]
    for n, m in np.ndindex(bound + 1, bound + 1):
        if min(n, m) < case.least:
            continue
        if bound in case.refused:
            with pytest.raises(Unconvertible):
                _run(case, bound, {N: n, M: m})
            continue
        with np.errstate(all="ignore"):
            found, wanted = _run(case, bound, {N: n, M: m})
        assert found.shape == wanted.shape, (n, m)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, err_msg=f"{n} {m}")


def test_every_rule_has_a_case():
    ruled = set(extents._RULES)  # pyright: ignore[reportPrivateUsage]
    cases = {case.op for case in CASES.values()}
    assert {op for op in cases if not issubclass(op, ElementwiseOp)} == ruled
