"""What upstream requires of the casts whose classes are xDSL's."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import FixedBitwidthType, TensorType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.arith.lanes import mask_of
from mlc.support.requirements import requires
from mlc.support.types import element_type

_Cast = arith.ExtFOp | arith.TruncFOp | arith.BitcastOp


@requires(arith.ExtFOp, arith.TruncFOp, arith.BitcastOp)
def casts_keep_the_shape(op: _Cast) -> None:
    """A scalar becomes a scalar, a vector or tensor one of its shape."""
    source, target = op.input.type, op.result.type
    if mask_of(source) != mask_of(target):
        raise VerifyException(f"{op.name}: {source} becomes {target}; both must have the same shape")
    if isinstance(source, TensorType) and isinstance(target, TensorType) and source.encoding != target.encoding:
        raise VerifyException(f"{op.name}: {source} becomes {target}; both must have the same encoding")


@requires(arith.ExtFOp, arith.TruncFOp)
def floats_change_their_width(op: arith.ExtFOp | arith.TruncFOp) -> None:
    """`arith.extf` makes a float wider, `arith.truncf` narrower."""
    source, target = _bits(op.input.type), _bits(op.result.type)
    if isinstance(op, arith.ExtFOp) and not source < target:
        raise VerifyException(f"{op.name}: {op.input.type} becomes {op.result.type}, which is not wider")
    if isinstance(op, arith.TruncFOp) and not source > target:
        raise VerifyException(f"{op.name}: {op.input.type} becomes {op.result.type}, which is not narrower")


@requires(arith.BitcastOp)
def bits_stay(op: arith.BitcastOp) -> None:
    """`arith.bitcast` keeps the number of bits of each element."""
    if _bits(op.input.type) != _bits(op.result.type):
        raise VerifyException(f"{op.name}: {op.input.type} becomes {op.result.type}, which has another number of bits")


def _bits(kind: Attribute) -> int:
    """The width of an element; one of `index` has none."""
    element = element_type(kind)
    return element.bitwidth if isinstance(element, FixedBitwidthType) else 0
