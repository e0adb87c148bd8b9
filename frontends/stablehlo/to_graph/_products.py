"""Products of matrices and convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import i1, i32
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.dialects.graph.windows import LAYOUTS
from mlc.dialects.stablehlo import ConvAttr, DotAttr
from mlc.frontends.operators.beyond_extents import filled
from mlc.frontends.operators.complex_numbers import Pair
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.images import slide
from mlc.frontends.operators.open_shapes import require_fixed
from mlc.frontends.operators.products import product_over, summed_products
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts
from mlc.frontends.stablehlo.to_graph._moves import padded


@converts("dot_general", bounded=True)
def dot_general(b: HloCall) -> Converted:
    """A product of stacks of matrices: the batch first, what is free of each operand in one dim."""
    dims = cast(DotAttr, b.op.properties["dot_dimension_numbers"])
    batch = dims.ints("lhs_batching_dimensions"), dims.ints("rhs_batching_dimensions")
    contract = dims.ints("lhs_contracting_dimensions"), dims.ints("rhs_contracting_dimensions")
    return _of_parts(b, lambda x, y: product_over(b, x, y, batch, contract))


@converts("dot", bounded=True)
def dot(b: HloCall) -> Converted:
    """A product of matrices or vectors."""
    last = len(shape_of(b.op.operands[0])) - 1
    return _of_parts(b, lambda x, y: product_over(b, x, y, ((), ()), ((last,), (0,))))


@converts("einsum", "unary_einsum")
def einsum(b: HloCall) -> Converted:
    """Sums of products by letters: a product of matrices, once each operand has each letter of its own once."""
    inputs, _, output = b.op.word("einsum_config").replace(" ", "").partition("->")
    letters = inputs.split(",")
    if "." in inputs or len(letters) != len(b.op.operands) or set(output) - set(inputs):
        raise Unconvertible(
            f"it sums by '{b.op.word('einsum_config')}'; required: letters of all dims, as in 'ab,bc->ac'"
        )
    values = [b[0]] if len(letters) == 1 else [b.cast(b[i], b.element()) for i in (0, 1)]
    return summed_products(b, values, [list(each) for each in letters], list(output))


def _of_parts(b: HloCall, product: Callable[[SSAValue, SSAValue], SSAValue]) -> Converted:
    """A product of real numbers; of complex ones four."""
    element = b.element()

    def real(x: SSAValue, y: SSAValue) -> SSAValue:
        return product(_wide(b, x, element), _wide(b, y, element))

    if not (b.is_pair(0) or b.is_pair(1)):
        found = real(b[0], b[1])
        return b.compare("ne", found, b.number(0, found)) if element == i1 else found
    if not (b.is_pair(0) and b.is_pair(1)):
        if b.is_pair(0):
            one, y = b.pair(0), b[1]
            return Pair(real(one.re, y), real(one.im, y))
        x, two = b[0], b.pair(1)
        return Pair(real(x, two.re), real(x, two.im))
    x, y = b.pair(0), b.pair(1)
    return Pair(b.sub(real(x.re, y.re), real(x.im, y.im)), b.add(real(x.re, y.im), real(x.im, y.re)))


def _wide(b: GraphBuilder, x: SSAValue, element: Attribute) -> SSAValue:
    """An operand as the numbers that are summed: those of the result, truth values as integers."""
    return b.cast(x, i32 if element == i1 else element)


@converts("convolution", "dynamic_conv", bounded=True)
def convolution(b: HloCall) -> Converted:
    """A convolution of the graph: padding that windows could lie in, and numbers between elements, are stored."""
    if b.is_pair(0) or b.is_pair(1):
        x, y = b.pair(0), b.pair(1)
        one, two = convolved(b, x.re, y.re), convolved(b, x.im, y.im)
        three, four = convolved(b, x.re, y.im), convolved(b, x.im, y.re)
        return Pair(b.sub(one, two), b.add(three, four))
    return convolved(b, b[0], b[1])


def convolved(b: HloCall, image: SSAValue, kernel: SSAValue) -> SSAValue:
    """A convolution of real numbers."""
    op = b.op
    dims = cast(ConvAttr, op.properties["dimension_numbers"])
    element = b.element()
    free = [dims.dims(0, "b"), *dims.spatial(0)] if op.number("batch_group_count", 1) == 1 else []
    if op.number("batch_group_count", 1) == op.number("feature_group_count", 1) == 1:
        image, kernel = _summed(b, image, dims.dims(0, "f"), kernel, dims.dims(1, "i"))
    fixed = [d for d in range(len(shape_of(image))) if d not in free]
    require_fixed(b, image, "operand 0", fixed)
    require_fixed(b, kernel, "operand 1")
    x, w = b.cast(image, element), b.cast(kernel, element)
    if b.is_empty or 0 in (*shape_of(x), *shape_of(w)):
        return b.splat(0, b.shape(), element)
    count = len(shape_of(x)) - 2
    ones = (1,) * count
    strides, dilation, kernel_dilation = (op.ints(n, ones) for n in ("window_strides", "lhs_dilation", "rhs_dilation"))
    padding: Sequence[tuple[AnySize, AnySize]] = op.pairs("padding") or ((0, 0),) * count
    if op.mnemonic() == "dynamic_conv":
        amounts = b.sizes(2)
        padding = list(zip(amounts[::2], amounts[1::2], strict=True))
    reversal = op.ints("window_reversal", (0,) * count)
    features, batches = op.number("feature_group_count"), op.number("batch_group_count")
    backwards = [d for i, d in enumerate(dims.spatial(1)) if reversal[i]]
    w = b(graph.ReverseOp, w, backwards) if backwards else w
    channels_last = (
        count in (2, 3)
        and batches == 1
        and not b.knowledge.extents.get(image, {}).keys() & set(dims.spatial(0))
        and [dims.dims(0, "b"), *dims.spatial(0), dims.dims(0, "f")] == list(range(count + 2))
        and [*dims.spatial(1), dims.dims(1, "i"), dims.dims(1, "o")] == list(range(count + 2))
        and [dims.dims(2, "b"), *dims.spatial(2), dims.dims(2, "f")] == list(range(count + 2))
    )
    spatial = list(range(1, count + 1)) if channels_last else list(range(2, count + 2))
    if not channels_last:
        x = b.transpose(x, [dims.dims(0, "b"), dims.dims(0, "f"), *dims.spatial(0)])
        w = b.transpose(w, [dims.dims(1, "o"), dims.dims(1, "i"), *dims.spatial(1)])
    window = [shape_of(w)[d - 1 if channels_last else d] for d in spatial]
    reach = [(n - 1) * d + 1 for n, d in zip(window, kernel_dilation, strict=True)]
    around = [(p, q) for p, q in padding if isinstance(p, int) and isinstance(q, int)]
    if (
        len(around) < count
        or any(d > 1 for d in dilation)
        or any(p < 0 or q < 0 or p >= n or q >= n for (p, q), n in zip(around, reach, strict=True))
    ):
        inner = [0] * (count + 2)
        low: list[AnySize] = [*inner]
        high: list[AnySize] = [*inner]
        for i, d in enumerate(spatial):
            low[d], high[d], inner[d] = *padding[i], dilation[i] - 1
        x = padded(b, x, b.number(0, x), low, high, inner)
        around = [(0, 0)] * count
    if count == 0:
        return _of_points(b, x, w, dims, features, batches)
    options = {
        "strides": tuple(strides),
        "padding": (*(p for p, _ in around), *(q for _, q in around)),
        "dilations": tuple(kernel_dilation),
    }
    if channels_last:
        kind = graph.Conv2dOp if count == 2 else graph.Conv3dOp
        return b(kind, x, w, groups=features, layout=LAYOUTS[count][1], **options)
    if batches > 1:
        # A group of a batch group convolution sees its own images: they become channels of one image.
        shape = shape_of(x)
        each = shape[0] // batches
        x = b.reshape(x, (batches, each, *shape[1:]))
        x = b.transpose(x, [1, 0, *range(2, len(shape) + 1)])
        x = b.reshape(x, (each, batches * shape[1], *shape[2:]))
    found = slide(b, graph.ConvOp, [x, w], groups=max(features, batches), **options)
    order = [dims.dims(2, "b"), dims.dims(2, "f"), *dims.spatial(2)]
    return b.untranspose(found, order)


def _summed(b: HloCall, image: SSAValue, of_image: int, kernel: SSAValue, of_kernel: int) -> tuple[SSAValue, SSAValue]:
    """Both operands with zeros after the data along the dims that are summed over, if they end at the same extent, as
    batches do under a gradient for the kernel."""
    if b.axis_size(image, of_image) != b.axis_size(kernel, of_kernel):
        return image, kernel
    return filled(b, image, 0, [of_image]), filled(b, kernel, 0, [of_kernel])


def _of_points(b: HloCall, x: SSAValue, w: SSAValue, dims: ConvAttr, features: int, batches: int) -> SSAValue:
    """Without spatial dims it is a product of matrices."""
    if features != 1 or batches != 1:
        raise Unconvertible("a convolution of groups without spatial dims")
    found = product_over(b, x, w, ((), ()), ((1,), (1,)))
    return found if dims.dims(2, "b") == 0 else b.transpose(found, [1, 0])
