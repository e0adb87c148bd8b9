"""How much work operators are: operations of products, as torch counts them, and elements of results of others."""

from __future__ import annotations

from collections.abc import Callable, Container
from math import prod
from typing import Any, cast

import torch
from torch.utils.flop_counter import flop_registry

from mlc.dialects.aten.bounds import depends

Extent = Callable[[Any], Any]
"""From a symbolic number to its number."""


def share_without(graph: Any, stay: Container[Any], extent: Extent) -> float:
    """What part of the work of a graph is that of other nodes than those that `stay`; 1 if there is no work."""
    total = others = 0.0
    for node in graph.nodes:
        if node.op == "call_function":
            work = _work(node, extent)
            total += work
            others += 0 if node in stay else work
    return others / total if total else 1.0


def _work(node: Any, extent: Extent) -> float:
    packet = getattr(node.target, "overloadpacket", None)
    if (count := cast(Any, flop_registry).get(packet)) is not None:
        arguments, named = cast(Any, torch).fx.map_arg((node.args, node.kwargs), _value_of)
        try:
            return float(extent(count(*arguments, **named, out_val=node.meta.get("val"))))
        except Exception:  # torch counts only the calls that it knows
            pass
    return sum((_elements(value, extent) for value in _leaves(node.meta.get("val"))), 0.0)


def _value_of(node: Any) -> Any:
    return node.meta.get("val")


def _elements(value: Any, extent: Extent) -> float:
    return prod(1 if depends(e) else extent(e) for e in value.shape) if isinstance(value, torch.Tensor) else 0


def _leaves(value: Any) -> list[Any]:
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, list | tuple) else [value]
