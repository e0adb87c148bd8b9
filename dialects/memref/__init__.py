"""The memref dialect: xDSL's, whose globals may also name resources, as upstream's do."""

from xdsl.dialects.memref import MemRef as _Upstream
from xdsl.ir import Dialect

from mlc.dialects.memref.globals import GlobalOp

MemRef = Dialect(
    "memref",
    [GlobalOp if op.name == GlobalOp.name else op for op in _Upstream.operations],
    [*_Upstream.attributes],
)

__all__ = ["GlobalOp", "MemRef"]
