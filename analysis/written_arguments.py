"""Which arguments functions write, by themselves or through what they call."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func, memref, vector
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import SSAValue

from mlc.dialects.loop import LoadOp, PrefetchOp, RowOp, SpanOp
from mlc.support.functions import ONLY_READ

SAME_ELEMENTS = (memref.ReinterpretCastOp, memref.ExpandShapeOp, memref.CollapseShapeOp, memref.CastOp)
"""Ops whose results are all elements of a buffer."""
_READS = (LoadOp, PrefetchOp, memref.LoadOp, memref.DimOp, vector.LoadOp, vector.MaskedLoadOp)
_NOT_SHARED = "llvm.noalias"
"""What declarations say of arguments whose elements they reach through no other one."""
_ARE_READ = {ONLY_READ, "llvm.readonly"}
"""What declarations say of those that they only read."""


class WrittenArguments:
    """The arguments that functions write, by themselves or through what they call."""

    def __init__(self, functions: Mapping[str, func.FuncOp]) -> None:
        self._functions = functions
        self._known: dict[StringAttr, frozenset[int]] = {}

    def of(self, function: func.FuncOp) -> frozenset[int]:
        """The positions of the arguments that `function` may write; of one without a body, what its attributes say."""
        found = self._known.get(function.sym_name)
        if found is None:
            self._known[function.sym_name] = frozenset()  # a function that calls itself
            if function.is_declaration:
                marks = enumerate(function.arg_attrs or ())
                found = frozenset(i for i, m in marks if _NOT_SHARED in m.data and not _ARE_READ & m.data.keys())
            else:
                args = enumerate(function.body.blocks[0].args)
                found = frozenset(i for i, a in args if isinstance(a.type, MemRefType) and self._writes(a))
            self._known[function.sym_name] = found
        return found

    def _writes(self, buffer: SSAValue) -> bool:
        for use in buffer.uses:
            op = use.operation
            if isinstance(op, (memref.ViewOp, RowOp, SpanOp, *SAME_ELEMENTS)):
                if self._writes(op.results[0]):
                    return True
            elif isinstance(op, func.CallOp):
                callee = self._functions.get(op.callee.string_value())
                if callee is None or use.index in self.of(callee):
                    return True
            elif not isinstance(op, _READS):
                return True
        return False
