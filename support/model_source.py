"""What a model is before it has been read: text, or a file of some format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.support.context import CompilerContext


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

    @abstractmethod
    def module(self, ctx: CompilerContext) -> ModuleOp:
        """The model as IR, verified.

        Raises:
            UserError: the model is wrong.
        """
