"""Random models keep their meaning: through every pass of the default pipelines, and as native code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, ModuleOp, TensorType, f32, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.compiler.compilation import new_context
from mlc.dialects import graph
from mlc.dialects.graph.types import Shape, element_of, shape_of, tensor
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.default_passes import default_passes

Array = NDArray[Any]
Run = Callable[..., list[Array]]
T = TypeVar("T")

TARGETS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64")
"""Named, so that the same examples run on every machine: vectors of 4, 8 and 16 floats."""
SMALL = 400
"""The most elements of a value that ops may enlarge."""
_UNHURRIED = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
FIXED = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=_UNHURRIED,
    phases=(Phase.generate,),  # without shrinking: to read ten ops takes less time
)

_UNARY = (
    graph.ReluOp, graph.SigmoidOp, graph.SiluOp, graph.TanhOp, graph.NegOp, graph.AbsOp, graph.ErfOp, graph.GeluOp,
)  # fmt: skip
_BINARY = (graph.AddOp, graph.SubOp, graph.MaxOp, graph.MinOp)


class _Model:
    """Makes one op after the other; no value grows without bounds, so that rounding stays rounding."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.random = np.random.default_rng(draw(st.integers(0, 2**16)))
        image = tensor((self.extent(2), self.extent(5), self.extent(7), self.extent(19)), f32)
        matrix = tensor((self.extent(5), self.extent(33)), f32)
        self.block = Block(arg_types=[image, matrix])
        self.values: list[SSAValue] = list(self.block.args)
        for _ in range(draw(st.integers(3, 10))):
            self.pick(_MAKERS)(self)

    def module(self) -> ModuleOp:
        """The function `main`, which gives the last values that have no use."""
        results = [v for v in self.values if v.first_use is None][-3:] or self.values[-1:]
        self.block.add_op(ReturnOp(*results))
        signature = FunctionType.from_lists(self.block.arg_types, [r.type for r in results])
        module = ModuleOp([FuncOp("main", signature, Region(self.block))])
        module.verify()
        return module

    def pick(self, items: Sequence[T]) -> T:
        return self.draw(st.sampled_from(items))

    def extent(self, most: int) -> int:
        return self.draw(st.integers(1, most))

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        self.values.append(op.results[0])
        return op.results[0]

    def hidden(self, op: Operation) -> SSAValue:
        """Add an op whose result only the next one uses."""
        self.block.add_op(op)
        return op.results[0]

    def value(self, fits: Callable[[Shape], bool] = lambda _: True) -> SSAValue:
        """One of the last floats whose shape fits; the image or the matrix is always a candidate."""
        floats = [v for v in self.values if element_of(v) == f32]
        return self.pick([v for v in floats if fits(shape_of(v))][-6:])

    def image(self) -> SSAValue:
        return self.value(lambda s: len(s) == 4)

    def small(self) -> SSAValue:
        return self.value(lambda s: prod(s) <= SMALL or s in (shape_of(a) for a in self.block.args))

    def constant(self, shape: Shape, least: float = -1.5, most: float = 1.5) -> SSAValue:
        """Random numbers, or one number everywhere."""
        size = prod(shape)
        numbers = self.random.uniform(least, most, 1 if self.draw(st.integers(0, 3)) == 0 else size)
        data = np.broadcast_to(numbers.astype(np.float32), size).tolist()
        return self.hidden(graph.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(f32, shape), data)))

    def narrowed(self, shape: Shape) -> Shape:
        """A shape that broadcasts to `shape`."""
        kept = shape[self.draw(st.integers(0, len(shape))) :]
        return tuple(self.pick((1, extent)) for extent in kept)


def _unary(m: _Model) -> None:
    m.add(m.pick(_UNARY)(m.value()))


def _binary(m: _Model) -> None:
    lhs = m.value()
    rhs = m.value(lambda s: s == shape_of(lhs))
    m.add(m.pick(_BINARY)(lhs, rhs))


def _gate(m: _Model) -> None:
    lhs = m.value()
    m.add(graph.MulOp(lhs, m.hidden(graph.TanhOp(m.value(lambda s: s == shape_of(lhs))))))


def _with_constant(m: _Model) -> None:
    value = m.value()
    constant = m.constant(m.narrowed(shape_of(value)))
    operands = (value, constant) if m.draw(st.booleans()) else (constant, value)
    m.add(m.pick((*_BINARY, graph.MulOp))(*operands))


def _divide(m: _Model) -> None:
    value = m.value()
    m.add(graph.DivOp(value, m.constant(m.narrowed(shape_of(value)), 0.5, 2)))


def _select(m: _Model) -> None:
    value = m.value()
    mask = m.hidden(graph.CompareOp(m.pick(("lt", "ge")), value, m.constant(m.narrowed(shape_of(value)))))
    if m.draw(st.booleans()):
        mask = m.hidden(graph.NotOp(mask))
    m.add(graph.WhereOp(mask, value, m.constant(m.narrowed(shape_of(value)))))


def _count(m: _Model) -> None:
    value = m.value(lambda s: len(s) > 0)
    mask = m.hidden(graph.CompareOp("gt", value, m.constant(())))
    total = m.add(graph.ReduceOp("sum", m.hidden(graph.CastOp(mask, i32)), [len(shape_of(value)) - 1]))
    m.add(graph.CastOp(total, f32))


def _matmul(m: _Model) -> None:
    value = m.value(lambda s: len(s) >= 2 and s[-1] <= 40)
    m.add(graph.MatmulOp(value, m.constant((shape_of(value)[-1], m.extent(20)), -0.5, 0.5)))


def _product(m: _Model) -> None:
    lhs = m.hidden(graph.TanhOp(m.value(lambda s: len(s) in (2, 4))))
    rank = len(shape_of(lhs))
    order = (*range(rank - 2), rank - 1, rank - 2)
    m.add(graph.MatmulOp(lhs, m.hidden(graph.TransposeOp(lhs, order))))


def _conv2d(m: _Model) -> None:
    layout = m.pick(("NCHW", "NHWC"))
    image = m.image()
    shape = shape_of(image)
    channels, height, width = (shape[1], *shape[2:]) if layout == "NCHW" else (shape[3], *shape[1:3])
    kernel = (m.extent(min(3, height)), m.extent(min(3, width)))
    groups = m.pick((1, channels))
    per_group, out = channels // groups, groups * m.extent(9 if groups == 1 else 2)
    weights = (out, per_group, *kernel) if layout == "NCHW" else (*kernel, per_group, out)
    padding = tuple(m.draw(st.integers(0, k - 1)) for k in (*kernel, *kernel))
    dilations = tuple(m.extent(2) if (k - 1) * 2 < e else 1 for k, e in zip(kernel, (height, width), strict=True))
    strides = (m.extent(2), m.extent(3))
    m.add(graph.Conv2dOp(image, m.constant(weights, -0.5, 0.5), strides, padding, dilations, groups, layout))


def _conv_transpose2d(m: _Model) -> None:
    layout = m.pick(("NCHW", "NHWC"))
    image = m.small()
    if len(shape_of(image)) != 4:
        return
    channels = shape_of(image)[1 if layout == "NCHW" else 3]
    kernel, strides, dilations = ((m.extent(most), m.extent(most)) for most in (4, 3, 2))
    groups = m.pick((1, channels))
    out = m.extent(9 if groups == 1 else 2)
    weights = (channels, out, *kernel) if layout == "NCHW" else (*kernel, channels, out)
    padding = tuple(m.draw(st.integers(0, min(k - 1, 1))) for k in (*kernel, *kernel))
    spatial = shape_of(image)[2:] if layout == "NCHW" else shape_of(image)[1:3]
    if min(spatial) == 1:
        padding = (0, 0, 0, 0)
    more = (m.draw(st.integers(0, strides[0] - 1)), m.draw(st.integers(0, strides[1] - 1)))
    constant = m.constant(weights, -0.5, 0.5)
    m.add(graph.ConvTranspose2dOp(image, constant, strides, padding, more, dilations, groups, layout))


def _pool(m: _Model) -> None:
    layout = m.pick(("NCHW", "NHWC"))
    image = m.image()
    spatial = shape_of(image)[2:] if layout == "NCHW" else shape_of(image)[1:3]
    kernel = (m.extent(min(3, spatial[0])), m.extent(min(3, spatial[1])))
    padding = tuple(m.draw(st.integers(0, k - 1)) for k in (*kernel, *kernel))
    strides = (m.extent(2), m.extent(2))
    if m.draw(st.booleans()):
        m.add(graph.MaxPool2dOp(image, kernel, strides, padding, layout=layout))
    else:
        m.add(
            graph.AvgPool2dOp(image, kernel, strides, padding, count_include_pad=m.draw(st.booleans()), layout=layout)
        )


def _batch_norm(m: _Model) -> None:
    value = m.value(lambda s: len(s) > 0)
    axis = m.pick(range(len(shape_of(value))))
    channels = (shape_of(value)[axis],)
    scale, bias, mean = (m.constant(channels) for _ in range(3))
    m.add(graph.BatchNormOp(value, scale, bias, mean, m.constant(channels, 0.5, 2), axis))


def _layer_norm(m: _Model) -> None:
    value = m.value(lambda s: len(s) > 0)
    axis = m.pick(range(len(shape_of(value))))
    shape = shape_of(value)[axis:]
    m.add(graph.LayerNormOp(value, m.constant(shape), m.constant(shape), axis, epsilon=0.1))


def _rms_norm(m: _Model) -> None:
    value = m.value(lambda s: len(s) > 0)
    axis = m.pick(range(len(shape_of(value))))
    m.add(graph.RmsNormOp(value, m.constant(shape_of(value)[axis:]), axis, epsilon=0.1))


def _group_norm(m: _Model) -> None:
    value = m.value(lambda s: len(s) > 1)
    axis = m.pick(range(1, len(shape_of(value))))
    channels = shape_of(value)[axis]
    groups = m.pick([n for n in range(1, channels + 1) if channels % n == 0])
    scale, bias = m.constant((channels,)), m.constant((channels,))
    m.add(graph.GroupNormOp(value, scale, bias, groups, axis, epsilon=0.1))


def _positions(m: _Model, extent: int, shape: Shape) -> SSAValue:
    """A constant of places along an axis of `extent`."""
    numbers = m.random.integers(-extent, extent, prod(shape)).tolist()
    return m.hidden(graph.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(i64, shape), numbers)))


def _gather(m: _Model) -> None:
    value = m.small()
    shape = shape_of(value)
    if shape:
        axis = m.pick(range(len(shape)))
        m.add(graph.GatherOp(value, _positions(m, shape[axis], (m.extent(4),)), axis))


def _placed(m: _Model) -> None:
    """Reads at places of the point's own batch, or along the first axis, and puts what is there at others."""
    value = m.small()
    shape = shape_of(value)
    if not shape:
        return
    own = [0] if len(shape) > 1 and m.draw(st.booleans()) else []
    axis = len(own)
    points = (*shape[:axis], m.extent(5), 1)
    found = m.add(graph.GatherNdOp(value, _positions(m, shape[axis], points), [axis], own))
    kind = m.pick(("set", "add", "max", "min"))
    m.add(graph.ScatterNdOp(kind, value, _positions(m, shape[axis], points), found, [axis], own))


def _softmax(m: _Model) -> None:
    value = m.value(lambda s: len(s) > 0)
    m.add(graph.SoftmaxOp(value, m.pick(range(len(shape_of(value))))))


def _reduce(m: _Model) -> None:
    value = m.value(lambda s: len(s) > 0)
    axes = sorted(m.draw(st.sets(st.integers(0, len(shape_of(value)) - 1), min_size=1)))
    m.add(graph.ReduceOp(m.pick(("sum", "mean", "max", "min")), value, axes, m.draw(st.booleans())))


def _reshape(m: _Model) -> None:
    value = m.value()
    shape = shape_of(value)
    if len(shape) > 1 and m.draw(st.booleans()):
        at = m.draw(st.integers(0, len(shape) - 2))
        m.add(graph.ReshapeOp(value, (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :])))
    elif len(shape) < 5:
        at = m.draw(st.integers(0, len(shape)))
        m.add(graph.ReshapeOp(value, (*shape[:at], 1, *shape[at:])))


def _transpose(m: _Model) -> None:
    value = m.value()
    m.add(graph.TransposeOp(value, m.draw(st.permutations(range(len(shape_of(value)))))))


def _concat(m: _Model) -> None:
    value = m.small()
    shape = shape_of(value)
    if shape:
        others = [v for v in m.values if shape_of(v) == shape and element_of(v) == f32]
        m.add(graph.ConcatOp([value, m.pick(others), m.constant(shape)], m.pick(range(len(shape)))))


def _slice(m: _Model) -> None:
    value = m.value()
    starts = [m.draw(st.integers(0, e - 1)) for e in shape_of(value)]
    ends = [m.draw(st.integers(s + 1, e)) for s, e in zip(starts, shape_of(value), strict=True)]
    m.add(graph.SliceOp(value, starts, ends, [m.extent(2) for _ in starts]))


def _pad(m: _Model) -> None:
    value = m.small()
    low, high = ([m.draw(st.integers(0, 1)) for _ in shape_of(value)] for _ in range(2))
    m.add(graph.PadOp(value, low, high, 0.5))


_MAKERS: list[Callable[[_Model], None]] = [
    _unary, _unary, _binary, _binary, _gate, _with_constant, _with_constant, _divide, _select, _count, _matmul, _matmul,
    _product, _conv2d, _conv2d, _conv2d, _conv_transpose2d, _pool, _batch_norm, _batch_norm, _layer_norm, _rms_norm,
    _group_norm, _softmax, _reduce, _reshape, _transpose, _concat, _slice, _pad, _gather, _placed,
]  # fmt: skip


@dataclass(frozen=True, repr=False)
class Drawn:
    """A module, which reports show as text: the fields of its ops are megabytes."""

    module: ModuleOp

    def __repr__(self) -> str:
        return str(self.module)


@st.composite
def models(draw: st.DrawFn) -> Drawn:
    """Graph modules of 3 to 10 ops."""
    return Drawn(_Model(draw).module())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("number", "target"), list(enumerate(TARGETS)))
def test_every_pass_keeps_the_meaning(number: int, target: str) -> None:
    """Other models for each target, so that processes can share the work."""

    @seed(number)
    @settings(FIXED, derandomize=False, max_examples=5)
    @given(drawn=models(), opt_level=st.sampled_from((3, 3, 2, 1, 0)))
    def each_pass(drawn: Drawn, opt_level: int) -> None:
        module, ctx = drawn.module, new_context(target)
        checker = EquivalenceChecker(ctx)
        checker.start(module)
        for pass_ in default_passes(opt_level, threads=2, upto="loop"):
            pass_.run(module, ctx)
            module.verify()
            checker.check(pass_.name, module, pass_.rounding)
            assert not checker.skipped

    each_pass()


@settings(FIXED, max_examples=4)
@given(drawn=models(), opt_level=st.sampled_from((3, 3, 3, 0)))
def test_native_code_agrees_with_the_reference(drawn: Drawn, opt_level: int, run_compiled: Run) -> None:
    module = drawn.module
    checker = EquivalenceChecker(new_context())
    checker.start(module)
    inputs = checker.inputs_of("main")
    assert inputs is not None
    checker.compare_outputs("native code", "main", run_compiled(module, inputs, opt_level=opt_level))
