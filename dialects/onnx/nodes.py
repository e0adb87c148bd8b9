"""The messages of onnx.proto3 as IR: types, tensors, attributes and nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Region, SSAValue

from mlc.dialects.onnx.ops import OnnxOp
from mlc.dialects.onnx.schemas import Message, onnx_package
from mlc.dialects.onnx.types import NUMBERS_BY_TYPE, TYPES_BY_NUMBER, UNKNOWN, ValueType
from mlc.support.resources import Resources

Array = NDArray[Any]

_MOST_DENSE = 1 << 30
"""Bytes of a sparse tensor that is made dense: a few bytes of a model may say any shape."""
SPELLED = 64
"""Tensors of up to this number of elements are spelled out in the IR; others are resources."""


def value_type(message: Message) -> Attribute:
    """The type that a TypeProto says; a tensor's dims without a number are `?`."""
    if message.HasField("tensor_type"):
        tensor = message.tensor_type
        element = TYPES_BY_NUMBER.get(tensor.elem_type)
        if element is not None:
            if not tensor.HasField("shape"):
                return UnrankedTensorType(element)
            dims = [
                d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else DYNAMIC_INDEX for d in tensor.shape.dim
            ]
            return TensorType(element, dims)
    return ValueType(StringAttr(_words(message)))


def in_words(kind: Attribute) -> str:
    """A type in ONNX's own words: `float[2,?]`, of unknown rank `tensor(float)`, `seq(tensor(float))`."""
    if isinstance(kind, ValueType):
        return kind.described.data or "of a type that the model does not say"
    if not isinstance(kind, TensorType | UnrankedTensorType):
        return str(kind)
    element = cast(Any, kind).element_type
    name = _name_of_number(NUMBERS_BY_TYPE[element]) if element in NUMBERS_BY_TYPE else str(element)
    if not isinstance(kind, TensorType):
        return f"tensor({name})"
    return f"{name}[{','.join('?' if e == DYNAMIC_INDEX else str(e) for e in kind.get_shape())}]"


def _words(message: Message) -> str:
    """A type in ONNX's own words: `seq(tensor(float))`."""
    kind = message.WhichOneof("value")
    if kind is None:
        return ""
    inside = getattr(message, kind)
    if kind in ("tensor_type", "sparse_tensor_type"):
        return f"{kind.removesuffix('_type')}({_name_of_number(inside.elem_type)})"
    if kind == "map_type":
        return f"map({_name_of_number(inside.key_type)}, {_words(inside.value_type)})"
    return f"{ {'sequence_type': 'seq', 'optional_type': 'optional'}.get(kind, kind) }({_words(inside.elem_type)})"


def _name_of_number(number: int) -> str:
    names = cast(Any, onnx_package()).TensorProto.DataType
    return names.Name(number).lower() if number in names.values() and number else f"type {number}" if number else "?"


def dim_names(message: Message) -> tuple[str, ...] | None:
    """The names of a tensor's dims, nothing where they are numbers; None if no dim has a name.

    A name has a letter, as `DynamicDimension.0`, which is no identifier, but another one than `DynamicDimension.1`.
    Exporters write `?` for each extent that they do not know, and these are not equal.
    """
    if not message.HasField("tensor_type"):
        return None
    found = (d.dim_param for d in message.tensor_type.shape.dim)
    names = tuple(name if any(c.isalpha() for c in name) else "" for name in found)
    return names if any(names) else None


def tensor_attribute(array: Array, resources: Resources, hint: str) -> Attribute | None:
    """The data of a tensor as an attribute: spelled out if small, else a resource.

    None if no type says its elements.
    """
    element = element_of(array.dtype)
    if element is None:
        return None
    kind = TensorType(element, array.shape)
    if array.size <= SPELLED and array.dtype.kind in "fiub" and array.dtype.itemsize >= 1 and array.size > 0:
        return DenseIntOrFPElementsAttr.from_list(cast(Any, kind), array.ravel().tolist())
    return DenseResourceAttr.from_params(resources.add(array, hint), cast(Any, kind))


def element_of(dtype: np.dtype[Any]) -> Attribute | None:
    """The element type of NumPy's, or ml_dtypes', `dtype`."""
    helper = cast(Any, onnx_package("onnx.helper"))
    try:
        return TYPES_BY_NUMBER.get(helper.np_dtype_to_tensor_dtype(dtype))
    except (KeyError, ValueError):
        return None


def array_of(message: Message) -> Array:
    """The data of a TensorProto or of a SparseTensorProto, none of it in other files.

    Raises:
        ValueError: it says no data, or other data than its shape and type.
    """
    package = cast(Any, onnx_package())
    try:
        if isinstance(message, package.SparseTensorProto):
            values, indices = (package.numpy_helper.to_array(m) for m in (message.values, message.indices))
            return _dense(values, indices, [int(extent) for extent in message.dims])
        return np.asarray(package.numpy_helper.to_array(message))
    except ValueError:
        raise
    except Exception as e:  # whatever a wrong message makes of the library
        raise ValueError(f"{type(e).__name__}: {e}") from None


def _dense(values: Array, indices: Array, dims: Sequence[int]) -> Array:
    """A tensor with `values` at `indices`, which are places in row-major order or have a coordinate for each dim.

    Raises:
        ValueError: there is no such tensor, or it is too large.
    """
    extents = np.array([prod(dims)] if indices.ndim == 1 else dims, object)
    if min(dims, default=0) < 0 or indices.shape not in ((values.size,), (values.size, len(dims))):
        found = f"{list(indices.shape)} indices for {list(values.shape)} values in a sparse tensor of {list(dims)}"
        raise ValueError(f"{found}; required: an index for each value, or a coordinate for each dim")
    if (nbytes := prod(dims) * values.itemsize) > _MOST_DENSE:
        raise ValueError(f"a sparse tensor of {list(dims)} is {nbytes:,} bytes once it is dense; mlc makes up to 2^30")
    wrong = np.argwhere((indices < 0) | (indices >= extents))
    if wrong.size:
        index = indices[tuple(wrong[0])]
        raise ValueError(f"index {index} is out of range for a sparse tensor of {list(dims)}")
    dense = np.zeros(tuple(dims), values.dtype)
    places = indices if indices.ndim == 1 else np.ravel_multi_index(tuple(indices.T), tuple(dims))
    dense.reshape(-1)[places] = values
    return dense


def attribute(message: Message, resources: Resources, hint: str) -> Attribute | None:
    """The value of an AttributeProto; None for a graph, which is not an attribute, and for types, which nobody asks
    for.

    Raises:
        ValueError: it is a tensor with wrong data.
    """
    kind = cast(Any, onnx_package()).AttributeProto.AttributeType.Name(message.type)
    match kind:
        case "FLOAT":
            return FloatAttr(message.f, f32)
        case "INT":
            return IntegerAttr(message.i, i64)
        case "STRING":
            return StringAttr(_text(message.s))
        case "FLOATS":
            return DenseArrayBase.from_list(f32, list(message.floats))
        case "INTS":
            return DenseArrayBase.from_list(i64, list(message.ints))
        case "STRINGS":
            return ArrayAttr([StringAttr(_text(s)) for s in message.strings])
        case "TENSOR" | "SPARSE_TENSOR":
            tensor = message.t if kind == "TENSOR" else message.sparse_tensor
            array = array_of(tensor)
            if array.dtype.kind in "OSU":
                return ArrayAttr([StringAttr(_text(s)) for s in array.ravel().tolist()])
            return tensor_attribute(array, resources, hint)
        case _:
            return None


def plain_value(value: Attribute) -> Any:
    """An attribute that `attribute` gave, and that is not a tensor, in Python: a number, a string, a list of these.

    Raises:
        TypeError: it is something else.
    """
    match value:
        case IntegerAttr() | FloatAttr():
            return cast(Any, value).value.data
        case StringAttr():
            return value.data
        case DenseArrayBase():
            return list(cast(Any, value).get_values())
        case ArrayAttr():
            return [plain_value(each) for each in value]
        case _:
            raise TypeError(f"{value} is neither a number nor a string, nor a list of these")


def _text(data: bytes | str) -> str:
    return (
        data if isinstance(data, str) else data.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode()
    )


Regions = Callable[[Message], Region]
"""Makes a region of a GraphProto."""


def op_of(
    node: Message,
    op_type: type[OnnxOp],
    operands: Sequence[SSAValue],
    since: Mapping[str, Attribute],
    types: Mapping[str, Attribute],
    resources: Resources,
    region: Regions,
) -> OnnxOp:
    """The op of a NodeProto; `types` are those of values by name, as far as they are known.

    Raises:
        ValueError: an attribute is a tensor with wrong data.
    """
    attributes: dict[str, Attribute] = dict(since)
    bodies: dict[str, Region] = {}
    for each in node.attribute:
        if each.HasField("g"):
            bodies[each.name] = region(each.g)
        elif (value := attribute(each, resources, node.output[0] if node.output else each.name)) is not None:
            attributes[each.name] = value
    if unknown := sorted(bodies.keys() - set(op_type.GRAPHS)):
        raise ValueError(f"{op_type.name}: mlc does not know the graph '{unknown[0]}' that it holds")
    results = [types.get(name, UNKNOWN) for name in node.output]
    return op_type(operands, results, attributes, [bodies.get(name, Region()) for name in op_type.GRAPHS])
