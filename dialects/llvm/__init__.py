"""The llvm dialect: xDSL's, completed with what mlc emits and xDSL lacks, spelled as MLIR spells it.

Three of xDSL's ops are replaced by wider ones of the same name: its `llvm.fcmp` and `llvm.select` take no vectors, and
its `llvm.intr.masked.store` stores no integers.
"""

from xdsl.dialects import llvm as xdsl_llvm
from xdsl.ir import Dialect

from mlc.dialects.llvm.intrinsics import INTRINSICS
from mlc.dialects.llvm.loop_annotation import LoopAnnotationAttr
from mlc.dialects.llvm.vectors import VECTOR_OPS

_ours = [*INTRINSICS, *VECTOR_OPS]
_names = {op.name for op in _ours}

LLVM = Dialect(
    "llvm",
    [*_ours, *(op for op in xdsl_llvm.LLVM.operations if op.name not in _names)],
    [*xdsl_llvm.LLVM.attributes, LoopAnnotationAttr],
)

__all__ = ["LLVM", "LoopAnnotationAttr"]
