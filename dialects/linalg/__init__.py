"""The linalg dialect: xDSL's, with the traits and result lists that upstream reads in `linalg.generic`."""

from xdsl.dialects.linalg import Linalg as _Upstream

from mlc.dialects.linalg.generic import GenericOp
from mlc.dialects.upstream import completed

Linalg = completed(_Upstream, [GenericOp])

__all__ = ["GenericOp", "Linalg"]
