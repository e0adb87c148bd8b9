"""New arrays of JAX for a library to write."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, cast

import jax
import numpy as np

from mlc.frameworks.jax._keys import is_key
from mlc.runtime.model import empty_lines
from mlc.support.dtypes import bits_of, is_stored

_LARGE = 1 << 19
"""The bytes from which memory of NumPy is handed over, which takes 15 us: filling less with zeros is faster, and
more is new memory in each call, whatever asks for it."""


_Kind = tuple[tuple[int, ...], np.dtype[Any]]
_behind: dict[int, tuple[weakref.ref[Any], np.ndarray[Any, Any]]] = {}
"""Arrays of JAX that `Results` made of memory of NumPy, by their ids, and that memory."""
_UNSHARED = 2
"""How often memory is referred to that no array has any more: by a variable, and as an argument."""


def donors_of(arguments: Sequence[_Kind], donated: Sequence[int], results: Sequence[_Kind]) -> dict[int, int]:
    """The donated arguments in whose memory results may lie, by the numbers of these: large ones of the same type, in
    order."""
    free, found = [i for i in donated if not is_packed(arguments[i][1])], dict[int, int]()
    for number, (shape, dtype) in enumerate(results):
        place = next((i for i in free if arguments[i] == (shape, dtype)), None)
        if place is not None and _size(shape, dtype) >= _LARGE:
            found[number] = place
            free.remove(place)
    return found


def _size(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    return int(np.prod(shape)) * dtype.itemsize


def is_packed(dtype: Any) -> bool:
    """Whether arrays of JAX hold several elements in a byte; those of NumPy, as artifacts, hold each in its own."""
    return not is_key(dtype) and is_stored(dtype) and bits_of(dtype) < 8


@functools.cache
def array_types() -> set[type]:
    """The class of arrays; `isinstance(x, jax.Array)` holds for tracers and keys, too, and takes ten times as long."""
    with cast(Any, jax).ensure_compile_time_eval():
        return {type(cast(Any, jax).numpy.zeros(()))}


class Results:
    """The results of a function, as arrays that a call makes.

    Small ones are made by JAX, which fills them with zeros, and are written to before anybody sees them. Large ones
    are NumPy's and start on a cache line, as XLA wants memory that it takes over. Such a one of an earlier call is
    written to again where it was donated, if nobody else sees it. Elements of which JAX holds several in a byte are
    NumPy's, too, and copied.

    Args:
        types: shapes and dtypes.
        donors: the arguments in whose memory results may lie, by the numbers of these.
    """

    def __init__(self, types: Sequence[_Kind], donors: Mapping[int, int]) -> None:
        self._types = list(types)
        self._donors = dict(donors)
        sizes = [_size(shape, dtype) for shape, dtype in types]
        self._packed = [i for i, (_, dtype) in enumerate(types) if is_packed(dtype)]
        whole = [i for i in range(len(types)) if i not in self._packed]
        self._small = [i for i in whole if sizes[i] < _LARGE]
        self._large = [i for i in whole if sizes[i] >= _LARGE]
        self._sizes = sizes
        wanted = [self._types[i] for i in self._small]

        def zeros() -> Any:
            return [cast(Any, jax).numpy.zeros(shape, dtype) for shape, dtype in wanted]

        with cast(Any, jax).default_device(cast(Any, jax).devices("cpu")[0]):
            self._zeros: Any = cast(Any, jax).jit(zeros).lower().compile() if wanted else None

    def __len__(self) -> int:
        return len(self._types)

    @property
    def are_small(self) -> bool:
        """Whether JAX makes all of them."""
        return not self._large and not self._packed

    def new(self, addresses: Any, given: Mapping[int, np.ndarray[Any, Any]]) -> list[Any]:
        """Memory for each result, some of which may be `given`; its addresses are put into a list of pointers."""
        found: list[Any] = [None] * len(self._types)
        if self._zeros is not None:
            for i, array in zip(self._small, cast(Any, jax).block_until_ready(self._zeros()), strict=True):
                found[i] = array
                addresses[i] = array.unsafe_buffer_pointer()
        for i in self._large:
            shape, dtype = self._types[i]
            found[i] = given[i] if i in given else empty_lines(shape, dtype, self._sizes[i])
            addresses[i] = found[i].ctypes.data
        for i in self._packed:
            found[i] = np.empty(*self._types[i])
            addresses[i] = found[i].ctypes.data
        return found

    def take(self, leaves: Sequence[Any], inputs: Any) -> tuple[dict[int, np.ndarray[Any, Any]], list[Any]]:
        """Delete the donated arguments that are memory of earlier results, whose addresses are among `inputs`.

        Returns what of it may be written to, by the numbers of results, and all of it, which must live until the call
        is through.
        """
        found, kept = dict[int, np.ndarray[Any, Any]](), list[Any]()
        addresses = list(inputs) if self._donors else []
        for result, place in self._donors.items():
            array = leaves[place]
            reference, memory = _behind.pop(id(array), (None, None))
            if reference is None or reference() is not array or memory is None:
                continue
            array.delete()
            if addresses.count(inputs[place]) == 1 and sys.getrefcount(memory) == _UNSHARED:
                found[result] = memory
            kept.append(memory)
        return found, kept

    def finished(self, results: list[Any]) -> list[Any]:
        """The results as arrays of JAX, once they are written."""
        for i in self._large:
            memory = results[i]
            array = results[i] = cast(Any, jax).dlpack.from_dlpack(memory)
            number = id(array)
            _behind[number] = weakref.ref(array, lambda _, number=number: _behind.pop(number, None)), memory
        for i in self._packed:
            results[i] = cast(Any, jax).numpy.asarray(results[i])
        return results
