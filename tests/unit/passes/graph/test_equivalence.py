"""Passes on random models: the result verifies, computes the same numbers, and needs no second run."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseResourceAttr, FunctionType, ModuleOp, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import Shape, shape_of, tensor, times
from mlc.pass_manager.base import Pass
from mlc.pass_manager.options import parse_passes
from mlc.reference.interpreter import run_function
from mlc.support.context import CompilerContext

_T = TypeVar("_T")
_UNARY = (graph.ReluOp, graph.SigmoidOp, graph.TanhOp, graph.NegOp, graph.AbsOp)
_BINARY = (graph.AddOp, graph.SubOp, graph.MulOp, graph.MaxOp, graph.MinOp)
PIPELINE = (
    "canonicalize", "shrink-windows", "fold-batch-norm", "convert-layout", "fold-constants", "cse", "dce",
    "hoist-from-scans", "where-to-if", "merge-products{least-gain=0}", "hoist-padding", "fuse",
)  # fmt: skip


class RandomModel:
    """A module whose function `main` applies random ops to an image, small enough for NumPy."""

    def __init__(self, seed: int, ops: int = 25) -> None:
        self.random = np.random.default_rng(seed)
        self.ctx = CompilerContext()
        image = tensor((self.pick((1, 2)), self.pick((1, 3, 4)), 6, self.pick((1, 6))), f32)
        self.block = Block(arg_types=[image])
        self.values: list[SSAValue] = [self.block.args[0]]
        makers = [
            self.unary,
            self.binary,
            self.binary,
            self.constant_binary,
            self.constant_binary,
            self.select,
        ]
        makers += [
            self.conv,
            self.conv,
            self.pool,
            self.batch_norm,
            self.batch_norm,
            self.concat,
            self.transpose,
        ]
        makers += [self.reduce, self.reshape, self.matmul, self.cut, self.pad, self.softmax]
        for _ in range(ops):
            self.pick(makers)()
        results = [v for v in self.values if v.first_use is None][-4:]
        self.block.add_op(ReturnOp(*results))
        signature = FunctionType.from_lists([image], [r.type for r in results])
        self.module = ModuleOp([FuncOp("main", signature, Region(self.block))])
        self.inputs = [self.data(image.get_shape())]

    def outputs(self) -> list[NDArray[Any]]:
        return run_function(self.module, "main", self.inputs, self.ctx.resources)

    def pick(self, items: list[_T] | tuple[_T, ...]) -> _T:
        return items[int(self.random.integers(len(items)))]

    def data(self, shape: Shape) -> NDArray[np.float32]:
        return self.random.standard_normal(shape).astype(np.float32)

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        self.values.append(op.results[0])
        return op.results[0]

    def value(self, rank: int | None = None) -> SSAValue:
        """Some value, of this rank if there is one, rather a late one; it is small enough to go on with."""
        fitting = [v for v in self.values if rank is None or len(shape_of(v)) == rank]
        return self.pick((fitting or self.values[:1])[-6:])

    def image(self) -> SSAValue:
        value = self.value(4)
        return value if len(shape_of(value)) == 4 else self.values[0]

    def constant(self, shape: Shape, positive: bool = False) -> SSAValue:
        data = np.abs(self.data(shape)) + 0.5 if positive else self.data(shape)
        name = self.ctx.resources.add(data.astype(np.float32), times(shape))
        op = graph.ConstantOp(DenseResourceAttr.from_params(name, tensor(shape, f32)))
        self.block.add_op(op)
        return op.result

    def unary(self) -> None:
        self.add(self.pick(_UNARY)(self.value()))

    def binary(self) -> None:
        lhs = self.value()
        fitting = [v for v in self.values if shape_of(v) == shape_of(lhs)]
        self.add(self.pick(_BINARY)(lhs, self.pick(fitting)))

    def constant_binary(self) -> None:
        lhs = self.value()
        shape = shape_of(lhs)[self.pick((0, 1)) :]
        shape = tuple(self.pick((1, extent)) for extent in shape)
        self.add(self.pick(_BINARY)(lhs, self.constant(shape)))

    def select(self) -> None:
        lhs = self.value()
        mask = graph.CompareOp(self.pick(("lt", "ge")), lhs, self.constant(()))
        self.block.add_op(mask)
        self.add(graph.WhereOp(mask, lhs, self.constant((1,))))

    def conv(self) -> None:
        image = self.image()
        channels = shape_of(image)[1]
        groups = self.pick((1, channels))
        weights = self.constant((groups * self.pick((1, 2)), channels // groups, 3, self.pick((1, 3))))
        self.add(graph.Conv2dOp(image, weights, (self.pick((1, 2)), 1), (2, 0, 2, 2), groups=groups)) if shape_of(
            weights
        )[3] == 3 else self.add(graph.Conv2dOp(image, weights, padding=(1, 0, 1, 0), groups=groups))

    def pool(self) -> None:
        image = self.image()
        cls = self.pick((graph.MaxPool2dOp, graph.AvgPool2dOp))
        self.add(cls(image, (2, 2), padding=(1, 1, 0, 1)))

    def batch_norm(self) -> None:
        image = self.image()
        channels = (shape_of(image)[1],)
        scale, bias, mean = (self.constant(channels) for _ in range(3))
        self.add(graph.BatchNormOp(image, scale, bias, mean, self.constant(channels, positive=True)))

    def concat(self) -> None:
        lhs = self.image()
        fitting = [v for v in self.values if shape_of(v) == shape_of(lhs)]
        if np.prod(shape_of(lhs)) < 1000:
            self.add(graph.ConcatOp([lhs, self.pick(fitting)], self.pick((1, 2))))

    def transpose(self) -> None:
        value = self.value()
        self.add(graph.TransposeOp(value, self.random.permutation(len(shape_of(value))).tolist()))

    def reshape(self) -> None:
        value = self.value()
        shape = shape_of(value)
        if len(shape) > 1:
            self.add(graph.ReshapeOp(value, (*shape[:-2], shape[-2] * shape[-1])))
        else:
            self.add(graph.ReshapeOp(value, (1, *shape, 1, 1)))

    def reduce(self) -> None:
        value = self.value()
        rank = len(shape_of(value))
        axes = sorted(self.random.permutation(rank)[: self.pick((1, 2))].tolist())
        if rank > 2:
            self.add(graph.ReduceOp(self.pick(("sum", "mean", "max")), value, axes, bool(self.pick((0, 1)))))

    def matmul(self) -> None:
        value = self.value(2)
        if len(shape_of(value)) >= 2:
            self.add(graph.MatmulOp(value, self.constant((shape_of(value)[-1], 5))))

    def cut(self) -> None:
        value = self.value()
        shape = shape_of(value)
        starts = [self.pick((0, min(1, e - 1))) for e in shape]
        self.add(graph.SliceOp(value, starts, shape, [self.pick((1, 1, 2)) for _ in shape]))

    def pad(self) -> None:
        value = self.value()
        rank = len(shape_of(value))
        low, high = ([self.pick((0, 0, 1)) for _ in range(rank)] for _ in range(2))
        if np.prod(shape_of(value)) < 500:
            self.add(graph.PadOp(value, low, high, 0.5))

    def softmax(self) -> None:
        value = self.value()
        if shape_of(value):
            self.add(graph.SoftmaxOp(value, self.pick(tuple(range(len(shape_of(value)))))))


def _check(model: RandomModel, names: tuple[str, ...]) -> None:
    model.module.verify()
    expected = model.outputs()
    for name in names:
        _pass(name).run(model.module, model.ctx)
        model.module.verify()
    for found, needed in zip(model.outputs(), expected, strict=True):
        np.testing.assert_allclose(found, needed, rtol=1e-3, atol=1e-3 * max(1.0, float(np.abs(needed).max())))


def _pass(name: str) -> Pass:
    (found,) = parse_passes(name)
    return found


@pytest.mark.parametrize("name", PIPELINE)
def test_pass_keeps_meaning(name: str) -> None:
    for seed in range(6):
        _check(RandomModel(seed), (name,))


def test_pipeline_keeps_meaning() -> None:
    for seed in range(100, 110):
        _check(RandomModel(seed), PIPELINE)


@pytest.mark.parametrize("name", PIPELINE)
def test_second_run_changes_nothing(name: str) -> None:
    for seed in range(200, 204):
        model = RandomModel(seed)
        _pass(name).run(model.module, model.ctx)
        once = str(model.module)
        _pass(name).run(model.module, model.ctx)
        assert str(model.module) == once
