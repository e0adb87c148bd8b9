"""Graphs whose inputs have dims of any extent in a range: one code for all of them, with room for the largest.

The extents of a call are further inputs of the code (`frontends/torch/to_graph/_open_calls.py`). A range that torch
does not end (`torch.compile(dynamic=True)`) ends at a power of two that holds the extents that were met; a longer one
makes new code, for the next power of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch

from mlc.compiler.library import Build, build_module
from mlc.compiler.options import CompileOptions
from mlc.dialects.aten.branches import bodies_of
from mlc.dialects.aten.effects import draws, is_mutation
from mlc.dialects.aten.graph_source import GraphSource
from mlc.dialects.aten.open_extents import torch_symbols
from mlc.frameworks.torch._build import build
from mlc.frameworks.torch._extents import Extents
from mlc.frameworks.torch._launch import Launch
from mlc.frameworks.torch._native import Runner, constants_of, inputs_of, or_in_torch
from mlc.frameworks.torch._results import Results, ResultSpec, cut, results_of
from mlc.runtime.extents import holders
from mlc.support.bindings import ExtentRange
from mlc.support.errors import UserError

_NO_BOUND = 1 << 31
"""A greater bound that torch gives is none."""
_PLANS = 1024
"""For how many extents it is kept how results come about."""
_CPU = torch.device("cpu")
_aten: Any = cast(Any, torch).ops.aten
_WINDOWS = (
    _aten.convolution, _aten.max_pool2d_with_indices, _aten.max_pool3d_with_indices, _aten.max_pool2d, _aten.max_pool3d,
    _aten.avg_pool2d, _aten.avg_pool3d,
)  # fmt: skip
"""What computes the whole image, of which the part after the data is padding."""


@dataclass
class _Dim:
    """A symbol whose extents are open: its place in keys, what it may be, and what there is room for."""

    symbol: Any
    place: int
    least: int
    most: int | None
    room: int


class OpenDims:
    """The dims of a graph that stay open, and how much room code has for them."""

    def __init__(self, placeholders: Sequence[Any], extents: Extents, capacity: int) -> None:
        self._dims: list[_Dim] = []
        for node in placeholders:
            value = node.meta.get("val")
            for extent in value.shape if isinstance(value, torch.Tensor) else ():
                if isinstance(extent, torch.SymInt) and (symbol := cast(Any, extent).node.expr).is_Symbol:
                    self._add(symbol, extent, extents, capacity)

    def _add(self, symbol: Any, extent: Any, extents: Extents, capacity: int) -> None:
        if any(each.symbol == symbol for each in self._dims):
            return
        limits = extent.node.shape_env.var_to_range[symbol]
        most = int(limits.upper) if limits.upper.is_Integer and limits.upper < _NO_BOUND else None
        least = max(int(limits.lower), 0)
        self._dims.append(_Dim(symbol, extents.place(symbol), least, most, capacity if most is None else most))

    def __bool__(self) -> bool:
        return bool(self._dims)

    @property
    def are_bounded(self) -> bool:
        """Whether torch says how long each can be."""
        return all(each.most is not None for each in self._dims)

    def without_bound(self) -> set[str]:
        """The names of the symbols of which torch does not say how large they can be."""
        return {str(each.symbol) for each in self._dims if each.most is None}

    def places(self) -> list[int]:
        """Where their extents stand in keys."""
        return [each.place for each in self._dims]

    def key(self, actual: tuple[float, ...]) -> tuple[float, ...] | None:
        """The extents of a call with those that there is room for in the place of open ones; there is room afterwards.
        None if one is not in its range."""
        found = list(actual)
        for each in self._dims:
            number = int(actual[each.place])
            if number < each.least or (each.most is not None and number > each.most):
                return None
            if number > each.room:
                each.room = 1 << (number - 1).bit_length()
            found[each.place] = each.room
        return tuple(found)

    def ranges(self, key: Sequence[float]) -> dict[Any, ExtentRange]:
        """What the symbols may be, by a key that has the most of each."""
        return {each.symbol: ExtentRange(each.least, int(key[each.place])) for each in self._dims}

    def covers(self, key: Sequence[float], other: Sequence[float]) -> bool:
        """Whether code for one key serves all that code for another one does."""
        places = self.places()
        return all(a >= b if i in places else a == b for i, (a, b) in enumerate(zip(key, other, strict=True)))


def require_open(graph: Any, dims: OpenDims) -> None:
    """Raises: UserError if a graph changes its arguments, draws random numbers, or moves windows over all that there is
    room for, where nothing says how much that should be."""
    if any(map(is_mutation, graph.nodes)):
        raise UserError("it changes its arguments")
    if draws(graph):
        raise UserError("it draws random numbers")
    free = dims.without_bound()
    for node in graph.nodes:
        if getattr(node.target, "overloadpacket", None) in _WINDOWS:
            (image, *_) = node.all_input_nodes
            if any(str(s) in free for e in image.meta["val"].shape[2:] for s in torch_symbols(e)):
                raise UserError(f"{node.target} computes all pixels that there is room for, and no bound is given")


def native_open(
    graph_module: Any, extents: Extents, dims: OpenDims, key: tuple[float, ...], actual: tuple[float, ...],
    constants: dict[str, torch.Tensor], options: CompileOptions, share: bool, checked: bool = False,
    by: Build = build_module,
) -> Runner:  # fmt: skip
    """Code for all extents up to those of a key; `actual` are those of a call.

    Raises:
        UserError: it is not proved that an operator is right for all of them.
    """
    graph = graph_module.graph
    require_open(graph, dims)
    nodes = results_of(graph, extents.at(actual), share).nodes
    if not nodes:
        raise UserError("it computes nothing")
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    constants = constants_of(graph_module, constants)
    source = GraphSource(graph, constants=constants, extent=extents.at(actual), results=nodes, checked=checked)
    source.bodies, source.ranges = bodies_of(graph_module), dims.ranges(key)
    _require_whole(placeholders, source)
    inputs = inputs_of(placeholders, constants)
    model = build(source, options, by=by)
    outputs = model.signature.outputs
    hidden = holders([each.extents for each in outputs])
    specs = [ResultSpec(tuple(each.shape), n.meta["val"].dtype) for each, n in zip(outputs, nodes, strict=False)]
    launch = Launch(
        model, [*inputs, *range(len(placeholders), len(placeholders) + len(source.ranges))],
        [*specs, *[ResultSpec((), torch.int64)] * len(hidden)],
    )  # fmt: skip
    rooms = [(i, tuple(each.shape)) for i, each in zip(inputs, model.signature.inputs, strict=False)]
    plans: dict[tuple[float, ...], Results] = {}

    def run(values: Sequence[Any]) -> list[Any]:
        here = extents.key(values)
        if (plan := plans.get(here)) is None:
            if len(plans) >= _PLANS:
                plans.clear()
            plan = plans[here] = results_of(graph, extents.at(here), share)
        if plan.nodes != nodes:  # another result is a view at these extents
            return list(graph_module(*values))
        given = [*values, *(torch.tensor(int(here[place]), device=_CPU) for place in dims.places())]
        for i, shape in rooms:
            given[i] = _with_room(values[i], shape)
        computed = [cut(t, spec) for t, spec in zip(launch(given), plan.specs, strict=False)]
        return plan.all(values, computed)

    return or_in_torch(run, graph_module)


def _require_whole(placeholders: Sequence[Any], source: GraphSource) -> None:
    """Raises: UserError if a weight, which code has a copy of, has a dim that is open."""
    for node in placeholders:
        if node.name in source.constants and any(isinstance(e, torch.SymInt) for e in node.meta["val"].shape):
            raise UserError(f"the weight '{node.name}' has a dim of any extent")


def _with_room(tensor: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """A tensor at the start of one of a shape; what lies after it may be anything."""
    if tuple(tensor.shape) == shape:
        return tensor
    found = torch.empty(shape, dtype=tensor.dtype, device=_CPU)
    found[tuple(map(slice, tensor.shape))] = tensor
    return found
