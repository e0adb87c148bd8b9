"""What a backend is: a pipeline, the files that it makes of the last level, and a way to run these.

Each target belongs to an `Architecture`, which names its backend. That of CPUs is `native` (`native_backend.py`): LLVM
IR, clang, ELF files. Others are classes of plugins, or of packages that name them in the group `mlc.backends` of entry
points, beside an architecture in the group `mlc.architectures`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mlc.pass_manager.ir_levels import LEVELS, SOURCE_LEVELS
from mlc.pass_manager.pipeline import PIPELINE, default_steps
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.compiler.kernel_job import CompiledKernel
    from mlc.compiler.options import CompileOptions
    from mlc.pass_manager.base import Pass
    from mlc.pass_manager.stage import Stage
    from mlc.runtime.library import Library
    from mlc.support.resources import Resources
    from mlc.targets.build import BuildReport
    from mlc.targets.cache import Cache
    from mlc.targets.machine import Machine
    from mlc.targets.program import Signature

LLVM_IR = "llvm-ir"
"""The form of text that is LLVM IR."""


@dataclass(frozen=True)
class LoweredModel:
    """A model at the last level of a backend's pipeline."""

    module: ModuleOp
    signature: Signature
    """How it is called, which the levels below `loop` do not say."""
    resources: Resources
    """Its weights."""
    debug: bool = False
    """Whether the code is to say of which lines it is, as the locations of ops have it."""
    compiled: Mapping[str, CompiledKernel] = field(default_factory=dict[str, "CompiledKernel"])
    """What its kernels that are only declared are, by their names."""


class Backend(ABC):
    """From the IR to files, for the targets of some architectures."""

    name: ClassVar[str]
    """What architectures call it."""
    stages: ClassVar[Sequence[Stage]] = PIPELINE
    """The default pipeline, from models of all sources to the last level."""
    forms: ClassVar[Mapping[str, str]]
    """What `build` makes: a suffix of output files -> the name of the form, which `--emit` takes, too."""
    texts: ClassVar[frozenset[str]] = frozenset()
    """The forms that people read, which `-o -` prints."""
    runnable: ClassVar[str]
    """The form that `open` opens; `mlc.compile` and `mlc run` make it."""

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of the IR that its pipeline goes through."""
        present = {stage.level for stage in self.stages}
        return tuple(level for level in LEVELS if level in present)

    def passes(
        self, options: CompileOptions, upto: str, after: str | None = None, sources: Container[str] = SOURCE_LEVELS
    ) -> list[Pass]:
        """The passes of the pipeline as far as the level `upto`, starting after the level `after` if given.

        Conversions from levels that are not in `sources` are left out, and not even imported.

        Raises:
            UserError: the pipeline does not go through the level `upto`.
        """
        if upto not in self.levels:
            raise UserError(
                f"target '{options.target}' has no {upto} level; required: a level of its backend '{self.name}', "
                f"{' or '.join(self.levels)}"
            )
        from mlc.pass_manager.default_passes import passes_of  # what was compiled before is found without any pass

        steps = default_steps(options, upto, after, self.stages)
        return passes_of([step for step in steps if not step.source or step.source in sources], options)

    def passes_by_kernel(self, options: CompileOptions) -> tuple[Sequence[Pass], Sequence[Pass]]:
        """The passes that compile a kernel by itself: those at the loop level, and those that lead below it.

        There are none where kernels are only compiled with the rest of their module.
        """
        return (), ()

    def form_of(self, suffix: str) -> str | None:
        """What a file of this suffix holds: one of `forms`, or IR; None if nothing is made with it."""
        if suffix == ".mlir":
            return f"mlir:{self.levels[-1]}"
        return self.forms.get(suffix)

    @property
    def suffix(self) -> str:
        """The suffix of files that `open` opens."""
        return next(suffix for suffix, form in self.forms.items() if form == self.runnable)

    @abstractmethod
    def program(self, model: LoweredModel, machine: Machine, threads: int) -> Any:
        """What `build` makes files of.

        Raises:
            UserError: there is something in the model that the backend cannot express.
        """

    def joined(self, module: ModuleOp, prefix: str, programs: Sequence[Any]) -> Any:
        """One program for several shapes of a model.

        Args:
            module: the model as it came in.
            prefix: what stands before its name for C.
            programs: what `program` made for each of the shapes.

        Raises:
            UserError: the backend has no such thing, or callers could not tell two of them apart.
        """
        raise UserError(f"the backend '{self.name}' compiles a model for one shape; found {len(programs)}")

    @abstractmethod
    def build(
        self,
        program: Any,
        machine: Machine,
        form: str,
        output: Path,
        options: CompileOptions,
        *,
        progress: Callable[[int, int], None] | None = None,
        cache: Cache | None = None,
        confirm: Callable[[], None] = lambda: None,
    ) -> BuildReport:
        """Make the file `output`, whole or not at all (`targets.output.staged_output`).

        `progress` is told how many units are done, of how many; `confirm` is called when all weights have been read,
        and raises an exception if they are not to be trusted.

        Raises:
            UserError: a tool is missing, or `output` cannot be written.
            CompilerBug: a tool refuses what was generated.
        """

    def tools(self, machine: Machine, form: str, options: CompileOptions, cache: Cache) -> Sequence[str]:
        """What tells apart the programs that `build` calls: a part of the key of what was compiled before.

        Raises:
            UserError: one is missing.
        """
        return ()

    def runs_here(self, machine: Machine) -> bool:
        """Whether this process can run what `build` makes for a machine like its own."""
        return True

    def obstacle(self, machine: Machine) -> str | None:
        """Why this process cannot run what `build` makes for a machine, in a sentence; None if nothing is known."""
        return None

    @abstractmethod
    def open(self, path: Path) -> Sequence[Library]:
        """The functions in a file of the form `runnable`, one for each of the shapes that it was compiled for.

        A function takes the addresses of three things, as `mlc_main` of `runtime/mlc.h` does: of the addresses of the
        inputs, of those of the outputs, and of the workspace. It returns 0 if all is well.

        Raises:
            FileNotFoundError: there is no such file.
            ArtifactError: it holds no model, or not one that can run here.
        """
