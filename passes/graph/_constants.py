"""Making graph constants, and reading their data."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import Attribute

from mlc.dialects.graph import BroadcastOp, ConstantOp
from mlc.dialects.graph.types import Shape, Tensor, tensor
from mlc.reference.constants import constant_data
from mlc.reference.folding import LARGE_SPLAT, is_splat
from mlc.support.resources import Resources

Array = NDArray[Any]


def constant_array(op: ConstantOp, resources: Resources) -> Array | None:
    """The data of a constant, one number broadcast if it is written as `dense`; None if its resource is not loaded."""
    name = resource_name(op)
    if name:
        return constant_data(op.value, resources) if name in resources else None
    data = constant_data(op.value, resources)
    first = data[(slice(0, 1),) * data.ndim]
    is_equal = data.size > 1 and bool((_bits(data) == _bits(first)).all())
    return np.broadcast_to(first.reshape(()), data.shape) if is_equal else data


def resource_name(op: ConstantOp) -> str:
    """The name of the resource behind a constant; nothing if its data is spelled out."""
    return op.value.resource_handle.data if isinstance(op.value, DenseResourceAttr) else ""


def _bits(array: Array) -> Array:
    """Numbers to compare as they are stored: zeros of either sign differ, and NaN is NaN."""
    return array.view(f"u{array.itemsize}")


def constant_from(array: Array, type: Tensor, resources: Resources, hint: str) -> ConstantOp:
    """A constant of `type`: a single number is spelled out in the IR, more become a resource named after `hint`."""
    if array.size == 1:
        return splat(array.item(), type.get_shape(), type.element_type)
    return ConstantOp(DenseResourceAttr.from_params(resources.add(array, hint), type))


def folded_from(array: Array, type: Tensor, resources: Resources, hint: str) -> list[ConstantOp | BroadcastOp]:
    """`constant_from`, by the last of the ops; where one number stands for all elements, it alone is spelled out.

    For many, it is broadcast, as `dense` would have all of them in memory.
    """
    if not is_splat(array):
        return [constant_from(array, type, resources, hint)]
    number, shape = array.flat[0].item(), type.get_shape()
    if array.nbytes <= LARGE_SPLAT:
        return [splat(number, shape, type.element_type)]
    one = splat(number, (), type.element_type)
    return [one, BroadcastOp(one.result, shape)]


def splat(value: float, shape: Shape, element_type: Attribute) -> ConstantOp:
    """A constant whose elements are all `value`."""
    type = tensor(shape, element_type)
    return ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, type), [value]))
