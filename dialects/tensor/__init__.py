"""The tensor dialect: *what* is computed at each point.

It has xDSL's ops, gather as upstream has it, index notation, and that with coordinates which are data (take, put);
sorting, and scan.
"""

from xdsl.dialects.tensor import Tensor as _Upstream

from mlc.dialects.tensor import shapes as shapes  # what they require is registered
from mlc.dialects.tensor.argsort import ArgsortOp, LeastOp
from mlc.dialects.tensor.branches import IfOp, WhileOp
from mlc.dialects.tensor.gather import GatherOp
from mlc.dialects.tensor.ops import ContractOp, MapOp, ReduceOp
from mlc.dialects.tensor.parallel_insert import ParallelInsertSliceOp
from mlc.dialects.tensor.places import PlacedOp
from mlc.dialects.tensor.put import PutOp
from mlc.dialects.tensor.scan import ScanOp
from mlc.dialects.tensor.structured import OF_INTEGERS, REDUCTIONS, StructuredOp, is_identity
from mlc.dialects.tensor.take import TakeOp
from mlc.dialects.tensor.tile_map import TileMapOp
from mlc.dialects.upstream import completed

Tensor = completed(
    _Upstream,
    [
        MapOp,
        ReduceOp,
        ContractOp,
        TileMapOp,
        TakeOp,
        PutOp,
        ArgsortOp,
        LeastOp,
        ScanOp,
        IfOp,
        WhileOp,
        GatherOp,
        ParallelInsertSliceOp,
    ],
)

__all__ = [
    "OF_INTEGERS",
    "REDUCTIONS",
    "ArgsortOp",
    "ContractOp",
    "GatherOp",
    "IfOp",
    "LeastOp",
    "MapOp",
    "ParallelInsertSliceOp",
    "PlacedOp",
    "PutOp",
    "ReduceOp",
    "ScanOp",
    "StructuredOp",
    "TakeOp",
    "Tensor",
    "TileMapOp",
    "WhileOp",
    "is_identity",
]
