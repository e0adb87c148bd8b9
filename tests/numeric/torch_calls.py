"""Calls of PyTorch's operators with what breaks formulas: zeros of both signs, infinities, NaN, integer extremes,
tensors without elements or dims, and such whose elements do not lie in order."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mlc.testing.torch_graphs import difference, run_graph, traced
from mlc.testing.torch_operators import SampleOutcome
from mlc.testing.torch_samples import Sample, as_function

SAMPLED = (
    "add", "amax", "argmax", "as_strided", "bmm", "bucketize", "cat", "cdist", "clamp", "constant_pad_nd", "copysign",
    "cummax", "cumsum", "diagonal_scatter", "div.floor_rounding", "nn.functional.embedding",
    "gather", "gcd", "index_add", "index_put", "kthvalue", "logcumsumexp", "masked_scatter", "median",
    "nn.functional.conv2d",
    "nn.functional.adaptive_avg_pool2d", "nn.functional.avg_pool2d", "nn.functional.conv_transpose2d",
    "nn.functional.grid_sample", "nn.functional.group_norm", "nn.functional.interpolate.bicubic",
    "nn.functional.layer_norm", "nn.functional.max_pool2d", "nn.functional.pad.circular", "pow", "scatter_reduce.amin",
    "searchsorted", "slice_scatter", "sort", "sum", "topk", "unfold", "var", "where",
)  # fmt: skip
DIFFERENTIATED = (
    "nn.functional.adaptive_avg_pool2d", "nn.functional.avg_pool2d", "nn.functional.batch_norm", "nn.functional.conv2d",
    "nn.functional.conv_transpose2d", "nn.functional.cross_entropy", "nn.functional.embedding", "nn.functional.gelu",
    "nn.functional.group_norm", "nn.functional.interpolate.bilinear", "nn.functional.layer_norm",
    "nn.functional.max_pool2d", "nn.functional.silu", "softmax", "matmul", "cdist",
)  # fmt: skip

Case = tuple[str, *tuple[torch.Tensor, ...]]
"""A call as text, and what `x` and `y` are in it."""

NUMBERS = torch.tensor([0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.5, -0.5, 1e-40, 3e38, math.inf, -math.inf, math.nan])
INTEGERS = torch.tensor([0, 1, -1, 7, -7, (1 << 63) - 1, -(1 << 63), 1 << 40])
TRUTHS = torch.tensor([True, False])
_PAIRS = torch.cartesian_prod(NUMBERS, NUMBERS).T
_INTEGER_PAIRS = torch.cartesian_prod(INTEGERS, INTEGERS).T
_DIVISORS = _INTEGER_PAIRS[:, (_INTEGER_PAIRS[1] != 0) & (_INTEGER_PAIRS[1] != -1)]
_MATRIX = torch.arange(12.0).reshape(3, 4) - 5

_UNARY = """
    torch: abs acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp exp2 expm1 floor frac isfinite isinf isnan
    log log10 log1p log2 logical_not nan_to_num neg positive reciprocal relu round rsqrt sigmoid sign signbit sgn sinh
    sqrt square tanh trunc
    F: elu hardsigmoid hardtanh leaky_relu logsigmoid mish relu6 selu silu softplus softsign tanhshrink hardshrink
    softshrink"""
_BINARY = """
    torch: add sub mul div maximum minimum fmax fmin atan2 copysign eq ne lt le gt ge logical_and logical_or logical_xor
    floor_divide remainder fmod pow logaddexp xlogy heaviside hypot rsub true_divide"""
_OF_INTEGERS = "torch: abs neg sign bitwise_not square logical_not"
_OF_TWO_INTEGERS = """
    torch: add sub mul maximum minimum eq lt le bitwise_and bitwise_or bitwise_xor bitwise_left_shift
    bitwise_right_shift"""
_DIVISIONS = "torch: floor_divide remainder fmod div"
ZEROS_OF_EITHER_SIGN = ("relu", "maximum", "minimum", "fmax", "fmin", "clamp", "amax", "amin", "gelu")
"""What may give a 0 of either sign where torch gives one: of two zeros of different signs neither is the greater, and
torch's own gelu gives one or the other, as the machine has vectors."""


def function_of(text: str) -> Callable[..., Any]:
    """A case's text as a function of its tensors."""
    names = {"torch": torch, "F": torch.nn.functional, "math": math}
    return eval(f"lambda x, y=None: {text}", names)


def _named(words: str, arguments: str) -> list[str]:
    """Calls of functions, each of which follows the name of its module."""
    found: list[str] = []
    module = ""
    for word in words.split():
        if word.endswith(":"):
            module = word.removesuffix(":")
        else:
            found.append(f"{module}.{word}({arguments})")
    return found


def _numbers() -> list[Case]:
    pairs, integers, divisors = ((each[0], each[1]) for each in (_PAIRS, _INTEGER_PAIRS, _DIVISORS))
    found: list[Case] = [(text, NUMBERS) for text in _named(_UNARY, "x")]
    found += [(text, *pairs) for text in _named(_BINARY, "x, y")]
    found += [(text, INTEGERS) for text in _named(_OF_INTEGERS, "x")]
    found += [(text, *integers) for text in _named(_OF_TWO_INTEGERS, "x, y")]
    found += [(text, *divisors) for text in _named(_DIVISIONS, "x, y")]
    found += [
        ("torch.div(x, y, rounding_mode='floor')", *pairs),
        ("torch.div(x, y, rounding_mode='trunc')", *pairs),
        ("torch.div(x, y, rounding_mode='trunc')", *divisors),
        ("torch.clamp(x, -1, 1)", NUMBERS),
        ("torch.clamp(x, 1, -1)", NUMBERS),
        ("torch.clamp(x, y)", _PAIRS[0], _PAIRS[1]),
        ("x ** 2", NUMBERS),
        ("x ** 0.5", NUMBERS),
        ("x ** (-1)", NUMBERS),
        ("x ** 0", NUMBERS),
        ("2 ** x", NUMBERS),
        ("x ** 3", INTEGERS),
        ("1 - x", NUMBERS),
        ("x + True", INTEGERS),
        ("x / 3", INTEGERS),
        ("x > 0.5", INTEGERS),
        ("x == -0.0", NUMBERS),
        ("x & y", TRUTHS, torch.tensor([True, True])),
        ("x + y", TRUTHS, TRUTHS),
        ("x * y", TRUTHS, TRUTHS),
        ("x.to(torch.int64)", torch.tensor([0.0, -0.0, 1.9, -1.9, 1e9])),
        ("x.to(torch.bool)", NUMBERS),
        ("x.to(torch.float32)", INTEGERS),
        ("x.to(torch.int32)", INTEGERS),
        ("F.gelu(x)", NUMBERS[:-4]),  # torch has NaN of infinities, and of numbers whose square is one
        ("F.hardswish(x)", NUMBERS[:-4]),
        ("F.gelu(x, approximate='tanh')", NUMBERS),
        ("torch.where(x > 0, x, -x)", NUMBERS),
        ("x.masked_fill(x != x, 7.0)", NUMBERS),
    ]
    return found


def _reductions() -> list[Case]:
    with_nan, infinite = torch.tensor([1.0, math.nan, 3.0]), torch.tensor([[math.inf, 1.0], [-math.inf, -math.inf]])
    none = torch.zeros(0, 3)
    extremes = (with_nan, torch.tensor([-0.0, 0.0]), INTEGERS, infinite)
    found: list[Case] = [(t, x) for t in _named("torch: amax amin argmax argmin max min", "x") for x in extremes]
    found += [(t, x) for t in _named("torch: argmax argmin max min", "x") for x in (torch.tensor(2.0),)]
    found += [(t, x) for t in _named("torch: sum prod any all", "x") for x in (none, INTEGERS, TRUTHS, with_nan)]
    found += [
        ("x.sum(0)", none),
        ("x.sum(1)", none),
        ("x.mean(0)", none),
        ("x.prod(0)", none),
        ("x.any(0)", none),
        ("x.all(0)", none),
        ("x.var(0)", none),
        ("x.amax(1)", none),
        ("x.sum(-1)", torch.tensor(3.0)),
        ("x.sum(-2, keepdim=True)", _MATRIX),
        ("x.sum((0, -1))", _MATRIX),
        ("x.sum(dtype=torch.int64)", TRUTHS),
        ("x.sum()", TRUTHS),
        ("x.var(-1)", torch.tensor([[1.0], [2.0]])),
        ("x.std(-1, correction=0)", _MATRIX),
        ("x.max(-1)", infinite),
        ("x.max(0)", with_nan),
        ("x.min(0)", torch.tensor([2, 1, 1])),
        ("x.argmax(-1, keepdim=True)", torch.tensor([[1.0, 1.0], [0.0, math.nan]])),
        ("x.cumsum(-1)", _MATRIX),
        ("x.cumsum(0)", none),
        ("x.cumsum(0)", INTEGERS),
        ("x.cumsum(0)", TRUTHS),
        ("x.cumprod(0)", with_nan),
        ("x.cummax(0)", torch.tensor([1.0, 3.0, 3.0, math.nan, 4.0])),
        ("x.cummin(-1)", _MATRIX),
        ("x.logcumsumexp(0)", torch.tensor([-math.inf, 1.0, math.inf, 2.0])),
        ("torch.logsumexp(x, 1)", infinite),
        ("torch.softmax(x, -1)", torch.tensor([[1.0, -math.inf], [0.0, 1e30]])),
        ("torch.softmax(x, 0)", torch.tensor(4.0)),
        ("torch.log_softmax(x, -1)", torch.tensor([[1.0, -math.inf], [0.0, 1e30]])),
        ("torch.log_softmax(x, -1)", torch.full((1, 2), -math.inf)),
        ("x.sort()", with_nan),
        ("x.sort(descending=True)", with_nan),
        ("x.sort(0)", torch.tensor(1.0)),
        ("x.sort(stable=True)", INTEGERS),
        ("x.topk(2)", _MATRIX),
        ("x.topk(2, largest=False)", with_nan),
        ("x.kthvalue(2, -1)", _MATRIX),
        ("x.median()", with_nan),
        ("x.nanmedian()", with_nan),
        ("x.median(-1)", _MATRIX),
        ("x.T.median(-1)", _MATRIX),
        ("torch.linalg.vector_norm(x, 3)", _MATRIX),
        ("torch.linalg.vector_norm(x)", none),
        ("torch.linalg.vector_norm(x)", torch.tensor([300.0, 400.0]).half()),  # squares are no halves
        ("x.std()", torch.tensor([300.0, -300.0]).half()),
        ("torch.linalg.vector_norm(x, 0)", NUMBERS),
        ("torch.linalg.vector_norm(x, math.inf, -1)", infinite),
        ("torch.searchsorted(x, y)", torch.tensor([-math.inf, -1.0, 0.0, 1.0]), NUMBERS),
        ("torch.bucketize(y, x, right=True)", torch.tensor([-1.0, 0.0, 1.0]), NUMBERS),
    ]
    return found


def _shapes() -> list[Case]:
    none = torch.zeros(0, 3)
    return [
        ("x.T", _MATRIX),
        ("x + 1", _MATRIX.T),
        ("x.reshape(-1)", _MATRIX.T),
        ("x.sum(0)", _MATRIX[:1].expand(5, 4)),
        ("x[::2, 1:] * 2", _MATRIX),
        ("x[..., -1]", _MATRIX),
        ("x[5:2]", _MATRIX),
        ("x[-100:100]", _MATRIX),
        ("x.flip(-1)", _MATRIX),
        ("x.roll((1, -5), (0, -1))", _MATRIX),
        ("x.roll(3)", none),
        ("x.repeat(2, 0)", _MATRIX),
        ("x.repeat(2, 1, 2)", _MATRIX),
        ("torch.cat([x, torch.zeros(0)], 0)", torch.tensor([1.0, 2.0])),
        ("torch.cat([x, x.to(torch.int32)], -1)", _MATRIX),
        ("torch.stack([x, x], -1)", torch.tensor(1.0)),
        ("torch.split(x, 3, -1)", _MATRIX),
        ("torch.unbind(x, -1)", _MATRIX),
        ("F.pad(x, (1, -1, 2, 0), value=math.inf)", _MATRIX),
        ("F.pad(x, (-1, -1))", _MATRIX),
        ("F.pad(x[None], (2, 1), mode='reflect')", _MATRIX),
        ("F.pad(x[None], (2, 1), mode='replicate')", _MATRIX),
        ("x.unfold(-1, 2, 1)", _MATRIX),
        ("x.as_strided((2, 2), (1, 2), 3)", _MATRIX),
        ("torch.tril(x, -1)", _MATRIX),
        ("torch.triu(x, 2)", _MATRIX > 0),
        ("torch.diagonal(x, -1)", _MATRIX),
        ("torch.diagonal(x, 9)", _MATRIX),
        ("torch.diag_embed(x, 1)", torch.tensor([1.0, 2.0])),
        ("x @ x.T", _MATRIX),
        ("x.T @ x", none),
        ("x @ x.T", torch.zeros(3, 0)),
        ("torch.addmm(torch.full((3, 3), math.nan), x, x.T, beta=0)", _MATRIX),
        ("torch.linspace(0, 1, 5) + x", torch.tensor(0.0)),
        ("torch.arange(5, -1, -2) + x", torch.tensor(0)),
        ("x.squeeze()", torch.ones(1, 3, 1)),
        ("x.unsqueeze(-1)", torch.tensor(1.0)),
        ("x.permute(-1, 0)", _MATRIX),
        ("x.view(torch.int32)", NUMBERS),
        ("F.one_hot(x, 4)", torch.tensor([0, 3])),
        ("F.max_pool2d(x, 2, 1, 1)", torch.full((1, 1, 3, 3), -math.inf)),
        ("F.max_pool2d(x, 2)", torch.full((1, 1, 2, 2), math.nan)),
        ("F.avg_pool2d(x, 3, 2, 1, True, False)", torch.arange(36.0).reshape(1, 1, 6, 6)),
        ("F.adaptive_max_pool2d(x, (2, 3), True)", torch.arange(35.0).reshape(1, 5, 7)),
        ("F.interpolate(x, (3, 9), mode='bilinear')", torch.arange(35.0).reshape(1, 1, 5, 7)),
    ]


def _places() -> list[Case]:
    places = torch.tensor([[0, -1], [2, 1]])
    return [
        ("x[y]", _MATRIX, places),
        ("x[:, y]", _MATRIX, places),
        ("x[y, :, None]", _MATRIX, places),
        ("x[y[0], y[1]]", _MATRIX, places),
        ("x[y]", _MATRIX, torch.zeros(0, dtype=torch.int64)),
        ("x.index_select(-1, y)", _MATRIX, torch.tensor([3, 0])),
        ("x.gather(-1, y)", _MATRIX, torch.tensor([[3, 0], [1, 1]])),
        ("x.scatter(1, y, 9.0)", _MATRIX, torch.tensor([[3, 0], [1, 1]])),
        ("x.scatter_add(0, y, torch.ones(2, 2))", _MATRIX, torch.tensor([[2, 0], [2, 1]])),
        ("x.scatter_reduce(0, y, x, 'mean')", torch.arange(3), torch.tensor([0, 0, 2])),
        (
            "x.scatter_reduce(0, y, x, 'amax', include_self=False)",
            torch.tensor([1.0, math.nan, 3.0]),
            torch.tensor([0, 0, 2]),
        ),
        ("x.scatter_reduce(0, y, x.flip(0), 'amax')", torch.tensor([1.0, 5.0, 3.0]), torch.tensor([0, 0, 2])),
        ("x.scatter_reduce(0, y, x.flip(0), 'amin')", torch.tensor([1.0, 5.0, 3.0]), torch.tensor([0, 0, 2])),
        (
            "x.scatter_reduce(0, y, -x, 'amax', include_self=False)",
            torch.tensor([1.0, 5.0, 3.0]),
            torch.tensor([0, 0, 2]),
        ),
        (
            "x.scatter_reduce(0, y, -x, 'mean', include_self=False)",
            torch.tensor([1.0, 5.0, 3.0]),
            torch.tensor([0, 0, 2]),
        ),
        ("x.index_put((y,), torch.tensor(7.0))", _MATRIX, torch.tensor([0, -1])),
        ("x.index_put((y,), torch.ones(2, 4), accumulate=True)", _MATRIX, torch.tensor([1, 1])),
        ("x.index_put((y,), torch.tensor(7.0))", _MATRIX, _MATRIX > 0),
        ("x.index_put((y,), torch.arange(4.0), accumulate=True)", _MATRIX, _MATRIX[:, 0] > 0),
        ("torch.ops.aten.index_put(x, [None, y], torch.arange(3.0)[:, None])", _MATRIX, _MATRIX[0] > -4),
        ("x.index_add(0, y, torch.ones(2, 4), alpha=2)", _MATRIX, torch.tensor([1, 1])),
        ("x.index_copy(-1, y, torch.zeros(3, 1))", _MATRIX, torch.tensor([2])),
        ("x.index_fill(0, y, -0.0)", _MATRIX, torch.tensor([2])),
        ("x.take(y)", _MATRIX, places),
        ("x.masked_scatter(y, torch.arange(20.0))", _MATRIX, _MATRIX > 0),
        ("x.select_scatter(y, -1, -2)", _MATRIX, torch.zeros(3)),
        ("x.slice_scatter(y, 1, 1, 9, 2)", _MATRIX, torch.zeros(3, 2)),
        ("F.embedding(y, x, padding_idx=0)", _MATRIX, torch.tensor([[0, 2]])),
        ("F.embedding_bag(y, x, torch.tensor([0, 2, 2]))", _MATRIX, torch.tensor([0, 2, 1])),
    ]


CASES = [*_numbers(), *_reductions(), *_shapes(), *_places()]


def check_case(case: Case, native: bool) -> None:
    """Compare a call with eager torch, the signs of zeros included."""
    text, *tensors = case
    function, leaves = as_function(function_of(text), tensors, {})
    expected = function(*leaves)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = run_graph(traced(function, leaves), leaves, native)
    assert difference(found, expected, Sample(text, 0, function, leaves)) is None
    if any(word in text for word in ZEROS_OF_EITHER_SIGN):
        return
    for a, b in zip(found, expected, strict=True):
        if b.dtype.is_floating_point:
            assert torch.equal(torch.signbit(a)[b == 0], torch.signbit(b)[b == 0])


def check_outcomes(outcomes: list[SampleOutcome], least: int = 1) -> None:
    """Nothing is wrong, and some are computed."""
    failed = [f"{o.operator} {o.dtype} {o.number}: {o.detail}" for o in outcomes if o.status in ("wrong", "bug")]
    assert not failed
    assert sum(o.status == "pass" for o in outcomes) >= least
