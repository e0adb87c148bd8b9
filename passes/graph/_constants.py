"""Making graph constants, and reading their data."""

from __future__ import annotations

from typing import Any, cast

from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import Attribute

from mlc.dialects.graph import ConstantOp
from mlc.dialects.graph.types import Shape, Tensor, tensor
from mlc.reference.constants import constant_data
from mlc.support.resources import Resources

Array = NDArray[Any]


def constant_array(op: ConstantOp, resources: Resources) -> Array | None:
    """The data of a constant; None if its resource is not loaded."""
    name = resource_name(op)
    return constant_data(op.value, resources) if not name or name in resources else None


def resource_name(op: ConstantOp) -> str:
    """The name of the resource behind a constant; nothing if its data is spelled out."""
    return op.value.resource_handle.data if isinstance(op.value, DenseResourceAttr) else ""


def constant_from(array: Array, type: Tensor, resources: Resources, hint: str) -> ConstantOp:
    """A constant of `type`: a single number is spelled out in the IR, more become a resource named after `hint`."""
    if array.size == 1:
        return splat(array.item(), type.get_shape(), type.element_type)
    return ConstantOp(DenseResourceAttr.from_params(resources.add(array, hint), type))


def splat(value: float, shape: Shape, element_type: Attribute) -> ConstantOp:
    """A constant whose elements are all `value`."""
    type = tensor(shape, element_type)
    return ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, type), [value]))
