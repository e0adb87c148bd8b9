"""One entry of a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import Template
from typing import Protocol


class PipelineOptions(Protocol):
    """What the default pipeline of a compilation depends on: options of `CompileOptions`, each by its name."""

    @property
    def target(self) -> str:
        """A machine of `mlc targets`."""
        ...

    @property
    def threads(self) -> int:
        """How many threads one call may use."""
        ...

    @property
    def opt_level(self) -> int:
        """0 to `HIGHEST`."""
        ...

    @property
    def accuracy(self) -> str:
        """One of `ACCURACIES`."""
        ...

    @property
    def precision(self) -> str:
        """One of `PRECISIONS`."""
        ...


@dataclass(frozen=True)
class Stage:
    """A pass in a pipeline."""

    level: str
    """The level of the IR when the pass is done; a conversion belongs to the level that it reaches."""
    passes: str
    """The pass with its options, as `--pass-pipeline` takes it; `$threads` is the option `threads` of the pipeline, and
    so on."""
    since: int
    """The lowest `-O` level that runs it; 0 for what no program can do without."""
    reason: str
    when: Callable[[PipelineOptions], bool] | None = None
    """Whether it runs, besides; None where that is not a matter of options."""
    origin: str = ""
    """The plugin that the pass is of; empty if it is mlc's."""
    after: str = ""
    """The pass after which a plugin has placed it."""

    def spelling(self, options: PipelineOptions) -> str:
        """The pass with its options, for those of the pipeline."""
        template = Template(self.passes)
        return template.substitute({name: getattr(options, name) for name in template.get_identifiers()})
