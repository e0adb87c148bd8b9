"""What a model is before it has been read: text, or a file of some format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from mlc.support.bindings import AnyExtent, Bindings, InputShapes
    from mlc.support.context import CompilerContext
    from mlc.support.errors import UserError


@dataclass(frozen=True)
class DeclaredInput:
    """What a model says of an input: a shape with None for each open dim, or None if it says none."""

    name: str
    shape: tuple[AnyExtent | None, ...] | None
    dims: tuple[str, ...] = ()
    """The names of the dims, "" for those without one; empty if none has a name."""

    def __str__(self) -> str:
        extents = "…" if self.shape is None else ", ".join("?" if e is None else str(e) for e in self.shape)
        return f"{self.name} [{extents}]"

    @property
    def is_open(self) -> bool:
        """Whether code cannot be generated yet."""
        return self.shape is None or None in self.shape

    def bound(self, shapes: InputShapes, extents: Mapping[str, AnyExtent]) -> DeclaredInput:
        """With the shapes of inputs and the extents of named dims that are given.

        Whether they fit is found out when the model is compiled.
        """
        given = shapes.get(self.name)
        if given is not None:
            return replace(self, shape=given if isinstance(given, tuple) else (given,))
        if self.shape is None:
            return self
        names = [*self.dims, *[""] * (len(self.shape) - len(self.dims))]
        bound = (extents.get(n) if e is None and n else e for e, n in zip(self.shape, names, strict=True))
        return replace(self, shape=tuple(bound))


@dataclass(frozen=True)
class ModelSource(ABC):
    """A model as it comes in, which has not been read yet."""

    file: str
    """The name for messages."""
    base: Path
    """The folder that weight files are relative to."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """What is equal for models that are equal, weight files excepted.

        Raises:
            UserError: the model cannot be read.
        """

    @property
    def is_unchanged(self) -> bool:
        """Whether the model is what it was when its identity was asked; files are watched by who reads them."""
        return True

    def inputs(self) -> tuple[DeclaredInput, ...]:
        """What callers give, if the format allows that dims stay open until they call; else nothing.

        Raises:
            UserError: the model cannot be read.
        """
        return ()

    def bound(self, bindings: Bindings) -> ModelSource:
        """The model with what users give to its inputs, if its format wants that before it is read; else itself, and
        `bind-inputs` does it.

        Raises:
            UserError: the model cannot be read.
        """
        return self

    def readable(self, ctx: CompilerContext) -> tuple[ModuleOp, dict[Operation, UserError]]:
        """The model as far as it can be read, and what is wrong with some of its ops; verified if nothing is.

        Raises:
            UserError: the model cannot be read.
        """
        return self.module(ctx), {}

    @abstractmethod
    def module(self, ctx: CompilerContext) -> ModuleOp:
        """The model as IR, verified.

        Raises:
            UserError: the model is wrong.
        """
