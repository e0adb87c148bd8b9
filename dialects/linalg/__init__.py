"""The linalg dialect: xDSL's, with the traits and result lists that upstream reads in `linalg.generic`, and with all
named ops that upstream has.

Every op that computes is a `LinalgOp`, which says where operands are read and what is computed there.
"""

from xdsl.dialects.linalg import Linalg as _Upstream

from mlc.dialects.linalg.custom import CUSTOM, MapOp, ReduceOp, SoftmaxOp
from mlc.dialects.linalg.functions import FUNCTIONS
from mlc.dialects.linalg.generic import GenericOp
from mlc.dialects.linalg.interface import LinalgOp
from mlc.dialects.linalg.moves import BroadcastOp, TransposeOp
from mlc.dialects.linalg.named import NAMED, FillOp, NamedOp
from mlc.dialects.upstream import completed

Linalg = completed(_Upstream, [GenericOp, *NAMED.values(), *CUSTOM, BroadcastOp, TransposeOp], FUNCTIONS)

__all__ = [
    "NAMED",
    "BroadcastOp",
    "FillOp",
    "GenericOp",
    "Linalg",
    "LinalgOp",
    "MapOp",
    "NamedOp",
    "ReduceOp",
    "SoftmaxOp",
    "TransposeOp",
]
