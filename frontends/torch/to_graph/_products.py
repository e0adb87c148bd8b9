"""Products of matrices, convolutions and attention."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.images import slide, surround
from mlc.frontends.operators.open_shapes import by_rows, depends_on_call
from mlc.frontends.operators.products import numpy_product
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.frontends.torch.to_graph._windows import per_dim


@converts("mm", "bmm", bounded=True)
def mm(b: Call, self: SSAValue, mat2: SSAValue) -> Results:
    """A matrix product, [m, k] x [k, n], or one for each batch, [b, m, k] x [b, k, n]."""
    return by_rows(b, self, lambda rows: b.matmul(rows, mat2)) if len(shape_of(mat2)) == 2 else b.matmul(self, mat2)


@converts("_int_mm")
def int_mm(b: Call, self: SSAValue, mat2: SSAValue) -> Results:
    """The matrix product of i8, with sums of i32."""
    return b.matmul(b.cast(self, i32), b.cast(mat2, i32))


@converts("_weight_int8pack_mm")
def weight_int8pack_mm(b: Call, self: SSAValue, mat2: SSAValue, scales: SSAValue) -> Results:
    """`self mat2^T scales`: floats [m, k] times integers [n, k], with a scale for each of these rows."""
    return b.mul(b.matmul(self, b.cast(b.transpose(mat2, (1, 0)), b.element())), scales)


@converts("addmm", "baddbmm", bounded=True)
def addmm(
    b: Call, self: SSAValue, beta: Scalar, alpha: Scalar, mat1: SSAValue | None = None, mat2: SSAValue | None = None,
    batch1: SSAValue | None = None, batch2: SSAValue | None = None,
) -> Results:  # fmt: skip
    """`beta self + alpha mat1 mat2`; with beta 0, what `self` holds does not matter. Halves are rounded once, at the
    end: a product may be too large for one before."""
    x, y = mat1 or batch1, mat2 or batch2
    assert x is not None and y is not None
    if alpha != 1 or beta != 0:
        self, x, y = (b.widened(v) for v in (self, x, y))

    def product(rows: SSAValue) -> SSAValue:
        found = b.scaled(b.matmul(rows, y), alpha)
        return found if beta == 0 else b.add(found, b.scaled(self, beta))

    return by_rows(b, x, product) if len(shape_of(y)) == 2 and len(shape_of(self)) < 2 else product(x)


@converts("mv")
def mv(b: Call, self: SSAValue, vec: SSAValue) -> Results:
    """A matrix times a vector: [m, k] x [k] gives [m]."""
    return b.reshape(b.matmul(self, b.unsqueeze(vec, [1])), b.shape())


@converts("addmv")
def addmv(b: Call, self: SSAValue, mat: SSAValue, vec: SSAValue, beta: Scalar, alpha: Scalar) -> Results:
    """`beta self + alpha mat vec`; with beta 0, what `self` holds does not matter."""
    if alpha != 1 or beta != 0:
        self, mat, vec = (b.widened(v) for v in (self, mat, vec))
    found = b.scaled(b.reshape(b.matmul(mat, b.unsqueeze(vec, [1])), b.shape()), alpha)
    return found if beta == 0 else b.add(found, b.scaled(self, beta))


@converts("dot", "vdot")
def dot(b: Call, self: SSAValue, tensor: SSAValue | None = None, other: SSAValue | None = None) -> Results:
    """The sum of the products of two vectors, of rank 0."""
    y = tensor or other
    assert y is not None
    return b.reshape(b.matmul(b.unsqueeze(self, [0]), b.unsqueeze(y, [1])), ())


@converts("matmul", bounded=True)
def matmul(b: Call, self: SSAValue, other: SSAValue) -> Results:
    """NumPy's product: a vector on the left is a row, on the right a column."""
    return numpy_product(b, self, other)


@converts("linear", bounded=True)
def linear(b: Call, input: SSAValue, weight: SSAValue, bias: SSAValue | None) -> Results:
    """`input weight^T + bias`: [..., k] x [n, k] gives [..., n]."""
    x = b.unsqueeze(input, [0]) if len(shape_of(input)) == 1 else input
    w = b.unsqueeze(weight, [0]) if len(shape_of(weight)) == 1 else weight
    w = b.transpose(w, (1, 0))
    if bias is not None:  # the result is rounded once
        x, w, bias = (b.widened(v) for v in (x, w, bias))
    found = b.matmul(x, w)
    found = found if depends_on_call(b, found) else b.reshape(found, b.shape())
    return found if bias is None else b.add(found, bias)


# ---- convolutions


@converts("convolution", "_convolution", "_convolution.deprecated", bounded=True)
def convolution(
    b: Call, input: SSAValue, weight: SSAValue, bias: SSAValue | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
) -> Results:  # fmt: skip
    """A convolution of [N, C, ...] with weights [O, C / groups, ...], or a transposed one with [C, O / groups, ...];
    `bias` is one number per channel of the result."""
    spatial = len(shape_of(weight)) - 2
    stride, padding, dilation, extra = (per_dim(v, spatial) for v in (stride, padding, dilation, output_padding))
    if bias is not None:  # the result is rounded once
        input, weight, bias = (b.widened(v) for v in (input, weight, bias))
    if transposed:
        found = transposed_convolution(b, input, weight, stride, padding, dilation, extra, groups)
    else:
        found = plain_convolution(b, input, weight, stride, padding, dilation, groups)
    return found if bias is None else b.add(found, b.reshape(bias, (shape_of(bias)[0], *[1] * spatial)))


def plain_convolution(
    b: Call, x: SSAValue, weight: SSAValue, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    groups: int,
) -> SSAValue:  # fmt: skip
    """A convolution, padded alike on both sides; a window that may lie wholly in the padding is one over more image."""
    kernel = shape_of(weight)[2:]
    if any(p >= (k - 1) * d + 1 for p, k, d in zip(padding, kernel, dilation, strict=True)):
        x, padding = surround(b, x, padding, padding, 0), [0] * len(padding)
    return slide(
        b, graph.ConvOp, (x, weight), strides=tuple(stride), padding=(*padding, *padding), dilations=tuple(dilation),
        groups=groups,
    )  # fmt: skip


def transposed_convolution(
    b: Call, x: SSAValue, weight: SSAValue, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    extra: Sequence[int], groups: int,
) -> SSAValue:  # fmt: skip
    """A transposed convolution; what the op cannot cut or add is done after it."""
    kernel = shape_of(weight)[2:]
    spatial = len(kernel)
    whole = [
        (e - 1) * s + (k - 1) * d + 1 for e, s, k, d in zip(shape_of(x)[2:], stride, kernel, dilation, strict=True)
    ]
    fits = all(
        0 <= e < max(s, d) and w + e - 2 * p > 0
        for e, s, d, w, p in zip(extra, stride, dilation, whole, padding, strict=True)
    )
    found = slide(
        b, graph.ConvTransposeOp, (x, weight), strides=tuple(stride),
        padding=(*padding, *padding) if fits else (0,) * (2 * spatial),
        output_padding=tuple(extra) if fits else (0,) * spatial, dilations=tuple(dilation), groups=groups,
    )  # fmt: skip
    if not fits:
        grow = [e - p for e, p in zip(extra, padding, strict=True)]
        found = surround(b, found, [0] * spatial, [max(n, 0) for n in grow], 0)
        for i in range(spatial):
            found = b.slice(found, 2 + i, padding[i], shape_of(found)[2 + i] - max(-grow[i], 0))
    return found
