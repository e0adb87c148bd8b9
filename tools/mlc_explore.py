"""Write what a compilation does to a page that opens offline: each pass with what it changed, the graph, each kernel on
all levels with its schedule and its estimates, memory. Nothing is measured, and no weight is in the file.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.support.errors import UserError
from mlc.tools.compile_arguments import CompileArguments, add_compile_arguments, read_model
from mlc.tools.driver import ArgumentParser, Namespace, check_not_input, open_output
from mlc.tools.explorer.collect import document_of
from mlc.tools.explorer.page import page_of
from mlc.tools.progress import progress_bar


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    model: str
    output: str


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("model", help="the model: text, or a file of ONNX or PyTorch; '-' is text on standard input")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", required=True, help="the page to write, such as report.html"
    )
    add_compile_arguments(parser)


def run(arguments: Namespace) -> None:
    """Compile, and write the page."""
    args = Arguments(**vars(arguments))
    args.bindings.require_single("what is explored")
    if args.output != "-" and not args.output.endswith((".html", ".htm")):
        raise UserError(f"found -o {args.output}; required: a file that browsers open, such as report.html")
    check_not_input(args.output, [args.model])
    model = read_model(args.model, args)
    with progress_bar(f"exploring {model.file}") as bar:
        page = page_of([document_of(model, args, bar.update if bar else None)])
    with open_output(args.output) as stream:
        stream.write(page)
