"""The onnx dialect: models as ONNX says them, before `convert-onnx-to-graph`.

| what | file |
|---|---|
| the ops, made from the schemas of the package `onnx` | `ops.py`, `schemas.py`, `package.py` |
| schemas of operators that ONNX Runtime adds | `contributed.py` |
| types that MLIR lacks | `types.py` |
| messages of protobuf as types, attributes and ops | `nodes.py` |
| graphs of nodes as blocks of ops | `graphs.py` |

Every operator is an op with its name, `onnx.Conv`, and that of another domain has the domain in front,
`onnx.ai.onnx.ml.Scaler`. The dialect needs the package `onnx` (`pip install 'mlc[onnx]'`).
"""

from __future__ import annotations

from mlc.dialects.onnx.ops import SINCE, NoValueOp, OnnxOp, YieldOp, op, op_named
from mlc.dialects.onnx.schemas import operators
from mlc.dialects.onnx.types import NUMBERS_BY_TYPE, TYPES_BY_NUMBER, UNKNOWN, ValueType
from mlc.support.open_dialect import OpenDialect

Onnx = OpenDialect(
    "onnx", [NoValueOp, YieldOp, *(op(name, domain) for domain, name in operators())], [ValueType], op_named
)

__all__ = [
    "NUMBERS_BY_TYPE",
    "SINCE",
    "TYPES_BY_NUMBER",
    "UNKNOWN",
    "NoValueOp",
    "Onnx",
    "OnnxOp",
    "ValueType",
    "YieldOp",
    "op",
    "op_named",
]
