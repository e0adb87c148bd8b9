"""Tensors that code holds a copy of: whether they are still as they were."""

from __future__ import annotations

import ctypes
import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

_SAMPLES = 1024
"""How many words of all weights together each call looks at."""
_MOST_SAMPLES = 16
"""How many words of one weight it looks at, where there are few weights."""
_FEWEST_SAMPLES = 4
"""How many it looks at where there are many, each of which is another line of the cache."""
_version = operator.attrgetter("_version")
_address = cast("Callable[[Any], int]", cast(Any, torch).Tensor.data_ptr)


class Weights:
    """Tensors as they were when code was made for them.

    A change is seen if torch counts it (`weight.mul_(2)`, an optimizer's step, `load_state_dict`), if the tensor has
    other memory (`weight.data = …`), or if it alters one of some words spread over its memory, 16 where weights are few
    and 4 where they are hundreds. The last is for what torch does not count, `weight.data.mul_(2)` or a write by NumPy,
    of which some is missed: say `refresh` then.
    Tensors are not kept alive; `gone` is called once one of them is no more.
    """

    def __init__(self, positions: Sequence[int], values: Sequence[Any], gone: Callable[[], None]) -> None:
        """`positions` are those of weights among the arguments `values` of a call."""
        self.positions = list(positions)
        self.is_alive = True
        tensors = [values[i] for i in self.positions]
        self.bytes = sum(t.nbytes for t in tensors)
        self._ids = [*map(id, tensors)]
        self._addresses = [*map(_address, tensors)]
        self._versions = [*map(_version, tensors)]
        samples = max(_FEWEST_SAMPLES, min(_MOST_SAMPLES, _SAMPLES // max(1, len(tensors))))
        places = [_sampled(t, samples) for t in tensors]
        self._counts = [(len(words), len(rest)) for words, rest in places]
        self._words = np.array([w for words, _ in places for w in words], np.intp)
        self._bytes = np.array([b for _, rest in places for b in rest], np.intp)
        self._samples = self._looked()

        def end(_: object) -> None:
            self.is_alive = False
            gone()

        self._references = [weakref.ref(t, end) for t in tensors]

    def are_same(self, values: Sequence[Any]) -> bool:
        """Whether the arguments of a call are these tensors, unchanged as far as can be told."""
        if not self.positions:
            return True
        found = [values[i] for i in self.positions]
        return (
            [*map(id, found)] == self._ids
            and self.is_alive  # else another tensor may have an old one's id
            and [*map(_address, found)] == self._addresses
            and [*map(_version, found)] == self._versions
            and self._looked() == self._samples
        )

    def changed(self, values: Sequence[Any]) -> list[int]:
        """The positions of weights that are the same tensors and have changed."""
        if not self.is_alive:
            return []
        same = [i for i, p in enumerate(self.positions) if self._references[i]() is values[p]]
        moved = [i for i in same if self._addresses[i] != values[self.positions[i]].data_ptr()]
        # The memory of a tensor that has other memory now may not be there any more.
        others = [i for i in same if i not in moved] if len(same) == len(self.positions) else []
        sampled = self._differing() if others and not moved else set[int]()
        counted = [i for i in same if self._versions[i] != values[self.positions[i]]._version]
        return [self.positions[i] for i in sorted({*moved, *counted, *(i for i in others if i in sampled)})]

    def _looked(self) -> tuple[bytes, bytes]:
        memory = _memory()
        words = memory.words.take(self._words).tobytes()
        return words, memory.bytes.take(self._bytes).tobytes() if len(self._bytes) else b""

    def _differing(self) -> set[int]:
        """Which weights have other samples now."""
        found: set[int] = set()
        before, now = self._samples, self._looked()
        starts = [0, 0]
        for i, counts in enumerate(self._counts):
            for kind, size in enumerate((8, 1)):
                part = slice(starts[kind] * size, (starts[kind] + counts[kind]) * size)
                if before[kind][part] != now[kind][part]:
                    found.add(i)
                starts[kind] += counts[kind]
        return found


class _Memory:
    """All memory of this process as arrays, to gather from many tensors at once. Only what is alive may be read."""

    _FROM = 8
    """The address of the first element, for NumPy takes address 0 for none."""

    def __init__(self) -> None:
        start = (ctypes.c_uint64 * (1 << 45)).from_address(self._FROM)
        self.words: NDArray[np.uint64] = np.frombuffer(cast(Any, start), np.uint64)
        self.bytes: NDArray[np.uint8] = np.frombuffer(cast(Any, start), np.uint8)

    def word(self, address: int) -> int:
        """The index of the word at an address that is a multiple of 8."""
        return (address - self._FROM) // 8

    def byte(self, address: int) -> int:
        """The index of the byte at an address."""
        return address - self._FROM


_whole: list[_Memory] = []


def _memory() -> _Memory:
    if not _whole:
        _whole.append(_Memory())
    return _whole[0]


def _sampled(tensor: Any, samples: int) -> tuple[list[int], list[int]]:
    """The words to look at, and single bytes where these are not in words."""
    if tensor.numel() == 0:
        return [], []
    start = tensor.data_ptr()
    size = tensor.element_size()
    extent = (1 + sum((e - 1) * s for e, s in zip(tensor.shape, tensor.stride(), strict=True))) * size
    first, last = -(-start // 8), (start + extent) // 8
    memory, count = _memory(), max(0, last - first)
    inner = {first + i * (count - 1) // (samples - 1) for i in range(samples)} if count else set[int]()
    words = [memory.word(8 * w) for w in sorted(inner)]
    ends = (
        [*range(start, min(8 * first, start + extent)), *range(max(8 * last, start), start + extent)]
        if count
        else ([*range(start, start + extent)])
    )
    return words, [memory.byte(a) for a in ends]
