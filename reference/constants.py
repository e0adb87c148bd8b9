"""The data of constants: numbers, dense data and resources, as attributes spell them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.ir import Attribute

from mlc.reference.execution import Array
from mlc.support.dtypes import dtype_of, to_numpy
from mlc.support.resources import Resources


def constant_data(value: Attribute, resources: Resources) -> Array:
    """The array that a constant's attribute stands for: a number, dense data or a resource.

    Raises:
        KeyError: there is no such resource.
        TypeError: the attribute is of another kind.
    """
    match value:
        case IntegerAttr() | FloatAttr():
            number = cast("IntegerAttr[Any] | FloatAttr[Any]", value)
            return np.asarray(number.value.data).astype(to_numpy(number.type))
        case DenseIntOrFPElementsAttr():
            return _dense_data(value)
        case DenseResourceAttr():
            array = resources.array(value.resource_handle.data)
            dtype = dtype_of(cast(Any, value.type).element_type)
            # Below the graph level integers have no sign, and the data of a resource may be of unsigned ones.
            return array if array.dtype == dtype else array.view(dtype)
        case _:
            raise TypeError(f"{value} is not the data of a constant")


def _dense_data(value: DenseIntOrFPElementsAttr[Any]) -> Array:
    shaped = cast("TensorType[Any]", value.get_type())
    dtype = dtype_of(shaped.element_type)
    if dtype.itemsize == shaped.element_type.compile_time_size:
        # By way of Python's numbers, large unsigned ones became floats. A truth value may have any bits.
        data = np.frombuffer(value.data.data, np.uint8 if dtype == np.bool_ else dtype).astype(dtype, copy=False)
    else:
        data = np.asarray(value.get_values()).astype(dtype)
    shape = shaped.get_shape()
    return np.broadcast_to(np.reshape(data, ()), shape) if data.size == 1 else np.reshape(data, shape)
