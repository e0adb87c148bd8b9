"""Operators without a pattern that their specification spells out: their body takes their place."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import NoneType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph.types import is_static
from mlc.dialects.onnx.graphs import GraphReader, GraphScope
from mlc.dialects.onnx.ops import OnnxOp
from mlc.dialects.onnx.schemas import Message, onnx_package, standard_domain
from mlc.frontends.onnx.to_graph._messages import node_of, type_message
from mlc.frontends.operators.knowledge import Knowledge
from mlc.support.errors import UserError, raise_found


def expand(op: OnnxOp, knowledge: Knowledge) -> list[Operation] | None:
    """Put the body that the specification gives an operator before `op`, and let its users use that.

    None, and nothing changed, if it gives none for operands of these types. Returns the new ops, which are still ops of
    ONNX.
    """
    resources = knowledge.resources
    body = _body(op, knowledge)
    if body is None:
        return None
    scope = GraphScope()
    for name, value in zip(body.input, op.operands, strict=False):
        if not isinstance(value.type, NoneType):
            scope.values[name] = value
    given = {each.name: each for each in node_of(op, resources).attribute}
    for node in body.node:
        _fill_attributes(node, given, body)
        for i, name in enumerate(node.input):
            if name in body.input and name not in scope.values:
                node.input[i] = ""
    versions = {standard_domain(each.domain): each.version for each in body.opset_import}
    made: list[Operation] = []
    reader = GraphReader(resources, op.OP_TYPE, versions)
    try:
        for each in reader.ops(body.node, {}, scope):
            each.location = op.location
            Rewriter.insert_op(each, InsertPoint.before(op))
            made.append(each)
        raise_found(reader.wrong.values())
    except UserError:
        for each in reversed(made):
            Rewriter.erase_op(each, safe_erase=False)  # the node that could not be made may hold on to what it takes
        return None
    for name, result in zip(body.output, op.results, strict=False):
        if (value := scope.find(name)) is not None:
            _replace(result, value)
    return made


def _replace(result: SSAValue, value: SSAValue) -> None:
    value.name_hint = result.name_hint
    result.replace_all_uses_with(value)


def _body(op: OnnxOp, knowledge: Knowledge) -> Message | None:
    """The FunctionProto of an operator."""
    schema = op.schema
    if schema is None or not (schema.has_function or schema.has_context_dependent_function):
        return None
    package = cast(Any, onnx_package())
    if schema.has_function:
        versions = list(schema.function_opset_versions)
        data = schema.get_function_with_opset_version(max(versions)) if versions else b""
    else:
        data = _context_dependent(op, schema, knowledge)
    return package.FunctionProto.FromString(data) if data else None


def _context_dependent(op: OnnxOp, schema: Any, knowledge: Knowledge) -> bytes:
    """The body for these types of operands, whose shapes leave extents of a call open; nothing if one of them is not
    known."""
    types: list[bytes] = []
    for value in op.operands:
        if isinstance(value.type, NoneType):
            types.append(b"")
        elif is_static(value.type):
            message = type_message(value.type)
            for axis in knowledge.extents.get(value, {}):
                message.tensor_type.shape.dim[axis].Clear()
            types.append(message.SerializeToString())
        else:
            return b""
    node = node_of(op, knowledge.resources).SerializeToString()
    version = max(schema.context_dependent_function_opset_versions)
    try:
        return schema.get_context_dependent_function_with_opset_version(version, node, types)
    except Exception:  # the package's own code refuses the node, in one of several kinds
        return b""


def _fill_attributes(node: Message, given: dict[str, Message], body: Message) -> None:
    """Give the attributes of a body's node that name one of the function the value that this has."""
    defaults = {each.name: each for each in body.attribute_proto}
    kept: list[Message] = []
    for each in node.attribute:
        if each.ref_attr_name:
            source = given.get(each.ref_attr_name) or defaults.get(each.ref_attr_name)
            if source is None:
                continue
            name = each.name
            each.CopyFrom(source)
            each.name = name
        elif each.HasField("g"):
            for inner in each.g.node:
                _fill_attributes(inner, given, body)
        kept.append(each)
    message = cast(Any, onnx_package()).AttributeProto
    copies: list[Message] = [message.FromString(each.SerializeToString()) for each in kept]
    del node.attribute[:]
    node.attribute.extend(copies)
