"""Compile a model. What comes out follows from the suffix of the output file, or from --emit:

.o  object           .a   static library   .so   shared library           .h  C header
.s  assembly         .ll  LLVM IR          .mlir IR at the llvm level, or at another one with --emit=mlir:<level>
no suffix: a program that reads raw inputs from standard input and writes raw outputs to standard output, or with
--chat one that answers lines of text

-o may be given several times, -o model.so -o model.h: the model is lowered once for all of them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.compiler.backend import LLVM_IR, Backend
from mlc.compiler.backends import backend_for
from mlc.compiler.emit_text import is_ir
from mlc.compiler.native_backend import NativeBackend
from mlc.compiler.options import CompileOptions
from mlc.compiler.recall import Recipe
from mlc.support.errors import UserError
from mlc.tools.chat_program import chat_program
from mlc.tools.compile_arguments import (
    CompileArguments,
    add_compile_arguments,
    read_model,
    start_compilation,
)
from mlc.tools.driver import ArgumentParser, Namespace, check_not_input, open_output, print_remarks
from mlc.tools.progress import progress_bar

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.support.context import CompilerContext
    from mlc.support.model_source import ModelSource
    from mlc.targets.program import RunnerSource, Signature


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    model: str
    output: list[str]
    emit: str | None
    prefix: str
    chat: bool

    @property
    def options(self) -> CompileOptions:
        """The choices that shape the code."""
        return replace(super().options, prefix=self.prefix)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("model", help="the model: text, or a file of ONNX or PyTorch; '-' is text on standard input")
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        required=True,
        action="append",
        help="a file to write, of several perhaps; '-' for text forms",
    )
    parser.add_argument("--emit", metavar="FORM", help=", ".join(forms_of(NativeBackend())))
    prefix = "start C names with mlc_NAME_ instead of mlc_: several models then fit into one program"
    parser.add_argument("--prefix", default="", metavar="NAME", help=prefix)
    chat = "make a program of a language model that answers line by line, with its tokenizer and its template"
    parser.add_argument("--chat", action="store_true", help=chat)
    add_compile_arguments(parser)


def run(arguments: Namespace) -> None:
    """Compile; an output file appears whole or not at all."""
    args = Arguments(**vars(arguments))
    if args.emit and len(args.output) > 1:
        raise UserError(f"--emit {args.emit} says what one output is; several say it by their suffixes")
    if (twice := next((each for each in args.output if args.output.count(each) > 1), None)) is not None:
        raise UserError(f"'-o {twice}' is given twice; name each output once")
    source = read_model(args.model, args)
    backend = backend_for(args.options.target)
    forms = {output: _form(args, output, backend) for output in args.output}
    for output, form in forms.items():
        if output == "-" and not (is_ir(form) or form in backend.texts):
            raise UserError(f"'-o -' prints text; '{form}' needs a file")
        check_not_input(output, [args.model])
        if is_ir(form) or (form == "exe" and not args.chat):
            args.bindings.require_single("a program" if form == "exe" else "a text of IR")
    if "exe" in forms.values() and args.options.threads > 1:
        print("note: a program computes on one thread; a library (-o model.so) uses more", file=sys.stderr)
    if args.chat:
        if len(forms) > 1:
            raise UserError(f"found --chat with {len(forms)} outputs; required: one program")
        chat, around = chat_program(source, args, *args.output, *forms.values())
        recipes = {Path(output): Recipe(source, chat.options, form) for output, form in forms.items()}
        build_artifacts(source, recipes, chat, args.output, {}, around)
        return
    if len(forms) == 1 and is_ir(form := forms[args.output[0]]):
        _write_ir(source, form, args)
        return
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / "output"
        files = {output: printed if output == "-" else Path(output) for output in forms}
        built = {files[output]: form for output, form in forms.items() if not is_ir(form)}
        texts = {output: form for output, form in forms.items() if is_ir(form)}
        make_artifacts(source, built, args, args.output, texts)
        if printed in built:
            sys.stdout.write(printed.read_text(encoding="utf-8"))


def make_artifacts(
    model: ModelSource,
    forms: Mapping[Path, str],
    args: CompileArguments,
    outputs: Sequence[str],
    texts: Mapping[str, str] | None = None,
) -> None:
    """Make files of these forms: from the cache if the same model was compiled before, else by compiling it once.

    `outputs` are all files that the command is going to write, `texts` those of IR among them, with their forms.

    Raises:
        UserError: also if there is no usable clang, a file cannot be written, or one of `outputs` is a weight file.
    """
    recipes = {path: Recipe(model, args.options, form) for path, form in forms.items()}
    told: dict[tuple[str, str], None] = {}
    for path, recipe in list(recipes.items()):
        if args.only_result_matters and (weights := recipe.weight_files()) is not None:
            _protect(weights, outputs)
            if recipe.recall(path):
                told |= dict.fromkeys(recipe.warned)
                del recipes[path]
    if recipes or texts:
        build_artifacts(model, recipes, args, outputs, texts or {})
        return
    for place, message in told:
        print(f"{place}{': ' * bool(place)}warning: {message}", file=sys.stderr)


def build_artifacts(
    model: ModelSource,
    recipes: Mapping[Path, Recipe],
    args: CompileArguments,
    outputs: Sequence[str],
    texts: Mapping[str, str],
    around: Callable[[Any], RunnerSource] | None = None,
) -> list[Signature]:
    """Compile down to files, with a progress bar; returns the model's signature, for each of its shapes.

    `outputs` are all files that the command is going to write, `texts` those of IR among them, with their forms.
    `around` makes the program around the model, if it has one of its own; it is not recalled, then.

    Raises:
        UserError: also if there is no usable clang, a file cannot be written, or one of `outputs` is a weight file.
    """
    from mlc.tools.observers import show_passes

    timed = start_compilation(model, args)
    compilation = timed.compilation
    compilation.is_watched = not args.only_result_matters or bool(texts)
    _protect(compilation.ctx.resources.files.values(), outputs)
    with progress_bar(f"compiling {model.file}") as bar:
        if bar:
            compilation.manager.instrumentations = [
                *compilation.manager.instrumentations,
                show_passes(bar, compilation),
            ]
        programs: list[Any] = []
        signatures: list[Signature] = []
        for variant in compilation.variants():
            signature = variant.lower_fully()
            variant.finish()
            for output, form in texts.items():
                _write_text(variant.module, variant.ctx, form, output)
            start = time.perf_counter()
            signatures.append(signature)
            programs.append(variant.program(signature))
            timed.phase("emit LLVM IR", start)
        program = compilation.joined(programs)
        if around is not None:
            program = replace(program, runner=around(program))
        start = time.perf_counter()
        for path, recipe in recipes.items():
            report = compilation.build_program(program, recipe.form, path, bar and partial(bar.update, "clang"))
            if around is None:
                recipe.remember(compilation.ctx, report)
        timed.phase("clang and linker", start)
    print_remarks(compilation.ctx, remarks=args.remarks)
    timed.report()
    return signatures


def _protect(weights: Iterable[Path], outputs: Sequence[str]) -> None:
    for output in outputs:
        check_not_input(output, weights)


def forms_of(backend: Backend) -> list[str]:
    """All forms that a model can be written in, for `--emit`."""
    levels = [f"mlir:{level}" for level in backend.levels]
    return [*levels, *([LLVM_IR] if "llvm" in backend.levels else []), *backend.forms.values()]


def _form(args: Arguments, output: str, backend: Backend) -> str:
    """The form that is asked for, or that the suffix of an output file says.

    Raises:
        UserError: it is none that the backend makes.
    """
    if args.emit is None:
        return form_of(output, backend)
    if args.emit not in (known := forms_of(backend)):
        raise UserError(f"found --emit {args.emit}; required, for target '{args.options.target}': {', '.join(known)}")
    return args.emit


def form_of(output: str, backend: Backend) -> str:
    """The form that an output file's suffix asks for.

    Raises:
        UserError: it is none that is known.
    """
    form = None if output == "-" else backend.form_of(Path(output).suffix)
    if form is None:
        known = ", ".join(suffix for suffix in (*backend.forms, ".ll", ".mlir") if suffix and backend.form_of(suffix))
        raise UserError(f"cannot tell from '{output}' what to make: use a suffix among {known}, or --emit")
    return form


def _write_ir(model: ModelSource, form: str, args: Arguments) -> None:
    timed = start_compilation(model, args)
    compilation, (output,) = timed.compilation, args.output
    check_not_input(output, compilation.ctx.resources.files.values())
    compilation.lower(form.partition(":")[2] or "llvm")
    compilation.finish()
    _write_text(compilation.module, compilation.ctx, form, output)
    print_remarks(compilation.ctx, remarks=args.remarks)
    timed.report()


def _write_text(module: ModuleOp, ctx: CompilerContext, form: str, output: str) -> None:
    from mlc.compiler.emit_text import emit_text

    if output != "-":
        ctx.resources.respell(Path(output).parent)
    text = emit_text(module, ctx, form)
    with open_output(output) as stream:
        stream.write(text)
