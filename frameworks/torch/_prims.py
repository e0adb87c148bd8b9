"""Primitive operators, which AOTAutograd puts between those of ATen, as operators of ATen that do the same.

`convert_element_type` comes with numbers of Python that are arguments, `fma` with compiled optimisers.

So do operators of ATen that only note a sign with their result, which then holds other numbers than its memory does:
conjugates and negated imaginary parts of these are computed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import torch

_aten: Any = cast(Any, torch).ops.aten
Call = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""An operator, its arguments by place, and by name."""


def _multiplied_and_added(a: Any, b: Any, c: Any) -> Call | None:
    """`a b + c`, of which factors may be numbers."""
    if not isinstance(c, torch.fx.Node) or not (isinstance(a, torch.fx.Node) or isinstance(b, torch.fx.Node)):
        return None
    if isinstance(a, torch.fx.Node) and isinstance(b, torch.fx.Node):
        return _aten.addcmul.default, (c, a, b), {}
    x, factor = (a, b) if isinstance(a, torch.fx.Node) else (b, a)
    return _aten.add.Tensor, (c, x), {"alpha": factor}


def _converted(a: Any, dtype: Any) -> Call:
    return _aten._to_copy.default, (a,), {"dtype": dtype}


def _same(a: Any) -> Call:
    return _aten.alias.default, (a,), {}


_IN_ATEN: dict[str, Callable[..., Call | None]] = {
    "convert_element_type": _converted,
    "fma": _multiplied_and_added,
    "view_of": _same,
}
"""By the names of primitive operators, the calls that theirs are, if they are one. Some versions of torch lack some."""


def _conjugate(a: Any) -> Call:
    return _aten._conj_physical.default, (a,), {}


def _negated(a: Any) -> Call:
    return _aten.neg.default, (a,), {}


_OF_SIGNS: dict[Any, Callable[..., Call | None]] = {
    _aten._conj.default: _conjugate,
    _aten._neg_view.default: _negated,
}


@cache
def _known() -> dict[Any, Callable[..., Call | None]]:
    prims = cast(Any, torch).ops.prims
    return _OF_SIGNS | {getattr(prims, name).default: how for name, how in _IN_ATEN.items() if hasattr(prims, name)}


def without_prims(graph_module: Any) -> Any:
    """A graph with these calls in place of those; it is changed."""
    known, graph = _known(), graph_module.graph
    found = [node for node in graph.nodes if node.op == "call_function" and node.target in known]
    for node in found:
        if (call := known[node.target](*node.args, **node.kwargs)) is None:
            continue
        target, arguments, named = call
        with graph.inserting_before(node):
            new = graph.call_function(target, arguments, named)
        new.meta = node.meta
        node.replace_all_uses_with(new)
        graph.erase_node(node)
    if found:
        graph_module.recompile()
    return graph_module
