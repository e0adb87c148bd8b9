"""Random numbers: of a counter-based generator, whose key is the seed of the node.

A model gives the same numbers each time that it runs. A node without a seed gets a key of its own, from how many such
nodes there are before it, so that two of them give different numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import AnyFloat, i1, i32
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx import TYPES_BY_NUMBER
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.open_shapes import require_fixed
from mlc.frontends.operators.random_numbers import Stream
from mlc.frontends.operators.refusal import Unconvertible
from mlc.support.dtypes import computing_type, to_numpy


def stream_of(b: Node) -> Stream:
    """The random bits of a node. Seeds are floats, of 32 bits, so that keys beyond that are those of other nodes.

    Raises:
        Unconvertible: it is computed several times, and would give the same numbers each time.
    """
    if b.knowledge.repeated:
        raise Unconvertible(
            "it stands in the body of a loop, where each step would draw the same numbers; draw those of all steps "
            "before the loop, and let each take a row"
        )
    seed = b.attribute("seed")
    if seed is not None:
        return Stream(b, int(np.float32(seed).view(np.uint32)))
    b.knowledge.unseeded += 1
    return Stream(b, b.knowledge.unseeded << 32)


@converts("RandomUniform", "RandomUniformLike")
def random_uniform(b: Node) -> Results:
    """From `low` up to, not including, `high`."""
    shape, element = _wanted(b)
    low, high = b.float("low", 0.0), b.float("high", 1.0)
    found = stream_of(b).uniform(shape, element)
    if (low, high) == (0.0, 1.0):
        return found
    found = b.add(b.mul(found, b.number(high - low, found)), b.number(low, found))
    if high <= low:
        return found
    # A sum may be rounded up to the limit.
    number = to_numpy(element).type
    return b(graph.MinOp, found, b.number(float(np.nextafter(number(high), number(low))), found))


@converts("RandomNormal", "RandomNormalLike")
def random_normal(b: Node) -> Results:
    """With a mean, and a standard deviation, which is `scale`."""
    shape, element = _wanted(b)
    kind = computing_type(element)
    found = stream_of(b).normal(shape, kind)
    mean, scale = b.float("mean", 0.0), b.float("scale", 1.0)
    if (mean, scale) != (0.0, 1.0):
        found = b.add(b.mul(found, b.number(scale, found)), b.number(mean, found))
    return b.cast(found, element)


@converts("Bernoulli")
def bernoulli(b: Node) -> Results:
    """1 with the probability that is the element of the operand, else 0."""
    number = b.attribute("dtype")
    element = b.element() if number is None else _type_by(number)
    return b.cast(stream_of(b).bernoulli(b[0]), element)


@converts("Multinomial")
def multinomial(b: Node) -> Results:
    """Classes with the logarithms of their probabilities, up to a constant, in rows: the first class up to which these
    add up to more than a uniform part of their sum."""
    rows, classes = b.shape()
    element, samples = _type_by(b.int("dtype", 6)), b.int("sample_size", 1)
    if not classes:
        raise Unconvertible("there are no classes to draw from")
    x = b.widened(b[0])
    weights = b(graph.ExpOp, b.sub(x, b.reduce("max", x, [1], keepdims=True)))
    scan = ScanWriter(b, classes)
    below = scan.carry(b.splat(0, (rows,), element_of(x)))
    upto = scan.inside.add(below, scan.row(b.transpose(weights, (1, 0))))
    last, limits = scan.finish([upto], [upto])
    drawn = stream_of(b).uniform((samples, rows), element_of(x))
    drawn = b.reshape(b.mul(drawn, last), (samples, 1, rows))
    passed = b.reduce("sum", b.cast(b.compare("le", limits, drawn), i32), [1])
    return b.cast(b.transpose(passed, (1, 0)), element)


@converts("Dropout", bounded=True)
def dropout(b: Node) -> Results:
    """At inference its operand, and a mask that keeps everything. In training elements become 0 with the probability
    `ratio`, the others as much larger as keeps their mean."""
    x = b[0]
    if not b.has(2) or not bool(b.known(2)):
        return [x, _everything(b)]
    require_fixed(b, x, "what elements are dropped of")
    ratio = b.reshape(b[1], ()) if b.has(1) else b.constant(0.5)
    known = b.knowledge.array(ratio)
    if known is not None and not known:
        return [x, _everything(b)]
    ratio = b.widened(ratio)
    kept = b.sub(b.number(1, ratio), ratio)
    mask = stream_of(b).bernoulli(kept, b.shape())
    scale = b.cast(b.div(b.number(1, kept), kept), computing_type(element_of(x)))
    larger = b.cast(b.mul(b.cast(x, element_of(scale)), scale), element_of(x))
    return [b.where(mask, larger, b.number(0, x)), mask]


def _everything(b: Node) -> SSAValue | None:
    return b.bounded(b.splat(1, b.shape(), i1), b.knowledge.extents.get(b[0], {})) if b.wants(1) else None


def _wanted(b: Node) -> tuple[Sequence[int], Attribute]:
    """The shape and the element type of the result: those of the operand where there is one, and no `dtype`.

    Raises:
        Unconvertible: the elements are not floats.
    """
    number = b.attribute("dtype")
    is_like = bool(b.op.operands)
    element = b.element() if is_like and number is None else _type_by(1 if number is None else number)
    if not isinstance(element, AnyFloat) or to_numpy(element).itemsize < 2:
        raise Unconvertible(f"it draws floats, and its elements are to be {element}; set dtype to a type of floats")
    return shape_of(b[0]) if is_like else b.ints("shape") or [], element


def _type_by(number: int) -> Attribute:
    if number not in TYPES_BY_NUMBER:
        raise Unconvertible(f"dtype is {number}, a type of elements that mlc does not compute with")
    return TYPES_BY_NUMBER[number]
