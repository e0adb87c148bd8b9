"""New arrays of JAX for a library to write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import jax
import numpy as np

from mlc.runtime.model import empty_lines

_LARGE = 1 << 19
"""The bytes from which memory of NumPy is handed over, which takes 15 us: filling less with zeros is faster, and
more is new memory in each call, whoever asks for it."""


class Results:
    """The results of a function, as arrays that a call makes.

    Small ones are made by JAX, which fills them with zeros, and are written to before anybody sees them. Large ones
    are NumPy's and start on a cache line, as XLA wants memory that it takes over.
    """

    def __init__(self, types: Sequence[tuple[tuple[int, ...], np.dtype[Any]]]) -> None:
        self._types = list(types)
        sizes = [int(np.prod(shape)) * dtype.itemsize for shape, dtype in types]
        self._small = [i for i, size in enumerate(sizes) if size < _LARGE]
        self._large = [i for i, size in enumerate(sizes) if size >= _LARGE]
        self._sizes = sizes
        wanted = [self._types[i] for i in self._small]

        def zeros() -> Any:
            return [cast(Any, jax).numpy.zeros(shape, dtype) for shape, dtype in wanted]

        with cast(Any, jax).default_device(cast(Any, jax).devices("cpu")[0]):
            self._zeros: Any = cast(Any, jax).jit(zeros).lower().compile() if wanted else None

    def __len__(self) -> int:
        return len(self._types)

    def new(self, addresses: Any) -> list[Any]:
        """Memory for each result; its addresses are put into a list of pointers."""
        found: list[Any] = [None] * len(self._types)
        if self._zeros is not None:
            for i, array in zip(self._small, self._zeros(), strict=True):
                found[i] = array
                addresses[i] = array.block_until_ready().unsafe_buffer_pointer()
        for i in self._large:
            shape, dtype = self._types[i]
            found[i] = empty_lines(shape, dtype, self._sizes[i])
            addresses[i] = found[i].ctypes.data
        return found

    def finished(self, results: list[Any]) -> list[Any]:
        """The results as arrays of JAX, once they are written."""
        for i in self._large:
            results[i] = cast(Any, jax).dlpack.from_dlpack(results[i])
        return results
