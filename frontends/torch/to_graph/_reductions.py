"""Operators that combine the elements along axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

from xdsl.dialects.builtin import f32, i1
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators import statistics
from mlc.frontends.operators.beyond_extents import filled
from mlc.frontends.operators.logarithms import log_sum_exp
from mlc.frontends.operators.open_shapes import product
from mlc.frontends.operators.places import taken_along
from mlc.frontends.operators.running import running
from mlc.frontends.operators.sizes import SymbolicSize
from mlc.frontends.operators.statistics import mean_and_differences
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar, axes_of, axis_of
from mlc.frontends.torch.to_graph._patterns import converts

Axes = Sequence[int] | int | None


def reduced(b: Call, kind: str, x: SSAValue, dim: Axes, keepdim: bool = False) -> SSAValue:
    """A reduction along axes counted from either end, or along all."""
    return b.reduce(kind, x, axes_of(dim, len(shape_of(x))) if shape_of(x) else [], keepdim)


@converts("sum", "sum.dim_IntList", bounded=True, parts=True)
def sum_(b: Call, self: SSAValue, dim: Axes = None, keepdim: bool = False) -> Results:
    """The sum over `dim`, or over all dims; halves are added up in f32."""
    return reduced(b, "sum", b.widened(b.tensor(self)), dim, keepdim)


@converts("mean", "mean.dim", bounded=True, parts=True)
def mean(b: Call, self: SSAValue, dim: Axes = None, keepdim: bool = False) -> Results:
    """The mean over `dim`, or over all dims; that of halves is computed in f32."""
    x = b.widened(b.tensor(self))
    return statistics.mean(b, x, axes_of(dim, len(shape_of(x))) if shape_of(x) else [], keepdim)


@converts("prod", "prod.dim_int", bounded=True)
def prod_(b: Call, self: SSAValue, dim: Axes = None, keepdim: bool = False) -> Results:
    """The product over `dim`, or over all dims; halves are multiplied in f32."""
    return reduced(b, "prod", b.widened(b.tensor(self)), dim, keepdim)


@converts("amax", "amin", bounded=True)
def extreme(b: Call, self: SSAValue, dim: Axes, keepdim: bool) -> Results:
    """The largest or the smallest element over `dim`, NaN if there is one."""
    return _extreme(b, b.before.name.removeprefix("aten.a"), self, dim, keepdim)


@converts("max", "min", bounded=True)
def extreme_of_all(b: Call, self: SSAValue) -> Results:
    """The largest or the smallest element of a tensor, NaN if there is one."""
    return _extreme(b, b.before.name.removeprefix("aten."), self, None, False)


def _extreme(b: Call, kind: str, x: SSAValue, dim: Axes, keepdim: bool) -> SSAValue:
    as_number = b.cast(x, f32) if element_of(x) == i1 else x
    return reduced(b, kind, as_number, dim, keepdim)


@converts("max.dim", "min.dim", bounded=True)
def extreme_and_place(b: Call, self: SSAValue, dim: int, keepdim: bool) -> Results:
    """The largest or the smallest elements along `dim`, and their first indices (i64)."""
    kind = b.before.name.removeprefix("aten.").removesuffix(".dim")
    values = _extreme(b, kind, self, dim, keepdim)
    return [values, _place(b, kind, self, dim, keepdim) if b.wants(1) else None]


@converts("argmax", "argmin", bounded=True)
def place(b: Call, self: SSAValue, dim: int | None, keepdim: bool) -> Results:
    """The first index (i64) of the largest or the smallest element along `dim`, or in the flattened tensor."""
    found = self if dim is not None else b.reshape(self, (prod(shape_of(self)),))
    result = _place(b, b.before.name.removeprefix("aten.arg"), found, dim or 0, keepdim and dim is not None)
    return b.reshape(result, b.shape())


def _place(b: Call, kind: str, x: SSAValue, dim: int, keepdim: bool) -> SSAValue:
    if not shape_of(x):
        return b.constant(0)
    as_number = b.cast(x, f32) if element_of(x) == i1 else x
    op_type = graph.ArgMaxOp if kind == "max" else graph.ArgMinOp
    return b(op_type, as_number, axis_of(dim, len(shape_of(x))), keepdim)


@converts("any", "any.dim", "any.dims", bounded=True)
def any_(b: Call, self: SSAValue, dim: Axes = None, keepdim: bool = False) -> Results:
    """Whether an element along `dim` is not 0; false where there is none."""
    # An f32, which every machine has vectors of.
    flags = _flags(b, self, dim, 0)
    # Of an open dim, a sum leaves out what is filled with 0, which a maximum of floats may not.
    kind = "sum" if self in b.knowledge.extents else "max"
    return b.to_bool(reduced(b, kind, flags, dim, keepdim)) if prod(shape_of(self)) else _none(b, False)


@converts("all", "all.dim", "all.dims", bounded=True)
def all_(b: Call, self: SSAValue, dim: Axes = None, keepdim: bool = False) -> Results:
    """Whether all elements along `dim` are not 0; true where there is none."""
    flags = _flags(b, self, dim, 1)
    kind = "prod" if self in b.knowledge.extents else "min"
    return b.to_bool(reduced(b, kind, flags, dim, keepdim)) if prod(shape_of(self)) else _none(b, True)


def _flags(b: Call, x: SSAValue, dim: Axes, empty: int) -> SSAValue:
    """Truth values as 0 and 1; what is not data is `empty` along the axes that are reduced."""
    return filled(b, b.cast(b.to_bool(x), f32), empty, axes_of(dim, len(shape_of(x))))


def _none(b: Call, value: bool) -> SSAValue:
    return b.splat(value, b.shape(), b.element())


@converts("var.correction", "var.dim", "std.correction", "std.dim", "var_mean.correction", bounded=True)
def variance(
    b: Call, self: SSAValue, dim: Axes, keepdim: bool, correction: Scalar | None = None, unbiased: bool = True
) -> Results:
    """The variance over `dim`, its square root (`std`), or it and the mean (`var_mean`); the sum of squares is divided
    by the count less `correction`, which is 1 by default."""
    less = (1 if unbiased else 0) if correction is None else correction
    if b.before.name.startswith("aten.var_mean") and correction is None:
        less = 1
    found, middle = variance_and_mean(b, self, dim, keepdim, less)
    if b.before.name.startswith("aten.std"):
        return b(graph.SqrtOp, found)
    if b.before.name.startswith("aten.var_mean"):
        kept = len(b.shape(1)) == len(shape_of(middle))
        return [found, middle if kept else b.squeeze(middle, axes_of(dim, len(shape_of(middle))))]
    return found


def variance_and_mean(b: Call, x: SSAValue, dim: Axes, keepdim: bool, less: Scalar) -> tuple[SSAValue, SSAValue]:
    """The mean of squared distances from the mean, in two passes, where the count is too large by `less`; and the
    mean, with dims of 1."""
    x = b.widened(x)
    axes = axes_of(dim, len(shape_of(x))) if shape_of(x) else []
    count = product([b.length(x, a) for a in axes])
    middle, apart = mean_and_differences(b, x, axes)
    total = b.reduce("sum", b.squared(apart), axes, keepdim)
    if isinstance(count, SymbolicSize):
        number = b.sub(b.tensor(count, element_of(x)), b.number(less, x))
        return b.div(total, b.maximum(number, b.number(0, x))), middle
    return b.div(total, b.tensor(float(max(count - less, 0)), element_of(x))), middle


@converts("linalg_vector_norm", bounded=True)
def vector_norm(b: Call, self: SSAValue, ord: Scalar, dim: Axes, keepdim: bool) -> Results:
    """`sum(|x|^ord)^(1 / ord)` over `dim`; the largest or smallest magnitude for infinite `ord`, for 0 how many are not
    0."""
    x = b(graph.AbsOp, b.widened(b.tensor(self)))
    if ord == inf or ord == -inf:
        return reduced(b, "max" if ord > 0 else "min", x, dim, keepdim)
    if ord == 0:
        return reduced(b, "sum", b.cast(b.to_bool(x), element_of(x)), dim, keepdim)
    if ord == 1:
        return reduced(b, "sum", x, dim, keepdim)
    if ord == 2:
        return b(graph.SqrtOp, reduced(b, "sum", b.squared(x), dim, keepdim))
    total = reduced(b, "sum", b(graph.PowOp, x, b.number(ord, x)), dim, keepdim)
    return b(graph.PowOp, total, b.number(1 / ord, x))


@converts("logsumexp", bounded=True)
def logsumexp(b: Call, self: SSAValue, dim: Axes, keepdim: bool) -> Results:
    """`log(sum(e^x))` over `dim`, shifted by the maximum so that no exponential overflows."""
    x = b.to_float(self)
    if not shape_of(x):
        return x
    return log_sum_exp(b, x, axes_of(dim, len(shape_of(x))), keepdim)


@converts("cumsum", bounded=True, parts=True)
@converts("cumprod", bounded=True)
def cumulative(b: Call, self: SSAValue, dim: int) -> Results:
    """A loop over the axis that carries what was added up so far."""
    x = b.widened(b.tensor(self))
    if not shape_of(x):
        return x
    is_sum = b.before.name == "aten.cumsum"
    ends = b.knowledge.extents.get(x, {})
    x = filled(b, x, 0 if is_sum else 1)  # what lies after the data changes nothing
    return b.bounded(running(b, graph.AddOp if is_sum else graph.MulOp, x, axis_of(dim, len(shape_of(x)))), ends)


@converts("sort", "sort.stable", "topk")
def sort(
    b: Call, self: SSAValue, dim: int, descending: bool = False, k: int | None = None, largest: bool = True
) -> Results:
    """Sorted values and where they were. Equal ones stay in order; NaN is the greatest."""
    if not shape_of(self):
        return [self, b.constant(0)]
    axis = axis_of(dim, len(shape_of(self)))
    keys = b.cast(self, f32) if element_of(self) == i1 else self
    places = b(graph.ArgsortOp, keys, axis, descending if k is None else largest, b.shape()[axis])
    return [taken_along(b, self, places, axis), places]
