"""Where buffers are: constants, views of the workspace, reshapes, small arrays on the stack."""

from __future__ import annotations

import re
from math import prod
from typing import Any, cast

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    ModuleOp,
    i8,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects import loop
from mlc.dialects.memref import ExtractAlignedPointerAsIndexOp, GlobalOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.loop_to_llvm._types import (
    POINTER,
    VALUES,
    array_of,
    index_type,
    integer_constant,
    memory_element,
    offset,
)
from mlc.support.context import CompilerContext
from mlc.support.functions import ALIGNMENT
from mlc.support.locations import error_at
from mlc.support.types import MemRef, memref_type


def array_type(kind: MemRef) -> llvm.LLVMArrayType:
    """The elements of a static memref as one array."""
    return array_of(prod(kind.get_shape()), memory_element(cast(Attribute, kind.element_type)))


_NO_SYMBOL = re.compile(r"[%\"\\@\x00-\x1f\x7f]")
"""What assemblers and linkers read as more than a part of a name, and `%`, which stands for these."""


@lowers(VALUES, loop.ConstantOp)
class LowerConstantBuffer(RewritePattern):
    """`loop.constant dense_resource<w>` -> the address of the global constant `weight_w`, made when it is first met."""

    def __init__(self, ctx: CompilerContext) -> None:
        self._names: dict[Attribute, str] = {}

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.ConstantOp, rewriter: PatternRewriter) -> None:
        name = self._names.get(op.value)
        if name is None:
            name = self._names[op.value] = self._name(op.value)
            _define_global(op, name, array_type(op.buffer_type), op.value)
        rewriter.replace(op, llvm.AddressOfOp(name, POINTER))

    def _name(self, value: DenseResourceAttr | DenseIntOrFPElementsAttr) -> str:
        if isinstance(value, DenseResourceAttr):
            # The name of a resource is that of its symbol in all modules that are compiled in one context.
            name = value.resource_handle.data
            return f"weight_{_NO_SYMBOL.sub(lambda c: f'%{ord(c[0]):02x}', name)}"
        return f"constant_{len(self._names)}"


def _define_global(op: Operation, name: str, kind: llvm.LLVMArrayType, value: Attribute) -> None:
    top: Operation = op
    while (parent := top.parent_op()) is not None and not isinstance(parent, ModuleOp):
        top = parent
    assert top.parent is not None
    linkage = "external" if isinstance(value, DenseResourceAttr) else "private"
    new = llvm.GlobalOp(kind, name, linkage, constant=True, value=value, alignment=ALIGNMENT)
    new.location = op.location
    top.parent.insert_op_before(new, top)


@lowers(VALUES, ExtractAlignedPointerAsIndexOp)
class LowerPointerAsIndex(StatelessPattern):
    """An address as a number."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ExtractAlignedPointerAsIndexOp)
        rewriter.replace(op, llvm.PtrToIntOp(op.source, index_type()))


@lowers(VALUES, memref.GetGlobalOp)
class LowerGetGlobal(StatelessPattern):
    """`memref.get_global @w` -> `llvm.mlir.addressof @w`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.GetGlobalOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, llvm.AddressOfOp(op.name_, POINTER))


@lowers(VALUES, GlobalOp)
class LowerGlobal(StatelessPattern):
    """`memref.global constant @w : memref<4xf32> = dense<…>` -> `llvm.mlir.global` of an array."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GlobalOp, rewriter: PatternRewriter) -> None:
        value: Attribute | None = op.initial_value
        if op.constant is None or not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            raise error_at(
                op, f"memref.global @{op.sym_name.data}: required a constant with a value; an artifact has no state"
            )
        rewriter.replace(
            op,
            llvm.GlobalOp(
                array_type(cast(MemRef, op.type)),
                op.sym_name,
                "external" if isinstance(value, DenseResourceAttr) else "private",
                constant=True,
                value=value,
                alignment=ALIGNMENT,
            ),
            [],
        )


@lowers(VALUES, memref.ViewOp)
class LowerView(StatelessPattern):
    """`memref.view %workspace[%bytes][]` -> a GEP by bytes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.ViewOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, offset(op.source, op.byte_shift, i8))


@lowers(VALUES, loop.RowOp)
class LowerRow(StatelessPattern):
    """`loop.row %xs[%t]` -> a GEP by rows."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.RowOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, offset(op.source, op.index, array_type(memref_type(op.result))))


@lowers(VALUES, loop.SpanOp)
class LowerSpan(StatelessPattern):
    """`loop.span %x from 3` -> a GEP by elements."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.SpanOp, rewriter: PatternRewriter) -> None:
        start = integer_constant(op.start.value.data)
        element = memory_element(cast(Attribute, memref_type(op.result).element_type))
        rewriter.replace(op, [start, offset(op.source, start.result, element)])


@lowers(VALUES, memref.ReinterpretCastOp, memref.CastOp, memref.ExpandShapeOp, memref.CollapseShapeOp)
class LowerReshape(StatelessPattern):
    """The same elements under another shape: the same address."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, memref.ReinterpretCastOp) and any(op.static_offsets.get_values()):
            raise error_at(op, "memref.reinterpret_cast: an offset is not supported; use memref.view")
        rewriter.replace(op, [], [op.operands[0]])


@lowers(VALUES, memref.AllocaOp)
class LowerStackBuffer(StatelessPattern):
    """`memref.alloca` -> `llvm.alloca` of an array, at the start of the function so that loops do not repeat it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.AllocaOp, rewriter: PatternRewriter) -> None:
        buffer = SSAValue.get(op.memref)
        one = integer_constant(1)
        stack = llvm.AllocaOp(one.result, array_type(memref_type(buffer)), _alignment(op))
        top: Operation = op
        while (parent := top.parent_op()) is not None and not isinstance(parent.parent_op(), ModuleOp):
            top = parent
        entry = top.parent
        assert entry is not None and entry.first_op is not None
        entry.insert_ops_before([one, stack], entry.first_op)
        rewriter.replace(op, [], [stack.res])


def _alignment(op: memref.AllocaOp) -> int:
    given = cast("IntegerAttr[Any] | None", op.alignment)
    return ALIGNMENT if given is None else given.value.data


@lowers(VALUES, memref.DeallocOp)
class LowerDealloc(StatelessPattern):
    """Stack buffers and parts of the workspace are not freed."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.DeallocOp, rewriter: PatternRewriter) -> None:
        rewriter.erase(op)
