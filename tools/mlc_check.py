"""Say at once what stands in the way of compiling a model: operators that mlc does not know, or not like this, types,
dims that are open. Exits with status 1 if something does.

The model goes the way of a compilation, without optimisations, to the level of loops; there the rest is mlc's own work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsTerminator

from mlc.compiler.compilation import new_context
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import PassManager
from mlc.plugins.arguments import PluginArguments, add_plugin_arguments
from mlc.support.bindings import parse_bindings
from mlc.support.functions import extents_in, marks_of, name_for_callers
from mlc.support.model_source import ModelSource
from mlc.support.types import real_type
from mlc.support.variants import Variant, variants_of
from mlc.tools.binding_arguments import add_binding_arguments
from mlc.tools.compile_arguments import read_model
from mlc.tools.driver import ArgumentParser, Namespace, print_remarks


@dataclass(kw_only=True)
class Arguments(PluginArguments):
    """The parsed command line."""

    model: str
    shape: list[str]
    value: list[str]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("model", help="the model: a file of ONNX, an archive of torch.export, or text")
    add_binding_arguments(parser)
    add_plugin_arguments(parser)


def run(arguments: Namespace) -> None:
    """Read, bind and convert; print what was found."""
    args = Arguments(**vars(arguments))
    source = read_model(args.model, args)
    for variant in variants_of(parse_bindings(args.shape, args.value)):
        _check(source, variant, args.model)
    print("nothing stands in the way")


def _check(source: ModelSource, variant: Variant, file: str) -> None:
    """Check the model for one shape, and show what it takes and gives then."""
    ctx = new_context()
    module, wrong = source.bound(variant.bindings).readable(ctx)
    from mlc.compiler.codegen import output_names, signature_of
    from mlc.frontends.onnx.to_graph.bind_inputs import bind
    from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import preflight

    counts = Counter(op.name for op in module.walk() if _is_node(op))
    bind(module, variant.bindings, ctx)
    nodes = counts.total()
    label = f" for {variant.label}" if variant.label else ""
    print(f"{file}: {nodes} nodes of {len(counts)} operators{label}")
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    for function in functions:
        _show("input", function.args, function.arg_attrs)
    preflight(module, ctx, wrong)
    manager = PassManager(ctx)
    manager.run(module, default_passes(0, upto="graph"))
    print_remarks(ctx, remarks=False)
    for function in functions:
        if function.body.block.last_op is not None:
            _show("output", function.body.block.last_op.operands, function.res_attrs)
    names = output_names(module)
    manager.run(module, default_passes(0, upto="loop", after="graph"))
    signature_of(module, names)


def _is_node(op: Operation) -> bool:
    """Whether an op is something that the model computes."""
    from mlc.dialects import graph, stablehlo
    from mlc.dialects.schema_op import SchemaOp

    if isinstance(op, graph.ConstantOp | stablehlo.ConstantOp) or op.name == "onnx.Constant":
        return False
    return isinstance(op, SchemaOp | stablehlo.HloOp | graph.GraphOp) and not op.has_trait(IsTerminator)


def _show(noun: str, values: Sequence[SSAValue], marks: ArrayAttr[DictionaryAttr] | None) -> None:
    """A line for each input or output, by the name that callers use."""
    said = marks_of(values, marks)
    extents = [extents_in(mark) for mark in said]
    hidden = {place for places in extents for place in places}
    for number, (value, mark, places) in enumerate(zip(values, said, extents, strict=True)):
        if number in hidden:
            continue
        dims = ", ".join(str(axis) for axis, place in enumerate(places) if place >= 0)
        note = f" at most: the extent of dim {dims} is known when the model runs" if dims else ""
        print(f"  {noun} {name_for_callers(value, mark, str(number))}: {_words(value.type)}{note}", flush=True)


def _words(kind: Attribute) -> str:
    """A type as callers see it, or as ONNX says it if the IR could only quote that."""
    from mlc.dialects.onnx import ValueType

    kind = real_type(cast("TensorType[Any]", kind)) if isinstance(kind, TensorType) else kind
    return kind.described.data if isinstance(kind, ValueType) else str(kind)
