"""Which kernel computes a node of a model, by the name that the model's file gives the node, or a module around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlc.compiler.compilation import Compilation
from mlc.tools.explorer.graph_view import RecordGraph, with_calls
from mlc.tools.explorer.recording_calls import RecordCalls
from mlc.tools.explorer.texts import Texts

_SEPARATORS = ("/", ".")
"""What follows the name of a module in that of a node."""


@dataclass
class NodeKernels:
    """Watches a compilation down to the tensor level, and then knows which kernels compute which nodes."""

    texts: Texts = field(default_factory=Texts)

    def __post_init__(self) -> None:
        self._calls, self._graph = RecordCalls(self.texts), RecordGraph(self.texts)

    def watch(self, compilation: Compilation) -> None:
        """Be told of the passes that run from now on."""
        manager = compilation.manager
        manager.instrumentations = [self._calls, self._graph, *manager.instrumentations]

    def of(self, name: str) -> list[str]:
        """The kernels that compute the node of a name, the one that does most of it first; or else those of the nodes
        in the module of that name; none if there is neither. A slash in front counts for nothing."""
        wanted = name.strip("/")
        if self.is_node(name):
            return self._computing([wanted])
        parts = tuple(wanted + each for each in _SEPARATORS)
        return self._computing([node for node in self.names if node.startswith(parts)])

    def is_node(self, name: str) -> bool:
        """Whether kernels compute a node of that name."""
        return name.strip("/") in self.names

    @property
    def names(self) -> list[str]:
        """The names of the nodes that kernels compute, each once, without a slash in front."""
        return list(dict.fromkeys(name for name, _ in self._pairs()))

    def _computing(self, names: Sequence[str]) -> list[str]:
        wanted = set(names)
        return list(dict.fromkeys(kernel for name, kernel in self._pairs() if name in wanted))

    def _pairs(self) -> list[tuple[str, str]]:
        """The names of nodes with the kernels that compute them."""
        calls = self._calls.calls()
        nodes = [
            (node.place, calls[number].kernel) for node in with_calls(self._graph.nodes, calls) for number in node.calls
        ]
        places = [(place, call.kernel) for call in calls for place in call.places]
        named = [(self.texts.name_of(place).strip("/"), kernel) for place, kernel in [*nodes, *places]]
        return [(name, kernel) for name, kernel in named if name]
