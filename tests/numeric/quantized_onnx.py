"""Random ONNX models of quantised numbers, and between which integers their results lie.

A model is a chain of up to five operators, each between DequantizeLinear and QuantizeLinear, or a fused one that stands
for all three. The oracle computes in f64 with intervals: a number that lies next to the middle between two steps is
either, and what is computed from it lies between what both give. So each result outside of its interval is a mistake.
"""

# The package onnx has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
RELATIVE = 3e-6
"""How far sums of f32 may be off, in parts of the sum of magnitudes."""
LEAST = 3e-45
"""And what subnormal numbers are off."""
_LARGEST = 3e38
"""The largest scale, which f32 has."""
_CONTRIBUTED = "com.microsoft"
_SIZES = (1.0, 1.0, 1.0, 1.0, 1e-15, 1e14, 1e-40)
"""What the scale of the input is multiplied with; the last one makes it subnormal."""


@dataclass(frozen=True, eq=False)
class Interval:
    """Numbers between two arrays."""

    low: Array
    high: Array

    def map(self, f: Callable[[Array], Array]) -> Interval:
        """What a monotone function, or a move of elements, gives."""
        return Interval(f(self.low), f(self.high))

    def rounded(self, relative: float = RELATIVE) -> Interval:
        """Computed in f32."""
        return Interval(
            self.low - relative * np.abs(self.low) - LEAST, self.high + relative * np.abs(self.high) + LEAST
        )

    def linear(self, f: Callable[[Array, Array], Array], weights: Array) -> Interval:
        """Of sums of products with known numbers, each with the roundings of f32."""
        middle, radius = (self.low + self.high) / 2, (self.high - self.low) / 2
        size = np.abs(weights)
        slack = f(radius, size) + RELATIVE * f(np.abs(middle), size) + LEAST * weights.size
        return Interval(f(middle, weights) - slack, f(middle, weights) + slack)


@dataclass(frozen=True, eq=False)
class Quantized:
    """A tensor of integers in a model, and what is known of it."""

    name: str
    scale: Array
    zero: Array
    numbers: Interval
    """The integers, as f64."""
    axis: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the tensor."""
        return self.numbers.low.shape

    @property
    def real(self) -> Interval:
        """The numbers that they stand for."""
        return self.numbers.map(self._dequantized).rounded(1.2e-7)

    @property
    def constants(self) -> Array:
        """Those of weights, which are known."""
        return self._dequantized(self.numbers.low)

    def _dequantized(self, q: Array) -> Array:
        return (q - self.zero.astype(np.float64)) * self.scale.astype(np.float64)


@dataclass(eq=False)
class Model:
    """Nodes as they are drawn, with data, inputs and the intervals of outputs."""

    rng: np.random.Generator
    helper: Any
    nodes: list[Any] = field(default_factory=list[Any])
    data: dict[str, Array] = field(default_factory=dict[str, Array])
    inputs: dict[str, Array] = field(default_factory=dict[str, Array])
    outputs: dict[str, Interval] = field(default_factory=dict[str, Interval])
    fused: bool = False
    """Whether operators are fused ones where there are any."""

    # ---- drawing

    def chance(self, part: float) -> bool:
        """True so often."""
        return bool(self.rng.random() < part)

    def number(self, low: int, high: int) -> int:
        """From `low` to `high`."""
        return int(self.rng.integers(low, high + 1))

    def constant(self, array: Array) -> str:
        """Data of the model, by its name."""
        name = f"c{len(self.data)}"
        self.data[name] = array
        return name

    def add(self, op: str, *operands: str, count: int = 1, domain: str = "", **attributes: Any) -> str:
        """Append a node; its first result."""
        names = [f"v{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(self.helper.make_node(op, list(operands), names, domain=domain, **attributes))
        return names[0]

    def dtype(self) -> Any:
        """Of quantised numbers; fused operators have those of 8 bits."""
        kinds = [np.uint8, np.int8] if self.fused else [np.uint8, np.uint8, np.int8, np.int8, np.uint16, np.int16]
        return np.dtype(kinds[self.number(0, len(kinds) - 1)])

    def zero(self, dtype: Any) -> Array:
        """Any; often 0, or at one of the ends."""
        limits = np.iinfo(dtype)
        choices = (0, limits.min, limits.max, self.number(limits.min, limits.max), (limits.min + limits.max + 1) // 2)
        return np.asarray(choices[self.number(0, 4)], dtype)

    def result(self, real: Interval, dtype: Any = None) -> tuple[Array, Array]:
        """A scale and a zero point that numbers of these sizes more or less fit; a third may be at one side of zero."""
        dtype = dtype or self.dtype()
        limits = np.iinfo(dtype)
        known = np.concatenate([np.ravel(side[np.isfinite(side)]) for side in (real.low, real.high)])
        low, high = min(0.0, float(known.min(initial=0))), max(0.0, float(known.max(initial=0)))
        steps = float(limits.max) - float(limits.min)
        scale = np.float32(np.clip((high - low) / steps * self.rng.uniform(0.5, 2), 1e-44, _LARGEST))
        if self.chance(0.65):
            zero = np.clip(np.rint(limits.min - low / float(scale)), limits.min, limits.max)
            return np.asarray(scale), np.asarray(zero, dtype)
        return np.asarray(scale), self.zero(dtype)

    # ---- between integers and floats

    def dequantize(self, x: Quantized) -> str:
        """DequantizeLinear."""
        axis: dict[str, Any] = {} if x.axis is None else {"axis": x.axis}
        scale, zero = (np.reshape(a, -1) if x.axis is not None else a for a in (x.scale, x.zero))
        return self.add("DequantizeLinear", x.name, self.constant(scale), self.constant(zero), **axis)

    def quantize(self, name: str, real: Interval, to: tuple[Array, Array] | None = None) -> Quantized:
        """QuantizeLinear of floats that lie in an interval."""
        scale, zero = to or self.result(real)
        found = self.add("QuantizeLinear", name, self.constant(scale), self.constant(zero))
        return Quantized(found, scale, zero, quantized(real, scale, zero))

    def fused_node(
        self, op: str, parts: list[Quantized], real: Interval, domain: str = _CONTRIBUTED, **attributes: Any
    ) -> Quantized:
        """An operator on triples of integers, scales and zero points, the last of which are those of the result."""
        # The runtime, and mlc after it, multiply the scales first, in f32.
        product = float(np.prod([np.min(p.scale).astype(np.float64) for p in parts]))
        real = real.rounded(2 * LEAST / product) if product < 2e-38 else real
        scale, zero = self.result(real, parts[0].zero.dtype)
        names = [n for p in parts for n in (p.name, self.constant(np.ravel(p.scale) if p.axis is not None else p.scale),
                 self.constant(np.ravel(p.zero) if p.axis is not None else p.zero))]  # fmt: skip
        found = self.add(op, *names, self.constant(scale), self.constant(zero), domain=domain, **attributes)
        return Quantized(found, scale, zero, quantized(real, scale, zero))

    def weights(self, *shape: int, axis: int | None = None, dtype: Any = np.int8) -> Quantized:
        """Constant integers; sometimes a channel of zeros, and scales by channel."""
        limits = np.iinfo(dtype)
        integers = self.rng.integers(limits.min, limits.max + 1, shape)
        by_channel = axis is not None and self.chance(0.6)
        scales = [shape[i] if by_channel and i == axis else 1 for i in range(len(shape))] if by_channel else []
        zero = np.zeros(scales, dtype)
        if dtype == np.uint8:  # half of them fit in 8 bits when they are less their zero point
            zero += np.asarray(128 if self.chance(0.5) else self.number(0, 255), dtype)
        if axis is not None and self.chance(0.3):
            integers[tuple(0 if i == axis else slice(None) for i in range(len(shape)))] = zero.flat[0]
        scale = np.asarray(0.01 * self.rng.uniform(0.5, 2, scales), np.float32)
        numbers = integers.astype(np.float64)
        name = self.constant(integers.astype(dtype))
        return Quantized(name, scale, zero, Interval(numbers, numbers), axis if by_channel else None)


def quantized(real: Interval, scale: Array, zero: Array) -> Interval:
    """Between which integers QuantizeLinear gives; the least one of what is no number."""
    limits = np.iinfo(zero.dtype)

    def bound(x: Array, side: int) -> Array:
        with np.errstate(all="ignore"):
            steps = x / scale.astype(np.float64)
            moved = np.rint(steps + side * (RELATIVE * np.abs(steps) + 1e-9)) + zero.astype(np.float64)
        return np.clip(np.where(np.isnan(moved), -np.inf, moved), limits.min, limits.max)

    return Interval(bound(real.low, -1), bound(real.high, 1))


def random_model(seed: int, helper: Any, steps: dict[str, Callable[[Model, Quantized], Quantized | None]]) -> Model:
    """A model of one to five steps of those that fit."""
    rng = np.random.default_rng(seed)
    m = Model(rng, helper)
    m.fused = m.chance(0.3)
    image = m.chance(0.7)
    shape = (
        (m.number(1, 2), m.number(1, 12), m.number(3, 9), m.number(3, 9))
        if image
        else (m.number(1, 9), m.number(1, 70))
    )
    dtype = m.dtype()
    scale = np.asarray(_SIZES[m.number(0, len(_SIZES) - 1)] * rng.uniform(0.5, 2), np.float32)
    zero = m.zero(dtype)
    limits = np.iinfo(dtype)
    if m.chance(0.5):
        given = rng.integers(limits.min, limits.max + 1, shape).astype(dtype)
        m.inputs["x"] = given
        x = Quantized("x", scale, zero, Interval(given.astype(np.float64), given.astype(np.float64)))
    else:
        floats = (rng.standard_normal(shape) * 60 * float(scale)).astype(np.float32)
        floats.flat[: min(2, floats.size)] = [np.inf, -np.inf][: min(2, floats.size)]
        m.inputs["x"] = floats
        x = m.quantize("x", Interval(floats.astype(np.float64), floats.astype(np.float64)), (scale, zero))
    names = list(steps)
    left = m.number(1, 5)
    for _ in range(60):
        if not left:
            break
        found = steps[names[m.number(0, len(names) - 1)]](m, x)
        if found is not None and np.prod(found.shape) <= 1 << 14:
            x, left = found, left - 1
            if m.chance(0.15):
                m.outputs[x.name] = x.numbers
    m.outputs[x.name] = x.numbers
    return m
