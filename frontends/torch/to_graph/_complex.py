"""Operators on complex numbers: parts and pairs, arithmetic, functions, comparisons, products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, log

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, each_part, number_of, spread
from mlc.frontends.operators.complex_values import joined, part_of, split
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Found, Scalar, common_element
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.frontends.torch.to_graph._torch_complex import TorchComplex

of_pairs = partial(converts, pairs=True)
"""Decorator of what takes or gives complex numbers."""
_AnyScalar = Scalar | complex
_Operand = RealOrPair | _AnyScalar


# ---- parts


@of_pairs("view_as_complex", "view_as_complex_copy")
def view_as_complex(b: Call, self: SSAValue) -> Found:
    """A float tensor `[..., 2]` as complex numbers `[...]`."""
    return split(b, self)


@of_pairs("view_as_real", "view_as_real_copy")
def view_as_real(b: Call, self: Pair) -> Found:
    """Complex numbers `[...]` as a float tensor `[..., 2]`."""
    return joined(b, self)


@of_pairs("view.dtype")
def view_of_parts(b: Call, self: RealOrPair) -> Found:
    """Complex numbers as twice as many real ones, and back."""
    if isinstance(self, Pair) and part_of(b.type().element_type) == b.type().element_type == element_of(self.re):
        return b.reshape(joined(b, self), b.shape())
    if isinstance(self, SSAValue) and element_of(self) == b.element():
        return split(b, b.reshape(self, (*b.shape(), 2)))
    if isinstance(self, Pair) and element_of(self.re) == b.element():
        return self
    raise Unconvertible("it reads the bits of complex numbers as those of another type than that of their parts")


@of_pairs("complex")
def complex_(b: Call, real: SSAValue, imag: SSAValue) -> Found:
    """Complex numbers of two float tensors, which broadcast."""
    return spread(b, Pair(real, imag), b.shape())


@of_pairs("polar")
def polar(b: Call, abs: SSAValue, angle: SSAValue) -> Found:
    """Of a size and an angle."""
    found = Pair(b.mul(abs, b(graph.CosOp, angle)), b.mul(abs, b(graph.SinOp, angle)))
    return spread(b, found, b.shape())


@of_pairs("real")
def real(b: Call, self: Pair) -> Found:
    """The real part."""
    return self.re


@of_pairs("imag")
def imag(b: Call, self: Pair) -> Found:
    """The imaginary part."""
    return self.im


@of_pairs("_conj", "_conj_physical", "conj_physical", "conj")
def conj(b: Call, self: Pair) -> Found:
    """The conjugate, `re - i im`."""
    return Pair(self.re, b.minus(self.im))


@of_pairs("neg", "_neg_view")
def neg(b: Call, self: Pair) -> Found:
    """`-x`, of both parts."""
    return each_part(self, b.minus)


@of_pairs("copy", "_to_copy", "to.dtype", "prims_convert_element_type", "type_as")
def converted(b: Call, self: RealOrPair, src: RealOrPair | None = None) -> Found:
    """Other numbers; of those that become real the real parts, and whether they are not 0 as truth values."""
    value = self if src is None else src
    if b.element() != b.type().element_type:
        return spread(b, b.pair(value), b.shape())
    if b.element() == i1 and isinstance(value, Pair):
        return _is_not_0(b, value)
    return b.broadcast(b.tensor(number_of(value)[0]), b.shape())


# ---- tensors of several


@of_pairs("cat")
def cat(b: Call, tensors: Sequence[RealOrPair], dim: int) -> Found:
    """One after the other; a vector of no elements fits anything."""
    pairs = [b.pair(t) for t in tensors if shape_of(number_of(t)[0]) != (0,)]
    axis = dim % len(b.shape())
    return Pair(b.concat([p.re for p in pairs], axis), b.concat([p.im for p in pairs], axis))


@of_pairs("stack")
def stack(b: Call, tensors: Sequence[RealOrPair], dim: int) -> Found:
    """Tensors of one shape along a new axis `dim`; real ones become complex."""
    axis = dim % len(b.shape())
    pairs = [b.pair(t) for t in tensors]
    wide = [[b.unsqueeze(v, [axis]) for v in parts] for parts in ([p.re for p in pairs], [p.im for p in pairs])]
    return Pair(b.concat(wide[0], axis), b.concat(wide[1], axis))


@of_pairs("where.self")
def where(b: Call, condition: SSAValue, self: _Operand, other: _Operand) -> Found:
    """`self` where the condition is not 0, else `other`; all three broadcast."""
    x, y, holds = b.pair(self), b.pair(other), b.to_bool(condition)
    return spread(b, Pair(b.where(holds, x.re, y.re), b.where(holds, x.im, y.im)), b.shape())


@of_pairs("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(b: Call, self: Pair, mask: SSAValue, value: _Operand) -> Found:
    """`value` where the mask holds, else `self`."""
    return where(b, mask, value, self)


@of_pairs("fill.Tensor")
def fill(b: Call, value: RealOrPair) -> Found:
    """One number everywhere."""
    return spread(b, b.pair(value), b.shape())


@of_pairs("ones", "ones_like", "new_ones", "eye", "eye.m")
def ones(b: Call) -> Found:
    """Ones, or the identity matrix, with imaginary parts of 0."""
    from mlc.frontends.torch.to_graph._creation import eye
    from mlc.frontends.torch.to_graph._creation import ones as real_ones

    made = eye(b) if b.before.name.startswith("aten.eye") else real_ones(b)
    assert isinstance(made, SSAValue)
    return b.pair(made)


# ---- arithmetic


def _two(b: Call, x: _Operand, y: _Operand, alpha: _AnyScalar = 1) -> tuple[TorchComplex, Pair, Pair]:
    """Both operands; the second one times a number."""
    c = TorchComplex(b)
    second = b.pair(y)
    return c, b.pair(x), second if alpha == 1 else c.mul(second, b.pair(alpha))


@of_pairs("add.Tensor", "add.Scalar")
def add(b: Call, self: _Operand, other: _Operand, alpha: _AnyScalar) -> Found:
    """`self + alpha other`; real operands have imaginary parts of 0."""
    c, x, y = _two(b, self, other, alpha)
    return c.add(x, y)


@of_pairs("sub.Tensor", "sub.Scalar")
def sub(b: Call, self: _Operand, other: _Operand, alpha: _AnyScalar) -> Found:
    """`self - alpha other`."""
    c, x, y = _two(b, self, other, alpha)
    return c.sub(x, y)


@of_pairs("rsub.Tensor", "rsub.Scalar")
def rsub(b: Call, self: _Operand, other: _Operand, alpha: _AnyScalar) -> Found:
    """`other - alpha self`."""
    c, x, y = _two(b, other, self, alpha)
    return c.sub(x, y)


@of_pairs("mul.Tensor", "mul.Scalar")
def mul(b: Call, self: _Operand, other: _Operand) -> Found:
    """`self * other`."""
    c, x, y = _two(b, self, other)
    return c.mul(x, y)


@of_pairs("div.Tensor", "div.Scalar")
def div(b: Call, self: _Operand, other: _Operand) -> Found:
    """`self / other`, scaled so that it does not overflow where the quotient does not."""
    c, x, y = _two(b, self, other)
    return c.div(x, y)


@of_pairs("reciprocal")
def reciprocal(b: Call, self: Pair) -> Found:
    """`1 / x`."""
    return TorchComplex(b).reciprocal(self)


@of_pairs("square")
def square(b: Call, self: Pair) -> Found:
    """`x * x`."""
    return TorchComplex(b).mul(self, self)


@of_pairs("pow.Tensor_Tensor", "pow.Scalar", "pow.Tensor_Scalar")
def power(b: Call, self: _Operand, exponent: _Operand) -> Found:
    """Small powers are products, as torch computes them."""
    c, x, y = _two(b, self, exponent)
    simple: dict[_AnyScalar, Callable[[], Pair]] = {
        0: lambda: spread(b, b.pair(1), b.shape()),
        0.5: lambda: c.sqrt(x),
        1: lambda: x,
        2: lambda: c.mul(x, x),
        3: lambda: c.mul(c.mul(x, x), x),
        -0.5: lambda: c.rsqrt(x),
        -1: lambda: c.reciprocal(x),
        -2: lambda: c.reciprocal(c.mul(x, x)),
    }
    if isinstance(exponent, Scalar | complex) and exponent in simple:
        return simple[exponent]()
    return spread(b, c.power(x, y), b.shape())


# ---- functions of one operand


@of_pairs("abs")
def absolute(b: Call, self: Pair) -> Found:
    """The modulus, a float tensor."""
    return TorchComplex(b).modulus(self)


@of_pairs("angle")
def angle(b: Call, self: Pair) -> Found:
    """The angle from -pi to pi, a float tensor."""
    return TorchComplex(b).angle(self)


_FUNCTIONS: dict[str, Callable[[TorchComplex, Pair], Pair]] = {
    "acos": TorchComplex.acos,
    "acosh": TorchComplex.acosh,
    "asin": TorchComplex.asin,
    "asinh": TorchComplex.asinh,
    "atan": TorchComplex.atan,
    "atanh": TorchComplex.atanh,
    "cos": TorchComplex.cos,
    "cosh": TorchComplex.cosh,
    "exp": TorchComplex.exp,
    "expm1": TorchComplex.expm1,
    "log": TorchComplex.log,
    "log1p": TorchComplex.log1p,
    "rsqrt": TorchComplex.rsqrt,
    "sgn": TorchComplex.sign,
    "sigmoid": TorchComplex.logistic,
    "sin": TorchComplex.sin,
    "sinh": TorchComplex.sinh,
    "sqrt": TorchComplex.sqrt,
    "tan": TorchComplex.tan,
    "tanh": TorchComplex.tanh,
}


@of_pairs("log2", "log10")
def logarithm(b: Call, self: Pair) -> Found:
    """`log(x)` to the base 2 or 10, its imaginary part from -pi to pi before it is scaled."""
    found = TorchComplex(b).log(self)
    factor = 1 / log(2 if b.before.name == "aten.log2" else 10)
    return each_part(found, lambda v: b.scaled(v, factor))


def _register(name: str, function: Callable[[TorchComplex, Pair], Pair]) -> None:
    @of_pairs(name)
    def of_one(b: Call, self: Pair) -> Found:  # pyright: ignore[reportUnusedFunction]
        return function(TorchComplex(b), self)


for _name, _function in _FUNCTIONS.items():
    _register(_name, _function)


# ---- comparisons


def _is_not_0(b: Call, x: Pair) -> SSAValue:
    return b(graph.OrOp, b.to_bool(x.re), b.to_bool(x.im))


@of_pairs("eq.Tensor", "eq.Scalar", "ne.Tensor", "ne.Scalar")
def compare(b: Call, self: RealOrPair, other: _Operand) -> Found:
    """Whether both parts are equal (i1), or not, in the type that torch promotes the operands to."""
    element = part_of(common_element([self, other]))
    direction = b.before.name.removeprefix("aten.")[:2]
    return TorchComplex(b).compare(direction, b.pair(self, element), b.pair(other, element))


@of_pairs("isnan")
def isnan(b: Call, self: Pair) -> Found:
    """Whether either part is NaN (i1)."""
    return b(graph.OrOp, *(b.compare("ne", v, v) for v in (self.re, self.im)))


@of_pairs("isinf")
def isinf(b: Call, self: Pair) -> Found:
    """Whether either part is infinite (i1)."""
    return b(graph.OrOp, *(b.compare("eq", b(graph.AbsOp, v), b.number(inf, v)) for v in (self.re, self.im)))


@of_pairs("logical_not")
def logical_not(b: Call, self: Pair) -> Found:
    """Whether both parts are 0 (i1)."""
    return b(graph.NotOp, _is_not_0(b, self))


_LOGIC: dict[str, type[graph.GraphOp]] = {"and": graph.AndOp, "or": graph.OrOp, "xor": graph.XorOp}


@of_pairs("logical_and", "logical_or", "logical_xor")
def logical(b: Call, self: RealOrPair, other: RealOrPair) -> Found:
    """`and`, `or`, `xor` of whether numbers are not 0 (i1)."""
    x, y = (_is_not_0(b, v) if isinstance(v, Pair) else b.to_bool(v) for v in (self, other))
    return b(_LOGIC[b.before.name.rpartition("_")[2]], x, y)


@of_pairs("any", "any.dim", "any.dims", "all", "all.dim", "all.dims")
def any_or_all(b: Call, self: Pair, dim: Sequence[int] | int | None = None, keepdim: bool = False) -> Found:
    """Of those that are not 0."""
    from mlc.frontends.torch.to_graph._reductions import all_, any_

    function = any_ if b.before.name.startswith("aten.any") else all_
    return function(b, _is_not_0(b, self), dim, keepdim)


@of_pairs("linalg_vector_norm")
def vector_norm(b: Call, self: Pair, ord: Scalar, dim: Sequence[int] | int | None, keepdim: bool) -> Found:
    """That of the sizes of the elements."""
    from mlc.frontends.torch.to_graph._reductions import vector_norm as of_sizes

    return of_sizes(b, TorchComplex(b).modulus(self), ord, dim, keepdim)


@of_pairs("var.correction", "std.correction", "var_mean.correction")
def variance(b: Call, self: Pair, dim: Sequence[int] | None, keepdim: bool, correction: Scalar | None) -> Found:
    """The sum of the variances of both parts."""
    from mlc.frontends.torch.to_graph._reductions import variance_and_mean

    less = 1 if correction is None else correction
    (one, re), (two, im) = (variance_and_mean(b, v, dim, keepdim, less) for v in (self.re, self.im))
    found = b.add(one, two)
    if b.before.name.startswith("aten.var_mean"):
        return [found, each_part(Pair(re, im), lambda v: b.reshape(v, b.shape(1)))]
    return b(graph.SqrtOp, found) if b.before.name.startswith("aten.std") else found
