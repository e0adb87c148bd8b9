"""The affine dialect: xDSL's, with upstream's formats of subscripts, conditions and parallel loops, and `affine.max`.

The classes of these ops are here, all others are in `xdsl.dialects.affine`.
"""

from xdsl.dialects.affine import Affine as _Upstream

from mlc.dialects.affine.access import LoadOp, StoreOp, VectorLoadOp, VectorStoreOp
from mlc.dialects.affine.control import IfOp
from mlc.dialects.affine.maximum import MaxOp
from mlc.dialects.affine.parallel import ParallelOp
from mlc.dialects.upstream import completed

Affine = completed(_Upstream, [IfOp, LoadOp, MaxOp, ParallelOp, StoreOp, VectorLoadOp, VectorStoreOp])

__all__ = ["Affine", "IfOp", "LoadOp", "MaxOp", "ParallelOp", "StoreOp", "VectorLoadOp", "VectorStoreOp"]
