"""Calls of PyTorch's operators with what breaks formulas: zeros of both signs, infinities, NaN, integer extremes, tensors
without elements or dims, and such whose elements do not lie in order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

Call = tuple[Callable[..., Any], tuple[Any, ...]]
F = torch.nn.functional

NUMBERS = torch.tensor([0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.5, -0.5, 1e-40, 3e38, math.inf, -math.inf, math.nan])
INTEGERS = torch.tensor([0, 1, -1, 7, -7, (1 << 63) - 1, -(1 << 63), 1 << 40])
TRUTHS = torch.tensor([True, False])
_PAIRS = torch.cartesian_prod(NUMBERS, NUMBERS).T
_INTEGER_PAIRS = torch.cartesian_prod(INTEGERS, INTEGERS).T
_DIVISORS = _INTEGER_PAIRS[:, (_INTEGER_PAIRS[1] != 0) & (_INTEGER_PAIRS[1] != -1)]
_MATRIX = torch.arange(12.0).reshape(3, 4) - 5

_UNARY = (
    torch.abs, torch.acos, torch.acosh, torch.asin, torch.asinh, torch.atan, torch.atanh, torch.ceil, torch.cos,
    torch.cosh, torch.erf, torch.erfc, torch.exp, torch.exp2, torch.expm1, torch.floor, torch.frac, torch.isfinite,
    torch.isinf, torch.isnan, torch.log, torch.log10, torch.log1p, torch.log2, torch.logical_not, torch.nan_to_num,
    torch.neg, torch.positive, torch.reciprocal, torch.relu, torch.round, torch.rsqrt, torch.sigmoid, torch.sign,
    torch.signbit, torch.sgn, torch.sinh, torch.sqrt, torch.square, torch.tanh, torch.trunc, F.elu, F.hardsigmoid,
    F.hardtanh, F.leaky_relu, F.logsigmoid, F.mish, F.relu6, F.selu, F.silu, F.softplus, F.softsign,
    F.tanhshrink, F.hardshrink, F.softshrink,
)  # fmt: skip
_BINARY = (
    torch.add, torch.sub, torch.mul, torch.div, torch.maximum, torch.minimum, torch.fmax, torch.fmin, torch.atan2,
    torch.copysign, torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge, torch.logical_and, torch.logical_or,
    torch.logical_xor, torch.floor_divide, torch.remainder, torch.fmod, torch.pow, torch.logaddexp, torch.xlogy,
    torch.heaviside, torch.hypot, torch.rsub,
)  # fmt: skip
_OF_INTEGERS = (torch.abs, torch.neg, torch.sign, torch.bitwise_not, torch.square, torch.logical_not)
_OF_TWO_INTEGERS = (
    torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum, torch.eq, torch.lt, torch.le, torch.bitwise_and,
    torch.bitwise_or, torch.bitwise_xor, torch.bitwise_left_shift, torch.bitwise_right_shift,
)  # fmt: skip


def _calls() -> list[Call]:
    found: list[Call] = [(f, (NUMBERS,)) for f in _UNARY]
    found += [(f, (_PAIRS[0], _PAIRS[1])) for f in _BINARY]
    found += [(f, (INTEGERS,)) for f in _OF_INTEGERS]
    found += [(f, (_INTEGER_PAIRS[0], _INTEGER_PAIRS[1])) for f in _OF_TWO_INTEGERS]
    found += [(f, (_DIVISORS[0], _DIVISORS[1])) for f in (torch.floor_divide, torch.remainder, torch.fmod)]
    found += [
        (_floor, (_PAIRS[0], _PAIRS[1])),
        (_trunc, (_PAIRS[0], _PAIRS[1])),
        (_trunc, (_DIVISORS[0], _DIVISORS[1])),
        (torch.div, (_DIVISORS[0], _DIVISORS[1])),
        (lambda x: torch.clamp(x, -1, 1), (NUMBERS,)),
        (lambda x: torch.clamp(x, 1, -1), (NUMBERS,)),
        (lambda x, y: torch.clamp(x, y), (_PAIRS[0], _PAIRS[1])),
        (lambda x: x**2, (NUMBERS,)),
        (lambda x: x**0.5, (NUMBERS,)),
        (lambda x: x**-1, (NUMBERS,)),
        (lambda x: x**0, (NUMBERS,)),
        (lambda x: 2**x, (NUMBERS,)),
        (lambda x: x**3, (INTEGERS,)),
        (lambda x: 1 - x, (NUMBERS,)),
        (lambda x: x + True, (INTEGERS,)),
        (lambda x: x / 3, (INTEGERS,)),
        (lambda x: x > 0.5, (INTEGERS,)),
        (lambda x: x == -0.0, (NUMBERS,)),
        (lambda x, y: x & y, (TRUTHS, torch.tensor([True, True]))),
        (lambda x, y: x + y, (TRUTHS, TRUTHS)),
        (lambda x, y: x * y, (TRUTHS, TRUTHS)),
        (lambda x: x.to(torch.int64), (torch.tensor([0.0, -0.0, 1.9, -1.9, 1e9]),)),
        (lambda x: x.to(torch.bool), (NUMBERS,)),
        (lambda x: x.to(torch.float32), (INTEGERS,)),
        (lambda x: x.to(torch.int32), (INTEGERS,)),
        (F.gelu, (NUMBERS[:-4],)),  # torch has NaN of infinities, and of numbers whose square is one
        (F.hardswish, (NUMBERS[:-4],)),
        (lambda x: F.gelu(x, approximate="tanh"), (NUMBERS,)),
        (lambda x: torch.where(x > 0, x, -x), (NUMBERS,)),
        (lambda x: x.masked_fill(x != x, 7.0), (NUMBERS,)),
    ]
    return found + _reductions() + _shapes() + _places()


def _reductions() -> list[Call]:
    with_nan, infinite = torch.tensor([1.0, math.nan, 3.0]), torch.tensor([[math.inf, 1.0], [-math.inf, -math.inf]])
    none = torch.zeros(0, 3)
    found: list[Call] = [
        (f, (x,))
        for f in (torch.amax, torch.amin, torch.argmax, torch.argmin, torch.max, torch.min)
        for x in (with_nan, torch.tensor([-0.0, 0.0]), torch.tensor(2.0), INTEGERS, infinite)
        if f not in (torch.amax, torch.amin) or x.ndim
    ]
    found += [
        (f, (x,)) for f in (torch.sum, torch.prod, torch.any, torch.all) for x in (none, INTEGERS, TRUTHS, with_nan)
    ]
    found += [
        (lambda x: x.sum(0), (none,)),
        (lambda x: x.sum(1), (none,)),
        (lambda x: x.mean(0), (none,)),
        (lambda x: x.prod(0), (none,)),
        (lambda x: x.any(0), (none,)),
        (lambda x: x.all(0), (none,)),
        (lambda x: x.var(0), (none,)),
        (lambda x: x.amax(1), (none,)),
        (lambda x: x.sum(-1), (torch.tensor(3.0),)),
        (lambda x: x.sum(-2, keepdim=True), (_MATRIX,)),
        (lambda x: x.sum((0, -1)), (_MATRIX,)),
        (lambda x: x.sum(dtype=torch.int64), (TRUTHS,)),
        (lambda x: x.sum(), (TRUTHS,)),
        (lambda x: x.var(-1), (torch.tensor([[1.0], [2.0]]),)),
        (lambda x: x.std(-1, correction=0), (_MATRIX,)),
        (lambda x: x.max(-1), (infinite,)),
        (lambda x: x.max(0), (with_nan,)),
        (lambda x: x.min(0), (torch.tensor([2, 1, 1]),)),
        (lambda x: x.argmax(-1, keepdim=True), (torch.tensor([[1.0, 1.0], [0.0, math.nan]]),)),
        (lambda x: x.cumsum(-1), (_MATRIX,)),
        (lambda x: x.cumsum(0), (none,)),
        (lambda x: x.cumsum(0), (INTEGERS,)),
        (lambda x: x.cumsum(0), (TRUTHS,)),
        (lambda x: x.cumprod(0), (with_nan,)),
        (lambda x: x.cummax(0), (torch.tensor([1.0, 3.0, 3.0, math.nan, 4.0]),)),
        (lambda x: x.cummin(-1), (_MATRIX,)),
        (lambda x: x.logcumsumexp(0), (torch.tensor([-math.inf, 1.0, math.inf, 2.0]),)),
        (lambda x: torch.logsumexp(x, 1), (infinite,)),
        (lambda x: torch.softmax(x, -1), (torch.tensor([[1.0, -math.inf], [0.0, 1e30]]),)),
        (lambda x: torch.softmax(x, 0), (torch.tensor(4.0),)),
        (lambda x: torch.log_softmax(x, -1), (torch.tensor([[1.0, -math.inf], [0.0, 1e30]]),)),
        (lambda x: torch.log_softmax(x, -1), (torch.full((1, 2), -math.inf),)),
        (lambda x: x.sort(), (with_nan,)),
        (lambda x: x.sort(descending=True), (with_nan,)),
        (lambda x: x.sort(0), (torch.tensor(1.0),)),
        (lambda x: x.sort(stable=True), (INTEGERS,)),
        (lambda x: x.topk(2), (_MATRIX,)),
        (lambda x: x.topk(2, largest=False), (with_nan,)),
        (lambda x: x.kthvalue(2, -1), (_MATRIX,)),
        (lambda x: x.median(), (with_nan,)),
        (lambda x: x.nanmedian(), (with_nan,)),
        (lambda x: x.median(-1), (_MATRIX,)),
        (lambda x: torch.linalg.vector_norm(x, 3), (_MATRIX,)),
        (lambda x: torch.linalg.vector_norm(x), (none,)),
        (lambda x: torch.linalg.vector_norm(x, 0), (NUMBERS,)),
        (lambda x: torch.linalg.vector_norm(x, math.inf, -1), (infinite,)),
        (torch.searchsorted, (torch.tensor([-math.inf, -1.0, 0.0, 1.0]), NUMBERS)),
        (lambda x, y: torch.bucketize(y, x, right=True), (torch.tensor([-1.0, 0.0, 1.0]), NUMBERS)),
    ]
    return found


def _shapes() -> list[Call]:
    none = torch.zeros(0, 3)
    return [
        (lambda x: x.T, (_MATRIX,)),
        (lambda x: x + 1, (_MATRIX.T,)),
        (lambda x: x.reshape(-1), (_MATRIX.T,)),
        (lambda x: x.sum(0), (_MATRIX[:1].expand(5, 4),)),
        (lambda x: x[::2, 1:] * 2, (_MATRIX,)),
        (lambda x: x[..., -1], (_MATRIX,)),
        (lambda x: x[5:2], (_MATRIX,)),
        (lambda x: x[-100:100], (_MATRIX,)),
        (lambda x: x.flip(-1), (_MATRIX,)),
        (lambda x: x.roll((1, -5), (0, -1)), (_MATRIX,)),
        (lambda x: x.roll(3), (none,)),
        (lambda x: x.repeat(2, 0), (_MATRIX,)),
        (lambda x: x.repeat(2, 1, 2), (_MATRIX,)),
        (lambda x: torch.cat([x, torch.zeros(0)], 0), (torch.tensor([1.0, 2.0]),)),
        (lambda x: torch.cat([x, x.to(torch.int32)], -1), (_MATRIX,)),
        (lambda x: torch.stack([x, x], -1), (torch.tensor(1.0),)),
        (lambda x: torch.split(x, 3, -1), (_MATRIX,)),
        (lambda x: torch.unbind(x, -1), (_MATRIX,)),
        (lambda x: F.pad(x, (1, -1, 2, 0), value=math.inf), (_MATRIX,)),
        (lambda x: F.pad(x, (-1, -1)), (_MATRIX,)),
        (lambda x: F.pad(x[None], (2, 1), mode="reflect"), (_MATRIX,)),
        (lambda x: F.pad(x[None], (2, 1), mode="replicate"), (_MATRIX,)),
        (lambda x: x.unfold(-1, 2, 1), (_MATRIX,)),
        (lambda x: x.as_strided((2, 2), (1, 2), 3), (_MATRIX,)),
        (lambda x: torch.tril(x, -1), (_MATRIX,)),
        (lambda x: torch.triu(x, 2), (_MATRIX > 0,)),
        (lambda x: torch.diagonal(x, -1), (_MATRIX,)),
        (lambda x: torch.diagonal(x, 9), (_MATRIX,)),
        (lambda x: torch.diag_embed(x, 1), (torch.tensor([1.0, 2.0]),)),
        (lambda x: x @ x.T, (_MATRIX,)),
        (lambda x: x.T @ x, (none,)),
        (lambda x: x @ x.T, (torch.zeros(3, 0),)),
        (lambda x: torch.addmm(torch.full((3, 3), math.nan), x, x.T, beta=0), (_MATRIX,)),
        (lambda x: torch.linspace(0, 1, 5) + x, (torch.tensor(0.0),)),
        (lambda x: torch.arange(5, -1, -2) + x, (torch.tensor(0),)),
        (lambda x: x.squeeze(), (torch.ones(1, 3, 1),)),
        (lambda x: x.unsqueeze(-1), (torch.tensor(1.0),)),
        (lambda x: x.permute(-1, 0), (_MATRIX,)),
        (lambda x: x.view(torch.int32), (NUMBERS,)),
        (lambda x: F.one_hot(x, 4), (torch.tensor([0, 3]),)),
        (lambda x: F.max_pool2d(x, 2, 1, 1), (torch.full((1, 1, 3, 3), -math.inf),)),
        (lambda x: F.max_pool2d(x, 2), (torch.full((1, 1, 2, 2), math.nan),)),
        (lambda x: F.avg_pool2d(x, 3, 2, 1, True, False), (torch.arange(36.0).reshape(1, 1, 6, 6),)),
        (lambda x: F.adaptive_max_pool2d(x, (2, 3), True), (torch.arange(35.0).reshape(1, 5, 7),)),
        (lambda x: F.interpolate(x, (3, 9), mode="bilinear"), (torch.arange(35.0).reshape(1, 1, 5, 7),)),
    ]


def _places() -> list[Call]:
    places = torch.tensor([[0, -1], [2, 1]])
    return [
        (lambda x, i: x[i], (_MATRIX, places)),
        (lambda x, i: x[:, i], (_MATRIX, places)),
        (lambda x, i: x[i, :, None], (_MATRIX, places)),
        (lambda x, i: x[i[0], i[1]], (_MATRIX, places)),
        (lambda x, i: x[i], (_MATRIX, torch.zeros(0, dtype=torch.int64))),
        (lambda x, i: x.index_select(-1, i), (_MATRIX, torch.tensor([3, 0]))),
        (lambda x, i: x.gather(-1, i), (_MATRIX, torch.tensor([[3, 0], [1, 1]]))),
        (lambda x, i: x.scatter(1, i, 9.0), (_MATRIX, torch.tensor([[3, 0], [1, 1]]))),
        (lambda x, i: x.scatter_add(0, i, torch.ones(2, 2)), (_MATRIX, torch.tensor([[2, 0], [2, 1]]))),
        (lambda x, i: x.scatter_reduce(0, i, x, "mean"), (torch.arange(3), torch.tensor([0, 0, 2]))),
        (
            lambda x, i: x.scatter_reduce(0, i, x, "amax", include_self=False),
            (torch.tensor([1.0, math.nan, 3.0]), torch.tensor([0, 0, 2])),
        ),
        (lambda x, i: x.index_put((i,), torch.tensor(7.0)), (_MATRIX, torch.tensor([0, -1]))),
        (lambda x, i: x.index_put((i,), torch.ones(2, 4), accumulate=True), (_MATRIX, torch.tensor([1, 1]))),
        (lambda x, m: x.index_put((m,), torch.tensor(7.0)), (_MATRIX, _MATRIX > 0)),
        (lambda x, i: x.index_add(0, i, torch.ones(2, 4), alpha=2), (_MATRIX, torch.tensor([1, 1]))),
        (lambda x, i: x.index_copy(-1, i, torch.zeros(3, 1)), (_MATRIX, torch.tensor([2]))),
        (lambda x, i: x.index_fill(0, i, -0.0), (_MATRIX, torch.tensor([2]))),
        (lambda x, i: x.take(i), (_MATRIX, places)),
        (lambda x, m: x.masked_scatter(m, torch.arange(20.0)), (_MATRIX, _MATRIX > 0)),
        (lambda x, y: x.select_scatter(y, -1, -2), (_MATRIX, torch.zeros(3))),
        (lambda x, y: x.slice_scatter(y, 1, 1, 9, 2), (_MATRIX, torch.zeros(3, 2))),
        (lambda w, i: F.embedding(i, w, padding_idx=0), (_MATRIX, torch.tensor([[0, 2]]))),
        (lambda w, i: F.embedding_bag(i, w, torch.tensor([0, 2, 2])), (_MATRIX, torch.tensor([0, 2, 1]))),
    ]


def _floor(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.div(x, y, rounding_mode="floor")


def _trunc(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.div(x, y, rounding_mode="trunc")


CALLS = _calls()
