"""The torchao dialect: how the package `torchao` spells quantisation by blocks, before `convert-aten-to-graph`.

They are as those of the aten dialect, made from their schemas, which are there once somebody imported `torchao`, or
defined operators of these names by `torch.library`.
"""

from __future__ import annotations

from mlc.dialects.aten import op_named
from mlc.support.open_dialect import OpenDialect

Torchao = OpenDialect("torchao", [], [], op_named)

__all__ = ["Torchao"]
