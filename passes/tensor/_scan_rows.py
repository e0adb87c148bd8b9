"""Which rows matter to a scan whose later steps change nothing: those before the integer that its body compares with.

    %last, %all = tensor.scan 64 carry (%h = %h0) over (%t = %counted, %x = %xs) using (%n = %seq) : … {
      %is_step = call @compare(%t, %n)                  // slt
      %new = call @cell(%h, %x)
      %kept = call @where(%is_step, %new, %h)           // select
      %row = call @where_0(%is_step, %new)              // select, or 0
      tensor.yield %kept, %row
    }

From row `%seq` of `%xs` on, whatever is computed of it is left out by a select: such rows may be of anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import BlockArgument, Operation, SSAValue, Use

from mlc.dialects.arith import CmpiOp, SelectOp
from mlc.dialects.tensor import IfOp, MapOp, ScanOp, StructuredOp
from mlc.passes.tensor._tails import Tails
from mlc.support.ir import RESHAPES
from mlc.support.types import tensor_type


def ends_of_rows(scan: ScanOp, functions: Mapping[str, func.FuncOp], tails: Tails) -> dict[SSAValue, SSAValue]:
    """Of the rows that the body of a scan gets, as it calls them, the integer at which those end that matter.

    That is an operand of the scan. Kernels that its body calls are among `functions`.
    """
    outside: dict[SSAValue, SSAValue] = dict(zip(scan.body.block.args, scan.operands, strict=True))
    directions: dict[SSAValue, bool] = dict(zip(scan.rows, scan.taken_backwards, strict=True))
    found: dict[SSAValue, SSAValue] = {}
    for call in scan.body.block.ops:
        if not isinstance(call, func.CallOp) or (compared := _compared(call, functions)) is None:
            continue
        counted, end = compared
        if counted not in directions or end not in scan.used or tails.count_axis(outside[counted]) != 0:
            continue
        selects = _Selects(functions, {call.results[0]})
        for row, backwards in directions.items():
            # Both have the same number then, whichever step comes first.
            is_counted = backwards == directions[counted]
            if is_counted and row not in found and selects.leave_out(row):
                found[row] = outside[end]
    return found


def _compared(call: func.CallOp, functions: Mapping[str, func.FuncOp]) -> tuple[SSAValue, SSAValue] | None:
    """The operands of a kernel that says whether one integer is less than another, and nothing else."""
    function = functions.get(call.callee.string_value())
    ops = list(function.body.block.ops) if function is not None and len(function.body.blocks) == 1 else []
    if len(ops) != 2 or not isinstance(op := ops[0], MapOp) or not _is_one(op.result):
        return None
    compare = op.body.block.first_op
    if (
        not isinstance(compare, CmpiOp)
        or compare.predicate_name != "slt"
        or compare.next_op is not op.body.block.last_op
    ):
        return None
    first, second = (_operand(call, op, side) for side in (compare.lhs, compare.rhs))
    return None if first is None or second is None else (first, second)


def _operand(call: func.CallOp, op: MapOp, number: SSAValue) -> SSAValue | None:
    """The operand of a call that a number in an op of the kernel is; None for what is computed of it."""
    if not isinstance(number, BlockArgument) or number.block is not op.body.block:
        return None
    value = op.inputs[number.index]
    return call.operands[value.index] if isinstance(value, BlockArgument) else None


def _is_one(value: SSAValue) -> bool:
    return not set(tensor_type(value).get_shape()) - {1}


@dataclass
class _Selects:
    """Whether what is computed of a value is left out where a condition is false."""

    functions: Mapping[str, func.FuncOp]
    conditions: set[SSAValue]
    """The condition, by all of its names."""
    call: func.CallOp | None = None
    """The call of the kernel that the names are in; None in the body of the scan."""
    outer: _Selects | None = None
    _left_out: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])
    """What is known of values: each is looked at once, however many ways lead to it."""

    def leave_out(self, value: SSAValue) -> bool:
        """Whether all that reads a value, and all that reads what is computed of it, does nothing but that."""
        if value not in self._left_out:
            self._left_out[value] = all(self._leaves_out(use) for use in value.uses)
        return self._left_out[value]

    def _leaves_out(self, use: Use) -> bool:
        op = use.operation
        if isinstance(op, SelectOp) and use.index == 1 and op.cond in self.conditions:
            return True
        if isinstance(op, func.CallOp):
            return self._is_left_out_of_kernel(op, use.index)
        if isinstance(op, func.ReturnOp) and self.call is not None and self.outer is not None:
            return self.outer.leave_out(self.call.results[use.index])
        if isinstance(op, YieldOp):
            around = op.parent_op()
            if isinstance(around, IfOp):
                return self.leave_out(around.outputs[use.index])
            return isinstance(around, StructuredOp) and self.leave_out(around.result)
        if isinstance(op, IfOp):
            return self._is_left_out_of_branch(op, use.index)
        if isinstance(op, StructuredOp):
            return self._is_left_out_of_op(op, use.index)
        return self._is_plain(op) and all(map(self.leave_out, op.results))

    def _is_plain(self, op: Operation) -> bool:
        """Whether an op computes with anything: no number that it is given reaches memory, or traps."""
        return isinstance(op, RESHAPES) or (isinstance(op.parent_op(), StructuredOp) and not op.regions)

    def _is_left_out_of_branch(self, op: IfOp, number: int) -> bool:
        """Whether a value is used in a body that does not run, or is left out of what runs."""
        if number == 0:
            return False
        bodies = (op.otherwise,) if op.condition in self.conditions else (op.then, op.otherwise)
        return all(self.leave_out(body.block.args[number - 1]) for body in bodies)

    def _is_left_out_of_op(self, op: StructuredOp, number: int) -> bool:
        if not isinstance(op, MapOp):
            return self.leave_out(op.result)
        inside = zip(op.inputs, op.body.block.args, strict=True)
        self.conditions |= {argument for value, argument in inside if value in self.conditions and _is_one(value)}
        return self.leave_out(op.body.block.args[number])

    def _is_left_out_of_kernel(self, call: func.CallOp, number: int) -> bool:
        function = self.functions.get(call.callee.string_value())
        if function is None or len(function.body.blocks) != 1:
            return False
        arguments = function.body.block.args
        known: set[SSAValue] = {a for a, v in zip(arguments, call.operands, strict=True) if v in self.conditions}
        return _Selects(self.functions, known, call, self).leave_out(arguments[number])
