"""From a model to an artifact: the steps that the command line and the Python API share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlc.compiler.options import CompileOptions
from mlc.pass_manager.pipeline import default_passes
from mlc.support.bindings import Bindings
from mlc.support.errors import UserError, UserErrors
from mlc.support.model_source import ModelSource

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.pass_manager.manager import PassManager
    from mlc.support.context import CompilerContext
    from mlc.targets.build import BuildReport
    from mlc.targets.cache import Cache
    from mlc.targets.output import OutputKind
    from mlc.targets.program import Program, Signature
    from mlc.targets.variants import ProgramVariants

_COMMENT = re.compile(r"//[^\n]*")


@dataclass(frozen=True)
class ModelText(ModelSource):
    """A model as it is written."""

    text: str
    """Without a byte order mark."""

    @property
    def identity(self) -> str:
        return self.text

    def module(self, ctx: CompilerContext) -> ModuleOp:
        return parse_verified(self.text, self.file, ctx, self.base)


@dataclass
class Compilation:
    """One model on its way down. Each method takes it further, in place."""

    module: ModuleOp
    ctx: CompilerContext
    options: CompileOptions
    manager: PassManager
    reached: str | None = None
    """The level that the module is at; None if that is still to be found out by the passes."""
    label: str = ""
    """Which shape this is, where a model is compiled for several."""

    def variants(self) -> list[Compilation]:
        """The compilations of the shapes that the model is compiled for: this one, if there is only one.

        They share the context, and so the weights. The largest shape comes first: it computes most with each weight,
        and decides in which order that is stored.

        Raises:
            UserError: the shapes do not go together.
        """
        from mlc.support.shared_panels import SharedPanels
        from mlc.support.variants import variants_of

        if not self.options.bindings.choices:
            return [self]
        self.ctx.shared_panels = SharedPanels()
        variants = sorted(variants_of(self.options.bindings), key=lambda variant: -variant.size)
        return [
            replace(
                self,
                module=self.module.clone(),
                options=replace(self.options, bindings=variant.bindings, suffix=variant.suffix),
                manager=self.manager.for_another_module(),
                label=variant.label,
            )
            for variant in variants
        ]

    def lower(self, level: str, more_follows: bool = False) -> None:
        """Run the default pipeline as far as `level`; verify the result unless more follows: a level below, or clang.

        Raises:
            UserError: the model asks for something that mlc cannot do.
            CompilerBug: a pass is wrong.
        """
        try:
            self._lower(level, more_follows)
        except UserError as e:
            for each in (e, *(e.errors if isinstance(e, UserErrors) else ())) if self.label else ():
                each.words = (f"for {self.label}: ", *each.words)
            raise

    def _lower(self, level: str, more_follows: bool) -> None:
        if (self.options.prefix or self.options.suffix) and self.reached is None:
            from mlc.compiler.codegen import rename_models

            rename_models(self.module, self.options.prefix, self.options.suffix)
        if self.options.bindings and self.reached is None:
            from mlc.frontends.onnx.to_graph.bind_inputs import bind

            bind(self.module, self.options.bindings, self.ctx)
        self.ctx.records = self.options.recorded_schedules()
        passes = default_passes(
            self.options.opt_level, self.options.threads, level, self.reached, self.options.accuracy
        )
        self.manager.run(self.module, passes, more_follows)
        self.reached = level

    def lower_fully(self) -> Signature:
        """Lower to the last level and give the model's signature, which only the levels above show.

        The loop level is verified. What becomes of it has twice the ops, and clang verifies it, too.

        Raises:
            UserError, CompilerBug: as `lower`.
        """
        from mlc.compiler.codegen import output_names, signature_of

        names = output_names(self.module)
        self.lower("loop")
        signature = signature_of(self.module, names)
        self.lower("llvm", more_follows=True)
        return signature

    def finish(self) -> None:
        """Let the instrumentations of the manager look at the result; nothing is lowered any more.

        Raises:
            CompilerBug: one of them finds it wrong.
        """
        self.manager.finish(self.module)

    def program(self, signature: Signature) -> Program:
        """What clang needs, after `lower_fully`."""
        from mlc.compiler.codegen import program_of
        from mlc.targets.machine import resolve_target

        machine = resolve_target(self.options.target)
        return program_of(self.module, signature, self.ctx.resources, machine, self.options.threads)

    def joined(self, programs: Sequence[Program]) -> Program | ProgramVariants:
        """What clang needs for the whole model, from the programs of `variants`.

        Raises:
            UserError: a caller could not tell two of them apart.
        """
        if len(programs) == 1:
            return programs[0]
        from mlc.compiler.codegen import variants_of_model

        return variants_of_model(self.module, self.options.prefix, programs)

    def build(self, kind: OutputKind, output: Path, cache: Cache | None = None) -> BuildReport:
        """Make the artifact `output`, with what a cache has of it: that of the user, if none is given.

        Raises:
            UserError: also if there is no usable clang, or `output` cannot be written.
            CompilerBug: also if clang refuses the generated code.
        """
        programs = [each.program(each.lower_fully()) for each in self.variants()]
        return self.build_program(self.joined(programs), kind, output, cache=cache)

    def build_program(
        self,
        program: Program | ProgramVariants,
        kind: OutputKind,
        output: Path,
        progress: Callable[[int, int], None] | None = None,
        cache: Cache | None = None,
    ) -> BuildReport:
        """The second half of `build`; `progress` is told how many units are done, of how many."""
        from mlc.targets.build import build
        from mlc.targets.machine import resolve_target

        machine = resolve_target(self.options.target)
        level, cc = self.options.opt_level, self.options.cc
        return build(
            program,
            machine,
            kind,
            output,
            opt_level=level,
            cc=cc,
            progress=progress,
            cache=cache,
            confirm=self.ctx.resources.require_unchanged,
        )


def read_module(model: ModelSource, ctx: CompilerContext, bindings: Bindings) -> ModuleOp:
    """The model as IR, verified. If some of it cannot be read, all that stands in the way is told.

    Raises:
        UserError: the model is wrong (UserErrors: several things are).
    """
    module, wrong = model.bound(bindings).readable(ctx)
    if wrong:
        from mlc.frontends.onnx.to_graph.bind_inputs import bind
        from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import preflight
        from mlc.support.variants import variants_of

        bind(module, variants_of(bindings)[0].bindings, ctx)  # the others have the same nodes
        preflight(module, ctx, wrong)
    return module


def parse_verified(text: str, file: str, ctx: CompilerContext, base: Path) -> ModuleOp:
    """The module that `text` holds, verified; a text of nothing but comments is an empty module.

    `file` stands in messages; weight files are relative to the folder `base`.

    Raises:
        UserError: the text is wrong.
    """
    from xdsl.dialects.builtin import ModuleOp

    from mlc.syntax import parse_module, verify_module

    if not _COMMENT.sub("", text).strip():
        return ModuleOp([])
    module = parse_module(text, file, ctx, base)
    verify_module(module)
    return module


def new_context(target: str = "native", allow_unregistered: bool = False) -> CompilerContext:
    """A context that knows every dialect; none is imported before an op of it is met."""
    from mlc.dialects.registry import register_dialects
    from mlc.support.context import CompilerContext

    ctx = CompilerContext(allow_unregistered, target=target)
    register_dialects(ctx)
    return ctx
