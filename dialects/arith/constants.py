"""What upstream requires of constants."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType
from xdsl.utils.exceptions import VerifyException

from mlc.support.dense_data import written_data
from mlc.support.requirements import requires
from mlc.support.types import repeated_number


@requires(arith.ConstantOp)
def scalable_constants_repeat_one_number(op: arith.ConstantOp) -> None:
    """A vector whose size is not known has the same number in all lanes."""
    kind, value = op.result.type, op.value
    is_scalable = isinstance(kind, VectorType) and kind.get_num_scalable_dims() > 0
    if is_scalable and isinstance(value, DenseIntOrFPElementsAttr) and repeated_number(value) is None:
        raise VerifyException(
            f"{op.name}: the scalable {kind} holds one number in all lanes, got {written_data(value)}"
        )
