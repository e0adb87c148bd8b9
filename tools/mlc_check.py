"""Say at once what stands in the way of compiling a model of ONNX: operators that mlc does not know, or not like this,
types, dims that are open. Exits with status 1 if something does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, SSAValue

from mlc.compiler import new_context
from mlc.frontends.registry import FRONTENDS, open_model
from mlc.support.bindings import parse_bindings
from mlc.support.errors import UserError
from mlc.support.functions import extents_in, marks_of, name_for_callers
from mlc.support.model_source import ModelSource
from mlc.support.variants import Variant, variants_of
from mlc.tools.binding_arguments import add_binding_arguments
from mlc.tools.driver import ArgumentParser, Namespace, print_remarks
from mlc.tools.plugin_arguments import PluginArguments, add_plugin_arguments


@dataclass(kw_only=True)
class Arguments(PluginArguments):
    """The parsed command line."""

    model: str
    shape: list[str]
    value: list[str]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("model", help="the model: a file of ONNX, or an archive of torch.export")
    add_binding_arguments(parser)
    add_plugin_arguments(parser)


def run(arguments: Namespace) -> None:
    """Read, bind and convert; print what was found."""
    args = Arguments(**vars(arguments))
    args.load()
    if (source := open_model(args.model)) is None:
        raise UserError(f"'{args.model}' is of no format that is checked; those end in {', '.join(FRONTENDS)}")
    for variant in variants_of(parse_bindings(args.shape, args.value)):
        _check(source, variant, args.model)
    print("nothing stands in the way")


def _check(source: ModelSource, variant: Variant, file: str) -> None:
    """Check the model for one shape, and show what it takes and gives then."""
    ctx = new_context()
    module, wrong = source.bound(variant.bindings).readable(ctx)
    from mlc.dialects.schema_op import SchemaOp
    from mlc.passes.aten_to_graph.convert_aten_to_graph import ConvertAtenToGraphPass
    from mlc.passes.onnx.bind_inputs import bind
    from mlc.passes.onnx_to_graph.convert_onnx_to_graph import preflight

    counts = Counter(op.name for op in module.walk() if isinstance(op, SchemaOp) and op.name != "onnx.Constant")
    bind(module, variant.bindings, ctx)
    nodes = counts.total()
    label = f" for {variant.label}" if variant.label else ""
    print(f"{file}: {nodes} nodes of {len(counts)} operators{label}")
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    for function in functions:
        _show("input", function.args, function.arg_attrs)
    preflight(module, ctx, wrong)
    ConvertAtenToGraphPass().run(module, ctx)
    print_remarks(ctx, remarks=False)
    for function in functions:
        if function.body.block.last_op is not None:
            _show("output", function.body.block.last_op.operands, function.res_attrs)


def _show(noun: str, values: Sequence[SSAValue], marks: ArrayAttr[DictionaryAttr] | None) -> None:
    """A line for each input or output, by the name that callers use."""
    said = marks_of(values, marks)
    extents = [extents_in(mark) for mark in said]
    hidden = {place for places in extents for place in places}
    for number, (value, mark, places) in enumerate(zip(values, said, extents, strict=True)):
        if number in hidden:
            continue
        dims = ", ".join(str(axis) for axis, place in enumerate(places) if place >= 0)
        note = f" at most: the extent of dim {dims} depends on data" if dims else ""
        print(f"  {noun} {name_for_callers(value, mark, str(number))}: {_words(value.type)}{note}", flush=True)


def _words(kind: Attribute) -> str:
    """A type as the IR says it, or as ONNX says it if the IR could only quote that."""
    from mlc.dialects.onnx import ValueType

    return kind.described.data if isinstance(kind, ValueType) else str(kind)
