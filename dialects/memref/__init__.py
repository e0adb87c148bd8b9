"""The memref dialect: xDSL's, with the formats that upstream has for its globals, casts and copies.

The classes of these ops are here, all others are in `xdsl.dialects.memref`.
"""

from xdsl.dialects.memref import MemRef as _Upstream

from mlc.dialects.memref import layouts as layouts  # what they require is registered
from mlc.dialects.memref.alignment import AssumeAlignmentOp
from mlc.dialects.memref.atomics import AtomicRMWOp
from mlc.dialects.memref.globals import GlobalOp
from mlc.dialects.memref.views import CastOp, CopyOp, ExtractAlignedPointerAsIndexOp, MemorySpaceCastOp, RankOp
from mlc.dialects.upstream import completed

MemRef = completed(
    _Upstream,
    [
        AssumeAlignmentOp,
        AtomicRMWOp,
        CastOp,
        CopyOp,
        ExtractAlignedPointerAsIndexOp,
        GlobalOp,
        MemorySpaceCastOp,
        RankOp,
    ],
)

__all__ = [
    "AssumeAlignmentOp",
    "AtomicRMWOp",
    "CastOp",
    "CopyOp",
    "ExtractAlignedPointerAsIndexOp",
    "GlobalOp",
    "MemRef",
    "MemorySpaceCastOp",
    "RankOp",
]
