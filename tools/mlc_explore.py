"""Write what a compilation does to a page that opens offline: each pass with what it changed, the graph, each kernel on
all levels with its schedule and its estimates, memory. With two models, or pages that were written before, the page
compares them. Nothing is measured but with `--measure`, and no weight is in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mlc.support.errors import UserError
from mlc.tools.compile_arguments import CompileArguments, add_compile_arguments
from mlc.tools.driver import ArgumentParser, Namespace, check_not_input, open_output
from mlc.tools.explorer.compare import compare
from mlc.tools.explorer.explored_models import PAGE_SUFFIXES, documents_of
from mlc.tools.explorer.page import page_of
from mlc.tools.input_file import INPUTS_HELP


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    model: str
    other: str | None
    output: str
    inputs: str | None
    measure: bool


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "model", help="the model: text, or a file of ONNX or PyTorch; or a page that was written before"
    )
    parser.add_argument("other", metavar="OTHER", nargs="?", help="another one, which is compared with it")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", required=True, help="the page to write, such as report.html"
    )
    words = f"show what each value of the model is for these: {INPUTS_HELP}; of several calls the first"
    parser.add_argument("--inputs", metavar="FILE", help=words)
    words = "measure each kernel and the model, and show the times beside the estimates; about a second for each kernel"
    parser.add_argument("--measure", action="store_true", help=words)
    add_compile_arguments(parser)


def run(arguments: Namespace) -> None:
    """Compile, write the page, and say which file it is, unless that is standard output."""
    args = Arguments(**vars(arguments))
    if args.output != "-" and Path(args.output).suffix not in PAGE_SUFFIXES:
        raise UserError(f"found -o {args.output}; required: a file that browsers open, such as report.html")
    names = [args.model] if args.other is None else [args.model, args.other]
    check_not_input(args.output, [*names, *([args.inputs] if args.inputs is not None else [])])
    documents = documents_of(names, args, args.measure, args.inputs)
    page = page_of(documents, compare(*documents) if len(documents) == 2 else None)
    with open_output(args.output) as stream:
        stream.write(page)
    if args.output != "-":
        print(f"wrote {args.output}: {Path(args.output).stat().st_size / 1e3:,.0f} kB")
