"""The tensor dialect: *what* is computed at each point, in index notation.

    %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 10) reduce (k: 32)
        : tensor<64x32xf32>, tensor<32x10xf32> -> tensor<64x10xf32>

There are three structured ops: map, reduce, contract. They share one interface, `StructuredOp`: dims with names and
sizes, an affine index map for each operand, and the scalar computation of a point. Conversions and schedules ask that
interface alone. A convolution, pooling, transposition, broadcast or slice is nothing but index maps; padding is
upstream's `tensor.pad`. The dims of `over` index the result in order, so a result needs no map.

What no index map can express has ops of its own. `tensor.take` (gather) reads where coordinates are data,
`tensor.put` (scatter) changes a copy there. `tensor.argsort` and `tensor.top_k` (top-k) order rows of integer keys.
`tensor.scan`, `tensor.if` and `tensor.while` hold kernels in their bodies. All of them become loops of known bounds
without branches.

By convention `n` is the dim of the result that is contiguous in memory, and `k` is reduced.

Integers are signless at this level, as in `arith` and LLVM; ops say how they read bits (`tensor.reduce maxui`).
"""

from xdsl.dialects.tensor import Tensor as _Upstream

from mlc.dialects.tensor import shapes as shapes  # what they require is registered
from mlc.dialects.tensor.argsort import ArgsortOp, TopKOp
from mlc.dialects.tensor.branches import IfOp, WhileOp
from mlc.dialects.tensor.gather import GatherOp
from mlc.dialects.tensor.generate import GenerateOp
from mlc.dialects.tensor.ops import ContractOp, MapOp, ReduceOp
from mlc.dialects.tensor.packing import PackingOp, PackOp, UnPackOp
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
        TopKOp,
        ScanOp,
        IfOp,
        WhileOp,
        GatherOp,
        ParallelInsertSliceOp,
        GenerateOp,
        PackOp,
        UnPackOp,
    ],
)

__all__ = [
    "OF_INTEGERS",
    "REDUCTIONS",
    "ArgsortOp",
    "ContractOp",
    "GatherOp",
    "GenerateOp",
    "IfOp",
    "MapOp",
    "PackOp",
    "PackingOp",
    "ParallelInsertSliceOp",
    "PlacedOp",
    "PutOp",
    "ReduceOp",
    "ScanOp",
    "StructuredOp",
    "TakeOp",
    "Tensor",
    "TileMapOp",
    "TopKOp",
    "UnPackOp",
    "WhileOp",
    "is_identity",
]
