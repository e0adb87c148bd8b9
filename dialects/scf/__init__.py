"""The scf dialect: xDSL's, with the formats that upstream has for its regions, loops and conditions, and `scf.forall`.

The classes of these ops are here, all others are in `xdsl.dialects.scf`.
"""

from xdsl.dialects.scf import Scf as _Upstream
from xdsl.dialects.scf import YieldOp

from mlc.dialects.scf import verify as verify  # what it requires is registered
from mlc.dialects.scf.execute_region import ExecuteRegionOp
from mlc.dialects.scf.for_ import ForOp
from mlc.dialects.scf.forall import ForallOp, InParallelOp
from mlc.dialects.scf.if_ import IfOp
from mlc.dialects.scf.parallel import ParallelOp, ReduceOp
from mlc.dialects.upstream import completed

Scf = completed(_Upstream, [ExecuteRegionOp, ForOp, ForallOp, IfOp, InParallelOp, ParallelOp, ReduceOp])

__all__ = ["ExecuteRegionOp", "ForOp", "ForallOp", "IfOp", "InParallelOp", "ParallelOp", "ReduceOp", "Scf", "YieldOp"]
