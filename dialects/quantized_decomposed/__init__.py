"""The quantized_decomposed dialect: how PyTorch's exported programs spell quantisation, before `convert-aten-to-graph`.

They are as those of the aten dialect, made from their schemas, which are in a module of the package `torch`, or where
somebody defined operators of these names by `torch.library`, as `torchao` does.
"""

from __future__ import annotations

from mlc.dialects.aten import op_named
from mlc.support.open_dialect import OpenDialect

QuantizedDecomposed = OpenDialect("quantized_decomposed", [], [], op_named)

__all__ = ["QuantizedDecomposed"]
