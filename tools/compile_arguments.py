"""The options that every command has which compiles a model, and the compilation that they ask for."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.compiler.compilation import Compilation, ModelText, new_context, read_module
from mlc.compiler.options import OPTIONS, CompileOptions, default_of
from mlc.frontends.registry import open_model
from mlc.plugins.arguments import PluginArguments, add_plugin_arguments
from mlc.support.bindings import Bindings, parse_bindings
from mlc.support.model_source import ModelSource
from mlc.tools.binding_arguments import add_binding_arguments
from mlc.tools.driver import ArgumentParser, read_text
from mlc.tools.option_arguments import add_options, flag_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.dialects.builtin import ModuleOp

    from mlc.pass_manager.checking import EquivalenceChecker
    from mlc.pass_manager.instrumentation import Instrumentation
    from mlc.pass_manager.wrong_value import GivenCase
    from mlc.support.context import CompilerContext

_FILES = ("cc", "records", "load_dialect", "load_pass", "irdl_file")
"""The options that name files."""


@dataclass
class CompileArguments(PluginArguments):
    """The parsed options."""

    chosen: dict[str, Any] = field(default_factory=dict[str, Any])
    """The options of `CompileOptions` that are given, by name."""
    timing: bool = False
    remarks: bool = False
    verify_each: bool = False
    check_each: bool = False
    seed: int = 0
    shape: list[str] = field(default_factory=list[str])
    value: list[str] = field(default_factory=list[str])
    print_ir_before_all: bool = False
    print_ir_before: list[str] = field(default_factory=list[str])
    print_ir_after_all: bool = False
    print_ir_after: list[str] = field(default_factory=list[str])
    print_ir_after_change: bool = False
    print_ir_diff: bool = False
    print_op_generic: bool = False
    pass_statistics: bool = False
    print_patterns: str | None = None
    print_ir_after_patterns: bool = False
    print_op_stats: bool = False

    @property
    def options(self) -> CompileOptions:
        """The choices that shape the code."""
        return CompileOptions(**self.chosen, bindings=self.bindings)

    @property
    def bindings(self) -> Bindings:
        """What is given to inputs that the model leaves open.

        Raises:
            UserError: one of them is malformed.
        """
        return parse_bindings(self.shape, self.value)

    @property
    def only_result_matters(self) -> bool:
        """Whether the compilation need not take place if its result is known: nobody watches it, or takes part."""
        watches = self.timing or self.remarks or self.verify_each or self.check_each
        return not (watches or self.load_dialect or self.load_pass or self.irdl_file)

    def given(self) -> list[str]:
        """The flags of those options of a compilation that are not at their defaults."""
        return [flag_of(name) for name, _ in self._given()]

    def spelled(self) -> list[str]:
        """Those flags with their values; of files the names, as what is passed on shall not tell where they lie."""
        return [
            flag_of(name) if each is True else f"{flag_of(name)} {Path(each).name if name in _FILES else each}"
            for name, value in self._given()
            for each in value
        ]

    def _given(self) -> Iterator[tuple[str, list[Any]]]:
        """The names and the values, one or several of each."""
        yield from ((name, [value]) for name, value in self.chosen.items() if value != default_of(name))
        default = CompileArguments()
        for name in (f.name for f in fields(default) if f.name != "chosen"):
            if (value := getattr(self, name)) != getattr(default, name):
                yield name, value if isinstance(getattr(default, name), list) else [value]


def read_model(model: str, plugins: PluginArguments) -> ModelSource:
    """The model in the file `model`, or the text on standard input for `-`; `plugins`, which may open it, are loaded.

    Raises:
        UserError: it cannot be read.
    """
    plugins.load()
    if (source := open_model(model)) is not None:
        return source
    text, file = read_text(model)
    return ModelText(file, Path.cwd() if model == "-" else Path(model).parent, text)


def add_compile_arguments(
    parser: ArgumentParser,
    records: str = "",
    seed: str = "of the random inputs of --check-each (0)",
) -> None:
    """Declare the options; `records` and `seed` say what these two are for, where a command uses them otherwise."""
    add = parser.add_argument
    add_options(parser, OPTIONS, {"records": records} if records else {})
    add_binding_arguments(parser)
    add("--timing", action="store_true", help="print how long each pass and phase took")
    add("--remarks", action="store_true", help="print what passes decided, and why")
    add("--verify-each", action="store_true", help="verify after every pass")
    add("--check-each", action="store_true", help="run the model on random inputs after every pass and as code")
    add("--seed", type=int, default=0, metavar="N", help=seed)
    add_plugin_arguments(parser)


@dataclass
class TimedCompilation:
    """A compilation whose phases are measured when asked for."""

    compilation: Compilation
    observers: list[Instrumentation]

    def phase(self, name: str, start: float) -> None:
        """Note that the phase `name` began at `start` (`time.perf_counter`) and ends now."""
        from mlc.pass_manager.instrumentation import Timing

        for observer in self.observers:
            if isinstance(observer, Timing):
                observer.phase(name, time.perf_counter() - start)

    def report(self) -> None:
        """Print the reports."""
        for observer in self.observers:
            observer.report()


def start_compilation(
    model: ModelSource,
    arguments: CompileArguments,
    given: Callable[[ModuleOp, CompilerContext], Sequence[GivenCase]] | None = None,
    checker: type[EquivalenceChecker] | None = None,
) -> TimedCompilation:
    """Check the options and parse the model, which `read_model` has opened.

    `given` says of the model for which inputs `--check-each` runs it, instead of random ones; `checker` does so, if it
    is another one than that of `--check-each`.

    Raises:
        UserError: an option or the model is wrong.
    """
    arguments.options.check()
    start = time.perf_counter()
    from mlc.pass_manager.manager import PassManager
    from mlc.tools.observers import observers

    ctx = new_context(arguments.options.target)
    module = read_module(model, ctx, arguments.bindings)
    cases = given(module, ctx) if given is not None else ()
    watching = observers(arguments, ctx, arguments.options.threads, arguments.options.cc, cases, checker)
    text = partial(text_again, model, ctx.target)
    manager = PassManager(ctx, watching, arguments.verify_each, partial(text, arguments.bindings))
    result = TimedCompilation(Compilation(module, ctx, arguments.options, manager, text_for=text), watching)
    result.phase("parse", start)
    return result


def text_again(model: ModelSource, target: str, bindings: Bindings) -> str:
    """The model as text, for the report of a bug: read again, since passes have changed what was read."""
    if isinstance(model, ModelText) and not bindings:
        return model.text
    from mlc.compiler.emit_text import emit_text
    from mlc.frontends.onnx.to_graph.bind_inputs import bind
    from mlc.pass_manager.reproducer import with_absolute_paths

    module = read_module(model, ctx := new_context(target), bindings)
    bind(module, bindings, ctx)
    return with_absolute_paths(emit_text(module, ctx, "mlir"), ctx)
