"""Random matrix products and convolutions agree with the reference, on vectors of every width.

A model holds several contractions, each with operations before and after it that belong in its kernel. What they
compute may differ from the reference by what the rounding of a sum explains: two sums of `n` products, in any orders,
differ by at most `n * epsilon` times the sum of the products' magnitudes (Higham, Accuracy and Stability of Numerical
Algorithms, 2002, section 3.1), which is what the reference gives for the magnitudes of all inputs. Integers are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, cast

import numpy as np
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, ModuleOp, TensorType, f32, f64, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import Shape, shape_of, tensor
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import to_numpy
from mlc.support.resources import Resources

Array = NDArray[Any]
Run = Callable[..., list[Array]]

_UNHURRIED = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
FIXED = settings(derandomize=True, database=None, deadline=None, suppress_health_check=_UNHURRIED)

CONTRACTIONS_PER_MODEL = 6
_EPILOGUE_ROUNDINGS = 4
"""Additions and conversions behind the sum."""


@dataclass(frozen=True)
class Contraction:
    """A matrix product or a convolution with what stands around it."""

    op: Callable[..., Operation]
    shapes: tuple[Shape, Shape]
    """Of the left operand and of the right one, which are the weights, as the op takes them."""
    terms: int
    """How many products one element of the result sums up."""
    channel: int
    """The dim of the result, from the end, that a bias goes along."""
    element: Attribute
    options: dict[str, Any]
    stored: tuple[tuple[int, ...] | None, tuple[int, ...] | None] = (None, None)
    """For each operand, the permutation of dims in which it is stored, if it has to be transposed first."""
    weights_known: bool = False
    """Whether the weights are a constant."""
    epilogue: tuple[str, ...] = ()


@dataclass
class _Builder:
    """A function that gives the results of contractions, one after the other."""

    weights_known: bool
    """Whether weights may be constants; if not, all of them are inputs."""
    random: np.random.Generator
    block: Block = field(default_factory=Block)
    inputs: list[Array] = field(default_factory=list[Array])

    def module(self, contractions: Sequence[Contraction]) -> ModuleOp:
        results = [self._add(c) for c in contractions]
        self.block.add_op(ReturnOp(*results))
        signature = FunctionType.from_lists(self.block.arg_types, [r.type for r in results])
        module = ModuleOp([FuncOp("main", signature, Region(self.block))])
        module.verify()
        return module

    def _add(self, c: Contraction) -> SSAValue:
        left = self._operand(c, 0, known=False)
        value = self._put(c.op(left, self._operand(c, 1, known=c.weights_known), **c.options))
        for step in c.epilogue:
            value = self._epilogue(step, value, c)
        return value

    def _operand(self, c: Contraction, number: int, known: bool) -> SSAValue:
        shape, stored = c.shapes[number], c.stored[number]
        if stored is None:
            return self._tensor(shape, c.element, known)
        value = self._tensor(tuple(shape[i] for i in stored), c.element, known)
        return self._put(graph.TransposeOp(value, [stored.index(i) for i in range(len(stored))]))

    def _epilogue(self, step: str, value: SSAValue, c: Contraction) -> SSAValue:
        match step:
            case "bias":
                shape = shape_of(value)[c.channel :]
                bias = self._tensor((shape[0], *(1 for _ in shape[1:])), c.element, c.weights_known)
                return self._put(graph.AddOp(value, bias))
            case "residual":
                return self._put(graph.AddOp(self._tensor(shape_of(value), c.element, known=False), value))
            case _:
                return self._put(graph.ReluOp(value))

    def _tensor(self, shape: Shape, element: Attribute, known: bool) -> SSAValue:
        dtype, type = to_numpy(element), cast("TensorType[Any]", tensor(shape, element))
        integer = np.issubdtype(dtype, np.integer)
        numbers = self.random.integers(-99, 100, shape) if integer else self.random.standard_normal(shape)
        array = np.asarray(numbers).astype(dtype)
        if known and self.weights_known:
            return self._put(graph.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, array.ravel().tolist())))
        self.inputs.append(array)
        return self.block.insert_arg(type, len(self.block.args))

    def _put(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]


_extents = st.one_of(st.integers(1, 9), st.sampled_from((15, 16, 17, 31, 33, 40, 65, 97)))
"""Short ones, and those at the ends of vectors and register tiles."""


def _around(draw: st.DrawFn) -> dict[str, Any]:
    steps = [step for step in ("bias", "residual", "relu") if draw(st.booleans())]
    return {
        "element": draw(st.sampled_from((f32, f32, f32, f64, i32))),
        "weights_known": draw(st.booleans()),
        "epilogue": tuple(draw(st.permutations(steps))),
    }


@st.composite
def matmuls(draw: st.DrawFn) -> Contraction:
    m, n, k = (draw(_extents) for _ in range(3))
    batch = tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    shapes = (*_narrowed(draw, batch), m, k), (*_narrowed(draw, batch), k, n)
    stored = tuple(_last_two_swapped(shape) if draw(st.integers(0, 2)) == 0 else None for shape in shapes)
    return Contraction(graph.MatmulOp, shapes, k, -1, options={}, stored=(stored[0], stored[1]), **_around(draw))


def _narrowed(draw: st.DrawFn, batch: Shape) -> Shape:
    """A shape that broadcasts to `batch`."""
    return tuple(draw(st.sampled_from((1, extent))) for extent in batch[draw(st.integers(0, len(batch))) :])


def _last_two_swapped(shape: Shape) -> tuple[int, ...]:
    rank = len(shape)
    return (*range(rank - 2), rank - 1, rank - 2)


@st.composite
def convolutions(draw: st.DrawFn, transposed: bool) -> Contraction:
    layout = draw(st.sampled_from(("NCHW", "NHWC")))
    groups = draw(st.sampled_from((1, 1, 1, 2, 3)))
    taken, given = draw(st.integers(1, 9)), draw(_extents)
    if draw(st.integers(0, 3)) == 0:  # depthwise
        groups, taken, given = draw(_extents), 1, draw(st.sampled_from((1, 1, 2)))
    kernel = draw(st.sampled_from(((1, 1), (3, 3), (2, 3), (1, 2), (5, 5), (7, 7))))
    strides, dilations = (tuple(draw(st.sampled_from((1, 1, 2, 3))) for _ in range(2)) for _ in range(2))
    reach = [(taps - 1) * dilation + 1 for taps, dilation in zip(kernel, dilations, strict=True)]
    padding = tuple(draw(st.integers(0, min(3, reach[i % 2] - 1))) for i in range(4))
    options: dict[str, Any] = {
        "strides": strides,
        "padding": padding,
        "dilations": dilations,
        "groups": groups,
        "layout": layout,
    }
    least = 3 if transposed else max(reach)
    most = draw(st.sampled_from((6, 6, 6, 40)))  # rows that a register tile holds, and longer ones
    size = tuple(least + draw(st.integers(0, most)) for _ in range(2))
    images, channels = draw(st.integers(1, 2)), groups * taken
    if transposed:
        options["output_padding"] = tuple(draw(st.integers(0, max(strides[i], dilations[i]) - 1)) for i in range(2))
        weights, last = (channels, given, *kernel), (*kernel, channels, given)
    else:
        weights, last = (groups * given, taken, *kernel), (*kernel, taken, groups * given)
    op = graph.ConvTranspose2dOp if transposed else graph.Conv2dOp
    shapes = ((images, channels, *size), weights) if layout == "NCHW" else ((images, *size, channels), last)
    channel = -3 if layout == "NCHW" else -1
    return Contraction(op, shapes, taken * prod(kernel), channel, options=options, **_around(draw))


_contractions = st.one_of(matmuls(), convolutions(transposed=False), convolutions(transposed=True))
_models = st.lists(_contractions, min_size=1, max_size=CONTRACTIONS_PER_MODEL)


def _references(contractions: Sequence[Contraction]) -> Iterator[list[Array]]:
    """The outputs for the inputs themselves, and for their magnitudes."""
    builder = _Builder(False, np.random.default_rng(0))
    module = builder.module(contractions)
    for inputs in (builder.inputs, [np.abs(a) for a in builder.inputs]):
        yield run_function(module, "main", inputs, Resources())


def check(contractions: Sequence[Contraction], target: str, run_compiled: Run) -> None:
    """Compile the contractions for `target`, run them, and compare with the reference.

    Raises:
        AssertionError: they differ by more than rounding explains.
    """
    expected, magnitudes = _references(contractions)
    builder = _Builder(True, np.random.default_rng(0))
    module = builder.module(contractions)
    found = run_compiled(module, builder.inputs, target=target)
    for c, got, want, size in zip(contractions, found, expected, magnitudes, strict=True):
        if np.issubdtype(want.dtype, np.integer):
            wrong = got != want
        else:
            allowed = (c.terms + _EPILOGUE_ROUNDINGS) * np.finfo(want.dtype).eps * size
            wrong = ~(np.abs(got - want) <= allowed)
        assert not wrong.any(), f"{int(wrong.sum())} of {wrong.size} elements at {np.argwhere(wrong)[0]}...: {c}"


def _property(target: str, examples: int) -> Callable[..., None]:
    @settings(FIXED, max_examples=examples)
    @given(contractions=_models)
    def test(contractions: list[Contraction], run_compiled: Run) -> None:
        note("\n".join(map(str, contractions)))
        check(contractions, target, run_compiled)

    return test


test_native = _property("native", 5)
test_vectors_of_4 = _property("x86-64-v2", 4)
test_vectors_of_8 = _property("x86-64-v3", 4)
test_vectors_of_16 = _property("x86-64-v4", 4)
test_arm = _property("aarch64", 2)
