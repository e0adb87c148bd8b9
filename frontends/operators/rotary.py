"""Rotary position embeddings (Su et al., "RoFormer", arXiv:2104.09864)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible


def rotated(b: GraphBuilder, x: SSAValue, cos: SSAValue, sin: SSAValue, interleaved: bool) -> SSAValue:
    """Pairs of elements of the last dim of `x`, as points of a plane, turned by angles.

    `cos` and `sin` broadcast with `x`, but that their last dim, `pairs`, is one for each pair: elements `2 i` and
    `2 i + 1` if they are interleaved, else `i` and `pairs + i`. What lies after the pairs stays.

    Raises:
        Unconvertible: there are more pairs than elements.
    """
    *front, size = shape_of(x)
    pairs = shape_of(cos)[-1]
    if shape_of(sin) != shape_of(cos) or 2 * pairs > size:
        found = f"cosines {list(shape_of(cos))} and sines {list(shape_of(sin))}"
        raise Unconvertible(f"{found} do not fit rows of {size} elements, which are pairs")
    last = len(front)
    turned = b.slice(x, last, 0, 2 * pairs)
    apart = b.reshape(turned, (*front, pairs, 2) if interleaved else (*front, 2, pairs))
    axis = last + 1 if interleaved else last
    re, im = (b.squeeze(b.slice(apart, axis, i, i + 1), [axis]) for i in (0, 1))
    parts = (b.sub(b.mul(re, cos), b.mul(im, sin)), b.add(b.mul(re, sin), b.mul(im, cos)))
    joined = b.reshape(b.concat([b.unsqueeze(part, [axis]) for part in parts], axis), (*front, 2 * pairs))
    return b.concat([joined, b.slice(x, last, 2 * pairs, size)], last) if 2 * pairs < size else joined
