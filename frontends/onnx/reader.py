"""A file of ONNX as a module of the `onnx` dialect: one op per node, names as locations, weights where they lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, Region

from mlc.dialects.func import FuncOp
from mlc.dialects.onnx.graphs import GraphReader, GraphScope
from mlc.dialects.onnx.nodes import dim_names, value_type
from mlc.dialects.onnx.ops import op
from mlc.dialects.onnx.schemas import Message, newest_version, onnx_package, standard_domain
from mlc.dialects.onnx.types import TYPES_BY_NUMBER
from mlc.frontends.onnx.external import embed_external
from mlc.frontends.onnx.opening import open_file
from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation, UserError, raise_found
from mlc.support.functions import DIMS, IMAGE_SIZE, NAME
from mlc.support.model_source import DeclaredInput
from mlc.support.onnx_file import MappedTensor, OnnxFile

_IR_VERSIONS = range(3, 64)
"""Those that have opsets; the upper bound only tells garbage."""


def read_onnx(
    path: Path,
    ctx: CompilerContext,
    file: str | None = None,
    opened: OnnxFile | None = None,
    wrong: dict[Operation, UserError] | None = None,
    model: Message | None = None,
) -> ModuleOp:
    """The module of the model in `path`, called `file` in messages; its weights become resources of `ctx`.

    The model is the function `@main`, whose arguments and results carry their names in `mlc.name` and the names of
    their dims in `onnx.dims`. Functions of the model are inlined. What is wrong with ops that can be read all the same
    is put into `wrong`, under the module if it is the model's own fault; without `wrong` it is raised.

    Raises:
        UserError: the file cannot be read, or holds no model of ONNX (UserErrors: several nodes are wrong).
    """
    name = file or str(path)
    opened = opened or open_file(path, name)
    message: Message = parsed(opened, name) if model is None else model
    versions = {standard_domain(each.domain): each.version for each in message.opset_import}
    _require_distinct(message.graph, opened.mapped, name)
    ctx.resources.open_onnx("model", path.name, opened)
    graphs = GraphReader(ctx.resources, name, versions)
    module = ModuleOp([_function(message.graph, opened.mapped, graphs)])
    module.location = graphs.location("")
    for function in module.ops:
        sizes = [StringAttr(each.value) for each in message.metadata_props if each.key == "imgsz"]
        function.attributes |= {IMAGE_SIZE: sizes[0]} if sizes else {}
    if (too_new := _too_new(message, name)) is not None:
        graphs.wrong[module] = too_new
    if wrong is None:
        raise_found(graphs.wrong.values())
    else:
        wrong |= graphs.wrong
    return module


def _too_new(model: Message, file: str) -> UserError | None:
    """An error for the first domain whose version is newer than what the package says of it."""
    for each in model.opset_import:
        domain = standard_domain(each.domain)
        newest = newest_version(domain)
        if newest is not None and each.version > newest:
            return UserError(
                f"opset {each.version} of '{domain or 'ai.onnx'}' is newer than the installed package onnx knows "
                f"({newest}), and its operators may mean something else; export for opset {newest}, or install a newer "
                "onnx",
                SourceLocation(file, 0),
            )
    return None


def declared_inputs(model: Message, mapped: Sequence[MappedTensor]) -> tuple[DeclaredInput, ...]:
    """What a model says of its inputs; `mapped` are those of its weights that the message does not have."""
    result: list[DeclaredInput] = []
    for each in _inputs(model.graph, mapped):
        kind, shape = value_type(each.type), None
        if isinstance(kind, TensorType):
            shape = tuple(None if e == DYNAMIC_INDEX else e for e in kind.get_shape())
        result.append(DeclaredInput(each.name, shape, dim_names(each.type) or ()))
    return tuple(result)


def _inputs(graph: Message, mapped: Sequence[MappedTensor]) -> list[Message]:
    """What callers give. Inputs with a default, as ONNX allows them, are weights."""
    weights = {t.name for t in (*graph.initializer, *mapped)} | {t.values.name for t in graph.sparse_initializer}
    return [each for each in graph.input if each.name not in weights]


def parsed(opened: OnnxFile, file: str) -> Message:
    """The ModelProto in a file, called `file` in messages, with functions inlined.

    Raises:
        UserError: the bytes hold none.
    """
    package = cast(Any, onnx_package())
    from google.protobuf.message import DecodeError

    try:
        model = package.ModelProto.FromString(opened.skeleton)
    except DecodeError as e:
        raise UserError(f"model '{file}' cannot be read as ONNX: {e}") from None
    if not model.HasField("graph"):
        raise UserError(f"model '{file}' cannot be read as ONNX: it holds no graph")
    if model.ir_version not in _IR_VERSIONS:
        raise UserError(f"model '{file}' says version {model.ir_version} of ONNX's IR; required: 3 or later")
    if any(isinstance(text, bytes) for text in _texts(model.graph)):
        raise UserError(f"model '{file}' cannot be read as ONNX: a name in it is not UTF-8")
    try:
        embed_external(model, opened.external)
    except (ValueError, OSError) as e:
        raise UserError(f"model '{file}' cannot be read as ONNX: {e}") from None
    if model.functions:
        try:
            model = cast(Any, onnx_package("onnx.inliner")).inline_local_functions(model)
        except Exception as e:  # whatever a wrong function makes of the library
            raise UserError(f"the functions of model '{file}' cannot be inlined: {e}") from None
    return model


def _texts(graph: Message) -> Iterator[object]:
    """All names in a graph; protobuf leaves as bytes what is not UTF-8."""
    yield graph.name
    yield from (each.name for each in graph.initializer)
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        for each in node.attribute:
            yield each.name
            if each.HasField("g"):
                yield from _texts(each.g)


def _require_distinct(graph: Message, mapped: Sequence[MappedTensor], file: str) -> None:
    if not graph.output:
        raise UserError(f"model '{file}' has no outputs: there is nothing to compute")
    for noun, values in (("inputs", graph.input), ("weights", [*graph.initializer, *mapped])):
        for name, count in Counter(each.name for each in values).items():
            if count > 1 or not name:
                raise UserError(f"model '{file}' has {count} {noun} named '{name}'; names have to differ")


def _function(graph: Message, mapped: Sequence[MappedTensor], graphs: GraphReader) -> func.FuncOp:
    """The function `@main`."""
    inputs = _inputs(graph, mapped)
    block = Block(arg_types=[value_type(each.type) for each in inputs])
    scope = GraphScope()
    for argument, each in zip(block.args, inputs, strict=True):
        scope.define(each.name, argument)
    for tensor in mapped:
        kind = TensorType(TYPES_BY_NUMBER[tensor.type], tensor.shape)
        value = DenseResourceAttr.from_params(tensor.name, cast(Any, kind))
        graphs.add_constant(op("Constant")([], [kind], {"value": value}), tensor.name, block, scope)
    results = graphs.fill(graph, block, scope)
    block.add_op(func.ReturnOp(*results))
    function = FuncOp(
        "main",
        FunctionType.from_lists(block.arg_types, [v.type for v in results]),
        Region(block),
        arg_attrs=ArrayAttr([_described(each) for each in inputs]),
        res_attrs=ArrayAttr([_described(each) for each in graph.output]),
    )
    function.location = graphs.location("")
    return function


def _described(value: Message) -> DictionaryAttr:
    """What an argument or a result carries of the model's words."""
    said: dict[str, Attribute] = {NAME: StringAttr(value.name)}
    if (names := dim_names(value.type)) is not None:
        said[DIMS] = ArrayAttr([StringAttr(name) for name in names])
    return DictionaryAttr(said)
