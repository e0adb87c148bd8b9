"""Weights that several modules of one context share, in the order in which kernels read them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xdsl.dialects.builtin import DenseResourceAttr

    from mlc.support.resources import Resources


@dataclass
class SharedPanels:
    """The panels that weights were packed into by the modules before, the variants of one model.

    A weight of a file is known by its name, and one that was computed by its contents: each module computes it anew.
    """

    widths: dict[str, int] = field(default_factory=dict[str, int])
    """How many columns the panels of a weight have: the first module decides, and the others had better agree."""
    packed: dict[Any, DenseResourceAttr] = field(default_factory=dict[Any, "DenseResourceAttr"])
    """What was packed, by the identity of the weight and the kind of panels."""
    _identities: dict[str, str] = field(default_factory=dict[str, str])

    def identity(self, name: str, resources: Resources) -> str:
        """What is equal for resources of equal contents."""
        if name not in resources.in_memory():
            return name
        if name not in self._identities:
            self._identities[name] = hashlib.sha256(resources.array(name).tobytes()).hexdigest()
        return self._identities[name]
