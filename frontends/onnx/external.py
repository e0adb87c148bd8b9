"""Tensors whose data lie in files beside the model, and that are not mapped: their bytes are put into the message.

These are small weights, weights of subgraphs, parts of sparse ones, and attributes of nodes. Afterwards nobody opens a
file on its own, so that all files that a model was made from are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, cast

from mlc.dialects.onnx.schemas import Message, onnx_package
from mlc.support.onnx_file import ExternalData

_PACKED_BITS = {21: 4, 22: 4, 23: 4, 25: 2, 26: 2}
"""The bits of an element, for the numbers of TensorProto.DataType of which several share a byte."""


def embed_external(model: Message, external: ExternalData) -> None:
    """Give each tensor of a ModelProto its bytes.

    Raises:
        ValueError: a file is not there, lies outside the model's folder, or is too short.
        OSError: a file cannot be read.
    """
    package = cast(Any, onnx_package())
    for tensor in (*_of_graph(model.graph), *(t for f in model.functions for t in _of_nodes(f.node))):
        if tensor.data_location != package.TensorProto.EXTERNAL:
            continue
        entries = {each.key: each.value for each in tensor.external_data}
        name = tensor.name or "of an attribute"
        nbytes = _bytes_of(tensor)
        file, offset = external.find(name, entries, nbytes)
        tensor.raw_data = bytes(file.data[offset : offset + nbytes])
        tensor.ClearField("external_data")
        tensor.data_location = package.TensorProto.DEFAULT


def _bytes_of(tensor: Message) -> int:
    """Raises: ValueError if elements of its type have no fixed size."""
    helper = cast(Any, onnx_package("onnx.helper"))
    try:
        dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type)
    except KeyError:
        raise ValueError(f"weight '{tensor.name}' has elements of the unknown type {tensor.data_type}") from None
    if dtype.kind == "O":
        raise ValueError(f"weight '{tensor.name}' holds strings, which do not lie in other files")
    bits = _PACKED_BITS.get(int(tensor.data_type), 8 * int(dtype.itemsize))
    return -(-prod(int(extent) for extent in tensor.dims) * bits // 8)


def _of_graph(graph: Message) -> Iterator[Message]:
    yield from graph.initializer
    for each in graph.sparse_initializer:
        yield from (each.values, each.indices)
    yield from _of_nodes(graph.node)


def _of_nodes(nodes: Any) -> Iterator[Message]:
    for node in nodes:
        for each in node.attribute:
            if each.HasField("t"):
                yield each.t
            if each.HasField("sparse_tensor"):
                yield from (each.sparse_tensor.values, each.sparse_tensor.indices)
            if each.HasField("g"):
                yield from _of_graph(each.g)
            yield from each.tensors
            for graph in each.graphs:
                yield from _of_graph(graph)
