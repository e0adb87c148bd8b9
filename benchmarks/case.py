"""What is measured: one model, written twice from the same numbers, for mlc and for its peers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mlc.tuning.measure import aligned

Array = NDArray[Any]
Shape = tuple[int, ...]
Kind = Literal["compute", "bandwidth"]

_FLOAT_BYTES = 4
_SEED = 20
_WIDE = 64


@dataclass(frozen=True)
class Case:
    """One model with one output `y`; all tensors are f32 and have the same names in both texts."""

    name: str
    kind: Kind
    """What the targets judge it by: arithmetic, or bytes moved."""
    text: str
    """The model in the graph dialect; weights are `dense_resource<name>`."""
    onnx: str
    """The nodes of the same model in ONNX's text syntax."""
    inputs: Mapping[str, Shape]
    """What a call is given, in order, as mlc takes it."""
    weights: Mapping[str, Shape]
    """What is known at compile time, as mlc takes it."""
    output: Shape
    flops: int
    """A multiply-add counts as two, any other operation on an element as one."""
    channels_last: bool = False
    """Whether mlc's text has its images as [n, h, w, c], weights as [h, w, in, out]; that of the peers is ONNX's."""
    numpy: Callable[..., object] | None = None
    """Computes the output from inputs and weights, in order, into `out`; where one would really do it with NumPy."""
    values: Mapping[str, Callable[[Shape], Array]] = field(default_factory=dict[str, Callable[[Shape], Array]])
    """How to make tensors that are not random, such as masks."""
    python_call: bool = False
    """Whether the time of `model(x)` is of interest beside that of the compiled function."""

    @property
    def bytes(self) -> int:
        """What has to be moved at least: each input, weight and output once."""
        return _FLOAT_BYTES * sum(map(math.prod, (*self.inputs.values(), *self.weights.values(), self.output)))

    @property
    def wide(self) -> bool:
        """Whether all matrices and images have at least 64 columns or channels, within a group for convolutions."""
        extents = [shape[-1] for shape in (*self.inputs.values(), self.output) if len(shape) > 1]
        extents += [extent for shape in self.weights.values() if len(shape) > 1 for extent in shape[-2:]]
        return all(extent >= _WIDE for extent in extents)

    @cached_property
    def tensors(self) -> dict[str, Array]:
        """Inputs and weights by name: seeded random numbers of a size that keeps all values near 1."""
        generator = np.random.default_rng(_SEED)
        return {
            name: self._tensor(name, shape, generator) for name, shape in (*self.inputs.items(), *self.weights.items())
        }

    def source(self, weight_file: Path) -> str:
        """The text for mlc, with its weights in a file that `tensors` were saved to."""
        if not self.weights:
            return self.text
        return f'{self.text}\n{{-#\n  external_resources: {{ mlc: {{ weights: "{weight_file}" }} }}\n#-}}\n'

    def _tensor(self, name: str, shape: Shape, generator: np.random.Generator) -> Array:
        numbers = generator.standard_normal(shape, np.float32)
        if name in self.values:
            return aligned(self.values[name](shape))
        if name in self.weights and len(shape) > 1:
            numbers /= np.float32(math.sqrt(math.prod(shape[:-1])))
        return aligned(numbers)


def tensor_type(shape: Shape) -> str:
    """How the text language writes an f32 tensor."""
    return f"tensor<{''.join(f'{n}x' for n in shape)}f32>"


def function(inputs: Mapping[str, Shape], weights: Mapping[str, Shape], output: Shape, *body: str) -> str:
    """The text of `@main`, which computes `%y` in the lines `body`."""
    arguments = ", ".join(f"%{name}: {tensor_type(shape)}" for name, shape in inputs.items())
    constants = [f"%{name} = graph.constant dense_resource<{name}> : {tensor_type(s)}" for name, s in weights.items()]
    lines = "\n".join(f"  {line}" for line in (*constants, *body, f"return %y : {tensor_type(output)}"))
    return f"func.func @main({arguments}) -> {tensor_type(output)} {{\n{lines}\n}}\n"
