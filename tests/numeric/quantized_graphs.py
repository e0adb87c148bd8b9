"""Random graphs of one quantised product each, and what they compute, in f64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_DTYPES: dict[str, Any] = {"i8": np.int8, "ui8": np.uint8}


@dataclass(frozen=True)
class Convolution:
    """How an image is convolved; images are NCHW, and weights OIHW."""

    strides: tuple[int, int]
    padding: tuple[int, int, int, int]
    dilations: tuple[int, int]
    groups: int

    @property
    def text(self) -> str:
        """As attributes."""
        lists = ("strides", self.strides), ("padding", self.padding), ("dilations", self.dilations)
        parts = [f"{name} = array<i64: {', '.join(map(str, value))}>" for name, value in lists]
        return f"{{{', '.join([*parts, f'groups = {self.groups} : i64'])}}}"

    def of(self, image: Array, weights: Array) -> Array:
        """In f64: tap by tap, and group by group."""
        top, left, bottom, right = self.padding
        image = np.pad(image, ((0, 0), (0, 0), (top, bottom), (left, right)))
        kernel = weights.shape[2:]
        spans = [(k - 1) * d + 1 for k, d in zip(kernel, self.dilations, strict=True)]
        height, width = ((e - s) // t + 1 for e, s, t in zip(image.shape[2:], spans, self.strides, strict=True))
        per_group, outputs = weights.shape[1], weights.shape[0] // self.groups
        result = np.zeros((image.shape[0], weights.shape[0], height, width))
        for group in range(self.groups):
            for y in range(kernel[0]):
                for x in range(kernel[1]):
                    rows = slice(y * self.dilations[0], y * self.dilations[0] + (height - 1) * self.strides[0] + 1)
                    columns = slice(x * self.dilations[1], x * self.dilations[1] + (width - 1) * self.strides[1] + 1)
                    part = image[:, group * per_group : (group + 1) * per_group]
                    part = part[:, :, rows, columns][:, :, :: self.strides[0], :: self.strides[1]]
                    taps = weights[group * outputs : (group + 1) * outputs, :, y, x]
                    result[:, group * outputs : (group + 1) * outputs] += np.einsum("bchw,oc->bohw", part, taps)
        return result


@dataclass(frozen=True, eq=False)
class QuantizedGraph:
    """quantize(relu(dequantize(q) * dequantize(w) + bias)), some of it left out."""

    seed: int
    convolution: Convolution | None
    """None for a product of matrices."""
    input: Array
    """Quantised numbers, or floats that are quantised first."""
    kinds: tuple[str, str, str]
    """The types of quantised inputs, weights and results."""
    weights: Array
    scales: tuple[Array, Array, Array]
    """Of inputs, weights and results."""
    zeros: tuple[Array, Array, Array]
    bias: Array | None
    has_relu: bool

    @property
    def has_floats(self) -> bool:
        """Whether the input is not quantised."""
        return self.input.dtype == np.float32

    def text(self, suffix: str) -> tuple[str, str, tuple[str, str]]:
        """An argument, the lines of the graph, and the name and type of its result; names end with `suffix`."""
        lines: list[str] = []

        def add(name: str, op: str, kind: str) -> str:
            lines.append(f"  %{name}{suffix} = graph.{op}\n")
            return kind

        def constant(name: str, array: Array, element: str) -> str:
            kind = _type(array, element)
            return add(name, f'constant dense<"0x{array.tobytes().hex()}"> : {kind}', kind)

        first, second, third = self.kinds
        scale_types = [constant(n, s, "f32") for n, s in zip(("sx", "sw", "sy"), self.scales, strict=True)]
        zero_types = [
            constant(n, z, kind) for n, z, kind in zip(("zx", "zw", "zy"), self.zeros, self.kinds, strict=True)
        ]
        quantized, q = _type(self.input, first), f"%q{suffix}"
        if self.has_floats:
            parts = f"%x{suffix}, %sx{suffix}, %zx{suffix}"
            kinds = f"{_type(self.input, 'f32')}, {scale_types[0]}, {zero_types[0]}"
            add("q", f"quantize {parts} : {kinds} -> {quantized}", quantized)
        else:
            q = f"%x{suffix}"
        image, weights = _type(self.input, "f32"), _type(self.weights, "f32")
        stored = constant("v", self.weights, second)
        for name, source, number, kind, real in (
            ("a", q, 0, quantized, image),
            ("w", f"%v{suffix}", 1, stored, weights),
        ):
            letter = "xw"[number]
            kinds = f"{kind}, {scale_types[number]}, {zero_types[number]}"
            add(name, f"dequantize {source}, %s{letter}{suffix}, %z{letter}{suffix} : {kinds} -> {real}", real)
        shape = self._real(np.zeros(self.input.shape), np.zeros(self.weights.shape)).shape
        real, result = (f"tensor<{'x'.join(map(str, shape))}x{element}>" for element in ("f32", third))
        options = f" {self.convolution.text}" if self.convolution else ""
        op = "conv2d" if self.convolution else "matmul"
        add("p", f"{op} %a{suffix}, %w{suffix}{options} : {image}, {weights} -> {real}", real)
        last = "p"
        if self.bias is not None:
            kind = constant("b", self.bias, "f32")
            add("t", f"add %p{suffix}, %b{suffix} : {real}, {kind} -> {real}", real)
            last = "t"
        if self.has_relu:
            add("r", f"relu %{last}{suffix} : {real}", real)
            last = "r"
        kinds = f"{real}, {scale_types[2]}, {zero_types[2]}"
        add("y", f"quantize %{last}{suffix}, %sy{suffix}, %zy{suffix} : {kinds} -> {result}", result)
        argument = f"%x{suffix}: {image if self.has_floats else quantized}"
        return argument, "".join(lines), (f"%y{suffix}", result)

    def expected(self) -> Array:
        """The result, in i64."""
        quantized = self.input
        with np.errstate(all="ignore"):
            if self.has_floats:  # as it is defined, in f32: this decides which integers are multiplied
                scaled = np.rint(self.input / self.scales[0]).astype(np.float64)
                quantized = _saturated(scaled + self.zeros[0].astype(np.float64), self.kinds[0])
            integers = (quantized, self.zeros[0]), (self.weights, self.zeros[1])
            factors = [
                (q.astype(np.float64) - z.astype(np.float64)) * s.astype(np.float64)
                for (q, z), s in zip(integers, self.scales, strict=False)
            ]
            real = self._real(factors[0], factors[1])
            if self.bias is not None:
                real = real + self.bias.astype(np.float64)
            if self.has_relu:
                real = np.maximum(real, 0)
            scaled = np.rint(real / self.scales[2].astype(np.float64))
            return _saturated(scaled + self.zeros[2].astype(np.float64), self.kinds[2])

    def _real(self, image: Array, weights: Array) -> Array:
        return image @ weights if self.convolution is None else self.convolution.of(image, weights)


def _saturated(numbers: Array, kind: str) -> Array:
    """Integers within a type; the least one for NaN."""
    limits = np.iinfo(_DTYPES[kind])
    return np.clip(np.where(np.isnan(numbers), -np.inf, numbers), limits.min, limits.max).astype(np.int64)


def _type(array: Array, element: str) -> str:
    return f"tensor<{''.join(f'{extent}x' for extent in array.shape)}{element}>"


_SIZES = (1.0, 1.0, 1.0, 1e-15, 1e14, 1e-40)
"""What scales are multiplied with; the last one makes them subnormal."""


def random_quantized_graph(seed: int) -> QuantizedGraph:
    """A graph of any kind, with sums that meet the range of the result."""
    rng = np.random.default_rng(seed)
    kinds: tuple[str, str, str] = (str(rng.choice(["i8", "ui8"])), str(rng.choice(["i8", "i8", "ui8"])), "")
    kinds = (kinds[0], kinds[1], str(rng.choice(["i8", "ui8"])))
    convolution, shapes, channel_axis = _random_shapes(rng)
    input_shape, weights_shape = shapes
    weights = _random_integers(kinds[1], weights_shape, rng)
    zeros = [_random_zero(kind, rng) for kind in kinds]
    if rng.random() < 0.7:  # else the integers less their zero point do not fit in 8 bits
        zeros[1] = np.asarray(128 if kinds[1] == "ui8" else 0, _DTYPES[kinds[1]])
    size = _SIZES[rng.integers(len(_SIZES))]
    scale_x = np.asarray(size * rng.uniform(0.5, 2), np.float32)
    per_channel = [weights_shape[channel_axis] if i == channel_axis else 1 for i in range(len(weights_shape))]
    # Products of scales stay normal numbers: elsewhere f32 and f64 are not the same.
    other = 1e6 if size < 1e-30 else 0.01
    is_by_channel = rng.random() < 0.5
    scale_w = np.asarray(other * rng.uniform(0.5, 2, per_channel if is_by_channel else ()), np.float32)
    input = _random_integers(kinds[0], input_shape, rng)
    products = weights.size // weights_shape[channel_axis]
    unit = float(scale_x) * float(np.max(scale_w)) * 40 * np.sqrt(products)
    scale_y = np.asarray(unit * rng.uniform(0.3, 3), np.float32)
    if rng.random() < 0.3:
        numbers = (input.astype(np.float32) - zeros[0]) * np.float32(1.25) + np.float32(0.3)
        input = (numbers * scale_x).astype(np.float32)
        input.flat[0], input.flat[-1] = np.inf, -np.inf
    bias = None
    if rng.random() < 0.6:
        outputs = weights_shape[channel_axis]
        shape = (outputs,) if convolution is None else (outputs, 1, 1)
        bias = (unit * 50 * rng.standard_normal(shape)).astype(np.float32)
    scales = [scale_x, scale_w, scale_y]
    if seed % 16 == 7:  # a scale without a size: powers of two make all products exact
        scales = [np.asarray(2.0 ** rng.integers(-3, 4), np.float32) for _ in range(3)]
        scales[rng.integers(3)] = np.asarray(rng.choice([0.0, np.inf]), np.float32)
        bias = None
        input = _random_integers(kinds[0], input_shape, rng)
    return QuantizedGraph(
        seed,
        convolution,
        input,
        kinds,
        weights,
        (scales[0], scales[1], scales[2]),
        (zeros[0], zeros[1], zeros[2]),
        bias,
        bool(rng.random() < 0.5),
    )


def _random_shapes(
    rng: np.random.Generator,
) -> tuple[Convolution | None, tuple[tuple[int, ...], tuple[int, ...]], int]:
    """A convolution or None, the shapes of inputs and weights, and the axis of the weights' channels."""
    if rng.random() < 0.35:
        m, k, n = (int(e) for e in rng.integers(1, 40, 3))
        lead = tuple(int(e) for e in rng.integers(1, 4, rng.integers(0, 2)))
        return None, ((*lead, m, k), (k, n)), 1
    kind = rng.choice(["plain", "grouped", "depthwise"])
    groups = 1 if kind == "plain" else int(rng.integers(2, 6))
    per_group = 1 if kind == "depthwise" else int(rng.integers(1, 10))
    outputs = groups * (1 if kind == "depthwise" else int(rng.integers(1, 10)))
    kernel = tuple(int(e) for e in rng.integers(1, 4, 2))
    dilations = (int(rng.integers(1, 3)), int(rng.integers(1, 3)))
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    padding = tuple(int(rng.integers(0, min(3, span))) * int(rng.random() < 0.7) for span in spans * 2)
    extents = tuple(int(rng.integers(0, 6)) + span for span in spans)
    convolution = Convolution(
        (int(rng.integers(1, 3)), int(rng.integers(1, 3))),
        (padding[0], padding[1], padding[2], padding[3]),
        dilations,
        groups,
    )
    image = (int(rng.integers(1, 3)), groups * per_group, *extents)
    return convolution, (image, (outputs, per_group, *kernel)), 0


def _random_integers(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Within a type; sometimes at its ends alone."""
    limits = np.iinfo(_DTYPES[kind])
    if rng.random() < 0.15:
        return rng.choice([limits.min, limits.max], shape).astype(limits.dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(limits.dtype)


def _random_zero(kind: str, rng: np.random.Generator) -> Array:
    """Any of a type; often 0, or at one of its ends."""
    limits = np.iinfo(_DTYPES[kind])
    choice = int(rng.choice([0, limits.min, limits.max, int(rng.integers(limits.min, limits.max + 1))]))
    return np.asarray(choice, limits.dtype)
