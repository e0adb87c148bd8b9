"""What `torch.export` made, in a file or in hand, as a model that the compiler takes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.frontends.frontend import Frontend
from mlc.frontends.torch import SUFFIX
from mlc.support.bindings import Bindings
from mlc.support.errors import UserError
from mlc.support.mapped_file import MappedFile
from mlc.support.model_source import DeclaredInput, ModelSource

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.dialects.aten.graph_source import GraphSource
    from mlc.frontends.torch.program import AtenProgram
    from mlc.support.context import CompilerContext


class ExportFrontend(Frontend):
    """Archives of `torch.export.save`, and exported programs."""

    name = SUFFIX

    def open(self, path: Path) -> ExportedModel:
        return ExportedModel(str(path), path.parent, path)

    def in_memory(self, model: object) -> ExportedModel | None:
        if type(model).__name__ != "ExportedProgram":
            return None
        return ExportedModel("<ExportedProgram>", Path.cwd(), exported=model)


@dataclass(frozen=True)
class ExportedModel(ModelSource):
    """An exported program, which an archive holds or somebody gave."""

    path: Path | None = None
    exported: Any = field(default=None, repr=False, compare=False)
    bindings: Bindings = field(default_factory=Bindings, compare=False)
    checked: bool = False
    """Whether one more output counts the elements of inputs that torch does not take."""

    @property
    def identity(self) -> str:
        counting = " checked" if self.checked else ""
        return f"torch {self._digest if self._archive is None else self._archive.digest()}{counting}"

    def inputs(self) -> tuple[DeclaredInput, ...]:
        return self._program.declared_inputs()

    def bound(self, bindings: Bindings) -> ExportedModel:
        return replace(self, bindings=bindings, exported=self._program.exported)

    def module(self, ctx: CompilerContext) -> ModuleOp:
        from mlc.dialects.aten.graphs import read_graph
        from mlc.syntax import verify_module

        if self._archive is not None:
            ctx.resources.note(self._archive)
        module = read_graph(self._source, ctx.resources)
        verify_module(module)
        return module

    @cached_property
    def _archive(self) -> MappedFile | None:
        """The archive; None if the program is in hand."""
        if self.path is None:
            return None
        try:
            return MappedFile(self.path)
        except FileNotFoundError:
            raise UserError(f"model '{self.file}' not found") from None
        except OSError as e:
            raise UserError(f"cannot read model '{self.file}': {e.strerror or e}") from None

    @cached_property
    def _program(self) -> AtenProgram:
        from mlc.frontends.torch.program import AtenProgram

        return AtenProgram(self.exported or self._loaded(), self.file)

    def _loaded(self) -> Any:
        from mlc.frontends.torch.archive import load_archive

        assert self._archive is not None, "without a path the program is in hand"
        try:
            return load_archive(self._archive)
        except UserError:
            raise
        except Exception as e:  # of many kinds, for an archive that is none
            reason = (str(e) or type(e).__name__).splitlines()[0]
            raise UserError(
                f"model '{self.file}' cannot be read as an archive of torch.export: {reason}; required: what "
                "torch.export.save(torch.export.export(model, inputs), 'model.pt2') writes"
            ) from None

    @cached_property
    def _digest(self) -> str:
        from mlc.dialects.aten.identity import identity_of

        return identity_of(self._source)

    @property
    def _source(self) -> GraphSource:
        program = self._taken_apart if self.bindings.has_ranges else self._program
        return replace(program.source(self.bindings), checked=self.checked)

    @cached_property
    def _taken_apart(self) -> AtenProgram:
        """The program for dims that stay open."""
        return replace(self._program, taken_apart=True)
