"""Calling a compiled model on tensors of torch: addresses in, new tensors out."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch

from mlc.runtime import Model

_LINE = 64
"""The bytes of a cache line, and the alignment of the workspace."""


@dataclass(frozen=True)
class ResultSpec:
    """A result that the library writes: its shape, and its strides where these are not those of the shape."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    strides: tuple[int, ...] | None = None


class Launch:
    """A compiled model as a function of tensors.

    Calls from several threads run side by side. Tensors whose elements do not lie in order are copied first.
    """

    def __init__(self, model: Model, positions: Sequence[int], results: Sequence[ResultSpec]) -> None:
        """`positions` are those of the model's inputs among the arguments of a call."""
        self.model = model
        self._function = cast(Any, model)._function
        self._positions = list(enumerate(positions))
        self._results = list(results)
        self._strided = any(r.strides is not None for r in results)
        self._counts = len(positions), len(self._results)
        # Frames that no call uses. list.pop and list.append are atomic, so this pool needs no lock.
        self._frames: list[_Frame] = []

    def __call__(self, arguments: Sequence[Any]) -> list[torch.Tensor]:
        """Run the model.

        Raises:
            RuntimeError: the library says that it failed.
        """
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = _Frame(*self._counts, self.model.signature.workspace_bytes)
        inputs, outputs = frame.inputs, frame.outputs
        copies: list[torch.Tensor] | None = None
        for i, position in self._positions:
            tensor = arguments[position]
            if not tensor.is_contiguous() or tensor.is_neg():
                tensor = tensor.resolve_neg().contiguous()
                copies = [tensor] if copies is None else [*copies, tensor]  # they live until the call returns
            inputs[i] = tensor.data_ptr()
        results = [torch.empty(r.shape, dtype=r.dtype) for r in self._results]
        for i, result in enumerate(results):
            outputs[i] = result.data_ptr()
        status = self._function(inputs, outputs, frame.workspace)
        self._frames.append(frame)
        if status != 0:
            raise RuntimeError(f"the model failed with status {status}")
        return self._with_strides(results) if self._strided else results

    def _with_strides(self, results: list[torch.Tensor]) -> list[torch.Tensor]:
        """The results laid out as eager torch would have them, which callers may see."""
        return [
            r if spec.strides is None else torch.empty_strided(spec.shape, spec.strides, dtype=spec.dtype).copy_(r)
            for r, spec in zip(results, self._results, strict=True)
        ]


class _Frame:
    """What one call needs at a time: the pointer arrays and the workspace."""

    def __init__(self, inputs: int, outputs: int, workspace_bytes: int) -> None:
        self.inputs = (ctypes.c_void_p * inputs)()
        self.outputs = (ctypes.c_void_p * outputs)()
        self._memory = torch.empty(workspace_bytes + _LINE, dtype=torch.uint8)
        self.workspace = -(-self._memory.data_ptr() // _LINE) * _LINE
