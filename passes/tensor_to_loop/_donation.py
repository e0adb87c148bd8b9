"""Results that may lie in the memory of arguments: which are computed there, and which have to wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue, Use

from mlc.dialects.tensor import PutOp
from mlc.support.functions import DONATED, donated_to, marks_of
from mlc.support.ir import RESHAPES, ancestor_in
from mlc.support.locations import error_at


def late_results(function: func.FuncOp, functions: Mapping[str, func.FuncOp]) -> frozenset[int]:
    """The results that may lie in the memory of an argument, but must not be there before the function's end.

    A result may be there earlier if it is computed after all that reads the argument; what computes it may read that
    only to change a copy of it, point by point (`tensor.put`), which then is not a copy. Kernels are looked into. Ops
    that are in no kernel may be computed elsewhere than where they stand, so that what they read counts to the end.

    Raises:
        UserError: there is no such argument, it has another type, or two results are to lie in it.
    """
    block = function.body.block
    last = block.last_op
    if not isinstance(last, func.ReturnOp):
        return frozenset()
    order: dict[Operation, int] = {}
    late: set[int] = set()
    taken: set[int] = set()
    for number, (value, marks) in enumerate(
        zip(last.operands, marks_of(last.operands, function.res_attrs), strict=True)
    ):
        if (place := donated_to(marks)) is None:
            continue
        if not 0 <= place < len(block.args) or block.args[place].type != value.type or place in taken:
            raise error_at(
                function,
                f"'{DONATED}' of result {number} is {place}; required: the number of an argument of type {value.type}, "
                "which no other result has",
            )
        taken.add(place)
        order = order or {op: position for position, op in enumerate(block.ops)}
        if not _is_free(block.args[place], _before_reshapes(value), order, functions):
            late.add(number)
    return frozenset(late)


def _is_free(
    argument: BlockArgument, value: SSAValue, order: Mapping[Operation, int], functions: Mapping[str, func.FuncOp]
) -> bool:
    """Whether `value` may be computed in the memory of `argument`; `order` numbers the ops of its block."""
    if not isinstance(value, OpResult):
        return False
    block, producer = argument.block, value.op
    for use in _uses(argument):
        reader = ancestor_in(use.operation, block)
        if reader is producer:
            if use.operation is not producer or not _only_changes(use, value, functions):
                return False
        elif not isinstance(reader, func.CallOp) or order[reader] > order[producer]:
            return False
    return True


def _only_changes(use: Use, value: OpResult, functions: Mapping[str, func.FuncOp]) -> bool:
    """Whether an op, or the kernel that it calls, reads an operand only to change a copy of it, which is `value`."""
    op = use.operation
    if isinstance(op, PutOp):
        return op.operands[use.index] is op.data and [*op.operands].count(op.data) == 1
    if not isinstance(op, func.CallOp) or [*op.operands].count(op.operands[use.index]) > 1:
        return False
    kernel = functions.get(op.callee.root_reference.data)
    if kernel is None or kernel.is_declaration or len(kernel.body.blocks) > 1:
        return False
    last = kernel.body.block.last_op
    changed = _before_reshapes(last.operands[value.index]) if isinstance(last, func.ReturnOp) else None
    return isinstance(changed, OpResult) and all(
        inner.operation is changed.op
        and isinstance(inner.operation, PutOp)
        and _only_changes(inner, changed, functions)
        for inner in _uses(kernel.body.block.args[use.index])
    )


def _uses(value: SSAValue) -> Iterator[Use]:
    """What reads a value, also under another shape."""
    for use in value.uses:
        if isinstance(use.operation, RESHAPES):
            yield from _uses(use.operation.results[0])
        else:
            yield use


def _before_reshapes(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, RESHAPES):
        value = value.owner.operands[0]
    return value
