"""Row-major views: the same elements with axes joined, or with axes of extent 1 added or left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.dialects.tensor import CollapseShapeOp, ExpandShapeOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.support.ir import RESHAPES
from mlc.support.types import Tensor, tensor_type


def retyped(shape: Sequence[int], like: Tensor) -> Tensor:
    """A tensor type of `shape` with the elements of `like`."""
    return TensorType(like.element_type, list(shape))


def collapse(value: SSAValue, target: Attribute) -> CollapseShapeOp:
    """`value` with runs of its axes joined to those of the tensor type `target`."""
    groups = _groups(tensor_type(value).get_shape(), _shape(target))
    return CollapseShapeOp.create(operands=[value], result_types=[target], properties={"reassociation": groups})


def expand(value: SSAValue, target: Attribute) -> ExpandShapeOp:
    """`value` with its axes split into those of the tensor type `target`."""
    return ExpandShapeOp.build(
        operands=[value, []],
        result_types=[target],
        properties={
            "reassociation": _groups(_shape(target), tensor_type(value).get_shape()),
            "static_output_shape": DenseArrayBase.from_list(i64, _shape(target)),
        },
    )


def _shape(attribute: Attribute) -> Sequence[int]:
    assert isinstance(attribute, TensorType)
    return cast(Tensor, attribute).get_shape()


def _groups(long: Sequence[int], short: Sequence[int]) -> ArrayAttr[Attribute]:
    """For each axis of `short`, the axes of `long` that it joins; those of extent 1 join whatever is next to them."""
    groups: list[list[int]] = []
    axis = 0
    for extent in short:
        group = [axis]
        total = long[axis]
        axis += 1
        while total != extent:
            total *= long[axis]
            group.append(axis)
            axis += 1
        groups.append(group)
    if groups:
        groups[-1] += range(axis, len(long))
    return ArrayAttr(ArrayAttr(IntegerAttr(a, i64) for a in group) for group in groups)


def seen_as(value: SSAValue, target: Attribute) -> SSAValue | None:
    """What `value` is a view of, if that, or a view on the way to it, has the type `target`."""
    while value.type != target:
        if not isinstance(owner := value.owner, RESHAPES):
            return None
        value = owner.operands[0]
    return value


def erase_unused_views(value: SSAValue) -> None:
    """Erase the views that `value` is the last of, as far as nobody reads them."""
    while isinstance(owner := value.owner, Operation) and isinstance(owner, RESHAPES) and value.first_use is None:
        value = owner.operands[0]
        Rewriter.erase_op(owner)
