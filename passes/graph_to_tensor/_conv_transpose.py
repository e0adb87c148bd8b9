"""Transposed convolutions become ordinary ones, one for each kind of phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects import graph
from mlc.dialects.graph.types import ints, shape_of
from mlc.dialects.graph.windows import channel_dim, image_padding, spatial_dims
from mlc.passes.graph_to_tensor._builder import Builder, d, every
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._phases import Axis, Phases, phases_of
from mlc.passes.graph_to_tensor._points import Points, unchanged
from mlc.passes.lowering import lowers
from mlc.support.affine import simplify_sum
from mlc.support.types import element_type


@lowers("lower-to-tensor", graph.ConvTranspose2dOp)
class ConvTranspose2dToContract(ToTensor):
    """Rows that are `stride` apart form a phase, on which only every `stride`-th tap of the kernel falls.

    So each phase is an ordinary convolution of stride 1 with a part of the kernel, without the zeros that a
    convolution over an image spread out by zeros would multiply, and without tests in inner loops. Phases that have
    equally many taps are dims of one contraction, which leaves their rows interleaved as the result wants them:

        y[b, y, py, x, px, n] = sum over ky, kx, k of image[b, y + .., x + .., k] * w[py + s * ky, px + s * kx, k, n]

    and a reshape to `[b, y * s + py, x * s + px, n]` moves nothing. That is all where the stride divides the size of
    the kernel (2x2 or 4x4 at stride 2). Otherwise (3x3 at stride 2) there are several contractions, and `concat` puts
    their phases side by side; rows past the end of the result are cut off.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ConvTranspose2dOp)
        lowering = _Lowering(op, b)
        rows, columns = (phases_of(axis) for axis in lowering.axes)
        image, shift = lowering.padded_image(rows, columns)
        strips = [lowering.side_by_side([lowering.part(image, shift, r, c) for c in columns], "px") for r in rows]
        return lowering.cropped(lowering.side_by_side(strips, "py"))


@dataclass
class _Lowering:
    """The parts of one lowering.

    A part has the dims `b`, then `y, py, x, px` and in front of or behind these the channels: `n`, or `g, n` if there
    are groups of several channels. `py` and `px` are missing where the stride is 1.
    """

    op: graph.ConvTranspose2dOp
    b: Builder

    def __post_init__(self) -> None:
        op = self.op
        self.channels_last = op.layout.data == "NHWC"
        self.result = shape_of(op.result)
        image, weights = shape_of(op.input), shape_of(op.weights)
        taps = weights[:2] if self.channels_last else weights[2:]
        strides, dilations, padding = ints(op.strides), ints(op.dilations), ints(op.padding)
        spatial = spatial_dims(op.layout.data)
        self.axes = [
            Axis(image[at], taps[i], self.result[at], strides[i], dilations[i], padding[i])
            for i, at in enumerate(spatial)
        ]
        self.groups, outputs = op.groups.value.data, self.result[channel_dim(op.layout.data)]
        self.inputs_per_group = image[channel_dim(op.layout.data)] // self.groups
        self.outputs_per_group = outputs // self.groups
        self.channels = [("n", outputs)]
        if self.groups > 1 and self.outputs_per_group > 1:
            self.channels = [("g", self.groups), ("n", self.outputs_per_group)]

    def dims(self, row_phases: int = 1, column_phases: int = 1) -> list[tuple[str, int]]:
        """The dims of a part with these numbers of phases."""
        y, x = self.axes
        image = [("y", y.steps), *([("py", row_phases)] if y.stride > 1 else [])]
        image += [("x", x.steps), *([("px", column_phases)] if x.stride > 1 else [])]
        batch = ("b", self.result[0])
        return [batch, *image, *self.channels] if self.channels_last else [batch, *self.channels, *image]

    def padded_image(self, rows: Sequence[Phases], columns: Sequence[Phases]) -> tuple[SSAValue, tuple[int, int]]:
        """The image with zeros wherever some phase reads outside of it, and how far that moved its first pixel."""
        amounts = [_outside(axis, phases) for axis, phases in zip(self.axes, (rows, columns), strict=True)]
        (top, bottom), (left, right) = amounts
        low, high = image_padding(self.op.layout.data, (top, left, bottom, right))
        return self.b.pad(self.op.input, low, high, 0), (top, left)

    def part(self, image: SSAValue, shift: tuple[int, int], rows: Phases, columns: Phases) -> SSAValue:
        """The rows and columns of the result that these phases are."""
        over = self.dims(rows.count, columns.count)
        if not rows.taps * columns.taps:
            return self.b.map([], over, element_type(self.op.result.type), self._zero)
        at = {name: d(position) for position, (name, _) in enumerate(over)}
        i, j, k = (d(len(over) + position) for position in range(3))
        row, tap_row = _subscripts(rows, shift[0], at["y"], at.get("py"), i)
        column, tap_column = _subscripts(columns, shift[1], at["x"], at.get("px"), j)
        channel, weights, weight_channels = self._channels(at, k)
        if self.channels_last:
            pixel, taken = [at["b"], row, column, channel], [tap_row, tap_column, *weight_channels]
        else:
            pixel, taken = [at["b"], channel, row, column], [*weight_channels, tap_row, tap_column]
        reduce = [("ky", rows.taps), ("kx", columns.taps), ("k", self.inputs_per_group)]
        return self.b.contract((image, pixel), (weights, taken), over, reduce)

    def _channels(self, at: dict[str, AffineExpr], k: AffineExpr) -> tuple[AffineExpr, SSAValue, list[AffineExpr]]:
        """The input channel that is read as the `k`-th, the weights, and the subscripts of their channels."""
        weights, per_group = self.op.weights, self.inputs_per_group
        if self.groups == 1:
            return k, weights, [k, at["n"]]
        group = at["g"] if "g" in at else at["n"]
        channel = group * per_group + k if per_group > 1 else group
        if "g" in at:
            return channel, weights, [channel, at["n"]]
        if not self.channels_last:
            return channel, weights, [channel, AffineExpr.constant(0)]
        # One output channel per group: without its dim of extent 1, the weights are contiguous along the channels.
        return channel, self.b.reshape(weights, shape_of(weights)[:3]), [channel]

    def _zero(self, p: Points) -> SSAValue:
        return p.number(0, element_type(self.op.result.type))

    def side_by_side(self, parts: Sequence[SSAValue], dim: str) -> SSAValue:
        """Phases in order."""
        return parts[0] if len(parts) == 1 else self.b.concat(parts, [name for name, _ in self.dims()].index(dim))

    def cropped(self, whole: SSAValue) -> SSAValue:
        """All steps of all phases as rows, without those past the end."""
        shape = list(self.result)
        for axis, at in zip(self.axes, spatial_dims(self.op.layout.data), strict=True):
            shape[at] = axis.steps * axis.stride
        full = self.b.reshape(whole, shape)
        if tuple(shape) == self.result:
            return full
        return self.b.map_points([(full, every(4))], self.result, element_type(self.op.result.type), unchanged)


def _outside(axis: Axis, phases: Sequence[Phases]) -> tuple[int, int]:
    """How many pixels in front of the image, and behind it, are read."""
    reached = [p.reach(axis.steps) for p in phases if p.taps]
    low, high = min((r[0] for r in reached), default=0), max((r[1] for r in reached), default=0)
    return max(0, -low), max(0, high - (axis.pixels - 1))


def _subscripts(
    phases: Phases, shift: int, step: AffineExpr, phase: AffineExpr | None, tap: AffineExpr
) -> tuple[AffineExpr, AffineExpr]:
    """The pixel of the image moved by `shift`, and the tap, that are multiplied."""
    (start, per_phase, per_tap), (first, tap_per_phase, tap_step) = phases.pixel, phases.tap
    pixel, taken = step - tap * per_tap, tap * tap_step
    if phase is not None:
        pixel, taken = _plus(pixel, phase, per_phase), _plus(taken, phase, tap_per_phase)
    return simplify_sum(pixel + (start + shift)), simplify_sum(taken + first)


def _plus(expr: AffineExpr, dim: AffineExpr, factor: int) -> AffineExpr:
    return expr + dim * factor if factor else expr
