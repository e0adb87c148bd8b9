"""What the backend did with the graphs that it got."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fallback:
    """An operator that stays in torch: why, and where in the model's source it is first met."""

    operator: str
    reason: str
    place: str = ""


@dataclass
class GraphReport:
    """One graph: of which pass (forward, backward, inference) it is, and how many of its operators run natively."""

    kind: str
    operators: int
    native: int
    fallbacks: Counter[Fallback] = field(default_factory=Counter[Fallback])

    def __str__(self) -> str:
        head = f"{self.kind}: {self.native} of {self.operators} operators run natively"
        return "\n".join([head, *(f"  {_line(each, count)}" for each, count in self.fallbacks.items())])


def _line(fallback: Fallback, count: int) -> str:
    times = f" ({count} times)" if count > 1 else ""
    place = f" [{fallback.place}]" if fallback.place else ""
    return f"{fallback.operator}: {fallback.reason}{times}{place}"


@dataclass
class Report:
    """What became of all graphs since the start, or since `reset`."""

    graphs: list[GraphReport] = field(default_factory=list[GraphReport])

    def __str__(self) -> str:
        if not self.graphs:
            return "no graph was compiled yet: call a model that torch.compile(model, backend='mlc') gave"
        return "\n".join(map(str, self.graphs))

    @property
    def fallbacks(self) -> Counter[Fallback]:
        """The operators that stay in torch, in all graphs."""
        return sum((g.fallbacks for g in self.graphs), Counter[Fallback]())


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
