"""Compile a model. What comes out follows from the suffix of the output file, or from --emit:

.o  object           .so  shared library   .h    C header
.s  assembly         .ll  LLVM IR          .mlir IR at the llvm level, or at another one with --emit=mlir:<level>
no suffix: a program that reads raw inputs from standard input and writes raw outputs to standard output
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from mlc.passes.pipeline import LEVELS
from mlc.support.errors import UserError
from mlc.targets.build import Kind
from mlc.targets.program import Signature
from mlc.tools.compile_arguments import (
    CompileArguments,
    TimedCompilation,
    add_compile_arguments,
    print_remarks,
    start_compilation,
)
from mlc.tools.driver import ArgumentParser, Namespace, check_not_input, open_output
from mlc.tools.emit_text import emit_text
from mlc.tools.progress import progress_bar

_BY_SUFFIX = {
    ".o": "obj",
    ".so": "shared",
    ".h": "header",
    ".s": "asm",
    ".ll": "llvm-ir",
    ".mlir": "mlir:llvm",
    "": "exe",
}
_IR_FORMS = (*(f"mlir:{level}" for level in LEVELS), "llvm-ir")
FORMS = (*_IR_FORMS, "asm", "obj", "shared", "exe", "header")


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    model: str
    output: str
    emit: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("model", help="the model's text; '-' is standard input")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", required=True, help="the file to write; '-' for text forms"
    )
    parser.add_argument("--emit", choices=FORMS, metavar="FORM", help=", ".join(FORMS))
    add_compile_arguments(parser)


def run(arguments: Namespace) -> None:
    """Compile; the output file appears whole or not at all."""
    args = Arguments(**vars(arguments))
    form = args.emit or form_of(args.output)
    if args.output == "-" and form not in (*_IR_FORMS, "asm", "header"):
        raise UserError(f"'-o -' prints text; '{form}' needs a file")
    timed = start_compilation(args.model, args)
    check_not_input(args.output, [args.model, *timed.compilation.ctx.resources.files.values()])
    if form in _IR_FORMS:
        _write_ir(timed, form, args.output)
    else:
        _write_artifact(timed, cast(Kind, form), args)
    if args.remarks:
        print_remarks(timed.compilation)
    timed.report()


def build_artifact(timed: TimedCompilation, kind: Kind, output: Path, model: str) -> Signature:
    """Compile down to the file `output`, with a progress bar while clang works; returns the model's signature.

    Raises:
        UserError: also if there is no usable clang, or `output` cannot be written.
    """
    with progress_bar(f"compiling {model}") as progress:
        signature = timed.compilation.lower_fully()
        timed.compilation.finish()
        start = time.perf_counter()
        program = timed.compilation.program(signature)
        timed.phase("emit LLVM IR", start)
        start = time.perf_counter()
        timed.compilation.build_program(program, kind, output, progress)
        timed.phase("clang and linker", start)
    return signature


def form_of(output: str) -> str:
    """The form that an output file's suffix asks for.

    Raises:
        UserError: it is none that is known.
    """
    suffix = Path(output).suffix
    if output == "-" or suffix not in _BY_SUFFIX:
        known = ", ".join(s for s in _BY_SUFFIX if s)
        raise UserError(f"cannot tell from '{output}' what to make: use a suffix among {known}, or --emit")
    return _BY_SUFFIX[suffix]


def _write_artifact(timed: TimedCompilation, kind: Kind, args: Arguments) -> None:
    if args.output != "-":
        build_artifact(timed, kind, Path(args.output), args.model)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "output"
        build_artifact(timed, kind, file, args.model)
        sys.stdout.write(file.read_text(encoding="utf-8"))


def _write_ir(timed: TimedCompilation, form: str, output: str) -> None:
    compilation = timed.compilation
    compilation.lower(form.partition(":")[2] or "llvm")
    compilation.finish()
    if output != "-":
        compilation.ctx.resources.respell(Path(output).parent)
    text = emit_text(compilation.module, compilation.ctx, form)
    with open_output(output) as stream:
        stream.write(text)
