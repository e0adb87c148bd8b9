"""What is equal for graphs of `torch.fx` that are read as equal IR."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from mlc.dialects.aten.branches import bodies_of, tensors_of
from mlc.dialects.aten.open_extents import OpenExtents
from mlc.dialects.aten.schemas import torch_package
from mlc.dialects.aten.tensors import array_of

if TYPE_CHECKING:
    from mlc.dialects.aten.graph_source import GraphSource


def identity_of(source: GraphSource) -> str:
    """A digest of a graph: its nodes, the types of their values for the extents that are given, its constants,
    element by element, and the same of the bodies that it holds. Where in the model's source a node comes from is left
    out."""
    names = source.input_names, source.input_dims, source.output_names, source.results, source.donated, source.seeded
    names = *names, source.checked, *source.ranges.items()
    digest = hashlib.sha256(repr(tuple(map(str, names))).encode())
    _add_graph(digest, source.graph, source)
    _add_constants(digest, source.constants)
    pending = list(source.bodies.items())
    while pending:
        name, body = pending.pop()
        digest.update(f"{name}\n".encode())
        _add_graph(digest, body.graph, source)
        _add_constants(digest, tensors_of(body))
        pending += [(f"{name}.{inner}", each) for inner, each in bodies_of(body).items()]
    return digest.hexdigest()


def _add_graph(digest: Any, graph: Any, source: GraphSource) -> None:
    for node in graph.nodes:
        digest.update(f"{node.format_node()} {_kind(node.meta.get('val'), source)}\n".encode())


def _add_constants(digest: Any, constants: Mapping[str, Any]) -> None:
    for name, tensor in constants.items():
        array = array_of(tensor)
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(cast(Any, array.reshape(-1).view("uint8")))


def _kind(value: Any, source: GraphSource) -> str:
    """The type of a value, or a number."""
    torch = cast(Any, torch_package())
    if isinstance(value, list | tuple):
        return str([_kind(each, source) for each in cast("list[Any]", value)])
    if isinstance(value, torch.Tensor):
        shape, strides = ([_extent(e, source) for e in each] for each in (value.shape, _strides(value)))
        return f"{value.dtype} {shape} {strides} {value.device} {value.layout}"
    return str(_extent(value, source))


def _strides(value: Any) -> tuple[Any, ...]:
    return value.stride() if value.layout == cast(Any, torch_package()).strided else ()


def _extent(value: Any, source: GraphSource) -> Any:
    """The number that a symbolic one is; one that depends on data, or that each call gives, by its name."""
    torch = cast(Any, torch_package())
    if not isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
        return value
    symbols = cast(Any, torch_package("torch.fx.experimental.symbolic_shapes"))
    is_open = symbols.free_unbacked_symbols(value) or OpenExtents(source.ranges).has(value)
    return str(value) if is_open else source.extent(value)
