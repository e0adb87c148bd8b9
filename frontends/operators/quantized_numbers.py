"""Integers that stand for numbers."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import element_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.support.dtypes import least_of, most_of, to_numpy


def limited(b: GraphBuilder, q: SSAValue, least: float, most: float) -> SSAValue:
    """Quantised numbers from `least` to `most`."""
    element = element_of(q)
    if least > least_of(element):
        q = b.maximum(q, b.constant(np.asarray(least, to_numpy(element)), element))
    if most < most_of(element):
        q = b.minimum(q, b.constant(np.asarray(most, to_numpy(element)), element))
    return q
