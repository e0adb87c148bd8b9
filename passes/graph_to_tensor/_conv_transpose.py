"""Transposed convolutions become ordinary ones, one for each kind of phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.dialects.graph.windows import channel_dim, has_channels_last, image_padding, spatial_dims
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder, d, every
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._phases import Axis, Phases, phases_of
from mlc.passes.graph_to_tensor._points import Points, unchanged
from mlc.passes.graph_to_tensor._windows import in_layout, spatial_names
from mlc.support.affine import simplify_sum
from mlc.support.types import element_type


@lowers("convert-graph-to-tensor", graph.ConvTransposeOp)
class ConvTransposeToContract(ToTensor):
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
        assert isinstance(op, graph.ConvTransposeOp)
        lowering = _Lowering(op, b)
        phases = [phases_of(axis) for axis in lowering.axes]
        return lowering.cropped(lowering.joined(*lowering.padded_image(phases), phases))


@dataclass
class _Lowering:
    """The parts of one lowering.

    A part has the dims `b`, then `y, py, x, px` and before or after these the channels: `n`, or `g, n` if there
    are groups of several channels. `py` and `px` are missing where the stride is 1.
    """

    op: graph.ConvTransposeOp
    b: Builder

    def __post_init__(self) -> None:
        op, layout = self.op, self.op.layout.data
        self.channels_last = has_channels_last(layout)
        self.result = shape_of(op.result)
        self.names = spatial_names(layout)
        image, window = shape_of(op.input), op.window
        self.axes = [
            Axis(
                image[at], window.kernel[i], self.result[at], window.strides[i], window.dilations[i], window.padding[i]
            )
            for i, at in enumerate(spatial_dims(layout))
        ]
        self.groups, outputs = op.groups.value.data, self.result[channel_dim(layout)]
        self.inputs_per_group = image[channel_dim(layout)] // self.groups
        self.outputs_per_group = outputs // self.groups
        self.channels = [("n", outputs)]
        if self.groups > 1 and self.outputs_per_group > 1:
            self.channels = [("g", self.groups), ("n", self.outputs_per_group)]

    def dims(self, phases: Sequence[int]) -> list[tuple[str, int]]:
        """The dims of a part with these numbers of phases along each axis."""
        image: list[tuple[str, int]] = []
        for name, axis, count in zip(self.names, self.axes, phases, strict=True):
            image += [(name, axis.steps), *([(f"p{name}", count)] if axis.stride > 1 else [])]
        batch = ("b", self.result[0])
        return [batch, *image, *self.channels] if self.channels_last else [batch, *self.channels, *image]

    def padded_image(self, phases: Sequence[Sequence[Phases]]) -> tuple[SSAValue, list[int]]:
        """The image with zeros wherever some phase reads outside of it, and how far that moved its first pixel."""
        low, high = zip(
            *(_outside(axis, of_axis) for axis, of_axis in zip(self.axes, phases, strict=True)), strict=True
        )
        return self.b.pad(self.op.input, *image_padding(self.op.layout.data, (*low, *high)), 0), list(low)

    def joined(self, image: SSAValue, shift: Sequence[int], phases: Sequence[Sequence[Phases]]) -> SSAValue:
        """The parts of all combinations of phases, those of the last axis side by side first."""

        def along(axis: int, chosen: tuple[Phases, ...]) -> SSAValue:
            if axis == len(self.axes):
                return self.part(image, shift, chosen)
            parts = [along(axis + 1, (*chosen, phase)) for phase in phases[axis]]
            return parts[0] if len(parts) == 1 else self.b.concat(parts, self._position(f"p{self.names[axis]}"))

        return along(0, ())

    def _position(self, dim: str) -> int:
        return [name for name, _ in self.dims([1] * len(self.axes))].index(dim)

    def part(self, image: SSAValue, shift: Sequence[int], phases: Sequence[Phases]) -> SSAValue:
        """The rows and columns of the result that these phases are."""
        over = self.dims([p.count for p in phases])
        if not all(p.taps for p in phases):
            return self.b.map([], over, element_type(self.op.result.type), self._zero)
        at = {name: d(position) for position, (name, _) in enumerate(over)}
        *taps, k = (d(len(over) + position) for position in range(len(phases) + 1))
        pixel, taken = zip(
            *(
                _subscripts(p, moved, at[name], at.get(f"p{name}"), tap)
                for p, moved, name, tap in zip(phases, shift, self.names, taps, strict=True)
            ),
            strict=True,
        )
        channel, weights, weight_channels = self._channels(at, k)
        reduce = [(f"k{name}", p.taps) for name, p in zip(self.names, phases, strict=True)]
        return self.b.contract(
            (image, in_layout(self.op.layout.data, at["b"], channel, pixel)),
            (weights, [*taken, *weight_channels] if self.channels_last else [*weight_channels, *taken]),
            over,
            [*reduce, ("k", self.inputs_per_group)],
        )

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
        return channel, self.b.reshape(weights, shape_of(weights)[:-1]), [channel]

    def _zero(self, p: Points) -> SSAValue:
        return p.number(0, element_type(self.op.result.type))

    def cropped(self, whole: SSAValue) -> SSAValue:
        """All steps of all phases as rows, without those past the end."""
        shape = list(self.result)
        for axis, at in zip(self.axes, spatial_dims(self.op.layout.data), strict=True):
            shape[at] = axis.steps * axis.stride
        full = self.b.reshape(whole, shape)
        if tuple(shape) == self.result:
            return full
        return self.b.map_points([(full, every(len(shape)))], self.result, element_type(self.op.result.type), unchanged)


def _outside(axis: Axis, phases: Sequence[Phases]) -> tuple[int, int]:
    """How many pixels before the image, and after it, are read."""
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
