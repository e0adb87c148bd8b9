"""What the backend did with the graphs that it got."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from mlc.frameworks.torch._breaks import in_short, noted


@dataclass(frozen=True)
class Fallback:
    """An operator that stays in torch: why, and where in the model's source it is first met.

    What is not an operator: `graph`, all of a graph, and `sizes`, calls with sizes that were not compiled.
    """

    operator: str
    reason: str
    place: str = field(default="", compare=False)


@dataclass
class GraphReport:
    """One graph: of which pass (forward, backward, inference) it is, how many of its operators run natively, what part
    of its work these are, and how often it was compiled: for further sizes, or for weights that changed."""

    kind: str
    operators: int
    native: int
    fallbacks: Counter[Fallback] = field(default_factory=Counter[Fallback])
    compilations: int = 0
    share: float = 1.0
    first_calls: int = 0
    """How many calls ran in torch while code was made for them."""
    not_open: str = ""
    """Why there is not one code for all extents of its inputs, though these differ, if that was tried."""

    def __str__(self) -> str:
        return "\n".join([self._head, *_lines(self.fallbacks)])

    @property
    def _head(self) -> str:
        times = f", compiled {self.compilations} times" if self.compilations > 1 else ""
        times += f", for each size by itself ({self.not_open})" if times and self.not_open else ""
        work = f", {int(self.share * 100)}% of the work" if 0 < self.native < self.operators else ""
        calls = f"{self.first_calls} call{'s' * (self.first_calls > 1)}"
        first = f", {calls} ran in torch before" if self.first_calls else ""
        return f"{self.kind}: {self.native} of {self.operators} operators run natively{work}{times}{first}"


def _lines(fallbacks: Counter[Fallback]) -> list[str]:
    return [f"  {_line(each, count)}" for each, count in fallbacks.items()]


def _line(fallback: Fallback, count: int) -> str:
    times = f" ({count} times)" if count > 1 else ""
    place = f" [{fallback.place}]" if fallback.place else ""
    return f"{fallback.operator}{times}: {fallback.reason}{place}"


@dataclass
class Report:
    """What became of all graphs since the start, or since `reset`, and why TorchDynamo captured no more of a model."""

    graphs: list[GraphReport] = field(default_factory=list[GraphReport])
    breaks: Counter[str] = field(default_factory=Counter[str])

    def __str__(self) -> str:
        return "\n".join([*self._lines(), *self._not_captured()])

    def _not_captured(self) -> list[str]:
        lines = [f"  {reason}" + (f" ({count} times)" if count > 1 else "") for reason, count in self.breaks.items()]
        return ["not captured by TorchDynamo:", *lines] if lines else []

    def _lines(self) -> list[str]:
        if not self.graphs:
            if self.breaks:
                return ["no graph was compiled"]
            return ["no graph was compiled yet: call a model that torch.compile(model, backend='mlc') gave"]
        heads = Counter(str(replace(each, fallbacks=Counter())) for each in self.graphs)
        lines = [head + (f" ({count} graphs)" if count > 1 else "") for head, count in heads.items()]
        return [*lines, *(["in torch:", *_lines(self.fallbacks)] if self.fallbacks else [])]

    @property
    def fallbacks(self) -> Counter[Fallback]:
        """What stays in torch, in all graphs: each once, with how often it is met."""
        found: Counter[Fallback] = Counter()
        for graph in self.graphs:
            found.update(graph.fallbacks)
        return found


_all = Report(breaks=noted())
"""Its breaks, in the words of TorchDynamo, are those that are not reported."""


def report() -> Report:
    """What the backend did with each graph that it got: which operators stay in torch, each with its reason; and what
    TorchDynamo did not capture since then, for this backend or another one."""
    return Report(list(_all.graphs), in_short(noted() - _all.breaks))


def reset() -> None:
    """Forget what was reported."""
    _all.graphs.clear()
    _all.breaks = noted()


def note(graph: GraphReport) -> None:
    """Add what became of a graph."""
    _all.graphs.append(graph)
