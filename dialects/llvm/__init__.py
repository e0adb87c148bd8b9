"""The llvm dialect: xDSL's, completed with what mlc emits and xDSL lacks, spelled as MLIR spells it.

Some of xDSL's ops are replaced by others of the same name: its `llvm.fcmp` and `llvm.select` take no vectors, its
`llvm.intr.masked.store` stores no integers, the overflow flags of its integer ops are not spelled as MLIR's are, and
its `llvm.func` loses the attributes of a declaration's arguments.
"""

from xdsl.dialects import llvm as xdsl_llvm
from xdsl.ir import Dialect

from mlc.dialects.llvm import aggregates as aggregates  # what they require is registered
from mlc.dialects.llvm import calls as calls
from mlc.dialects.llvm import constants as constants
from mlc.dialects.llvm import globals as globals
from mlc.dialects.llvm import parameters as parameters
from mlc.dialects.llvm import types as types
from mlc.dialects.llvm.call_intrinsic import CallIntrinsicOp
from mlc.dialects.llvm.function import FuncOp
from mlc.dialects.llvm.integers import INTEGER_OPS
from mlc.dialects.llvm.intrinsics import INTRINSICS
from mlc.dialects.llvm.kept import KEPT_ATTRIBUTES, KEPT_TYPES
from mlc.dialects.llvm.loop_annotation import LoopAnnotationAttr
from mlc.dialects.llvm.prefetch import PrefetchOp
from mlc.dialects.llvm.reductions import VECTOR_REDUCTIONS
from mlc.dialects.llvm.values import values_are_of_llvm
from mlc.dialects.llvm.vectors import VECTOR_OPS
from mlc.support.requirements import requires

_ours = [CallIntrinsicOp, FuncOp, *INTEGER_OPS, *INTRINSICS, *VECTOR_REDUCTIONS, *VECTOR_OPS, PrefetchOp]
_names = {op.name for op in _ours}

LLVM = Dialect(
    "llvm",
    [*_ours, *(op for op in xdsl_llvm.LLVM.operations if op.name not in _names)],
    [*xdsl_llvm.LLVM.attributes, LoopAnnotationAttr, *KEPT_ATTRIBUTES, *KEPT_TYPES],
)
requires(*LLVM.operations)(values_are_of_llvm)

__all__ = ["LLVM", "CallIntrinsicOp", "FuncOp", "LoopAnnotationAttr"]
