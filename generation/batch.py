"""Several texts that one model continues at once: a step reads the weights once for all of them.

```python
first = Generator.load("model.gguf", sequences=8)
batch = Batch([first, *(first.another() for _ in range(7))])
logits = batch.read([(batch.generators[0], 504), (batch.generators[3], 198)])
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlc.generation.generator import Generator
from mlc.support.errors import UserError

Following = tuple[Generator, int]
"""What has read a text, and the token that follows."""


@dataclass
class Batch:
    """Generators of one model, each with caches of its own; not for several threads at a time.

    A call of the model takes a token of as many sequences as the code is for. If there are fewer, other generators of
    the batch are in their places: they see one place of their caches, and what is stored in the place after their last
    token is overwritten before it is seen.

    Attributes:
        generators: made by `Generator.another` of one that was loaded for several sequences.
    """

    generators: Sequence[Generator]

    def __post_init__(self) -> None:
        """Add what stands in the places of sequences that are absent, so that there are enough for each call."""
        first = self.generators[0]
        largest = max(first.batches, default=1)
        self._idle = [first.another() for _ in range(-len(self.generators) % largest)]

    @property
    def cache_bytes(self) -> int:
        """How much memory all caches take when they are full."""
        return sum(each.cache_bytes for each in (*self.generators, *self._idle))

    def read(self, following: Sequence[Following]) -> list[NDArray[np.float32]]:
        """Let each generator read one token; gives the logits after each, `[vocabulary]`.

        Raises:
            UserError: a generator is not of this batch or comes twice, or its context is full.
        """
        chosen = [id(generator) for generator, _ in following]
        if len(set(chosen)) < len(chosen) or not {id(each) for each in self.generators}.issuperset(chosen):
            raise UserError(
                "found a generator twice, or one of another batch; required: each of this batch once at most"
            )
        if full := [each for each, _ in following if each.held == each.context]:
            raise UserError(f"found a context of {full[0].context} tokens that is full; required: room for one more")
        sizes = self.generators[0].batches
        largest = max(sizes, default=1)
        absent = [each for each in (*self.generators, *self._idle) if id(each) not in set(chosen)]
        found: list[NDArray[np.float32]] = []
        for start in range(0, len(following), largest):
            part = following[start : start + largest]
            if len(part) == 1:
                (generator, token), *_ = part
                found.append(generator.read([token]))
            else:
                size = min(each for each in sizes if each >= len(part))
                found += _read_at_once(part, absent[: size - len(part)])
        return found


def _read_at_once(part: Sequence[Following], absent: Sequence[Generator]) -> list[NDArray[np.float32]]:
    """The logits after a token of each of some generators, beside which others take the rest of the places."""
    for each in absent:
        each.free_last_place()
    rows = [*(generator for generator, _ in part), *absent]
    tokens = np.array([[token] for _, token in part] + [[0]] * len(absent), np.int64)
    places = np.array([each.held for each in rows], np.int64)
    arguments: list[NDArray[np.generic]] = []
    for number, each in enumerate(rows):
        seen = each.held + 1 if number < len(part) else 1
        arguments += [np.array(seen, np.int64), *each.caches]
    logits, hidden = part[0][0].model.in_place(tokens, places, *arguments)
    for number, (generator, token) in enumerate(part):
        generator.note_read([token], hidden[number])
    return [logits[number] for number in range(len(part))]
