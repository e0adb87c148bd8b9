"""What upstream requires of the types and indices of ops whose classes are xDSL's."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.branches import IfLike, WhileLike
from mlc.dialects.reshaping import check_groups, is_reduced
from mlc.dialects.scan import ScanLike
from mlc.dialects.tensor.tile_map import TileMapOp
from mlc.support.requirements import requires
from mlc.support.types import Tensor, tensor_type


@requires(tensor.ExtractOp, tensor.InsertOp)
def there_is_an_index_for_each_dim(op: tensor.ExtractOp | tensor.InsertOp) -> None:
    """An element is found by as many indices as there are dims."""
    whole = tensor_type(op.tensor if isinstance(op, tensor.ExtractOp) else op.dest)
    count, rank = len(op.indices), whole.get_num_dims()
    if count != rank:
        raise VerifyException(f"{op.name}: the number of indices is {count}, the rank of {whole} is {rank}")


@requires(tensor.FromElementsOp)
def there_are_all_elements(op: tensor.FromElementsOp) -> None:
    """The result has as many elements as are given."""
    result = tensor_type(op.result)
    if not result.has_static_shape():
        raise VerifyException(f"{op.name}: the result has known sizes, got {result}")
    if len(op.elements) != prod(result.get_shape()):
        raise VerifyException(f"{op.name}: the number of elements is {len(op.elements)}, which does not fill {result}")


@requires(tensor.EmptyOp)
def sizes_are_given(op: tensor.EmptyOp) -> None:
    """There is an operand for each size that the type leaves open."""
    result = tensor_type(op.tensor)
    missing = list(result.get_shape()).count(DYNAMIC_INDEX)
    if len(op.dynamic_sizes) != missing:
        count = len(op.dynamic_sizes)
        raise VerifyException(f"{op.name}: the number of sizes is {count}, {result} leaves {missing} open")


@requires(tensor.YieldOp)
def one_value_is_yielded(op: tensor.YieldOp) -> None:
    """`tensor.yield` ends the computation of one element, unless it ends a body of kernels, or that of a tile."""
    if len(op.operands) != 1 and not isinstance(op.parent_op(), ScanLike | IfLike | WhileLike | TileMapOp):
        raise VerifyException(f"{op.name}: yields one value, got {len(op.operands)}")


@requires(tensor.PadOp)
def padding_is_an_element(op: tensor.PadOp) -> None:
    """What is yielded is an element."""
    element, last = tensor_type(op.result).element_type, op.region.block.last_op
    if isinstance(last, tensor.YieldOp) and [*last.operand_types] != [element]:
        raise VerifyException(f"{op.name}: yields {last.operand_types[0]} for elements of type {element}")


@requires(tensor.CollapseShapeOp)
def collapsed_sizes_fit(op: tensor.CollapseShapeOp) -> None:
    """Each dim of the result is a group of dims of the source with as many elements."""
    check_groups(op.name, tensor_type(op.result), tensor_type(op.src), op.reassociation)


@requires(tensor.ExtractSliceOp, tensor.InsertSliceOp)
def slices_fit(op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> None:
    """A slice has an offset, a size and a stride for each dim of the whole, and these sizes; dims of size 1 may be left
    out.
    """
    is_read = isinstance(op, tensor.ExtractSliceOp)
    whole, part = tensor_type(op.source if is_read else op.dest), tensor_type(op.result if is_read else op.source)
    rank, sizes = whole.get_num_dims(), op.static_sizes.get_values()
    for noun, given in (("offsets", op.static_offsets), ("sizes", op.static_sizes), ("strides", op.static_strides)):
        if len(given) != rank:
            raise VerifyException(f"{op.name}: the number of {noun} is {len(given)}, the rank of {whole} is {rank}")
    if part.element_type != whole.element_type:
        raise VerifyException(f"{op.name}: elements of type {part.element_type} in {whole}")
    if not is_reduced(_dims(sizes), _dims(part.get_shape())):
        required = Tensor(whole.element_type, sizes)
        raise VerifyException(f"{op.name}: the slice is of type {part}, required: {required}, or one without dims of 1")


def _dims(sizes: Sequence[int]) -> list[tuple[int, int | None]]:
    return [(size, None) for size in sizes]
