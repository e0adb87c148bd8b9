"""Images made smaller, or larger, where each pixel is a mean of all that it covers; and the gradients."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.weighted_rows import cubic_weight, linear_weight, weighted_rows
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.frontends.torch.to_graph._windows import as_floats, as_pixels

_Rows = list[dict[int, float]]
"""For each element of a resampled axis, the weights of those that it is made of."""


@converts("_upsample_bilinear2d_aa", "_upsample_bilinear2d_aa.vec", "_upsample_bicubic2d_aa",
          "_upsample_bicubic2d_aa.vec")  # fmt: skip
def antialiased(
    b: Call, align_corners: bool, self: SSAValue | None = None, input: SSAValue | None = None,
    scales_h: float | None = None, scales_w: float | None = None, scale_factors: Sequence[float] | None = None,
) -> Results:  # fmt: skip
    """Integers are rounded after each axis; torch rounds its weights, too."""
    found = self or input
    assert found is not None
    scales = scale_factors or (scales_h, scales_w)
    for axis, scale in zip((3, 2), reversed(scales), strict=True):
        x = as_floats(b, b.widened(found))
        rows = _rows(b, shape_of(x)[axis], b.shape()[axis], scale, align_corners)
        found = as_pixels(b, weighted_rows(b, x, axis, rows), found)
    return found


@converts("_upsample_bilinear2d_aa_backward", "_upsample_bicubic2d_aa_backward")
def antialiased_gradient(
    b: Call, grad_output: SSAValue, align_corners: bool, scales_h: float | None, scales_w: float | None
) -> Results:
    """The weights of what an element is a part of."""
    x = b.widened(grad_output)
    for axis, scale in ((3, scales_w), (2, scales_h)):
        before, after = b.shape()[axis], shape_of(x)[axis]
        turned: _Rows = [{} for _ in range(before)]
        for place, row in enumerate(_rows(b, before, after, scale, align_corners)):
            for source, weight in row.items():
                turned[source][place] = weight
        x = weighted_rows(b, x, axis, [row or {0: 0.0} for row in turned])
    return x


def _weight(distance: float, is_cubic: bool) -> float:
    """Of a neighbour; the parameter of the cubic is that of Pillow."""
    return cubic_weight(distance, -0.5) if is_cubic else linear_weight(distance)


def _rows(b: Call, before: int, after: int, scale: float | None, align_corners: bool) -> _Rows:
    """The weights are those of a filter as wide as what an element covers, over their sum."""
    if align_corners:
        step = (before - 1) / (after - 1) if after > 1 else 0.0
    else:
        step = 1 / scale if scale else before / after
    is_cubic = "bicubic" in b.before.name
    wide_, reach = max(step, 1.0), 2.0 if is_cubic else 1.0
    rows: _Rows = []
    for center in (step * (i + 0.5) for i in range(after)):
        first = max(int(center - reach * wide_ + 0.5), 0)
        last = min(int(center + reach * wide_ + 0.5), before)
        weights = [_weight(abs((j - center + 0.5) / wide_), is_cubic) for j in range(first, last)]
        total = sum(weights)
        rows.append({j: w / t for j, w, t in zip(range(first, last), weights, repeat(total)) if total})
    return rows
