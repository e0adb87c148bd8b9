"""Write a model whose matrix products and convolutions take integers of 8 bits: '-o model.int8.mlir' gives that text
and model.int8.safetensors. Ranges and errors are measured on samples of inputs; a table says what each product is off.
The text compiles like any other.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mlc.compiler.compilation import new_context, read_module
from mlc.compiler.model_files import model_files
from mlc.plugins.arguments import PluginArguments, add_plugin_arguments
from mlc.quantization import METHODS, Row
from mlc.quantization.products import FLOAT
from mlc.quantization.quantize import NO_DATA, quantized, weight_format
from mlc.quantization.weights import BITS, GROUPS
from mlc.support.bindings import parse_bindings
from mlc.tools.binding_arguments import add_binding_arguments
from mlc.tools.compile_arguments import read_model
from mlc.tools.driver import ArgumentParser, Namespace, check_not_input, print_remarks

_HEADINGS = ("product", "at", "type", "error")


@dataclass(kw_only=True)
class Arguments(PluginArguments):
    """The parsed command line."""

    model: str
    data: str | None
    output: str
    calibration: str
    symmetric: bool
    max_error: float | None
    seed: int
    weight_bits: int | None
    group: int | None
    dynamic: bool
    shape: list[str]
    value: list[str]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add = parser.add_argument
    add("model", help="the model of floats: a file of ONNX, an archive of torch.export, or text")
    data = (
        "samples for each input: .npz, safetensors, or a folder of .npy, named after inputs or, for a model of one, "
        "each with samples; random numbers without it"
    )
    add("--data", metavar="FILE", help=data)
    add("-o", dest="output", metavar="FILE.mlir", required=True, help="the text to write")
    calibration = "how ranges are chosen: all numbers, all but one of 10,000 at each end, or by the mean square error"
    add("--calibration", choices=METHODS, default=METHODS[0], help=calibration)
    add("--symmetric", action="store_true", help="inputs of products, or weights alone, have no zero point")
    error = "how far outputs may be off, by norm; as many products stay in floats as it takes, largest error first"
    add("--max-error", type=float, metavar="E", help=error)
    add("--seed", type=int, default=0, metavar="N", help="of random inputs (0)")
    bits = "weights of matrix products alone become integers of so many bits; all else stays in floats"
    add("--weight-bits", type=int, choices=BITS, metavar="N", help=bits)
    rows = "so many rows of weights share a scale, with --weight-bits; all of a column without it"
    add("--group", type=int, choices=GROUPS, metavar="N", help=rows)
    rounded = "inputs of products with such weights are rounded to 8 bits when they come, by row and group"
    add("--dynamic", action="store_true", help=rounded)
    add_binding_arguments(parser)
    add_plugin_arguments(parser)


def run(arguments: Namespace) -> None:
    """Read, measure, write both files, report."""
    args = Arguments(**vars(arguments))
    source = read_model(args.model, args)
    bindings = parse_bindings(args.shape, args.value)
    bindings.require_single("a text of the graph level")
    bindings.require_fixed("what is quantised")
    _, weights = model_files(args.output, "quantisation")
    check_not_input(args.output, [args.model, *([args.data] if args.data else [])])
    ctx = new_context()
    module = read_module(source, ctx, bindings)
    check_not_input(str(weights), list(ctx.resources.files.values()))
    from mlc.frontends.onnx.to_graph.bind_inputs import bind

    bind(module, bindings, ctx)
    alone = weight_format(args.weight_bits, args.group, args.symmetric, args.calibration, args.dynamic)
    if args.data is None and alone is None:
        print(f"warning: {NO_DATA} (--data)", file=sys.stderr)
    model = quantized(module, ctx, args.data, args.calibration, args.symmetric, args.max_error, args.seed, alone)
    print_remarks(ctx, remarks=False)
    size = model.bytes
    model.save(args.output)
    _print_table(model.rows)
    floats = sum(1 for row in model.rows if row.precision == FLOAT)
    rest = f", {floats} of {len(model.rows)} products in floats" if floats else ""
    print(f"outputs are off by {model.error:.2g}{rest}")
    print(f"{args.output}: {size / 1e3:,.0f} kB of weights, {model.bytes_before / 1e3:,.0f} kB before")


def _print_table(rows: Sequence[Row]) -> None:
    """A line for each product."""
    cells = [_HEADINGS, *((r.op, _place(r), r.precision, _error(r)) for r in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_HEADINGS))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _place(row: Row) -> str:
    """Without the folders of the file, and without the file where nodes have names."""
    if row.place is None:
        return f"%{row.name}"
    return row.place.name or str(replace(row.place, file=Path(row.place.file).name))


def _error(row: Row) -> str:
    return "-" if row.error is None else f"{row.error:.2g}"
