"""`collapse-dims`: dims that a kernel always uses together become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.calls import calls_of_functions
from mlc.dialects.loop.limits import names_dims
from mlc.pass_manager.base import Pass
from mlc.passes.tensor._collapsing import drop_unit_dims, merge_dims
from mlc.passes.tensor._views import collapse, erase_unused_views, expand, seen_as
from mlc.passes.tensor.limit_dims import ends_of_dims
from mlc.support.context import CompilerContext
from mlc.support.functions import is_private


@dataclass(frozen=True)
class CollapseDimsPass(Pass):
    """Join adjacent dims of each kernel that are only ever used together, and leave out those of extent 1.

    Adjacent dims become one if every access uses them as adjacent subscripts over all of their axes, or not at all: the
    pixels of a convolution with a 1 x 1 window, all dims of elementwise ops on equal shapes, the rows of a batch of
    matrices that are multiplied with one matrix.

        func.func private @conv(%x: tensor<1x8x8x3xf32>, %w: tensor<1x1x3x4xf32>) -> tensor<1x8x8x4xf32> {
          %0 = tensor.contract %x[b, y + ky, x + kx, k], %w[ky, kx, k, n]
            over (b: 1, y: 8, x: 8, n: 4) reduce (ky: 1, kx: 1, k: 3) : …
    ->
        func.func private @conv(%x: tensor<64x3xf32>, %w: tensor<3x4xf32>) -> tensor<64x4xf32> {
          %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 4) reduce (k: 3) : …

    Signatures change with it, and callers reshape, which moves nothing; so kernels of different shapes that do the same
    become equal. A dim whose data may end before it does (`limit-dims`) is not joined to the one around it, as its loop
    could not end there then. An op whose dims were joined gets the usual names: `n` for the last dim of the result, `m`
    for its rows, `k` for what is reduced.

    Left alone: kernels with a schedule or limits, which name dims; functions that others may call, or that something
    else than a call refers to; the axes that ops other than structured ones and `tensor.pad`, or ops in nested regions,
    see.
    """

    name = "collapse-dims"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        calls = calls_of_functions(module)
        ends = ends_of_dims(module, calls, ctx.resources)
        changed: list[func.FuncOp] = []
        for function in module.ops:
            if not isinstance(function, func.FuncOp) or not is_private(function) or len(function.body.blocks) != 1:
                continue
            if names_dims(function) or function.sym_name.data not in calls:
                continue
            drop_unit_dims(function.body.block)
            merge_dims(function.body.block, {dim for each in ends.get(function, ()) for dim in each})
            if _update_signature(function):
                changed.append(function)
        for function in changed:
            for call in calls[function.sym_name.data]:
                _update_call(call, function.function_type)


def _update_signature(function: func.FuncOp) -> bool:
    """Let the type of `function` say what its body takes and gives; whether that is anything new."""
    terminator = function.body.block.last_op
    assert isinstance(terminator, func.ReturnOp)
    new = FunctionType.from_lists(list(function.body.block.arg_types), [v.type for v in terminator.operands])
    if new == function.function_type:
        return False
    function.function_type = new
    return True


def _update_call(call: func.CallOp, callee: FunctionType) -> None:
    """Pass views of the shapes that the callee takes, and see its results in the shapes that they had."""
    for number, (operand, wanted) in enumerate(zip(list(call.operands), callee.inputs, strict=True)):
        if operand.type == wanted:
            continue
        value = seen_as(operand, wanted)
        if value is None:
            view = collapse(operand, wanted)
            view.location = call.location
            Rewriter.insert_op(view, InsertPoint.before(call))
            value = view.result
            value.name_hint = operand.name_hint
        call.operands[number] = value
        erase_unused_views(operand)
    _replace_call(call, list(callee.outputs))


def _replace_call(call: func.CallOp, results: Sequence[Attribute]) -> None:
    if list(results) == [r.type for r in call.results]:
        return
    new = func.CallOp(call.callee, list(call.operands), list(results))
    new.location = call.location
    Rewriter.insert_op(new, InsertPoint.before(call))
    for old, result in zip(call.results, new.results, strict=True):
        result.name_hint = old.name_hint
        if old.type == result.type:
            old.replace_all_uses_with(result)
            continue
        view = expand(result, old.type)
        view.location, view.result.name_hint = call.location, old.name_hint
        Rewriter.insert_op(view, InsertPoint.before(call))
        old.replace_all_uses_with(view.result)
    Rewriter.erase_op(call)
