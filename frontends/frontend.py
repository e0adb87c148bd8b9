"""How models of a format come in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from mlc.support.model_source import ModelSource


class Frontend(ABC):
    """Opens models of one format. What a model is made of, its source's `module` says when it is needed.

    mlc's own stand in `frontends/<folder>/source.py`; a plugin's file defines one, and a package names one by an entry
    point of the group `mlc.frontends`.
    """

    name: ClassVar[str]
    """How names of files end that hold such models, without the dot."""

    @abstractmethod
    def open(self, path: Path) -> ModelSource:
        """The model in a file. Nothing is read yet."""

    def in_memory(self, model: object) -> ModelSource | None:
        """The model in an object of the format's own library, or in the bytes of a file; None for all others.

        Raises:
            UserError: the object is not a complete model.
        """
        return None
