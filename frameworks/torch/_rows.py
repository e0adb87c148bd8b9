"""Graphs whose inputs have any number of rows: code for as many as a power of two serves fewer.

A row is an element of the first dim of those inputs whose first dim is open. That rows do not mix is proved for the
graph in hand (`mlc.frontends.operators.rows`); where it cannot be, each number of rows is compiled by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import torch

from mlc.compiler.compilation import new_context
from mlc.dialects.aten.effects import draws, is_mutation
from mlc.dialects.aten.graph_source import GraphSource
from mlc.dialects.aten.graphs import read_graph
from mlc.frameworks.torch._results import view_of
from mlc.frameworks.torch._source import GraphModel
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph.convert_aten_to_graph import convert
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.support.context import CompilerContext

Extent = Callable[[Any], Any]
"""From a symbolic number to its number."""
_FEWEST = 8
"""The number of rows of the smallest code."""


def rows_for(rows: int) -> int:
    """For how many rows code is made that serves so many: a power of two."""
    return max(_FEWEST, 1 << (rows - 1).bit_length())


@dataclass(frozen=True)
class RowModel(GraphModel):
    """A graph for a number of rows, or fewer: how many there are is its last input.

    Attributes:
        rows: so many.
        symbol: what the number of rows is called in the graph.
        other: the extents for another number of rows.
    """

    rows: int = 0
    symbol: Any = None
    other: Extent = int

    @property
    def identity(self) -> str:
        return f"{super().identity} with rows"

    def module(self, ctx: CompilerContext) -> ModuleOp:
        """The graph, converted.

        Raises:
            UserError: rows mix, or numbers depend on how many there are.
        """
        from mlc.frontends.operators.rows import count_rows, same_numbers

        sources = [replace(self.source, constants={}, extent=extent) for extent in (self.source.extent, self.other)]
        contexts = [new_context() for _ in sources]
        one, other = (_converted(source, own) for source, own in zip(sources, contexts, strict=True))
        if not same_numbers(one, other, [own.resources for own in contexts]):
            raise UserError("a number in the graph depends on how many rows there are")
        module = _converted(self.source, ctx)
        nodes = [n for n in self.source.graph.nodes if n.op == "placeholder" and n.name not in self.source.constants]
        inputs = [n for n in nodes if isinstance(n.meta.get("val"), torch.Tensor)]
        function = cast(Any, next(iter(module.ops)))
        times = [self._multiple(n) for n in self.source.results or ()]
        try:
            count_rows(
                function,
                [i for i, n in enumerate(inputs) if self._multiple(n)],
                [*times, *[0] * (len(function.function_type.outputs) - len(times))],
                ctx.resources,
            )
        except Unconvertible as e:
            raise UserError(e.words) from None
        return module

    def _multiple(self, node: Any) -> int:
        return multiple(node, self.symbol, self.source.extent, self.rows)


def _converted(source: GraphSource, ctx: CompilerContext) -> ModuleOp:
    module = read_graph(source, ctx.resources)
    if refused := convert([cast(Any, next(iter(module.ops)))], ctx):
        raise UserError(refused[0][1].words)
    return module


def multiple(node: Any, symbol: Any, extent: Extent, rows: int) -> int:
    """How many elements of a tensor's first dim belong to a row; 0 if it has none."""
    shape = node.meta["val"].shape
    return extent(shape[0]) // rows if len(shape) and symbol in _symbols(shape[0]) else 0


def row_symbol(graph: Any) -> Any:
    """What the number of rows is called in a graph, where it is worth to ask for a proof: inputs have one number of
    rows, in front only, what depends on it is a multiple of it, and nothing is drawn at random or changed. Else None.
    """
    if draws(graph) or any(map(is_mutation, graph.nodes)):
        return None
    inputs = [
        n.meta["val"] for n in graph.nodes if n.op == "placeholder" and isinstance(n.meta.get("val"), torch.Tensor)
    ]
    fronts = {v.shape[0].node.expr for v in inputs if v.dim() and _symbols(v.shape[0])}
    symbol = fronts.pop() if len(fronts) == 1 else None
    if symbol is None or not symbol.is_Symbol or any(symbol in _symbols(e) for v in inputs for e in v.shape[1:]):
        return None
    for node in graph.nodes:
        for value in _leaves(node.meta.get("val")):
            for extent in value.shape if isinstance(value, torch.Tensor) else (value,):
                if symbol in _symbols(extent) and symbol in (cast(Any, extent).node.expr / symbol).free_symbols:
                    return None
    return symbol


def _symbols(extent: Any) -> Any:
    """The symbols in an extent, or another number."""
    is_open = isinstance(extent, torch.SymInt | torch.SymFloat | torch.SymBool)
    return getattr(cast(Any, extent).node.expr, "free_symbols", ()) if is_open else ()


def _leaves(value: Any) -> Iterable[Any]:
    return cast("Iterable[Any]", value) if isinstance(value, list | tuple) else (value,)


def with_number(key: tuple[float, ...], place: int, number: float) -> tuple[float, ...]:
    """A key with another number at a place."""
    return (*key[:place], number, *key[place + 1 :])


def padded(tensor: torch.Tensor, rows: int) -> torch.Tensor:
    """A tensor with zeros for the rows that are missing."""
    found = torch.empty((rows, *tensor.shape[1:]), dtype=tensor.dtype, device=tensor.device)
    found[: len(tensor)] = tensor
    found[len(tensor) :].zero_()
    return found


def cut(tensor: torch.Tensor, count: int) -> torch.Tensor:
    """The first elements along the first dim; 0 stands for all."""
    return view_of(tensor, (count, *tensor.shape[1:]), tensor.stride(), 0) if count else tensor
