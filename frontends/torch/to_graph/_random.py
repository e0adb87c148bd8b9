"""Operators that draw random numbers: of the distribution that torch says, by a generator that has no state.

All draws of a graph have one seed, an argument that is marked `aten.seed`, and a number each. Without such an argument
they are refused.
"""

from __future__ import annotations

from math import pi

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, f32, f64, i1, i64
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.aten.effects import SEED
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.random_numbers import Stream
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.support.dtypes import SHORT_FLOATS, most_of, unsigned
from mlc.support.functions import marks_of

_DIGITS: dict[Attribute, int] = {f32: 24, f64: 53}
"""Up to which power of two a float holds all integers; torch draws these by default."""


def stream(b: Call) -> Stream:
    """A stream for one draw.

    Raises:
        Unconvertible: there is no seed.
    """
    function = b.op.parent_op()
    if not isinstance(function, func.FuncOp):
        raise Unconvertible("it draws random numbers in a branch or a loop, where there is no seed")
    marks = marks_of(function.args, function.arg_attrs)
    seeds = [value for value, mark in zip(function.args, marks, strict=True) if SEED in mark]
    if not seeds:
        raise Unconvertible("it draws random numbers, which torch's own generator does")
    number = b.knowledge.unseeded
    b.knowledge.unseeded += 1
    return Stream(b, b(graph.BitcastOp, seeds[0], unsigned(i64)), high=number)


def _uniform(b: Call) -> SSAValue:
    """Floats from [0, 1), of the shape of the result."""
    return stream(b).uniform(b.shape(), b.element())


def _normal(b: Call) -> SSAValue:
    return stream(b).normal(b.shape(), b.element())


@converts("rand", "rand_like")
def rand(b: Call) -> Results:
    """Floats from 0 up to, not including, 1, uniformly."""
    return _uniform(b)


@converts("randn", "randn_like")
def randn(b: Call) -> Results:
    """Floats with the standard normal distribution."""
    return _normal(b)


@converts("uniform")
def uniform(b: Call, to: float) -> Results:
    """`from` is a word of Python's own."""
    start = b.op.arguments()["from"]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    return _moved(b, _uniform(b), start, to - start)  # pyright: ignore[reportUnknownArgumentType]


@converts(
    "normal_functional", "normal.Tensor_float", "normal.float_Tensor", "normal.Tensor_Tensor", "normal.float_float"
)
def normal(b: Call, mean: SSAValue | float, std: SSAValue | float) -> Results:
    """Floats with a normal distribution of a mean and a deviation, tensors or numbers."""
    return _moved(b, _normal(b), mean, std)


def _moved(b: Call, x: SSAValue, start: SSAValue | float, factor: SSAValue | float) -> SSAValue:
    return b.add(b.mul(x, b.tensor(factor)), b.tensor(start))


@converts("exponential")
def exponential(b: Call, lambd: float) -> Results:
    """`-log(1 - u) / lambda`."""
    return b.scaled(_of_exponential(b, b.shape(), b.element()), 1 / lambd)


def _of_exponential(b: Call, shape: tuple[int, ...], element: Attribute) -> SSAValue:
    return b.minus(b(graph.Log1pOp, b.minus(stream(b).uniform(shape, element))))


@converts("log_normal")
def log_normal(b: Call, mean: float, std: float) -> Results:
    """Exponentials of floats with a normal distribution of a mean and a deviation."""
    return b(graph.ExpOp, _moved(b, _normal(b), mean, std))


@converts("cauchy")
def cauchy(b: Call, median: float, sigma: float) -> Results:
    """`tan(pi (u - 1/2))`."""
    u = _uniform(b)
    return _moved(b, b(graph.TanOp, b.scaled(b.sub(u, b.number(0.5, u)), pi)), median, sigma)


@converts("bernoulli", "bernoulli.p", "bernoulli.Tensor")
def bernoulli(b: Call, self: SSAValue, p: SSAValue | float | None = None) -> Results:
    """1 with the probability `p`, a number or a tensor, or by default the element of `self`; else 0."""
    if isinstance(p, float | int):
        element = b.element() if b.element() in (*_DIGITS, *SHORT_FLOATS) else f32
        chance = b.splat(p, (1,) * len(b.shape()), element)
    else:
        chance = self if p is None else p
        chance = b.cast(chance, f32) if isinstance(element_of(chance), IntegerType) else chance
    return stream(b).bernoulli(chance, b.shape())


@converts("randint", "randint.low", "randint_like", "randint_like.low_dtype", "random", "random.from", "random.to")
def randint(b: Call, high: int | None = None, low: int = 0, to: int | None = None) -> Results:
    """64 random bits modulo the number of integers, as torch does it."""
    start = b.op.arguments().get("from", low)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    end = high if high is not None else to
    if end is None:
        element = b.element()
        end = 2 if element == i1 else 1 << _DIGITS[element] if element in _DIGITS else int(most_of(element))
        end += element in _DIGITS
    bits = stream(b).bits(b.shape(), unsigned(i64))
    count = b.constant(np.array(end - start, np.uint64), unsigned(i64))  # pyright: ignore[reportUnknownArgumentType]
    drawn = b.cast(b(graph.ModOp, bits, count), i64)
    return b.add(drawn, b.constant(int(start)))  # pyright: ignore[reportUnknownArgumentType]


@converts("randperm")
def randperm(b: Call) -> Results:
    """The order of as many random numbers."""
    (count,) = b.shape()
    if not count:
        return b.splat(0, b.shape(), b.element())
    return b(graph.ArgsortOp, stream(b).bits((count,), unsigned(i64)), 0, False, count)


@converts("multinomial")
def multinomial(b: Call, self: SSAValue, num_samples: int, replacement: bool) -> Results:
    """The places of the largest `p / e`, for exponentially distributed `e`: of one for each sample, or, without
    replacement, of all samples together (Efraimidis and Spirakis, 2006)."""
    *front, count = shape_of(self)
    p = b.widened(self)
    below = b.compare("lt", p, b.number(0, p))
    no_number = b.compare("ne", b.sub(p, p), b.number(0, p))  # infinite or NaN
    b.require_none(b(graph.OrOp, below, no_number), "a probability is negative, infinite or NaN")
    if not replacement or num_samples == 1:
        chances = b.div(p, _of_exponential(b, shape_of(p), element_of(p)))
        return b(graph.ArgsortOp, chances, len(front), True, num_samples)
    drawn = _of_exponential(b, (*front, num_samples, count), element_of(p))
    return b(graph.ArgMaxOp, b.div(b.unsqueeze(p, [len(front)]), drawn), len(front) + 1, False)


@converts("rrelu_with_noise_functional")
def rrelu(b: Call, self: SSAValue, lower: Scalar, upper: Scalar, training: bool, noise: SSAValue) -> Results:
    """Slopes below 0 are uniform in training, else their mean; the second result has them, and 1 elsewhere."""
    below = b.compare("le", self, b.number(0, self))
    if not training:
        slope = b.number((lower + upper) / 2, self)
        return [b.where(b.compare("lt", self, b.number(0, self)), b.mul(self, slope), self), noise]
    slopes = b.where(below, _moved(b, _uniform(b), float(lower), float(upper - lower)), b.number(1, self))
    return [b.mul(self, slopes), slopes]
