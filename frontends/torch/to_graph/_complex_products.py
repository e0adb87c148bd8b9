"""Products of matrices, convolutions, and products of all numbers of a dim, of complex numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, each_part
from mlc.frontends.operators.fields import bilinear, product, reshaped, running_product
from mlc.frontends.torch.to_graph import _products
from mlc.frontends.torch.to_graph._calls import Call, Found, Scalar, axis_of
from mlc.frontends.torch.to_graph._complex import of_pairs
from mlc.frontends.torch.to_graph._torch_complex import TorchComplex

_AnyScalar = Scalar | complex


def _product(b: Call, x: RealOrPair, y: RealOrPair, product: Callable[[SSAValue, SSAValue], SSAValue]) -> Pair:
    """Four products of parts; two where an operand is real."""
    found = bilinear(b, x, y, product)
    assert isinstance(found, Pair)
    return found


@of_pairs("mm", "bmm")
def mm(b: Call, self: RealOrPair, mat2: RealOrPair) -> Found:
    """Products of matrices `[m, k]` and `[k, n]`, or of stacks of them."""
    return _product(b, self, mat2, b.matmul)


@of_pairs("matmul")
def matmul(b: Call, self: RealOrPair, other: RealOrPair) -> Found:
    """The product of tensors of any rank from 1 on, as NumPy has it; leading dims broadcast."""
    return _product(b, self, other, lambda x, y: _one(_products.matmul(b, x, y)))


@of_pairs("mv")
def mv(b: Call, self: RealOrPair, vec: RealOrPair) -> Found:
    """The product of a matrix `[m, k]` and a vector `[k]`."""
    return _product(b, self, vec, lambda x, y: _one(_products.mv(b, x, y)))


@of_pairs("dot", "vdot")
def dot(b: Call, self: Pair, tensor: Pair | None = None, other: Pair | None = None) -> Found:
    """Of `vdot` the conjugate of the first vector."""
    y = tensor or other
    x = TorchComplex(b).conjugate(self) if b.before.name == "aten.vdot" else self
    assert y is not None
    return _product(b, x, y, lambda x, y: _one(_products.dot(b, x, y)))


@of_pairs("addmm", "baddbmm", "addmv")
def addmm(
    b: Call, self: RealOrPair, beta: _AnyScalar, alpha: _AnyScalar,
    mat1: RealOrPair | None = None, mat2: RealOrPair | None = None,
    batch1: RealOrPair | None = None, batch2: RealOrPair | None = None,
    mat: RealOrPair | None = None, vec: RealOrPair | None = None,
) -> Found:  # fmt: skip
    """`beta self + alpha mat1 mat2`; with beta 0, what `self` holds does not matter."""
    c = TorchComplex(b)
    x, y = mat1 or batch1 or mat, mat2 or batch2 or vec
    assert x is not None and y is not None
    found = mv(b, x, y) if vec is not None else mm(b, x, y)
    assert isinstance(found, Pair)
    found = found if alpha == 1 else c.mul(found, b.pair(alpha))
    return found if beta == 0 else c.add(found, b.pair(self) if beta == 1 else c.mul(b.pair(self), b.pair(beta)))


@of_pairs("prod", "prod.dim_int")
def prod(b: Call, self: RealOrPair, dim: int | None = None, keepdim: bool = False) -> Found:
    """The product of all numbers, or of those along a dim; real ones become complex first."""
    x = b.pair(self)
    shape = shape_of(x.re)
    if dim is None:
        return reshaped(b, product(b, reshaped(b, x, (math.prod(shape),)), 0), b.shape())
    return reshaped(b, product(b, x, axis_of(dim, len(shape))), b.shape()) if shape else x


@of_pairs("cumprod")
def cumprod(b: Call, self: RealOrPair, dim: int) -> Found:
    """Products of the numbers along a dim up to each."""
    x = b.pair(self)
    shape = shape_of(x.re)
    return running_product(b, x, axis_of(dim, len(shape))) if shape else x


@of_pairs("linear")
def linear(b: Call, input: RealOrPair, weight: RealOrPair, bias: RealOrPair | None) -> Found:
    """`x Wᵀ + b` with `W` `[outputs, inputs]`."""
    found = _product(b, input, weight, lambda x, y: _one(_products.linear(b, x, y, None)))
    return found if bias is None else TorchComplex(b).add(found, b.pair(bias))


@of_pairs("convolution")
def convolution(
    b: Call, input: Pair, weight: Pair, bias: Pair | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
) -> Found:  # fmt: skip
    """A convolution of images `[N, C, ...]`, perhaps transposed; four of real ones, and a bias per channel."""
    how = stride, padding, dilation, transposed, output_padding, groups
    found = _product(b, input, weight, lambda x, w: _one(_products.convolution(b, x, w, None, *how)))
    if bias is None:
        return found
    rank = len(shape_of(found.re))
    column = each_part(bias, lambda v: b.reshape(v, (shape_of(v)[0], *[1] * (rank - 2))))
    return TorchComplex(b).add(found, b.pair(column))


def _one(found: Found) -> SSAValue:
    assert isinstance(found, SSAValue)
    return found
