"""A file of GGUF as a model that the compiler takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mlc.frontends.frontend import Frontend
from mlc.frontends.gguf import SUFFIX
from mlc.support.bindings import Bindings
from mlc.support.errors import UserError
from mlc.support.mapped_file import MappedFile
from mlc.support.model_source import ModelSource

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.frontends.gguf.file import GgufFile
    from mlc.support.context import CompilerContext

MOST_PLACES = 4096
"""How many tokens caches hold, unless that is said: memory for them is the caller's."""


class GgufFrontend(Frontend):
    """Language models in files of GGUF."""

    name = SUFFIX

    def open(self, path: Path) -> GgufModel:
        return GgufModel(str(path), path.parent, path)


@dataclass(frozen=True)
class GgufModel(ModelSource):
    """A function `decode` that takes the next tokens and caches of keys and values.

    The dim `n` says how many tokens a call takes, 1 unless it is given; `batch` of how many sequences it takes one, 1
    unless it is given; `context` how many the caches hold.
    """

    path: Path
    given: frozenset[str] = frozenset()
    """The names that users give shapes."""

    @property
    def identity(self) -> str:
        return f"gguf {self.given_names} {self._mapped.digest()}"

    @property
    def given_names(self) -> str:
        """The same in one text."""
        return " ".join(sorted(self.given))

    def bound(self, bindings: Bindings) -> GgufModel:
        return replace(self, given=frozenset((*bindings.shapes, *bindings.choices)))

    def module(self, ctx: CompilerContext) -> ModuleOp:
        from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

        from mlc.dialects.gguf.function import decoding_module
        from mlc.frontends.gguf.language_model import language_model
        from mlc.support.locations import place_new_ops
        from mlc.syntax import verify_module

        ctx.resources.note(self._mapped)
        model = language_model(self._opened)
        caches = {each.name: each.extents for each in model.caches}
        module = decoding_module(
            str(self.path.absolute()),
            None if {"batch", "tokens"} & self.given else 1,
            None if {"n", "tokens"} & self.given else 1,
            None if {"context", *caches} & self.given else min(model.context, MOST_PLACES),
            caches,
            model.vocabulary,
            model.width,
        )
        place_new_ops(module, FileLineColLoc(StringAttr(self.file), IntAttr(0), IntAttr(0)))
        verify_module(module)
        return module

    @cached_property
    def _mapped(self) -> MappedFile:
        try:
            return MappedFile(self.path)
        except FileNotFoundError:
            raise UserError(f"model '{self.file}' not found") from None
        except OSError as e:
            raise UserError(f"cannot read model '{self.file}': {e.strerror or e}") from None

    @cached_property
    def _opened(self) -> GgufFile:
        from mlc.frontends.gguf.file import read_gguf

        return read_gguf(self._mapped, self.file)
