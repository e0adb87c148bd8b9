"""Tensors that code holds a copy of: whether they are still as they were."""

from __future__ import annotations

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
    Tensors are not kept alive, their memory is; `gone` is called once one of them is deleted, and releases it.
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
        self._places = [_sampled(t, samples) for t in tensors]
        self._words = [place for places in self._places for place in places if place.dtype == np.int64]
        self._bytes = [place for places in self._places for place in places if place.dtype == np.uint8]
        self._samples = self._looked()
        self._each = [[*map(np.copy, places)] for places in self._places]

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
        counted = [i for i in same if self._versions[i] != values[self.positions[i]]._version]
        sampled = [i for i in same if not all(map(np.array_equal, self._places[i], self._each[i]))]
        return [self.positions[i] for i in sorted({*moved, *counted, *sampled})]

    def _looked(self) -> tuple[bytes, bytes]:
        words = np.concatenate(self._words).tobytes() if self._words else b""
        return words, np.concatenate(self._bytes).tobytes() if self._bytes else b""


def _sampled(tensor: Any, samples: int) -> list[NDArray[Any]]:
    """Views of the words to look at: of small tensors all, of others some as far apart, up to the last one.

    A word is an int64 at any address. What is less than a word is single bytes.
    """
    if tensor.numel() == 0:
        return []
    size = tensor.element_size()
    extent = (1 + sum((e - 1) * s for e, s in zip(tensor.shape, tensor.stride(), strict=True))) * size
    place = tensor.storage_offset() * size, (extent,), (1,)
    memory = torch.empty(0, dtype=torch.uint8, device="cpu").set_(tensor.untyped_storage(), *place).numpy()
    head, words = memory[: extent % 8], memory[extent % 8 :].view(np.int64)
    if len(words) <= samples:
        return [each for each in (head, words) if len(each)]
    step = -(-len(words) // samples)
    return [words[(len(words) - 1) % step :: step]]
