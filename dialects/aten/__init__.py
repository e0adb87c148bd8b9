"""The aten dialect: what PyTorch's graphs are made of, before `convert-aten-to-graph`.

| what | file |
|---|---|
| the ops, made from the schemas of the package `torch` | `ops.py`, `schemas.py` |
| values of Python as attributes, and back | `values.py` |

An overload is an op with its name, `aten.add.Tensor`; the one called "default" has no name of its own, `aten.relu`. The
dialect needs the package `torch` (`pip install 'mlc[torch]'`).
"""

from __future__ import annotations

from mlc.dialects.aten.ops import AtenOp, NoneOp, op, op_named
from mlc.support.open_dialect import OpenDialect

Aten = OpenDialect("aten", [NoneOp], [], op_named)

__all__ = ["Aten", "AtenOp", "NoneOp", "op", "op_named"]
