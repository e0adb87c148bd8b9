"""One entry of a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import Template

from mlc.pass_manager.pipeline_options import PipelineOptions


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
    source: str = ""
    """The level of models that come from elsewhere whose ops it converts, if that is all that it does."""
    origin: str = ""
    """The plugin that the pass is of; empty if it is mlc's."""
    after: str = ""
    """The pass after which a plugin has placed it."""

    @property
    def options(self) -> list[str]:
        """The options of pipelines that the pass is given."""
        return Template(self.passes).get_identifiers()

    def spelling(self, options: PipelineOptions) -> str:
        """The pass with its options, for those of the pipeline."""
        return Template(self.passes).substitute({name: getattr(options, name) for name in self.options})

    def flag_with(self, name: str, value: object) -> str:
        """The pass as a flag of `mlc-opt` with one of `options`, which has a value."""
        flag, _, given = self.passes.rstrip("}").partition("{")
        (word,) = (each for each in given.split() if each.endswith(f"=${name}"))
        return f"--{flag}={Template(word).substitute({name: value})}"
