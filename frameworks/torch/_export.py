"""Compilation ahead of time: a module, or what `torch.export` made of one, as a model that needs no torch."""

from __future__ import annotations

from typing import Any

from mlc.runtime import Model


def compile(model: Any, inputs: Any = None, *, dynamic_shapes: Any = None, **options: Any) -> Model:
    """Placeholder."""
    raise NotImplementedError
