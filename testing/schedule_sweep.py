"""Kernels of all kinds and sizes on all targets: no schedule of mlc's own names a loop that is not there.

    python -m mlc.testing.schedule_sweep --count 5000 --seed 0

The full product of operations, types, ranks, extents, operands and targets is far too large. A case is a number: it is
drawn at random, but always the same, so that `--first 1234 --count 1` tries one again. Each is lowered as far as the
loop level and verified; nothing is compiled or run. `MLC_STRICT_SCHEDULES` is set: mlc's own rules get no second try.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from math import prod
from random import Random

import numpy as np
from xdsl.dialects.builtin import (
    DenseResourceAttr,
    FunctionType,
    ModuleOp,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc.compiler.compilation import new_context
from mlc.dialects import graph
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import verify
from mlc.pass_manager.pipeline_options import HIGHEST
from mlc.schedules.own_schedules import STRICT
from mlc.support.context import CompilerContext
from mlc.support.dtypes import bytes_of, dtype_of
from mlc.support.types import tensor_type
from mlc.targets.machine import available_targets

SWEPT_EXTENTS = (1, 2, 3, 7, 8, 9, 31, 33, 1000, 20000, 70000)
SWEPT_FLOATS: tuple[Attribute, ...] = (f16, bf16, f32, f64)
SWEPT_TYPES: tuple[Attribute, ...] = (*SWEPT_FLOATS, i8, i32, i64, i1)
SWEPT_REDUCTIONS = ("sum", "max", "min", "prod", "any", "all", "argmax")
THREADS = (1, 8)
LARGEST = 1 << 36
"""The most bytes of an operand: nothing is allocated, but addresses have to exist."""
LARGEST_CONSTANT = 1 << 22
"""The most elements of a constant, with which the compiler may compute."""


@dataclass(frozen=True)
class Case:
    """One model on one target, in words."""

    number: int
    description: str
    target: str
    opt_level: int
    threads: int

    def __str__(self) -> str:
        return f"{self.number}: {self.description}, {self.target}, -O{self.opt_level}, {self.threads} threads"


@dataclass
class SweptModel:
    """A model while it is drawn."""

    rng: Random
    ctx: CompilerContext
    block: Block = field(default_factory=Block)
    words: list[str] = field(default_factory=list[str])

    def extent(self, most: int = SWEPT_EXTENTS[-1]) -> int:
        """One of `SWEPT_EXTENTS` that is not larger than `most`; small ones as often as large ones."""
        return self.rng.choice([n for n in SWEPT_EXTENTS if n <= most])

    def shape(self, rank: int) -> list[int]:
        """A shape that fits into memory."""
        sizes: list[int] = []
        for _ in range(rank):
            sizes.append(self.extent(max(LARGEST // 8 // prod(sizes), 1)))
        self.rng.shuffle(sizes)
        return sizes

    def operand(self, shape: Sequence[int], element: Attribute) -> SSAValue:
        """An argument, a constant, what another op computes, or a value that is an operand already."""
        known = [a for a in self.block.args if a.type == TensorType(element, shape)]
        kind = self.rng.choice(("argument", "constant", "computed", "aliased"))
        self.words.append(f"{kind} {'x'.join(map(str, shape))}x{element}")
        if kind == "aliased" and known:
            return self.rng.choice(known)
        if kind == "constant" and prod(shape) <= LARGEST_CONSTANT:
            name = f"w{len(self.words)}"
            self.ctx.resources.define(name, np.broadcast_to(np.zeros((), dtype_of(element)), tuple(shape)))
            value = DenseResourceAttr.from_params(name, TensorType(element, shape))
            return self.add(graph.ConstantOp(value))
        argument = self.block.insert_arg(TensorType(element, shape), len(self.block.args))
        if kind != "computed" or element == i1:
            return argument
        return self.add(graph.ReluOp(argument) if element in SWEPT_FLOATS else graph.AddOp(argument, argument))

    def add(self, op: Operation) -> SSAValue:
        """The result of an op that stands after the others."""
        self.block.add_op(op)
        return op.results[0]

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """A value as elements of another type."""
        return value if tensor_type(value).element_type == element else self.add(graph.CastOp(value, element))


def _axes(m: SweptModel, rank: int) -> list[int]:
    """The first axis, one in the middle, the last, or all."""
    return m.rng.choice(([0], [rank // 2], [rank - 1], list(range(rank))))


def _reduce(m: SweptModel, x: SSAValue, kind: str, axes: Sequence[int]) -> SSAValue:
    if kind == "argmax":
        return m.add(graph.ArgMaxOp(m.cast(x, i32) if tensor_type(x).element_type == i1 else x, axes[-1]))
    if kind in ("any", "all"):
        found = graph.ReduceOp("max" if kind == "any" else "min", m.cast(m.cast(x, i1), i8), axes)
        return m.cast(m.add(found), i1)
    if tensor_type(x).element_type == i1:
        x = m.cast(x, i64)
    return m.add(graph.ReduceOp(kind, x, axes))


def _reduction(m: SweptModel) -> SSAValue:
    rank = m.rng.randint(1, 4)
    x = m.operand(m.shape(rank), m.rng.choice(SWEPT_TYPES))
    kind, axes = m.rng.choice(SWEPT_REDUCTIONS), _axes(m, rank)
    m.words.insert(0, f"{kind} over {axes} of")
    return _reduce(m, x, kind, axes)


def _reductions_side_by_side(m: SweptModel) -> SSAValue:
    """Several reductions of one value, of which another is made: they share a kernel."""
    rank = m.rng.randint(1, 3)
    x = m.operand(m.shape(rank), m.rng.choice((*SWEPT_FLOATS, i32, i64)))
    kinds, axes = m.rng.choices(SWEPT_REDUCTIONS[:4], k=2), _axes(m, rank)
    m.words.insert(0, f"{' + '.join(kinds)} over {axes} of")
    one, other = (m.add(graph.ReduceOp(kind, x, axes, keepdims=True)) for kind in kinds)
    total = m.add(graph.AddOp(one, other))
    return m.add(graph.SubOp(x, total)) if m.rng.random() < 0.5 else total


def _softmax(m: SweptModel) -> SSAValue:
    rank = m.rng.randint(1, 3)
    axis = m.rng.randrange(rank)
    m.words.append(f"softmax along {axis} of")
    return m.add(graph.SoftmaxOp(m.operand(m.shape(rank), m.rng.choice(SWEPT_FLOATS)), axis))


def _norm(m: SweptModel) -> SSAValue:
    rank, element = m.rng.randint(1, 3), m.rng.choice(SWEPT_FLOATS)
    axis, shape = m.rng.randrange(rank), m.shape(rank)
    m.words.append(f"norm along {axis} of")
    x, scale = m.operand(shape, element), m.operand(shape[axis:], element)
    if m.rng.random() < 0.5:
        return m.add(graph.RmsNormOp(x, scale, axis))
    return m.add(graph.LayerNormOp(x, scale, m.operand(shape[axis:], element), axis))


def _batch(m: SweptModel) -> list[int]:
    return [m.extent(33) for _ in range(m.rng.choice((0, 0, 1, 2)))]


def _product(m: SweptModel) -> SSAValue:
    """A product of matrices, with a bias and an activation after it, or none."""
    element = m.rng.choice((*SWEPT_FLOATS, i32, i64))
    batch = _batch(m)
    rows, depth, columns = (m.extent(20000 if batch else 70000) for _ in range(3))
    m.words.append("product of")
    x = m.operand([*batch, rows, depth], element)
    w = m.operand([*(batch if m.rng.random() < 0.5 else []), depth, columns], element)
    y = m.add(graph.MatmulOp(x, w))
    if m.rng.random() < 0.5:
        y = m.add(graph.AddOp(y, m.operand([columns], element)))
    return m.add(graph.ReluOp(y)) if m.rng.random() < 0.3 else y


def _turned(m: SweptModel, value: SSAValue) -> SSAValue:
    """The last two dims the other way around."""
    rank = len(tensor_type(value).get_shape())
    return m.add(graph.TransposeOp(value, [*range(rank - 2), rank - 1, rank - 2]))


def _attention(m: SweptModel) -> SSAValue:
    """softmax(q k') v, or a product where `k` is a weight: with heads or without."""
    element, heads = m.rng.choice(SWEPT_FLOATS), _batch(m)
    rows, keys = m.extent(1000), m.extent(1000)
    inside, columns = m.extent(1000), m.extent(1000)
    own = heads if m.rng.random() < 0.7 else []
    m.words.append("attention of")
    q, turned = m.operand([*heads, rows, inside], element), m.rng.random() < 0.5
    k = m.operand([*own, *((keys, inside) if turned else (inside, keys))], element)
    scores = m.add(graph.MatmulOp(q, _turned(m, k) if turned else k))
    if m.rng.random() < 0.3:
        scores = m.add(graph.AddOp(scores, m.operand([rows, keys], element)))
    weights = m.add(graph.SoftmaxOp(scores, len(heads) + 1))
    return m.add(graph.MatmulOp(weights, m.operand([*own, keys, columns], element)))


def _image(m: SweptModel) -> tuple[list[int], int]:
    """The shape of images, channels last, and the size of a window that fits."""
    high, wide = m.extent(1000), m.extent(1000)
    return [m.extent(3), high, wide, m.extent(1000)], min(m.rng.choice((1, 2, 3, 5, 7)), high, wide)


def _convolution(m: SweptModel) -> SSAValue:
    element, (shape, window) = m.rng.choice(SWEPT_FLOATS), _image(m)
    channels = shape[-1]
    groups = m.rng.choice([n for n in (1, 1, 2, 4, channels) if channels % n == 0])
    filters = channels * m.rng.choice((1, 2)) if groups > 1 else m.extent(1000)
    padding, stride = m.rng.choice((0, window // 2)), m.rng.choice((1, 1, 2))
    m.words.append(f"convolution of {groups} groups, stride {stride}, padding {padding}, of")
    x, w = m.operand(shape, element), m.operand([window, window, channels // groups, filters], element)
    y = m.add(graph.Conv2dOp(x, w, (stride,) * 2, (padding,) * 4, groups=groups, layout="NHWC"))
    return m.add(graph.ReluOp(y)) if m.rng.random() < 0.5 else y


def _pooling(m: SweptModel) -> SSAValue:
    shape, window = _image(m)
    kind = m.rng.choice((graph.MaxPool2dOp, graph.AvgPool2dOp))
    stride = m.rng.choice((1, 2, window))
    m.words.append(f"{kind.name} of windows of {window}, stride {stride}, of")
    return m.add(kind(m.operand(shape, m.rng.choice(SWEPT_FLOATS)), (window,) * 2, (stride,) * 2, layout="NHWC"))


def _transposition(m: SweptModel) -> SSAValue:
    rank = m.rng.randint(2, 4)
    order = list(range(rank))
    m.rng.shuffle(order)
    m.words.append(f"transposition {order} of")
    x = m.add(graph.TransposeOp(m.operand(m.shape(rank), m.rng.choice(SWEPT_TYPES)), order))
    element = tensor_type(x).element_type
    return m.add(graph.AddOp(x, m.operand(tensor_type(x).get_shape(), element))) if element != i1 else x


def _gathering(m: SweptModel) -> SSAValue:
    """Rows at places that are data, perhaps added up; or every third element."""
    rank = m.rng.randint(1, 3)
    shape, axis = m.shape(rank), m.rng.randrange(rank)
    x = m.operand(shape, m.rng.choice((*SWEPT_FLOATS, i32, i64)))
    if m.rng.random() < 0.5:
        m.words.append(f"gathered along {axis}")
        x = m.add(graph.GatherOp(x, m.operand([m.extent(1000)], i64), axis))
    else:
        m.words.append(f"every third along {axis}")
        strides = [3 if i == axis else 1 for i in range(rank)]
        x = m.add(graph.SliceOp(x, [0] * rank, shape, strides))
    return _reduce(m, x, m.rng.choice(SWEPT_REDUCTIONS), _axes(m, rank)) if m.rng.random() < 0.7 else x


SWEPT_FAMILIES: tuple[Callable[[SweptModel], SSAValue], ...] = (
    _reduction,
    _reduction,
    _reductions_side_by_side,
    _softmax,
    _norm,
    _product,
    _product,
    _attention,
    _convolution,
    _pooling,
    _transposition,
    _gathering,
)


def drawn(number: int, seed: int = 0) -> tuple[Case, ModuleOp, CompilerContext]:
    """The case of a number, as a module."""
    rng = Random(seed * 1_000_003 + number)
    target = rng.choice(sorted({m.name for m in available_targets()} - {"native"}))
    opt_level, threads = rng.choice((HIGHEST, HIGHEST, 2)), rng.choice(THREADS)
    while True:
        m = SweptModel(rng, new_context(target))
        result = SWEPT_FAMILIES[number % len(SWEPT_FAMILIES)](m)
        if max(bytes_of(v) for op in m.block.ops for v in (*op.operands, *op.results)) <= LARGEST:
            break
    m.block.add_op(ReturnOp(result))
    signature = FunctionType.from_lists([a.type for a in m.block.args], [result.type])
    module = ModuleOp([FuncOp("main", signature, Region(m.block))])
    return Case(number, " ".join(m.words), target, opt_level, threads), module, m.ctx


def try_one(number: int, seed: int = 0) -> tuple[Case, str]:
    """Lower the case of a number to loops; what is wrong, in words, if anything is."""
    case, module, ctx = drawn(number, seed)
    os.environ[STRICT] = "1"
    try:
        for pass_ in default_passes(case.opt_level, case.threads, upto="loop"):
            pass_.run(module, ctx)
        verify(module)
    except Exception as e:  # whatever it is, no model here is wrong
        return case, f"{type(e).__name__}: {' '.join(str(e).split())[:400]}"
    return case, ""


def failures(numbers: Sequence[int], seed: int = 0, processes: int = 1) -> Iterator[tuple[Case, str]]:
    """What is wrong with the cases of these numbers, in order."""
    attempt = partial(try_one, seed=seed)
    if processes == 1:
        yield from (found for found in map(attempt, numbers) if found[1])
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from (found for found in pool.map(attempt, numbers, chunksize=16) if found[1])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; exit status 1 if something failed."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--count", type=int, default=5000, help="how many cases are tried")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args(arguments)
    numbers = range(options.first, options.first + options.count)
    failed = 0
    for case, problem in failures(numbers, options.seed, options.processes):
        failed += 1
        print(f"{case}\n    {problem}", flush=True)
    print(f"{options.count} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
