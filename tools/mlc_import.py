"""Write a model of another format as text of the graph level, and its weights to a file of safetensors beside it:
'-o model.mlir' gives model.mlir and model.safetensors. The text compiles like any other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp
from xdsl.ir import Attribute

from mlc.compiler.compilation import new_context, read_module
from mlc.compiler.model_files import model_files, write_model
from mlc.dialects.graph import ConstantOp
from mlc.frontends.registry import open_model, suffixes
from mlc.plugins.arguments import PluginArguments, add_plugin_arguments
from mlc.support.bindings import parse_bindings
from mlc.support.errors import UserError
from mlc.support.resources import Resources
from mlc.targets.weights import with_digest
from mlc.tools.binding_arguments import add_binding_arguments
from mlc.tools.driver import ArgumentParser, Namespace, check_not_input, print_remarks


@dataclass(kw_only=True)
class Arguments(PluginArguments):
    """The parsed command line."""

    model: str
    output: str
    shape: list[str]
    value: list[str]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("model", help="the model: a file of ONNX, or an archive of torch.export")
    parser.add_argument("-o", dest="output", metavar="FILE.mlir", required=True, help="the text to write")
    add_binding_arguments(parser)
    add_plugin_arguments(parser)


def run(arguments: Namespace) -> None:
    """Convert, and write both files."""
    args = Arguments(**vars(arguments))
    args.load()
    bindings = parse_bindings(args.shape, args.value)
    bindings.require_single("a text of the graph level")
    output, weights = model_files(
        args.output,
        "an import",
        instead=(f"the text alone is printed by: mlc-opt {args.model} --convert-onnx-to-graph"),
    )
    check_not_input(args.output, [args.model])
    ctx = new_context()
    source = open_model(args.model)
    if source is None:
        known = ", ".join(suffixes())
        raise UserError(f"cannot tell from its name what '{args.model}' is; models of other formats end in {known}")
    module = read_module(source, ctx, bindings)
    check_not_input(str(weights), list(ctx.resources.files.values()))
    from mlc.frontends.onnx.to_graph.bind_inputs import bind
    from mlc.pass_manager.manager import PassManager
    from mlc.pass_manager.options import parse_passes

    bind(module, bindings, ctx)
    manager = PassManager(ctx)
    manager.run(module, parse_passes("convert-onnx-to-graph,convert-aten-to-graph"))
    _share(module, ctx.resources)
    manager.run(module, parse_passes("cse,dce"))
    tensors = write_model(module, ctx, output)
    print_remarks(ctx, remarks=False)
    ops = sum(1 for _ in module.walk()) - 2
    size = sum(a.nbytes for a in tensors.values()) / 1e6
    print(f"{args.output}: {ops} ops" + (f"; {weights}: {len(tensors)} weights, {size:.1f} MB" if tensors else ""))


def _share(module: ModuleOp, resources: Resources) -> None:
    """Let constants of one type and equal contents have one resource: exporters may write a weight for each use."""
    constants = [op for op in module.walk() if isinstance(op, ConstantOp) and isinstance(op.value, DenseResourceAttr)]
    alike = Counter(op.result.type for op in constants)
    first: dict[tuple[Attribute, str], DenseResourceAttr] = {}
    for op in constants:
        value = cast(DenseResourceAttr, op.value)
        if alike[op.result.type] > 1:
            _, digest = with_digest(resources.array(value.resource_handle.data))
            op.value = first.setdefault((op.result.type, digest), value)
