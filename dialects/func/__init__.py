"""The func dialect: xDSL's, with the attributes that upstream has for the arguments and results of declarations."""

from xdsl.dialects.func import Func as _Upstream

from mlc.dialects.func.function import FuncOp
from mlc.dialects.upstream import completed

Func = completed(_Upstream, [FuncOp])

__all__ = ["Func", "FuncOp"]
