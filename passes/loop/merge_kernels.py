"""`merge-kernels`: kernels that differ in where they read and write alone become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import SubscriptedOp
from mlc.analysis.calls import calls_of_functions
from mlc.analysis.nests import update_type
from mlc.analysis.spans import AccessPlace, Span, StructureUpToPlaces, access_from_start, spans_of
from mlc.dialects.loop import SpanOp
from mlc.dialects.loop.span import span_type
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.functions import is_private
from mlc.support.types import memref_type


@dataclass(frozen=True)
class MergeKernelsPass(Pass):
    """Keep one of all private functions that do the same with other parts of their arguments.

        func.func private @left(%x: memref<8x400xf32>, …)  { … loop.load %x[%m, %n] … }
        func.func private @right(%x: memref<8x400xf32>, …) { … loop.load %x[%m, %n + 200] … }
        call @left(%x, …)
        call @right(%x, …)
    ->
        func.func private @left(%x: memref<3000xf32>, …) { … loop.load %x[%m * 400 + %n] … }
        %0 = loop.span %x from 0 : memref<8x400xf32> -> memref<3000xf32>
        call @left(%0, …)
        %1 = loop.span %x from 200 : memref<8x400xf32> -> memref<3000xf32>
        call @left(%1, …)

    A model that is cut into pieces and put together again has hundreds of these. Which stretch of memory an argument is
    needed for follows from the subscripts; the shapes of buffers count as far as they say how many elements apart two
    elements are, and what is before the first one that is touched or after the last one does not. Addresses are
    computed as before, but for a constant.

    Arguments of which subscripts divide, or are not sums of loop counters, or that views or calls take, have to be the
    same whole buffers. Functions that something else than a call refers to stay.
    """

    name = "merge-kernels"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        calls = calls_of_functions(module)
        alike: dict[Hashable, list[func.FuncOp]] = defaultdict(list)
        for op in module.ops:
            if isinstance(op, func.FuncOp) and not op.is_declaration and is_private(op) and calls.get(op.sym_name.data):
                alike[tuple(type(inner) for inner in op.walk())].append(op)
        for candidates in alike.values():
            if len(candidates) > 1:
                _merge(candidates, calls, ctx)


def _merge(candidates: Sequence[func.FuncOp], calls: Mapping[str, list[func.CallOp]], ctx: CompilerContext) -> None:
    same: dict[Hashable, list[_Kernel]] = defaultdict(list)
    for function in candidates:
        spans, places = spans_of(function)
        same[StructureUpToPlaces(spans, places).of(function)].append(_Kernel(function, spans, places))
    for kernels in same.values():
        if len(kernels) == 1:
            continue
        kept = kernels[0]
        moved = [
            number
            for number, argument in enumerate(kept.function.args)
            if argument in kept.spans and len({kernel.place_of(number) for kernel in kernels}) > 1
        ]
        for kernel in kernels:
            if kernel is not kept:
                apart = ", but for where arguments begin" if moved else ""
                ctx.remark(kernel.function, f"'{kernel.name}' is the same as '{kept.name}'{apart}")
            for call in calls[kernel.name]:
                kernel.pass_spans(call, moved)
                call.callee = SymbolRefAttr(kept.name)
        for kernel in kernels[1:]:
            Rewriter.erase_op(kernel.function)
        kept.take_spans(moved)


@dataclass(frozen=True)
class _Kernel:
    """A function, the stretches of its arguments that it touches, and where its accesses do so."""

    function: func.FuncOp
    spans: Mapping[SSAValue, Span]
    places: Mapping[Operation, AccessPlace]

    @property
    def name(self) -> str:
        return self.function.sym_name.data

    def place_of(self, number: int) -> Hashable:
        """Which part of which buffer an argument is needed for."""
        argument = self.function.args[number]
        return argument.type, self.spans[argument]

    def pass_spans(self, call: func.CallOp, moved: Sequence[int]) -> None:
        """Let a call give these arguments as spans."""
        for number in moved:
            span, operand = self.spans[self.function.args[number]], call.operands[number]
            view = SpanOp(operand, span.start, span.length)
            view.location, view.result.name_hint = call.location, operand.name_hint
            Rewriter.insert_op(view, InsertPoint.before(call))
            call.operands[number] = view.result

    def take_spans(self, moved: Sequence[int]) -> None:
        """Let the function take these arguments as spans."""
        for number in moved:
            argument = self.function.args[number]
            span, uses = self.spans[argument], list(argument.uses)
            Rewriter.replace_value_with_new_type(argument, span_type(memref_type(argument), span.length))
            for use in uses:
                assert isinstance(use.operation, SubscriptedOp)
                access_from_start(use.operation, self.places[use.operation], span)
        update_type(self.function)
