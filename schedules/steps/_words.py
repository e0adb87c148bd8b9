"""Where a word of a buffer begins, as a subscript along the axis whose numbers it holds."""

from __future__ import annotations

from xdsl.ir.affine import AffineExpr

from mlc.dialects.loop import ForOp, LoadOp
from mlc.support.affine import simplify_sum, split_terms
from mlc.support.errors import Refused


def word_subscript(load: LoadOp, loop: ForOp, count: int) -> tuple[int, AffineExpr]:
    """The axis along which a load of a loop goes on by one, and which word of `count` numbers each iteration reads.

    The iterations of the loop are those over words. What other counters add is a multiple of `count`.

    Raises:
        Refused: there is no such axis, or words would begin elsewhere.
    """
    if loop.induction_variable not in load.indices:
        raise Refused("its weights are the same in all iterations")
    dim, results = list(load.indices).index(loop.induction_variable), load.map.data.results
    axes = [axis for axis, e in enumerate(results) if dim in e.used_dims()]
    if len(axes) == 1:
        terms = split_terms(results[axes[0]])
        others = {at: factor for at, factor in terms.items() if at != dim}
        whole = {at: factor // count for at, factor in others.items() if factor is not None and factor % count == 0}
        zeros = [AffineExpr.constant(0)] * load.map.data.num_dims
        start = simplify_sum(results[axes[0]].replace_dims_and_symbols(zeros, []))
        if terms.get(dim) == 1 and len(whole) == len(others) and start == AffineExpr.constant(0):
            word: AffineExpr = AffineExpr.dimension(dim)
            for at, factor in whole.items():
                word = (AffineExpr.dimension(at) * factor if factor != 1 else AffineExpr.dimension(at)) + word
            return axes[0], word
    raise Refused("a word of its weights would begin elsewhere")
