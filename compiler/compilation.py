"""From a model to an artifact: the steps that the command line and the Python API share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.compiler.backend import Backend, LoweredModel
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.ir_levels import LEVEL_OF, SOURCE_LEVELS
from mlc.support.bindings import Bindings
from mlc.support.errors import UserError, UserErrors
from mlc.support.model_source import DeclaredInput, ModelSource

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.compiler.kernel_job import CompiledKernel
    from mlc.pass_manager.manager import PassManager
    from mlc.support.context import CompilerContext
    from mlc.targets.build import BuildReport
    from mlc.targets.cache import Cache
    from mlc.targets.machine import Machine
    from mlc.targets.program import Signature

POLYMORPHIC = "jax.uses_shape_polymorphism"
"""The attribute of a module of JAX whose shapes have symbols."""
_COMMENT = re.compile(r"//[^\n]*")


@dataclass(frozen=True)
class ModelText(ModelSource):
    """A model as it is written."""

    text: str
    """Without a byte order mark."""

    @property
    def identity(self) -> str:
        return self.text

    def inputs(self) -> tuple[DeclaredInput, ...]:
        if POLYMORPHIC not in self.text:
            return ()
        from mlc.frontends.stablehlo.symbols import declared_inputs

        return declared_inputs(self.module(new_context()))

    def module(self, ctx: CompilerContext) -> ModuleOp:
        module = parse_verified(self.text, self.file, ctx, self.base)
        if POLYMORPHIC in module.attributes:
            from mlc.frontends.stablehlo.symbols import name_open_dims

            name_open_dims(module)
        return module


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
    is_watched: bool = True
    """Whether somebody wants to know what passes do: remarks, say."""
    cache: Cache | None = None
    """Where compiled kernels are kept; the user's cache, if none is given."""
    text_for: Callable[[Bindings], str] | None = None
    """Gives the text of the model for what is given to its inputs, for the report of a bug in one of `variants`."""
    compiled: dict[str, CompiledKernel] = field(default_factory=dict[str, "CompiledKernel"])
    """The kernels that were compiled by themselves, by their names."""

    @cached_property
    def machine(self) -> Machine:
        """The machine that it is for."""
        from mlc.targets.machine import resolve_target

        return resolve_target(self.options.target)

    @property
    def sources(self) -> set[str]:
        """The levels that ops of the module belong to; all sources if it has no ops but may be of any."""
        dialects = {op.name.partition(".")[0] for op in self.module.walk()}
        return {LEVEL_OF[dialect] for dialect in dialects if dialect in LEVEL_OF} or set(SOURCE_LEVELS)

    @property
    def backend(self) -> Backend:
        """What compiles for that."""
        from mlc.compiler.backends import backend_of

        return backend_of(self.machine)

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
                manager=self.manager.for_another_module(self.text_for and partial(self.text_for, variant.bindings)),
                compiled={},
                label=variant.label,
            )
            for variant in variants
        ]

    def lower(self, level: str, more_follows: bool = False, *, separately: bool = False) -> None:
        """Run the backend's pipeline as far as `level`; verify the result unless more follows: a level below, or clang.

        Kernels may be compiled by themselves, `separately`: then they are declared, and `compiled` has them.

        Raises:
            UserError: the model asks for something that mlc cannot do.
            CompilerBug: a pass is wrong.
        """
        try:
            self._lower(level, more_follows, separately)
        except UserError as e:
            for each in (e, *(e.errors if isinstance(e, UserErrors) else ())) if self.label else ():
                each.words = (f"for {self.label}: ", *each.words)
            raise

    def _lower(self, level: str, more_follows: bool, separately: bool) -> None:
        if (self.options.prefix or self.options.suffix) and self.reached is None:
            from mlc.compiler.codegen import rename_models

            rename_models(self.module, self.options.prefix, self.options.suffix)
        if self.options.bindings and self.reached is None:
            from mlc.frontends.onnx.to_graph.bind_inputs import bind

            bind(self.module, self.options.bindings, self.ctx)
        self.ctx.records = self.options.recorded_schedules()
        if separately:
            from mlc.compiler.kernel_processes import expect_jobs

            expect_jobs(sum(1 for _ in self.module.walk()))
        passes = self.backend.passes(self.options, level, self.reached, self.sources)
        of_kernels, _ = self.backend.passes_by_kernel(self.options) if separately else ((), ())
        first = next((i for i, p in enumerate(passes) if of_kernels and p.name == of_kernels[0].name), None)
        if first is not None:
            from mlc.compiler.separate_kernels import compile_separately
            from mlc.targets.cache import Cache

            self.manager.run(self.module, passes[:first], more_follows=True)
            passes = passes[first:]
            cache = self.cache or Cache.default()
            self.compiled = compile_separately(self.module, self.ctx, self.options, self.machine, cache)
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
        self.lower("loop", separately=self._may_separate)
        signature = signature_of(self.module, names)
        if self.options.debug_info == "loops":
            from mlc.compiler.debug_text import place_in_text

            place_in_text(self.module)
        if (last := self.backend.levels[-1]) != self.reached:
            self.lower(last, more_follows=True)
        if self.options.instrument == "kernels":
            from mlc.compiler.traced_calls import trace_calls

            signature = replace(signature, kernels=trace_calls(self.module, signature.symbol))
        return signature

    @property
    def _may_separate(self) -> bool:
        """Whether kernels may be compiled by themselves: nobody looks at the whole module after each pass."""
        from mlc.compiler.recall import plugins_may_take_part

        as_usual = (self.options.debug_info, self.options.instrument) == ("none", "nothing")
        watched = self.is_watched or self.manager.verify_each
        watched = watched or any(each.watches_kernels for each in self.manager.instrumentations)
        return as_usual and not watched and not plugins_may_take_part()

    def finish(self) -> None:
        """Let the instrumentations of the manager look at the result; nothing is lowered any more.

        Raises:
            CompilerBug: one of them finds it wrong.
        """
        self.manager.finish(self.module)

    def program(self, signature: Signature) -> Any:
        """What the backend builds, after `lower_fully`."""
        with_lines = self.options.debug_info != "none"
        model = LoweredModel(self.module, signature, self.ctx.resources, with_lines, self.compiled)
        return self.backend.program(model, self.machine, self.options.threads)

    def joined(self, programs: Sequence[Any]) -> Any:
        """What the backend builds for the whole model, from the programs of `variants`.

        Raises:
            UserError: a caller could not tell two of them apart.
        """
        return programs[0] if len(programs) == 1 else self.backend.joined(self.module, self.options.prefix, programs)

    def build(self, form: str, output: Path, cache: Cache | None = None) -> BuildReport:
        """Make the file `output` in a form of the backend, with what a cache has of it: the user's, if none is given.

        Raises:
            UserError: also if there is no usable clang, or `output` cannot be written.
            CompilerBug: also if clang refuses the generated code.
        """
        programs = [each.program(each.lower_fully()) for each in self.variants()]
        return self.build_program(self.joined(programs), form, output, cache=cache)

    def build_program(
        self,
        program: Any,
        form: str,
        output: Path,
        progress: Callable[[int, int], None] | None = None,
        cache: Cache | None = None,
    ) -> BuildReport:
        """The second half of `build`; `progress` is told how many units are done, of how many."""
        return self.backend.build(
            program,
            self.machine,
            form,
            output,
            self.options,
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
