"""The arith dialect: xDSL's, with comparisons, selections and conversions that also work lane by lane on vectors, as
upstream's do, and with the remainder of floats.

The classes of these ops are here, all others are in `xdsl.dialects.arith`.
"""

from xdsl.dialects.arith import Arith as _Upstream
from xdsl.ir import Dialect

from mlc.dialects.arith import casts as casts  # what they require is registered
from mlc.dialects.arith import constants as constants
from mlc.dialects.arith.conversions import (
    CONVERSIONS,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from mlc.dialects.arith.lanes import CmpfOp, CmpiOp, SelectOp
from mlc.dialects.arith.remainder import RemFOp

_OURS = {op.name: op for op in (CmpiOp, CmpfOp, SelectOp, *CONVERSIONS)}

Arith = Dialect("arith", [*(_OURS.get(op.name, op) for op in _Upstream.operations), RemFOp], [*_Upstream.attributes])

__all__ = [
    "Arith",
    "CmpfOp",
    "CmpiOp",
    "ExtSIOp",
    "ExtUIOp",
    "FPToSIOp",
    "FPToUIOp",
    "RemFOp",
    "SIToFPOp",
    "SelectOp",
    "TruncIOp",
    "UIToFPOp",
]
