"""What upstream requires of positions, shapes and kinds in ops whose classes are xDSL's."""

from xdsl.dialects import vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat
from xdsl.utils.exceptions import VerifyException

from mlc.support.requirements import requires
from mlc.support.types import vector_type

_OF_INTEGERS = ("minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
_OF_FLOATS = ("minnumf", "maxnumf", "minimumf", "maximumf")


@requires(vector.ExtractOp, vector.InsertOp)
def positions_are_inside(op: vector.ExtractOp | vector.InsertOp) -> None:
    """Positions that are numbers are inside of the vector; -1 gives poison."""
    whole = vector_type((op.vector if isinstance(op, vector.ExtractOp) else op.dest).type)
    if whole is None:
        return
    for position, size in zip(op.static_position.get_values(), whole.get_shape(), strict=False):
        if position != DYNAMIC_INDEX and not -1 <= position < size:
            raise VerifyException(f"{op.name}: position {position} in a dim of size {size} of {whole}")


@requires(vector.BroadcastOp)
def shapes_can_be_stretched(op: vector.BroadcastOp) -> None:
    """The dims of the source are the last ones of the result, or of size 1."""
    source, result = vector_type(op.source.type), vector_type(op.vector.type)
    if source is None or result is None:
        return
    rank = source.get_num_dims()
    if rank > result.get_num_dims():
        raise VerifyException(f"{op.name}: {source} has more dims than {result}")
    for found, wanted in zip(source.get_shape(), result.get_shape()[result.get_num_dims() - rank :], strict=True):
        if found not in (1, wanted):
            raise VerifyException(f"{op.name}: {source} cannot become {result}, as {found} is not {wanted}")


@requires(vector.ReductionOp)
def kinds_fit_elements(op: vector.ReductionOp) -> None:
    """Bits are combined of integers only, and floats have minima and maxima of their own."""
    kind, element = op.kind.data.value, op.dest.type
    if kind in (_OF_INTEGERS if isinstance(element, AnyFloat) else _OF_FLOATS):
        raise VerifyException(f"{op.name}: elements of type {element} cannot be combined by '{kind}'")
