"""IR as messages of onnx.proto3, for what the package `onnx` knows about nodes."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute

from mlc.dialects.onnx.nodes import plain_value
from mlc.dialects.onnx.ops import SINCE, NoValueOp, OnnxOp
from mlc.dialects.onnx.schemas import Message, onnx_package
from mlc.dialects.onnx.types import NUMBERS_BY_TYPE
from mlc.reference.constants import constant_data
from mlc.support.resources import Resources


def node_of(op: OnnxOp, resources: Resources) -> Message:
    """The NodeProto of an op without graphs, its inputs named `i0`, `i1`, …, its outputs `o0`, `o1`, ….

    Raises:
        TypeError: an attribute has no form in protobuf.
    """
    helper = cast(Any, onnx_package("onnx.helper"))
    inputs = ["" if isinstance(v.owner, NoValueOp) else f"i{n}" for n, v in enumerate(op.operands)]
    outputs = [f"o{n}" for n in range(len(op.results))]
    node = helper.make_node(op.OP_TYPE, inputs, outputs, domain=op.DOMAIN)
    for name, value in op.attributes.items():
        if name != SINCE:
            node.attribute.append(helper.make_attribute(name, _value(value, resources), attr_type=_list_type(value)))
    return node


def _list_type(value: Attribute) -> int | None:
    """What an attribute is if it is a list, which may be empty."""
    kinds = cast(Any, onnx_package()).AttributeProto
    match value:
        case DenseArrayBase():
            return kinds.INTS if isinstance(cast(Any, value).elt_type, IntegerType) else kinds.FLOATS
        case ArrayAttr():
            return kinds.STRINGS
        case _:
            return None


def _value(value: Attribute, resources: Resources) -> Any:
    if isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        return cast(Any, onnx_package("onnx.numpy_helper")).from_array(
            np.array(constant_data(cast(Any, value), resources))
        )
    return plain_value(value)


def type_message(kind: Attribute) -> Message:
    """The TypeProto of a tensor type.

    Raises:
        KeyError: ONNX has no such element type.
    """
    helper = cast(Any, onnx_package("onnx.helper"))
    tensor = cast("TensorType[Any]", kind)
    dims = [None if d == DYNAMIC_INDEX else d for d in tensor.get_shape()]
    return helper.make_tensor_type_proto(NUMBERS_BY_TYPE[tensor.element_type], dims)
