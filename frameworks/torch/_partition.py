"""Which operators of a graph stay in torch, and the graph with all others in parts that become native code."""

from __future__ import annotations

import copy
import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from xdsl.dialects.builtin import NameLoc

from mlc.compiler.compilation import new_context
from mlc.dialects.aten.branches import bodies_of, calls_within, is_read
from mlc.dialects.aten.effects import is_mutation
from mlc.dialects.aten.graph_source import GraphSource
from mlc.dialects.aten.graphs import read_graph
from mlc.dialects.aten.schemas import op_name
from mlc.frameworks.torch._report import Fallback
from mlc.frameworks.torch._results import is_view
from mlc.frameworks.torch.operators import is_converted
from mlc.frontends.torch.to_graph import without_pattern
from mlc.frontends.torch.to_graph.convert_aten_to_graph import convert
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError, WordedError
from mlc.support.locations import location_of
from mlc.support.resources import Resources

_BY_ROTATIONS = ("aten._linalg_eigh.default", "aten._linalg_svd.default", "aten.linalg_pinv.atol_rtol_tensor")
"""Operators that mlc has by rotations, which need many more steps than a tridiagonal form for large matrices."""
_FEW_ROWS = 16
"""Up to this number of rows, or columns if they are fewer, rotations take about as long."""


@dataclass
class Refusals:
    """The nodes that stay in torch, with reasons."""

    nodes: set[Any] = field(default_factory=set[Any])
    reasons: Counter[Fallback] = field(default_factory=Counter[Fallback])

    def add(self, node: Any, reason: str | WordedError, place: object = "") -> None:
        """Note that a node stays in torch."""
        if node not in self.nodes:
            self.nodes.add(node)
            self.reasons[Fallback(_name(node), str(reason), _line_of(node) or str(place or ""))] += 1


def obvious_refusals(graph_module: Any) -> Refusals:
    """The calls of a graph that cannot be read: operators without a pattern, and types that mlc lacks."""
    refused, bodies = Refusals(), bodies_of(graph_module)
    for node in graph_module.graph.nodes:
        if _is_call(node) and not _is_number(node):
            if (reason := _obstacle(node, bodies)) is not None:
                refused.add(node, reason)
        elif node.op not in ("placeholder", "get_attr", "output", "call_function"):
            refused.add(node, f"it is a node of kind '{node.op}'")
    return refused


def refused_nodes(graph_module: Any, extent: Callable[[Any], int]) -> Refusals:
    """The calls of a graph that are not converted: those that cannot be read, and those that a pattern refuses."""
    refused = obvious_refusals(graph_module)
    graph, bodies = graph_module.graph, bodies_of(graph_module)
    if refused.nodes:
        # Each of the others is asked alone, for what it takes may be missing.
        for node in graph.nodes:
            if _is_call(node) and node not in refused.nodes:
                _try(_alone(node), bodies, extent, refused, {node.name: node})
    else:
        _try(graph, bodies, extent, refused, {n.name: n for n in graph.nodes})
    return refused


def _try(
    graph: Any, bodies: Mapping[str, Any], extent: Callable[[Any], int], refused: Refusals, nodes: dict[str, Any]
) -> None:
    """Read and convert a graph for what its patterns refuse. What is refused in a body is the call that takes it."""
    ctx: CompilerContext = new_context()
    source = GraphSource(graph, bodies=bodies, extent=extent, seeded=True, checked=True)
    try:
        module = read_graph(source, Resources())
    except UserError as e:
        if len(nodes) == 1:
            refused.add(next(iter(nodes.values())), WordedError(e.words), e.location)
            return
        for node in nodes.values():
            if _is_call(node):
                _try(_alone(node), bodies, extent, refused, {node.name: node})
        return
    function = cast(Any, next(iter(module.ops)))
    for op, reason in convert([function], ctx):
        outer = op
        while (parent := outer.parent_op()) is not None and parent is not function:
            outer = parent
        if isinstance(outer.location, NameLoc) and outer.location.desc.data in nodes:
            refused.add(nodes[outer.location.desc.data], reason, location_of(op))


def _alone(node: Any) -> Any:
    """A graph of one call, whose tensors are arguments."""
    graph = torch.fx.Graph()
    seen: dict[Any, Any] = {}

    def argument(each: Any) -> Any:
        if each not in seen:
            is_body = each.op == "get_attr"
            seen[each] = graph.create_node("get_attr", each.target) if is_body else graph.placeholder(each.name)
            seen[each].meta = each.meta
        return seen[each]

    inner = graph.node_copy(node, argument)
    inner.meta = node.meta
    value = node.meta.get("val")
    if isinstance(value, torch.Tensor):
        graph.output((inner,))
        return graph
    parts: list[Any] = []
    for i, each in enumerate(cast("list[Any]", value) if isinstance(value, list | tuple) else ()):
        if isinstance(each, torch.Tensor) and any(_is_item(user, i) for user in node.users):
            part = graph.call_function(operator.getitem, (inner, i))
            part.meta = {"val": each}
            parts.append(part)
    graph.output(tuple(parts))
    return graph


def _is_item(user: Any, index: int) -> bool:
    return user.target is operator.getitem and user.args[1] == index


def _obstacle(node: Any, bodies: Mapping[str, Any]) -> str | None:
    """Why a call cannot be read, if that can be told from its types."""
    if is_read(node):
        found = ((_name(n), _obstacle(n, {})) for n in calls_within(node, bodies) if not _is_own(n))
        return next((f"in a branch or a loop, {name}: {reason}" for name, reason in found if reason), None)
    if not is_converted(node.target):
        return str(without_pattern(op_name(node.target))) if hasattr(node.target, "_schema") else _other_kind(node)
    values = [n.meta.get("val") for n in node.all_input_nodes]
    found = node.meta.get("val")
    values += list(cast(Any, found)) if isinstance(found, list | tuple) else [found]
    for value in values:
        if not isinstance(value, torch.Tensor):
            continue
        if value.device.type != "cpu":
            return f"a tensor is on the device '{value.device}', not on the CPU"
        if value.layout != torch.strided or value.is_quantized:
            return f"a tensor is not dense: {value.layout}"
    if str(node.target) in _BY_ROTATIONS and min(values[0].shape[-2:]) > _FEW_ROWS:
        return f"torch is faster, by LAPACK, for matrices of more than {_FEW_ROWS} rows and columns"
    return None


def _other_kind(node: Any) -> str:
    """Why a call of something else than an operator of ATen cannot be read."""
    effect = str(node.args[1]).removesuffix(".default") if _has_effect(node) else ""
    if effect == "aten._linalg_check_errors":
        return "it raises an exception if a matrix is singular, or not positive definite, which depends on data"
    return f"{effect} does more than compute its result" if effect else "it is not an operator of ATen"


def _has_effect(node: Any) -> bool:
    """Whether a node calls an operator that must run in its turn, whether or not anybody reads a result."""
    return getattr(node.target, "__name__", "") == "with_effects"


def _is_number(node: Any) -> bool:
    """Whether a node computes with extents only."""
    value = node.meta.get("val")
    return isinstance(value, int | float | complex | bool | torch.SymInt | torch.SymFloat | torch.SymBool)


def _is_own(node: Any) -> bool:
    """Whether a node is not a call of an operator of ATen, but one that readers know anyway."""
    return node.target is operator.getitem or _is_number(node) or is_read(node)


def count_operators(graph_module: Any) -> int:
    """How many operators a graph calls."""
    return sum(map(_is_call, graph_module.graph.nodes))


def _is_call(node: Any) -> bool:
    """Whether a node calls an operator, for more than to change an argument in the end."""
    return node.op == "call_function" and node.target is not operator.getitem and not is_mutation(node)


def _line_of(node: Any) -> str:
    """The line of the model's source that a call was made for, if torch knows it."""
    frames = re.findall(r'File "([^"]+)", line (\d+), in ', node.meta.get("stack_trace") or "")
    return ":".join(frames[-1]) if frames else ""


def _name(node: Any) -> str:
    return str(node.args[1] if _has_effect(node) else node.target).removesuffix(".default")


def split(graph_module: Any, refused: set[Any]) -> Any:
    """The graph with each part of operators between those that stay in torch as a module `fused_<n>`."""
    from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
    from torch.fx.passes.operator_support import OperatorSupportBase

    mutations: set[Any] = set(filter(is_mutation, graph_module.graph.nodes))
    stay = refused | mutations
    names = {n.name for n in stay | _views_for_torch(graph_module.graph, stay)}

    class Native(OperatorSupportBase):
        """All but these."""

        def is_node_supported(self, submodules: Any, node: Any) -> bool:
            return node.op == "call_function" and node.name not in names and not _is_number(node)

    copied = torch.fx.GraphModule(graph_module, copy.deepcopy(graph_module.graph))
    parts = CapabilityBasedPartitioner(copied, Native(), allows_single_node_partition=True).partition_and_fuse()
    for node in parts.graph.nodes:
        if node.op == "call_module":
            _own_bodies(parts, node)
    parts.recompile()
    return parts


def _own_bodies(parts: Any, call: Any) -> None:
    """Make the bodies that a part takes as arguments its own."""
    child, bodies = getattr(parts, call.target), bodies_of(parts)
    inside = [n for n in child.graph.nodes if n.op == "placeholder"]
    is_body = [outer.op == "get_attr" and outer.target in bodies for outer in call.args]
    for inner, outer, body in zip(inside, call.args, is_body, strict=True):
        if body:
            setattr(child, outer.target, bodies[outer.target])
            with child.graph.inserting_before(inner):
                inner.replace_all_uses_with(child.graph.get_attr(outer.target))
            child.graph.erase_node(inner)
    call.args = tuple(outer for outer, body in zip(call.args, is_body, strict=True) if not body)


def _views_for_torch(graph: Any, refused: set[Any]) -> set[Any]:
    """The calls that only views of memory are, and that nothing but torch sees: they cost nothing there, and results
    that share memory go on doing so."""
    found: set[Any] = set()
    for node in reversed(graph.nodes):
        view = is_view(node) or (node.target is operator.getitem and is_view(node.args[0]))
        if view and all(user.op == "output" or user in refused or user in found for user in node.users):
            found.add(node)
    return found
