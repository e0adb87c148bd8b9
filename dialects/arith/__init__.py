"""The arith dialect: xDSL's, with comparisons, selections and conversions that also work lane by lane on vectors, as
upstream's do, and with the remainder of floats.

The classes of these ops are here, all others are in `xdsl.dialects.arith`.
"""

from xdsl.dialects.arith import Arith as _Upstream

from mlc.dialects.arith import casts as casts  # what they require is registered
from mlc.dialects.arith import constants as constants
from mlc.dialects.arith.conversions import (
    CONVERSIONS,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    IndexCastOp,
    IndexCastUIOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from mlc.dialects.arith.lanes import CmpfOp, CmpiOp, SelectOp
from mlc.dialects.arith.remainder import RemFOp
from mlc.dialects.upstream import completed

Arith = completed(_Upstream, [CmpiOp, CmpfOp, SelectOp, *CONVERSIONS, RemFOp])

__all__ = [
    "Arith",
    "CmpfOp",
    "CmpiOp",
    "ExtSIOp",
    "ExtUIOp",
    "FPToSIOp",
    "FPToUIOp",
    "IndexCastOp",
    "IndexCastUIOp",
    "RemFOp",
    "SIToFPOp",
    "SelectOp",
    "TruncIOp",
    "UIToFPOp",
]
