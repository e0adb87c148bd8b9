"""A graph that AOTAutograd gives, as a model that the compiler takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from mlc.dialects.aten.graph_source import GraphSource
from mlc.dialects.aten.graphs import read_graph
from mlc.dialects.aten.identity import identity_of
from mlc.support.model_source import ModelSource

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class GraphModel(ModelSource):
    """A graph for known extents; where it was compiled before, it is not even read."""

    source: GraphSource = field(kw_only=True, compare=False, repr=False)

    @property
    def identity(self) -> str:
        return f"torch graph {self._digest}"

    @cached_property
    def _digest(self) -> str:
        return identity_of(self.source)

    @property
    def is_unchanged(self) -> bool:
        # Weights are tensors of torch, which a program may change while another thread reads them.
        return identity_of(self.source) == self._digest

    def module(self, ctx: CompilerContext) -> ModuleOp:
        return read_graph(self.source, ctx.resources)
