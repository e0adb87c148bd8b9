"""Where `quantize(dequantize(q))` may be `q`: wherever the pattern says so, it is, for all numbers and zero points."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, Signedness, bf16, f16, f32, f64, i8, i16
from xdsl.ir import Attribute, Block, Region
from xdsl.pattern_rewriter import PatternRewriteWalker

from mlc.dialects import graph
from mlc.dialects.graph.quantization import FoldQuantizeOfDequantize
from mlc.dialects.graph.types import tensor
from mlc.reference.execution import evaluate
from mlc.support.dtypes import least_of, limits_of, most_of, to_numpy

ui8 = IntegerType(8, Signedness.UNSIGNED)
i4 = IntegerType(4)


def _folds(element: Attribute, scale_type: Attribute, scale: float) -> bool:
    """Whether the pattern drops the two ops."""
    block = Block(arg_types=[tensor((8,), element), tensor((), element)])
    value = DenseIntOrFPElementsAttr.from_list(cast(Any, tensor((), scale_type)), [scale])
    constant = graph.ConstantOp(value)
    wide = graph.DequantizeOp(block.args[0], constant, block.args[1])
    back = graph.QuantizeOp(wide, constant, block.args[1])
    user = graph.NotOp(back) if element != i4 else graph.CastOp(back, i8)
    block.add_ops([constant, wide, back, user])
    PatternRewriteWalker(FoldQuantizeOfDequantize()).rewrite_region(Region(block))
    return user.operands[0] is block.args[0]


def _returns(element: Attribute, scale_type: Attribute, scale: float) -> bool:
    """Whether every number comes back, with the least, the middle and the greatest zero point."""
    least, most = int(least_of(element)), int(most_of(element))
    numbers = np.arange(least, most + 1).astype(to_numpy(element))
    (zeros,) = np.array([[least, 0, most]]).astype(to_numpy(element))
    args = Block(arg_types=[tensor((len(numbers),), element), tensor((), scale_type), tensor((), element)]).args
    wide = graph.DequantizeOp(*args)
    back = graph.QuantizeOp(wide, args[1], args[2])
    s = np.asarray(scale, to_numpy(scale_type))
    for zero in zeros:
        (x,) = evaluate(wide, [numbers, s, np.asarray(zero)])
        (q,) = evaluate(back, [x, s, np.asarray(zero)])
        if not np.array_equal(q, numbers):
            return False
    return True


@pytest.mark.parametrize("scale_type", [f16, bf16, f32, f64], ids=str)
@pytest.mark.parametrize("element", [i4, i8, ui8, i16], ids=str)
def test_what_folds_comes_back(element: Attribute, scale_type: Attribute) -> None:
    dtype = to_numpy(scale_type)
    limits = limits_of(dtype)
    random = np.random.default_rng(0)
    ends = [float(limits.smallest_normal), float(limits.smallest_normal) / 4, float(limits.max) / 65536]
    ends += [float(limits.max) / n for n in (8, 15, 16, 255, 256)]
    scales = [float(dtype.type(s)) for s in (*ends, *(2.0 ** random.uniform(-10, 5, 12)), -0.3)]
    folded = [scale for scale in scales if _folds(element, scale_type, scale)]
    assert all(_returns(element, scale_type, scale) for scale in folded)
    narrow: dict[Attribute, tuple[Attribute, ...]] = {f16: (i4, i8, ui8), bf16: (i4,)}
    assert bool(folded) == (element in narrow.get(scale_type, (element,)))


def test_a_scale_that_is_not_normal_does_not_fold() -> None:
    assert not _returns(i8, f32, 2.0**-149 * 0.3)
    assert not any(_folds(i8, f32, scale) for scale in (2.0**-140, 0.0, float("inf"), float("nan"), 3e36))
