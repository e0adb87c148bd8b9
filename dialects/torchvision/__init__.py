"""The torchvision dialect: operators that the package `torchvision` adds to PyTorch, before `convert-aten-to-graph`.

They are as those of the aten dialect, made from their schemas, which are there once somebody imported `torchvision`, or
defined operators of these names by `torch.library`.
"""

from __future__ import annotations

from mlc.dialects.aten import op_named
from mlc.support.open_dialect import OpenDialect

Torchvision = OpenDialect("torchvision", [], [], op_named)

__all__ = ["Torchvision"]
