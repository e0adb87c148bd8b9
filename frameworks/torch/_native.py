"""Native code for a graph, with the operators that mlc lacks between parts of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from mlc.compiler.library import Build, build_module
from mlc.compiler.options import CompileOptions
from mlc.dialects.aten.branches import bodies_of
from mlc.dialects.aten.effects import draws
from mlc.dialects.aten.graph_source import GraphSource
from mlc.frameworks.torch._build import build
from mlc.frameworks.torch._extents import Extents, Numbers
from mlc.frameworks.torch._launch import Launch, WrongElements
from mlc.frameworks.torch._partition import obvious_refusals, refused_nodes, split
from mlc.frameworks.torch._report import Fallback
from mlc.frameworks.torch._results import Results, results_of
from mlc.frameworks.torch._rows import RowModel, cut, multiple, padded, with_number
from mlc.frameworks.torch._sized import has_data_sizes, sized_launch
from mlc.frameworks.torch._work import share_without
from mlc.support.errors import UserError

_CPU = torch.device("cpu")

Runner = Callable[[Sequence[Any]], list[Any]]
"""From the arguments of a call to its results."""


@dataclass(frozen=True)
class NativeGraph:
    """A graph that runs natively, as far as that goes, and what stays in torch; `share` is the part of its work that
    does not."""

    run: Runner
    refused: Counter[Fallback]
    share: float = 1.0


def native(
    graph_module: Any,
    extent: Numbers,
    constants: dict[str, torch.Tensor],
    options: CompileOptions,
    share: bool,
    checked: bool = False,
    by: Build = build_module,
) -> NativeGraph:
    """Compile a graph for some extents.

    `constants` are the tensors that placeholders are for good, by their names; `share` says whether results may lie in
    one memory, and `checked` whether torch runs, and raises its exception, where code meets an index out of range.
    `by` makes libraries.

    Raises:
        UserError: there is no usable clang.
        CompilerBug: mlc is wrong.
    """
    refused = obvious_refusals(graph_module)
    if not refused.nodes:
        try:
            return NativeGraph(_compiled(graph_module, extent, constants, options, share, checked, by), refused.reasons)
        except UserError:  # that of an operator which is refused, for all that the caller chose was checked before
            refused = refused_nodes(graph_module, extent)
            if not refused.nodes:
                raise
    else:
        refused = refused_nodes(graph_module, extent)
    parts = split(graph_module, refused.nodes)
    for name, child in parts.named_children():
        if name.startswith("fused_"):
            run = _compiled(child, extent, _owned(parts, name, constants), options, share, checked, by)
            setattr(parts, name, Part(run))
    share_of_work = share_without(graph_module.graph, refused.nodes, extent)
    return NativeGraph(lambda values: list(parts(*values)), refused.reasons, share_of_work)


def native_rows(
    graph_module: Any, extents: Extents, symbol: Any, key: tuple[float, ...], constants: dict[str, torch.Tensor],
    options: CompileOptions, share: bool, checked: bool = False, by: Build = build_module,
) -> Runner:  # fmt: skip
    """Code for numbers of the symbols, of which that of rows may be smaller in a call (`_rows`).

    Raises:
        UserError: rows mix, or an operator is refused.
    """
    graph, place = graph_module.graph, extents.place(symbol)
    rows, extent = int(key[place]), extents.at(key)
    results = results_of(graph, extent, share)
    if not results.nodes or any(spec.strides is not None for spec in results.specs):
        raise UserError("it has no results whose rows follow each other")
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    constants = constants_of(graph_module, constants)
    source = GraphSource(graph, constants=constants, extent=extent, results=results.nodes, checked=checked)
    source.bodies = bodies_of(graph_module)
    inputs = inputs_of(placeholders, constants)
    with_rows = [i for i in inputs if multiple(placeholders[i], symbol, extent, rows)]
    times = [multiple(n, symbol, extent, rows) for n in results.nodes]
    other = extents.at(with_number(key, place, rows + 1))
    model = build(source, options, RowModel, by, rows=rows, symbol=symbol, other=other)
    launch = Launch(model, [*inputs, len(placeholders)], results.specs)
    plans: dict[int, Results] = {}

    def run(values: Sequence[Any]) -> list[Any]:
        actual = extents.key(values)
        count = int(actual[place])
        if (plan := plans.get(count)) is None:
            plan = plans[count] = results_of(graph, extents.at(actual), share)
        given = [*values, torch.tensor(count, device=_CPU)]
        for i in with_rows if count < rows else ():
            given[i] = padded(values[i], rows)
        computed = [cut(t, count * n) for t, n in zip(launch(given), times, strict=True)]
        return plan.all(values, computed)

    return or_in_torch(run, graph_module)


class Part(torch.nn.Module):
    """A part of a graph that runs natively, as torch's own graphs call it."""

    def __init__(self, run: Runner) -> None:
        super().__init__()
        self._run = run

    def forward(self, *arguments: Any) -> Any:
        """The results: one as it is, several as a tuple."""
        found = self._run(arguments)
        return found[0] if len(found) == 1 else tuple(found)


def _compiled(
    graph_module: Any,
    extent: Numbers,
    constants: dict[str, torch.Tensor],
    options: CompileOptions,
    share: bool,
    checked: bool,
    by: Build,
) -> Runner:
    """Native code for a graph all of whose operators are converted."""
    graph = graph_module.graph
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    constants = constants_of(graph_module, constants)
    if has_data_sizes(graph):
        inputs = inputs_of(placeholders, constants)
        run = sized_launch(graph_module, extent, constants, inputs, options, share, checked, by)
        return or_in_torch(run, graph_module) if checked else run
    results = results_of(graph, extent, share)
    if not results.nodes:
        return lambda values: results.all(values, ())
    donated = {i: placeholders[spec.donor] for i, spec in enumerate(results.specs) if spec.donor is not None}
    source = GraphSource(graph, constants=constants, extent=extent, results=results.nodes, donated=donated, seeded=True)
    source.checked, source.bodies = checked, bodies_of(graph_module)
    inputs = inputs_of(placeholders, constants)
    is_random = draws(graph)
    launch = Launch(build(source, options, by=by), [*inputs, *[len(placeholders)] * is_random], results.specs)
    run: Runner = launch
    if is_random:
        run = lambda values: results.all(values, launch([*values, _seed()]))  # noqa: E731
    elif not results.are_computed:
        run = lambda values: results.all(values, launch(values))  # noqa: E731
    return or_in_torch(run, graph_module, bool(donated)) if checked else run


def or_in_torch(run: Runner, graph_module: Any, has_changed: bool = False) -> Runner:
    """What runs, or where that has met what torch does not take, torch, whose exception says what it is.

    `has_changed` says that arguments hold other numbers then, so that what torch computes of them is of no use.
    """

    def or_in_torch(values: Sequence[Any]) -> list[Any]:
        try:
            return run(values)
        except WrongElements:
            pass
        found: Any = graph_module(*values)
        if has_changed:
            raise IndexError("an index is out of range, or an integer divisor is 0")
        return [found] if isinstance(found, torch.Tensor) else list(found)

    return or_in_torch


def constants_of(graph_module: Any, given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors that a graph owns, and those that are given, by their names."""
    names = [str(n.target) for n in graph_module.graph.nodes if n.op == "get_attr"]
    owned = {name: _attribute(graph_module, name) for name in names}
    return {**{name: value for name, value in owned.items() if isinstance(value, torch.Tensor)}, **given}


def inputs_of(placeholders: Sequence[Any], constants: Mapping[str, torch.Tensor]) -> list[int]:
    """The positions of the tensors that code takes."""
    tensors = [i for i, n in enumerate(placeholders) if isinstance(n.meta.get("val"), torch.Tensor)]
    return [i for i in tensors if placeholders[i].name not in constants]


def _seed() -> torch.Tensor:
    """A number from torch's generator for all that one call draws."""
    return torch.empty((), dtype=torch.int64, device=_CPU).random_()


def _attribute(module: Any, target: str) -> Any:
    for part in target.split("."):
        module = getattr(module, part)
    return module


def _owned(parts: Any, name: str, constants: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights among the placeholders of a part, by the names that they have there."""
    node = next(n for n in parts.graph.nodes if n.op == "call_module" and n.target == name)
    inside = [n for n in getattr(parts, name).graph.nodes if n.op == "placeholder"]
    return {
        inner.name: constants[outer.name]
        for inner, outer in zip(inside, node.args, strict=True)
        if isinstance(outer, torch.fx.Node) and outer.name in constants
    }
