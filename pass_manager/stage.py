"""One entry of a pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template


@dataclass(frozen=True)
class Stage:
    """A pass in a pipeline."""

    level: str
    """The level of the IR when the pass is done; a conversion belongs to the level that it reaches."""
    passes: str
    """The pass with its options, as `--pass-pipeline` takes it; `$threads` is how many threads may be used,
    `$accuracy` one of `ACCURACIES`, `$precision` one of `PRECISIONS`."""
    since: int
    """The lowest `-O` level that runs it; 0 for what no program can do without."""
    reason: str
    threaded: bool = False
    """Whether it runs only when more than one thread is to be used."""
    fast: bool = False
    """Whether it runs only where the accuracy is `fast`."""
    narrow: bool = False
    """Whether it runs only where the precision is `bf16`."""
    origin: str = ""
    """The plugin that the pass is of; empty if it is mlc's."""
    after: str = ""
    """The pass after which a plugin has placed it."""

    def spelling(self, threads: int, accuracy: str, precision: str = "f32") -> str:
        """The pass with its options, for these choices."""
        return Template(self.passes).substitute(threads=threads, accuracy=accuracy, precision=precision)
