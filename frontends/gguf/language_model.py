"""What an architecture of language models is, and which one a file has.

An architecture is a class of `LanguageModel` that the file names. mlc's own stand in `nn/architectures/<name>.py` and
are found by that name; a package adds one by an entry point of the group `mlc.language_models`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from xdsl.ir import SSAValue

from mlc.frontends.gguf.file import GgufFile
from mlc.frontends.gguf.hyperparameters import Hyperparameters
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.weight_matrices import ModelWeights
from mlc.support.additions import Additions, own_class
from mlc.support.errors import UserError

_HOME = "mlc.nn.architectures"


@dataclass(frozen=True)
class CacheShape:
    """What a layer keeps of the tokens that came before, of f32 or f16; None is the dim of their places."""

    name: str
    extents: tuple[int | None, ...]


@dataclass(frozen=True)
class TokenChunk:
    """What a call of a model takes: some tokens of a sequence, or one of each of several, and how many came before.

    Attributes:
        tokens: `[n]` of i64, or `[sequences]`.
        position: of i64, the place of the first of them; `[sequences]`, that of each.
        count: of i64, how many of them are data, from 1 to n; what others become is overwritten before it is read.
        caches: what is kept of the tokens that came before; all of one sequence, then those of the next one.
        seen: of several sequences how many places the token of each sees, of i64: its position and 1. A sequence that
            is absent has 1; its results mean nothing, and its token is stored at its position like others.
    """

    tokens: SSAValue
    position: SSAValue
    count: SSAValue
    caches: Sequence[SSAValue]
    seen: Sequence[SSAValue] = ()


@dataclass(frozen=True)
class Decoded:
    """What a call of a model gives.

    Attributes:
        logits: those after the last token of each sequence, `[sequences, vocabulary]` of f32.
        hidden: the state after it, `[sequences, width]` of f32, of which logits are products.
        caches: those of the call with its tokens in them.
    """

    logits: SSAValue
    hidden: SSAValue
    caches: Sequence[SSAValue]


class LanguageModel(ABC):
    """A decoder that predicts the next token."""

    name: ClassVar[str]
    """What files call the architecture (`general.architecture`)."""

    def __init__(self, hyper: Hyperparameters) -> None:
        """Raises: UserError if a number is missing or wrong."""
        self.context = hyper.size("context_length")
        self.layers = hyper.size("block_count")
        if self.layers > (count := len(hyper.file.tensors)):
            raise hyper.file.error(f"it says that it has {self.layers} layers; required: at most its {count} tensors")
        self.width = hyper.size("embedding_length")
        self.vocabulary = (*hyper.file.tensor("token_embd.weight").shape, 0)[0]

    @property
    @abstractmethod
    def caches(self) -> Sequence[CacheShape]:
        """What is kept of the tokens that came before."""

    @abstractmethod
    def decode(self, b: GraphBuilder, weights: ModelWeights, chunk: TokenChunk) -> Decoded:
        """What follows from a chunk.

        Raises:
            UserError: a weight is missing, or has another shape.
        """


@cache
def _own() -> tuple[str, ...]:
    found = find_spec(_HOME)
    folders = (found.submodule_search_locations or ()) if found is not None else ()
    return tuple(sorted(file.stem for folder in folders for file in Path(folder).glob("[a-z]*.py")))


plugin_models = Additions("architecture", "mlc.language_models", lambda name: "mlc" if name in _own() else None)


def language_model(file: GgufFile) -> LanguageModel:
    """The model that a file holds, without its weights.

    Raises:
        UserError: mlc does not know its architecture, or something in its metadata is missing or wrong.
    """
    name = file.metadata.get("general.architecture")
    if not isinstance(name, str):
        raise file.error("the file does not say its architecture; required: a text 'general.architecture'")
    hyper = Hyperparameters(file, name)
    if name in _own():
        return _made(own_class(f"{_HOME}.{name}", LanguageModel, name, "architecture", __name__), hyper)
    if (addition := plugin_models.get(name)) is not None:
        loaded = addition.load()
        if not (isinstance(loaded, type) and issubclass(loaded, LanguageModel)):
            raise UserError(
                f"architecture '{name}' of {addition.origin} is not a class that derives from LanguageModel"
            )
        return _made(loaded, hyper)
    known = ", ".join((*_own(), *plugin_models.names()))
    raise file.error(f"its architecture is '{name}'; required: one that mlc knows, {known}")


def _made(cls: Callable[[Hyperparameters], LanguageModel], hyper: Hyperparameters) -> LanguageModel:
    return cls(hyper)
