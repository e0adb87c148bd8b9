"""What the backend did with the graphs that it got."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Fallback:
    """An operator that stays in torch: why, and where in the model's source it is first met.

    What is no operator: `graph`, all of a graph, and `sizes`, calls with sizes that were not compiled.
    """

    operator: str
    reason: str
    place: str = field(default="", compare=False)


@dataclass
class GraphReport:
    """One graph: of which pass (forward, backward, inference) it is, how many of its operators run natively, and how
    often it was compiled: for further sizes, or for weights that changed."""

    kind: str
    operators: int
    native: int
    fallbacks: Counter[Fallback] = field(default_factory=Counter[Fallback])
    compilations: int = 0

    def __str__(self) -> str:
        return "\n".join([self._head, *_lines(self.fallbacks)])

    @property
    def _head(self) -> str:
        times = f", compiled {self.compilations} times" if self.compilations > 1 else ""
        return f"{self.kind}: {self.native} of {self.operators} operators run natively{times}"


def _lines(fallbacks: Counter[Fallback]) -> list[str]:
    return [f"  {_line(each, count)}" for each, count in fallbacks.items()]


def _line(fallback: Fallback, count: int) -> str:
    times = f" ({count} times)" if count > 1 else ""
    place = f" [{fallback.place}]" if fallback.place else ""
    return f"{fallback.operator}{times}: {fallback.reason}{place}"


@dataclass
class Report:
    """What became of all graphs since the start, or since `reset`."""

    graphs: list[GraphReport] = field(default_factory=list[GraphReport])

    def __str__(self) -> str:
        if not self.graphs:
            return "no graph was compiled yet: call a model that torch.compile(model, backend='mlc') gave"
        heads = Counter(str(replace(each, fallbacks=Counter())) for each in self.graphs)
        lines = [head + (f" ({count} graphs)" if count > 1 else "") for head, count in heads.items()]
        return "\n".join([*lines, *(["in torch:", *_lines(self.fallbacks)] if self.fallbacks else [])])

    @property
    def fallbacks(self) -> Counter[Fallback]:
        """What stays in torch, in all graphs: each once, with how often it is met."""
        found: Counter[Fallback] = Counter()
        for graph in self.graphs:
            found.update(graph.fallbacks)
        return found


_all = Report()


def report() -> Report:
    """What the backend did with each graph that it got: which operators stay in torch, each with its reason."""
    return Report(list(_all.graphs))


def reset() -> None:
    """Forget what was reported."""
    _all.graphs.clear()


def note(graph: GraphReport) -> None:
    """Add what became of a graph."""
    _all.graphs.append(graph)
