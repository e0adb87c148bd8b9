"""Random numbers: of a counter-based generator, whose key is the seed of the node.

A model gives the same numbers each time that it runs. A node without a seed gets a key of its own, from how many such
nodes there are before it, so that two of them give different numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import AnyFloat, f32, i1, i32
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph, onnx
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx import TYPES_BY_NUMBER
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import PASS, FromOnnx, Results
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.random_numbers import Stream
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers
from mlc.support.dtypes import HALVES, to_numpy


def stream_of(node: Node, b: GraphBuilder) -> Stream:
    """The random bits of a node. Seeds are floats, of 32 bits, so that keys beyond that are those of other nodes.

    Raises:
        Unconvertible: it is computed several times, and would give the same numbers each time.
    """
    if node.knowledge.repeated:
        raise Unconvertible(
            "it stands in the body of a loop, where each step would draw the same numbers; draw those of all steps in "
            "front of the loop, and let each take a row"
        )
    seed = node.attribute("seed")
    if seed is not None:
        return Stream(b, int(np.float32(seed).view(np.uint32)))
    node.knowledge.unseeded += 1
    return Stream(b, node.knowledge.unseeded << 32)


@lowers(PASS, onnx.op("RandomUniform"), onnx.op("RandomUniformLike"))
class RandomUniform(FromOnnx):
    """From `low` up to, not including, `high`."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        shape, element = _wanted(node)
        low, high = node.float("low", 0.0), node.float("high", 1.0)
        found = stream_of(node, b).uniform(shape, element)
        if (low, high) == (0.0, 1.0):
            return found
        found = b.add(b.mul(found, b.number(high - low, found)), b.number(low, found))
        if high <= low:
            return found
        # A sum may be rounded up to the limit.
        number = to_numpy(element).type
        return b(graph.MinOp, found, b.number(float(np.nextafter(number(high), number(low))), found))


@lowers(PASS, onnx.op("RandomNormal"), onnx.op("RandomNormalLike"))
class RandomNormal(FromOnnx):
    """With a mean, and a standard deviation, which is `scale`."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        shape, element = _wanted(node)
        kind = f32 if element in HALVES else element
        found = stream_of(node, b).normal(shape, kind)
        mean, scale = node.float("mean", 0.0), node.float("scale", 1.0)
        if (mean, scale) != (0.0, 1.0):
            found = b.add(b.mul(found, b.number(scale, found)), b.number(mean, found))
        return b.cast(found, element)


@lowers(PASS, onnx.op("Bernoulli"))
class Bernoulli(FromOnnx):
    """1 with the probability that is the element of the operand, else 0."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        number = node.attribute("dtype")
        element = node.element() if number is None else _type_by(number)
        return b.cast(stream_of(node, b).bernoulli(node[0]), element)


@lowers(PASS, onnx.op("Multinomial"))
class Multinomial(FromOnnx):
    """Classes with the logarithms of their probabilities, up to a constant, in rows: the first class up to which these
    add up to more than a uniform part of their sum."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        rows, classes = node.shape()
        element, samples = _type_by(node.int("dtype", 6)), node.int("sample_size", 1)
        if not classes:
            raise Unconvertible("there are no classes to draw from")
        x = b.cast(node[0], f32) if node.element() in HALVES else node[0]
        weights = b(graph.ExpOp, b.sub(x, b.reduce("max", x, [1], keepdims=True)))
        scan = ScanWriter(b, classes)
        below = scan.carry(b.splat(0, (rows,), element_of(x)))
        upto = scan.inside.add(below, scan.row(b.transpose(weights, (1, 0))))
        last, limits = scan.finish([upto], [upto])
        drawn = stream_of(node, b).uniform((samples, rows), element_of(x))
        drawn = b.reshape(b.mul(drawn, last), (samples, 1, rows))
        passed = b.reduce("sum", b.cast(b.compare("le", limits, drawn), i32), [1])
        return b.cast(b.transpose(passed, (1, 0)), element)


@lowers(PASS, onnx.op("Dropout"))
class Dropout(FromOnnx):
    """At inference its operand, and a mask that keeps everything. In training elements become 0 with the probability
    `ratio`, the others as much larger as keeps their mean."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node[0]
        if not node.has(2) or not bool(node.known(2)):
            return [x, self._everything(node, b)]
        ratio = b.reshape(node[1], ()) if node.has(1) else b.constant(0.5)
        known = node.knowledge.array(ratio)
        if known is not None and not known:
            return [x, self._everything(node, b)]
        ratio = b.cast(ratio, f32) if element_of(ratio) in HALVES else ratio
        kept = b.sub(b.number(1, ratio), ratio)
        mask = stream_of(node, b).bernoulli(kept, node.shape())
        scale = b.cast(b.div(b.number(1, kept), kept), _computed(element_of(x)))
        larger = b.cast(b.mul(b.cast(x, element_of(scale)), scale), element_of(x))
        return [b.where(mask, larger, b.number(0, x)), mask]

    def _everything(self, node: Node, b: GraphBuilder) -> SSAValue | None:
        return b.splat(1, node.shape(), i1) if node.wants(1) else None


def _computed(element: Attribute) -> Attribute:
    return f32 if element in HALVES else element


def _wanted(node: Node) -> tuple[Sequence[int], Attribute]:
    """The shape and the element type of the result: those of the operand where there is one, and no `dtype`.

    Raises:
        Unconvertible: the elements are no floats.
    """
    number = node.attribute("dtype")
    is_like = bool(node.op.operands)
    element = node.element() if is_like and number is None else _type_by(1 if number is None else number)
    if not isinstance(element, AnyFloat) or to_numpy(element).itemsize < 2:
        raise Unconvertible(f"it draws floats, and its elements are to be {element}; set dtype to a type of floats")
    return shape_of(node[0]) if is_like else node.ints("shape") or [], element


def _type_by(number: int) -> Attribute:
    if number not in TYPES_BY_NUMBER:
        raise Unconvertible(f"dtype is {number}, a type of elements that mlc does not compute with")
    return TYPES_BY_NUMBER[number]
