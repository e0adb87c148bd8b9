"""Steps of reductions that change nothing because of what they read: a factor 0 of a sum, a maximum that never wins."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, math, vector
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from mlc.analysis.memory_accesses import Effects
from mlc.analysis.never_nan import is_never_nan
from mlc.analysis.reductions import COMBINATIONS
from mlc.dialects.arith import ExtSIOp, ExtUIOp
from mlc.dialects.loop import ForOp, LoadOp
from mlc.support.ir import identity_of
from mlc.support.types import element_type

_Step = tuple[Operation, str, int]
"""An op that combines a value with a partial result, the name of the reduction, and which operand that result is."""


def never_counts(read: LoadOp, value: arith.ConstantOp) -> bool:
    """Whether reductions stay the same if `read` gives `value`: their identity, or a factor 0 of what is added."""
    element = element_type(read.result.type)  # lanes are combined each on its own
    return all(
        step is not None and identity_of(step[1], element).value == value.value and _is_no_nan_replaced(*step)
        for step in _steps(read.result)
    )


def leave_out(read: LoadOp) -> None:
    """Erase `read`, whose value never counts, and what is computed from it: partial results stay what they are."""
    for step in list(_steps(read.result)):
        assert step is not None
        op, _, partial = step
        op.results[0].replace_all_uses_with(op.operands[partial])
        Rewriter.erase_op(op)
    _erase_with_users(read)  # broadcasts and products


def leaves_no_trace(loop: ForOp, *reads: LoadOp) -> bool:
    """Whether iterations of `loop` in which `reads` give what never counts (see `never_counts`) may be left out.

    All that they do is to combine what comes from `reads` with what the loop carries.
    """
    effects = Effects.of(loop)
    partial = {step[0]: step[2] for read in reads for step in _steps(read.result) if step is not None}

    def comes_back(value: SSAValue, start: SSAValue) -> bool:
        while value is not start:
            maker = value.owner
            if isinstance(maker, ForOp) and isinstance(value, OpResult):
                number = value.index
                if not comes_back(maker.yielded[number], maker.carried[number]):
                    return False
                value = maker.iter_args[number]
            elif isinstance(maker, Operation) and maker in partial:
                value = maker.operands[partial[maker]]
            else:
                return False
        return True

    untouched = not effects.unknown and not effects.stored
    return untouched and all(comes_back(v, c) for v, c in zip(loop.yielded, loop.carried, strict=True))


def _is_no_nan_replaced(op: Operation, reduction: str, partial: int) -> bool:
    """Whether the identity changes nothing, as it does where a partial result is NaN, and `maxnum` combines it."""
    return reduction != "maxnum" or is_never_nan(op.operands[partial])


def _erase_with_users(op: Operation) -> None:
    for result in op.results:
        while (use := result.first_use) is not None:
            _erase_with_users(use.operation)
    Rewriter.erase_op(op)


def _steps(value: SSAValue) -> Iterator[_Step | None]:
    """What combines `value`, or products of it, with partial results; None for any other use."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, vector.BroadcastOp | vector.BitcastOp | vector.ExtractOp):
            yield from _steps(op.results[0])
        elif isinstance(op, ExtSIOp | ExtUIOp | arith.ExtFOp):  # of 0 that is 0; the least integer is another one
            yield from (step if step is not None and step[1] == "add" else None for step in _steps(op.results[0]))
        elif isinstance(op, arith.MulfOp | arith.MuliOp):
            for of_product in op.results[0].uses:
                is_sum = isinstance(of_product.operation, arith.AddfOp | arith.AddiOp)
                yield (of_product.operation, "add", 1 - of_product.index) if is_sum else None
        else:
            combination = COMBINATIONS.get(math.FmaOp if isinstance(op, vector.FMAOp) else type(op))
            partial = [i for i in combination.accumulators if i != use.index] if combination else []
            yield (op, combination.reduction, partial[0]) if combination and partial else None
