"""Small and degenerate shapes of every graph op.

Extents of 1 and 2, odd ones and primes are where loops vanish, vectors are not filled and windows are all border.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, f32, i1, i8, i32, i64
from xdsl.ir import Block, Operation, SSAValue

from mlc.compiler.compilation import new_context
from mlc.dialects import graph
from mlc.dialects.graph.types import tensor
from mlc.pass_manager.default_passes import default_passes
from mlc.support.dtypes import from_numpy
from mlc.targets.machine import available_targets
from mlc.tests.numeric.native_cases import ROUNDED, SUMMED, Case, case, data, module_of

SIZES = (1, 2, 3, 5, 7, 8, 13, 17, 33)
SHAPES: tuple[tuple[int, ...], ...] = (
    *((n,) for n in SIZES),
    *product((1, 2, 7, 17), (1, 3, 8, 33)),
    *product((1, 3), (1, 2, 5), (1, 7, 13)),
)

_SQUARES = DenseIntOrFPElementsAttr.from_list(TensorType(i8, [256]), [n * n % 256 - 128 for n in range(256)])


def _elementwise() -> Iterator[Case]:
    exact = (
        *(graph.NegOp, graph.AbsOp, graph.ReluOp, graph.SignOp),
        *(graph.FloorOp, graph.CeilOp, graph.RoundOp, graph.TruncOp),
    )
    rounded = (
        *(graph.ExpOp, graph.ExpM1Op, graph.TanhOp, graph.SigmoidOp, graph.SiluOp, graph.ErfOp, graph.GeluOp),
        *(graph.SinOp, graph.CosOp, graph.TanOp, graph.AtanOp, graph.SinhOp, graph.CoshOp, graph.AsinhOp),
    )
    positive = (graph.SqrtOp, graph.RsqrtOp, graph.LogOp, graph.Log1pOp, graph.AcoshOp)
    of_fractions = (graph.AsinOp, graph.AcosOp, graph.AtanhOp)
    of_floats = (graph.AddOp, graph.SubOp, graph.MulOp, graph.MaxOp, graph.MinOp, graph.DivOp, graph.RemOp, graph.ModOp)
    of_integers = (
        graph.AddOp,
        graph.MulOp,
        graph.DivOp,
        graph.RemOp,
        graph.ModOp,
        graph.AndOp,
        graph.OrOp,
        graph.XorOp,
    )
    for shape in SHAPES:
        x, y = data(shape), data(shape, seed=1)
        n, m = data(shape, i32), data(shape, i32, 1)
        mask = data(shape, i1)
        yield from (case(op, x) for op in exact)
        yield from (case(op, x, ulps=ROUNDED, terms=1) for op in rounded)
        yield from (case(op, np.abs(x) + 1, ulps=ROUNDED, terms=1) for op in positive)
        yield from (case(op, x / 8, ulps=ROUNDED, terms=1) for op in of_fractions)
        yield from (case(op, x, y) for op in of_floats)
        yield from (case(op, n, m) for op in (*of_integers, graph.ShlOp, graph.ShrOp, graph.PowOp))
        yield case(graph.PowOp, np.abs(x) + np.float32(0.5), y, ulps=64)
        yield from (case(graph.NotOp, v) for v in (mask, n))
        yield case(graph.WhereOp, mask, x, y)
        yield case(partial(graph.CompareOp, "lt"), x, y)
        yield case(graph.BitcastOp, x, element_type=i32)
        zero, scale = np.array(-3, np.int8), np.array(0.05, np.float32)
        yield case(graph.QuantizeOp, x, scale, zero)
        yield case(graph.DequantizeOp, data(shape, i8), scale, zero)
        yield case(graph.LookupOp, data(shape, i8), table=_SQUARES)
        if len(shape) == 2:  # of which a point takes as much as a hundred of others
            place = np.arange(x.size, dtype=np.uint64).reshape(shape)
            yield case(graph.PhiloxOp, place, place[:, :1] + np.uint64(1 << 40), place[0], place[0, 0])
        yield from (case(graph.CastOp, v, element_type=t) for v, t in ((x, i64), (n, f32), (mask, f32), (n, i1)))


def _around(a: SSAValue, b: SSAValue, axis: int) -> Operation:
    return graph.ConcatOp([a, b, a], axis)


def _shape_ops() -> Iterator[Case]:
    for shape in SHAPES:
        x, rank = data(shape), len(shape)
        yield case(graph.TransposeOp, x, permutation=tuple(reversed(range(rank))))
        yield case(graph.BroadcastOp, x, shape=(2, *shape))
        yield case(graph.ReverseOp, x, axes=list(range(rank)))
        yield case(graph.ReshapeOp, x, shape=(int(np.prod(shape)),))
        yield case(graph.PadOp, x, low=[1] * rank, high=[0] * rank, value=0.5)
        yield case(graph.SliceOp, x, starts=[0] * rank, ends=list(shape), strides=[2] * rank)
        yield case(_around, x, data(shape, seed=1), axis=rank - 1)
        yield case(graph.GatherOp, x, np.array([0, -1, 0], np.int64), axis=rank - 1)
        yield case(graph.ArgsortOp, x, axis=rank - 1)
        places, own = np.zeros((*shape, 1), np.int64) - 1, list(range(rank - 1))
        yield case(graph.GatherNdOp, x, places, axes=[rank - 1], own=own)
        yield case(partial(graph.ScatterNdOp, "set"), x, places, data(shape, seed=1), axes=[rank - 1], own=own)


def _reductions() -> Iterator[Case]:
    for shape in SHAPES:
        x = data(shape)
        for axis in range(len(shape)):
            yield from (case(partial(graph.ReduceOp, k), x, axes=[axis], ulps=SUMMED, terms=2) for k in ("sum", "mean"))
            yield from (case(partial(graph.ReduceOp, k), x, axes=[axis]) for k in ("max", "min"))
            yield from (case(op, x, axis=axis) for op in (graph.ArgMaxOp, graph.ArgMinOp))
            yield case(graph.SoftmaxOp, x, axis=axis, ulps=SUMMED)
            scale, bias = data(shape[axis:]), data(shape[axis:], seed=1)
            yield case(graph.LayerNormOp, x, scale, bias, axis=axis, epsilon=0.1, ulps=SUMMED, terms=8)
            yield case(graph.RmsNormOp, x, scale, axis=axis, epsilon=0.1, ulps=SUMMED, terms=8)
            c = (shape[axis],)
            parameters = (data(c), data(c, seed=1), data(c, seed=2), np.abs(data(c, seed=3)) + 1)
            yield case(graph.BatchNormOp, x, *parameters, axis=axis, epsilon=0.1, ulps=SUMMED, terms=8)
        if len(shape) > 1:
            parameters = (data(shape[1:2]), data(shape[1:2], seed=1))
            yield case(graph.GroupNormOp, x, *parameters, groups=1, axis=1, epsilon=0.1, ulps=SUMMED, terms=8)


def _products() -> Iterator[Case]:
    for m, k, n in product((1, 2, 7), (1, 3, 8, 17), (1, 2, 5, 8, 17, 33)):
        yield case(graph.MatmulOp, data((m, k)), data((k, n), seed=1), ulps=SUMMED, terms=4)
        for group in {k, max(k // 3, 1) if k % 3 == 0 else k}:
            weights, scale = data((k, n), i8, 1), data((k // group, n), seed=2)
            yield case(graph.ScaledMatmulOp, data((m, k)), weights, scale, ulps=SUMMED, terms=8)
    for b, m, n in product((1, 3), (1, 5), (1, 9)):
        yield case(graph.MatmulOp, data((b, m, 7)), data((b, 7, n), seed=1), ulps=SUMMED, terms=4)
        yield case(graph.MatmulOp, data((m, 7), i32), data((7, n), i32, 1))
        yield case(graph.MatmulOp, data((m, 8), i8), data((8, n), i8, 1), element=i32)


def _convolutions() -> Iterator[Case]:
    images = ((1, 1), (2, 3), (5, 5), (7, 7), (8, 8), (14, 14), (3, 13))
    for (h, w), taps, stride, channels, out in product(images, (1, 2, 3, 5), (1, 2), (1, 3), (1, 2, 9)):
        pad = taps // 2
        if min(h, w) + 2 * pad < taps or (channels > 1 and taps == 2):
            continue
        x, weights = data((1, channels, h, w)), data((out, channels, taps, taps), seed=1)
        options: dict[str, Any] = {"strides": (stride, stride), "padding": (pad,) * 4, "ulps": SUMMED, "terms": 4}
        yield case(graph.Conv2dOp, x, weights, **options)
        if out == 1 and channels > 1:
            yield case(graph.Conv2dOp, x, data((channels, 1, taps, taps), seed=1), groups=channels, **options)
    for (h, w), taps in product(images, (1, 2, 3)):
        x = data((1, 3, h, w))
        window = min(taps, h, w)
        for op in (graph.MaxPool2dOp, graph.ArgMaxPool2dOp):
            yield case(op, x, kernel=(window, window), strides=(1, 1), padding=(window // 2,) * 4)
        yield case(
            graph.AvgPool2dOp, x, kernel=(window, window), strides=(2, 1), padding=(window // 2,) * 4, ulps=ROUNDED
        )
        weights = data((3, 2, taps, taps), seed=1)
        yield case(graph.ConvTranspose2dOp, x, weights, strides=(2, 1), ulps=SUMMED, terms=4)
    for tile, tiles, channels in product((2, 4), ((1, 1), (2, 3)), (1, 3, 9, 17)):
        x = data((1, tiles[0] * tile + 2, tiles[1] * tile + 2, channels))
        yield case(graph.WinogradInputOp, x, tile=tile, ulps=SUMMED, terms=36)
        for less in range(2):
            size = tiles[0] * tile - less, tiles[1] * tile - less
            products = data(((tile + 2) ** 2, 1, *tiles, channels))
            yield case(graph.WinogradOutputOp, products, tile=tile, size=size, ulps=SUMMED, terms=1024)


def _volumes() -> Iterator[Case]:
    for extents, taps, channels, out in product(((1, 1, 1), (2, 3, 5), (3, 1, 8)), (1, 2, 3), (1, 3), (1, 9)):
        pad = taps // 2
        if min(extents) + 2 * pad < taps:
            continue
        x = data((1, channels, *extents))
        options: dict[str, Any] = {"strides": (1, 2, 1), "ulps": SUMMED, "terms": 4}
        yield case(graph.Conv3dOp, x, data((out, channels, *(taps,) * 3), seed=1), padding=(pad,) * 6, **options)
        yield case(graph.ConvTranspose3dOp, x, data((channels, out, *(taps,) * 3), seed=1), **options)
        kernel = tuple(min(taps, extent) for extent in extents)
        padding = tuple(k // 2 for k in kernel) * 2
        for op in (graph.MaxPool3dOp, graph.ArgMaxPool3dOp):
            yield case(op, x, kernel=kernel, padding=padding)
        yield case(graph.AvgPool3dOp, x, kernel=kernel, padding=padding, ulps=ROUNDED)


FAMILIES: dict[str, Callable[[], Iterator[Case]]] = {
    "elementwise": _elementwise,
    "shape": _shape_ops,
    "reductions": _reductions,
    "products": _products,
    "convolutions": _convolutions,
    "volumes": _volumes,
}
TARGETS = {
    (m.arch, m.vector_bits, m.vector_registers, m.l1_bytes, m.l2_bytes, m.issue, m.features): m.name
    for m in available_targets()
}
"""One name for all machines that differ in nothing that a rule asks for."""


def lower(cases: Sequence[Case], target: str) -> None:
    """Run all passes of -O3 on a module with a kernel for each case."""
    ctx = new_context(target)
    module, _ = module_of(cases, one_kernel=False)
    for step in default_passes(3):
        step.run(module, ctx)
    module.verify()


def ops_of(cases: Iterable[Case]) -> set[type[Operation]]:
    """The ops that the cases try."""
    found: set[type[Operation]] = set()
    for c in cases:
        block = Block(arg_types=[tensor(a.shape, from_numpy(a.dtype)) for a in c.inputs])
        found.add(type(c.build(*block.args)))
    return found
