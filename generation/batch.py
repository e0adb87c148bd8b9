"""Several texts that one model continues at once: a step reads the weights once for all of them.

```python
first = Generator.load("model.gguf", sequences=8)
batch = Batch([first, *(first.another() for _ in range(7))])
batch.continued([[504, 3575], [198]], most=64)  # the tokens that follow two prompts
batch.read([(batch.generators[0], 504), (batch.generators[3], 198)])  # the logits after a token of each
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlc.generation.generator import Generator
from mlc.generation.sampling import Sampling
from mlc.generation.writing import Writing
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

    def continued(
        self, prompts: Sequence[Sequence[int]], most: int = 64, samplings: Sequence[Sampling] | None = None
    ) -> list[list[int]]:
        """The tokens that follow prompts, up to so many of each. Each prompt is read by a generator, which forgets what
        it has read before; then all are written at once, the most likely tokens unless each has a sampling.

        Raises:
            UserError: there are more prompts than generators, or not one sampling for each, or a prompt does not fit
                into the context.
        """
        samplings = [Sampling() for _ in prompts] if samplings is None else samplings
        if len(prompts) > len(self.generators) or len(samplings) != len(prompts):
            found = f"found {len(prompts)} prompts and {len(samplings)} samplings"
            raise UserError(f"{found}; required: at most {len(self.generators)} prompts, and one sampling for each")
        texts: list[tuple[Generator, Writing]] = []
        logits: list[NDArray[np.float32]] = []
        for generator, prompt, sampling in zip(self.generators, prompts, samplings, strict=False):
            logits.append(generator.read(generator.forget(prompt)))
            texts.append((generator, generator.writing(most, sampling)))
        going_on = texts
        while going_on:
            left, following = list[tuple[Generator, Writing]](), list[Following]()
            for (generator, writing), each in zip(going_on, logits, strict=True):
                token = writing.token(each)
                if token is not None and writing.ending is None:
                    left.append((generator, writing))
                    following.append((generator, token))
            going_on, logits = left, self.read(following)
        return [writing.written for _, writing in texts]

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
