"""Calling a compiled model on tensors of torch: addresses in, new tensors out."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch

from mlc.frameworks.torch._results import ResultSpec, contiguous_strides
from mlc.runtime import Model

_LINE = 64
"""The bytes of a cache line, and the alignment of the workspace."""


_CPU = torch.device("cpu")
"""Said wherever tensors are made, for a program may have another default."""
_empty: Callable[..., torch.Tensor] = cast(Any, torch)._C._dynamo.guards._empty_strided_cpu
"""From shape, strides and dtype to a tensor, in a third of the time that `torch.empty` takes."""


class WrongElements(Exception):
    """Arguments have elements for which torch raises an exception."""


class Launch:
    """A compiled model as a function of tensors.

    Calls from several threads run side by side. Tensors whose elements do not lie in order are copied first.
    """

    def __init__(self, model: Model, positions: Sequence[int], results: Sequence[ResultSpec]) -> None:
        """`positions` are those of the model's inputs among the arguments of a call."""
        self.model = model
        self._function = cast(Any, model)._function
        sizes = [each.numpy_dtype.itemsize for each in model.signature.inputs]
        self._positions = [(i, p, size - 1) for i, (p, size) in enumerate(zip(positions, sizes, strict=True))]
        self._results = [(r.shape, contiguous_strides(r.shape), r.dtype) for r in results]
        given = [(i, r.donor, r.dtype.itemsize - 1) for i, r in enumerate(results)]
        self._donors = [(i, position, mask) for i, position, mask in given if position is not None]
        self._strides = [r.strides for r in results]
        self._strided = any(r.strides is not None for r in results)
        self._counts = len(positions), len(self._results)
        self._bytes = model.signature.workspace_bytes
        # Frames that no call uses. list.pop and list.append are atomic, so this pool needs no lock.
        self._frames: list[_Frame] = []

    def __call__(self, arguments: Sequence[Any]) -> list[torch.Tensor]:
        """Run the model.

        Raises:
            RuntimeError: the library says that it failed.
            WrongElements: it has counted some; what it wrote is not what torch would have written.
        """
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = _Frame(*self._counts)
        inputs, outputs = frame.inputs, frame.outputs
        copies: list[torch.Tensor] | None = None
        for i, position, alignment_mask in self._positions:
            tensor = arguments[position]
            address = tensor.data_ptr()
            if not _is_plain(tensor, address & alignment_mask):
                tensor = tensor.resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)
                address = tensor.data_ptr()
                copies = [tensor] if copies is None else [*copies, tensor]  # they live until the call returns
            inputs[i] = address
        results = self._memory(arguments) if self._donors else [_empty(*each) for each in self._results]
        for i, result in enumerate(results):
            outputs[i] = result.data_ptr()
        workspace = _workspace(self._bytes)
        status = self._function(inputs, outputs, workspace.address)
        wrong = frame.wrong.value
        _workspaces.append(workspace)
        self._frames.append(frame)
        if status != 0:
            raise RuntimeError(f"the model failed with status {status}")
        if wrong:
            raise WrongElements
        if self._donors:
            self._mutate(arguments, results)
        return self._with_strides(results) if self._strided else results

    def _memory(self, arguments: Sequence[Any]) -> list[torch.Tensor]:
        """Where results are written to: into arguments that are to hold them, if their elements lie in order."""
        given = [(i, arguments[p], mask) for i, p, mask in self._donors]
        donors = {i: tensor for i, tensor, mask in given if _is_plain(tensor, tensor.data_ptr() & mask)}
        return [donors[i] if i in donors else _empty(*each) for i, each in enumerate(self._results)]

    def _mutate(self, arguments: Sequence[Any], results: Sequence[torch.Tensor]) -> None:
        """Let arguments hold what is not there yet. AOTAutograd counts the changes."""
        for i, position, _ in self._donors:
            if results[i] is not arguments[position]:
                arguments[position].copy_(results[i])

    def _with_strides(self, results: list[torch.Tensor]) -> list[torch.Tensor]:
        """The results laid out as eager torch would have them, which callers may see."""
        return [
            r if strides is None else _empty(shape, strides, dtype).copy_(r)
            for r, strides, (shape, _, dtype) in zip(results, self._strides, self._results, strict=True)
        ]


def _is_plain(tensor: Any, misalignment: int) -> bool:
    """Whether elements are contiguous and as they are, `misalignment` bytes after an aligned address: none."""
    return not (misalignment or tensor.is_neg() or tensor.is_conj()) and tensor.is_contiguous()


class _Frame:
    """The arrays of addresses that one call needs at a time."""

    def __init__(self, inputs: int, outputs: int) -> None:
        self.inputs = (ctypes.c_void_p * inputs)()
        self.outputs = (ctypes.c_void_p * (outputs + 1))()
        self.wrong = ctypes.c_int64(0)
        """How many elements of arguments torch does not take, if the library counts them as its last output."""
        self.outputs[outputs] = ctypes.addressof(self.wrong)


class _Workspace:
    """Memory for what a call computes on its way."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._memory = torch.empty(size + _LINE, dtype=torch.uint8, device=_CPU)
        self.address = -(-self._memory.data_ptr() // _LINE) * _LINE


_workspaces: list[_Workspace] = []
"""Those that no call uses, for all models: as many as calls ran at once, each as large as the largest one needed."""


def _workspace(size: int) -> _Workspace:
    """One of at least `size` bytes; a smaller one is let go."""
    try:
        found = _workspaces.pop()
    except IndexError:
        return _Workspace(size)
    return found if found.size >= size else _Workspace(size)
