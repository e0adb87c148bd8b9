"""What a counted loop is made of, which verifiers of loops and of accesses ask."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr
from xdsl.ir import Block, SSAValue
from xdsl.irdl import IRDLOperation, opt_prop_def, prop_def, region_def, var_operand_def, var_result_def

from mlc.dialects.loop.kinds import LoopKind, LoopKindAttr


class CountedLoop(IRDLOperation):
    """The operands, properties and the body of `loop.for`."""

    arguments = var_operand_def()
    results_ = var_result_def()
    kind = prop_def(LoopKindAttr)
    dim = prop_def(StringAttr)
    lower = prop_def(IntegerAttr[I64])
    upper = prop_def(IntegerAttr[I64])
    step = prop_def(IntegerAttr[I64])
    limit_by = opt_prop_def(IntegerAttr[I64])
    body = region_def("single_block")

    @property
    def range(self) -> range:
        """The values that the induction variable takes, those from a limit on included."""
        return range(self.lower.value.data, self.upper.value.data, self.step.value.data)

    @property
    def iter_args(self) -> Sequence[SSAValue]:
        """What the first iteration carries: an operand for each result."""
        return self.operands[: len(self.results)]

    @property
    def limit(self) -> SSAValue | None:
        """Where the loop ends if that is less than the upper bound: the operand after those that are carried."""
        return self.operands[len(self.results)] if len(self.operands) > len(self.results) else None

    @property
    def start(self) -> SSAValue | None:
        """Where the loop begins if that is more than the lower bound: the operand after the limit."""
        return self.operands[-1] if len(self.operands) > len(self.results) + 1 else None

    @property
    def limit_multiple(self) -> int:
        """What the limit is a multiple of, unless it is the upper bound or more; and the start, if there is one."""
        return 1 if self.limit_by is None else self.limit_by.value.data

    @property
    def may_be_skipped(self) -> bool:
        """Whether a limit or a start may leave out all iterations, so that a test before the loop is needed."""
        return self.limit is not None and (self.range.start > 0 or self.start is not None)

    @property
    def induction_variable(self) -> SSAValue:
        """The loop counter, of type `index`."""
        return self.body.block.args[0]

    @property
    def carried(self) -> Sequence[SSAValue]:
        """The block arguments that hold the carried values."""
        return self.body.block.args[1:]

    @property
    def is_parallel(self) -> bool:
        """Whether the iterations are independent of each other."""
        return self.kind.data is not LoopKind.SERIAL


def loop_counting(value: SSAValue) -> CountedLoop | None:
    """The loop whose counter a value is; None if it is none."""
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return loop if isinstance(loop, CountedLoop) and value is loop.induction_variable else None
