"""Angles of points, and the signs of zeros that they depend on."""

from __future__ import annotations

from math import inf, pi

from xdsl.dialects.builtin import IntegerType, f32
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.support import dtypes


def arc_tangent(b: GraphBuilder, y: SSAValue, x: SSAValue) -> SSAValue:
    """The angle of a point, which is that of its signs where it is a zero or infinite."""
    if (element := element_of(x)) in dtypes.SHORT_FLOATS:
        return b.cast(arc_tangent(b, b.cast(y, f32), b.cast(x, f32)), element)
    across, up = b(graph.AbsOp, x), b(graph.AbsOp, y)
    most, least = b(graph.MaxOp, across, up), b(graph.MinOp, across, up)
    zero, one = b.number(0, x), b.number(1, x)
    ratio = b.div(least, most)
    ratio = b.where(b.compare("eq", most, zero), zero, ratio)
    both = b(graph.AndOp, b.compare("eq", least, b.number(inf, x)), b.compare("eq", most, b.number(inf, x)))
    angle = b(graph.AtanOp, b.where(both, one, ratio))
    angle = b.where(b.compare("gt", up, across), b.sub(b.number(pi / 2, x), angle), angle)
    angle = b.where(is_negative(b, x), b.sub(b.number(pi, x), angle), angle)
    angle = b.where(b.compare("ne", x, x), x, angle)
    return b.where(is_negative(b, y), b(graph.NegOp, angle), angle)


def is_negative(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """Whether the sign bit of a float is set, that of a zero too."""
    bits = b(graph.BitcastOp, x, IntegerType(8 * dtypes.to_numpy(element_of(x)).itemsize))
    return b.compare("lt", bits, b.number(0, bits))
