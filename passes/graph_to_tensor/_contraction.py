"""Matrix products and convolutions become `tensor.contract`: they differ in their index maps only."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects import graph
from mlc.dialects.graph.types import ints, shape_of
from mlc.dialects.graph.windows import image_padding
from mlc.passes.graph_to_tensor._builder import Builder, d, dims_of, every
from mlc.passes.graph_to_tensor._elementwise import broadcast_subscripts
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.lowering import lowers


@lowers("lower-to-tensor", graph.MatmulOp)
class MatmulToContract(ToTensor):
    """`y[…, m, n] = sum over k of a[…, m, k] * b[…, k, n]`; leading dims of extent 1 are read at 0."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.MatmulOp)
        lhs, rhs, result = shape_of(op.lhs), shape_of(op.rhs), shape_of(op.result)
        batch, rank = result[:-2], len(result)
        names = (*(f"b{i}" if len(batch) > 1 else "b" for i in range(len(batch))), "m", "n")
        m, n, k = d(rank - 2), d(rank - 1), d(rank)
        return b.contract(
            (op.lhs, [*broadcast_subscripts(lhs[:-2], batch), m, k]),
            (op.rhs, [*broadcast_subscripts(rhs[:-2], batch), k, n]),
            over=list(zip(names, result, strict=True)),
            reduce=[("k", lhs[-1])],
        )


@lowers("lower-to-tensor", graph.Conv2dOp)
class Conv2dToContract(ToTensor):
    """A convolution reads its padded image at `position * stride + tap * dilation`.

    NHWC: `y[b, y, x, n] = sum over ky, kx, k of image[b, y * s + ky * d, x * s + kx * d, k] * w[ky, kx, k, n]`; with
    groups, output channel `n` reads the input channels of its group.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.Conv2dOp)
        channels_last = op.layout.data == "NHWC"
        weights, result = shape_of(op.weights), shape_of(op.result)
        image = b.pad(op.input, *image_padding(op.layout.data, ints(op.padding)), 0)
        (sy, sx), (dy, dx) = ints(op.strides), ints(op.dilations)
        if channels_last:
            over = dims_of(result)
            (ky, kx), per_group = weights[:2], weights[2]
            batch, y, x, n = every(4)
        else:
            over = [("b", result[0]), ("n", result[1]), ("y", result[2]), ("x", result[3])]
            (ky, kx), per_group = weights[2:], weights[1]
            batch, n, y, x = every(4)
        i, j, k = d(4), d(5), d(6)
        row, column = y * sy + i * dy, x * sx + j * dx
        channel = _input_channel(n, k, result[3 if channels_last else 1] // op.groups.value.data, per_group, op)
        return b.contract(
            (image, [batch, row, column, channel] if channels_last else [batch, channel, row, column]),
            (op.weights, [i, j, k, n] if channels_last else [n, k, i, j]),
            over=over,
            reduce=[("ky", ky), ("kx", kx), ("k", per_group)],
        )


def _input_channel(n: AffineExpr, k: AffineExpr, out_per_group: int, per_group: int, op: graph.Conv2dOp) -> AffineExpr:
    """The input channel that output channel `n` reads as its `k`-th."""
    if op.groups.value.data == 1:
        return k
    group = n if out_per_group == 1 else n // out_per_group
    return group * per_group + k if per_group > 1 else group + k
