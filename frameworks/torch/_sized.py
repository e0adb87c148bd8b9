"""Graphs with tensors that are as long as data says: code has room for the most that there can be, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mlc.compiler.library import Build
from mlc.compiler.options import CompileOptions
from mlc.dialects.aten.bounds import Bounds, depends
from mlc.dialects.aten.branches import bodies_of
from mlc.dialects.aten.effects import draws, is_mutation
from mlc.dialects.aten.graph_source import GraphSource
from mlc.frameworks.torch._build import build
from mlc.frameworks.torch._extents import Numbers
from mlc.frameworks.torch._launch import Launch
from mlc.frameworks.torch._results import Results, ResultSpec, cut, results_of
from mlc.runtime.extents import holders
from mlc.support.errors import UserError

_PLANS = 1024
"""For how many sizes it is kept how results come about."""


def has_data_sizes(graph: Any) -> bool:
    """Whether a shape in a graph depends on data."""
    values = (node.meta.get("val") for node in graph.nodes)
    return any(depends(e) for value in values if isinstance(value, torch.Tensor) for e in value.shape)


def sized_launch(
    graph_module: Any, numbers: Numbers, constants: dict[str, torch.Tensor], inputs: Sequence[int],
    options: CompileOptions, share: bool, checked: bool, by: Build,
) -> Any:  # fmt: skip
    """Code for a graph some of whose tensors are as long as data says.

    Raises:
        UserError: an operator would take what lies after the data for data, the graph takes such tensors, changes its
            arguments or draws random numbers, or nothing says how long a result is.
    """
    graph = graph_module.graph
    bounds = Bounds(numbers)
    for node in graph.nodes:
        bounds.meet(node)
    _require_known_inputs(graph)
    nodes = results_of(graph, lambda each: bounds.most(each) if depends(each) else numbers(each), share).nodes
    source = GraphSource(graph, constants=constants, extent=numbers, results=nodes, checked=checked, bounded=True)
    source.bodies = bodies_of(graph_module)
    model = build(source, options, by=by)
    outputs = model.signature.outputs
    hidden = holders([each.extents for each in outputs])
    specs = [ResultSpec(tuple(each.shape), n.meta["val"].dtype) for each, n in zip(outputs, nodes, strict=False)]
    launch = Launch(model, inputs, [*specs, *[ResultSpec((), torch.int64)] * len(hidden)])
    places: dict[Any, int] = {}
    for each, node in zip(outputs, nodes, strict=False):
        for place, extent in zip(each.extents, node.meta["val"].shape, strict=False):
            if place >= 0 and depends(extent) and extent.node.expr.is_Symbol:
                places[extent.node.expr] = place
    results_of(graph, numbers.with_more(dict.fromkeys(places, 1)), share)  # all others follow from these
    plans: dict[tuple[int, ...], Results] = {}

    def run(values: Sequence[Any]) -> list[Any]:
        found = launch(values)
        counts = tuple(int(found[place]) for place in places.values())
        if (plan := plans.get(counts)) is None:
            if len(plans) >= _PLANS:
                plans.clear()
            plan = plans[counts] = results_of(graph, numbers.with_more(dict(zip(places, counts, strict=True))), share)
        if plan.nodes != nodes:  # another result is a view at these sizes
            return list(graph_module(*values))
        return plan.all(values, [cut(t, spec) for t, spec in zip(found, plan.specs, strict=False)])

    return run


def _require_known_inputs(graph: Any) -> None:
    for node in graph.nodes:
        value = node.meta.get("val")
        if node.op == "placeholder" and isinstance(value, torch.Tensor) and any(map(depends, value.shape)):
            raise UserError(f"it takes '{node.name}', whose shape depends on data")
    if draws(graph) or any(map(is_mutation, graph.nodes)):
        raise UserError("a shape in it depends on data, and it changes its arguments, or draws random numbers")
