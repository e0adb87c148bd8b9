"""What upstream requires of loops whose classes are xDSL's."""

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import OpResult
from xdsl.utils.exceptions import VerifyException

from mlc.support.requirements import requires


@requires(scf.ForOp)
def results_are_what_is_carried(op: scf.ForOp) -> None:
    """A loop gives one result for each value that it carries, of its type."""
    carried = [v.type for v in op.iter_args]
    if list(op.result_types) != carried:
        found, required = (", ".join(map(str, types)) for types in (op.result_types, carried))
        raise VerifyException(f"{op.name}: the results are ({found}), the loop carries ({required})")


@requires(scf.ParallelOp)
def steps_go_on(op: scf.ParallelOp) -> None:
    """A step that is known is positive."""
    for step in op.step:
        owner = step.owner if isinstance(step, OpResult) else None
        value = owner.value if isinstance(owner, arith.ConstantOp) else None
        if isinstance(value, IntegerAttr) and value.value.data <= 0:
            raise VerifyException(f"{op.name}: a step is positive, got {value.value.data}")
