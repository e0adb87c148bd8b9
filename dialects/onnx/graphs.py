"""Graphs of onnx.proto3 as blocks of ops: names become values, nodes become ops in the order in which they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, NameLoc, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.onnx.nodes import array_of, attribute, op_of, tensor_attribute, value_type
from mlc.dialects.onnx.ops import NoValueOp, OnnxOp, YieldOp, op, since_attribute
from mlc.dialects.onnx.schemas import Message, domains, onnx_package, schema_at, standard_domain
from mlc.dialects.onnx.types import UNKNOWN
from mlc.support.errors import SourceLocation, UserError
from mlc.support.resources import Resources

_NO_WORD = re.compile(r"[^A-Za-z0-9_$.-]")
_COUNTED = re.compile(r"(_\d+)*_*$")
"""What xDSL takes off the end of a name; something has to be left."""
_ANY_VERSION = 1 << 30


@dataclass
class GraphScope:
    """The values of a graph by name, and those of the graphs around it."""

    outer: GraphScope | None = None
    values: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])

    def find(self, name: str) -> SSAValue | None:
        """The value that `name` stands for here."""
        scope: GraphScope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        return None

    def define(self, name: str, value: SSAValue) -> None:
        """Let `name` stand for `value` from here on."""
        self.values[name] = value
        value.name_hint = word(name)


@dataclass
class GraphReader:
    """Reads the graphs of one model."""

    resources: Resources
    file: str
    """What messages call the model."""
    versions: Mapping[str, int]
    """The version of each domain that the model imports."""
    wrong: dict[Operation, UserError] = field(default_factory=dict[Operation, UserError])
    """What is wrong with nodes that could be read all the same."""
    _nodes: int = 0

    def region(self, graph: Message, outer: GraphScope) -> Region:
        """The region of a graph that a node holds.

        Raises:
            UserError: the graph is wrong.
        """
        weights = {t.name for t in graph.initializer}
        inputs = [each for each in graph.input if each.name not in weights]
        block = Block(arg_types=[value_type(each.type) for each in inputs])
        scope = GraphScope(outer)
        for argument, each in zip(block.args, inputs, strict=True):
            scope.define(each.name, argument)
        block.add_op(YieldOp(self.fill(graph, block, scope)))
        return Region(block)

    def fill(self, graph: Message, block: Block, scope: GraphScope) -> list[SSAValue]:
        """Append what a graph computes to `block`, and return its outputs.

        Raises:
            UserError: a node or a weight is wrong.
        """
        for tensor in graph.initializer:
            self._add_weight(tensor, tensor.name, block, scope)
        for tensor in graph.sparse_initializer:
            self._add_weight(tensor, tensor.values.name, block, scope)
        types = {each.name: value_type(each.type) for each in (*graph.value_info, *graph.output)}
        for made in self.ops(graph.node, types, scope):
            block.add_op(made)
        results: list[SSAValue] = []
        for each in graph.output:
            if (value := scope.find(each.name)) is None:
                message = f"output '{each.name}' of the graph '{graph.name}' is computed by no node"
                raise UserError(message, self.place(""))
            results.append(value)
        return results

    def ops(self, nodes: Iterable[Message], types: Mapping[str, Attribute], scope: GraphScope) -> Iterable[Operation]:
        """The ops of nodes, in order. Operators, attributes and numbers of operands that no schema has are noted.

        Raises:
            UserError: a node cannot be read.
        """
        for node in nodes:
            self._nodes += 1
            label = node.name or next(iter(node.output), "") or f"{node.op_type} {self._nodes}"
            place = self.place(label)
            domain = standard_domain(node.domain)
            unknown = self._unknown_operator(node.op_type, domain, place)
            operands: list[SSAValue] = []
            for name in node.input:
                if name:
                    operands.append(_value(name, scope, place))
                else:
                    none = NoValueOp()
                    operands.append(none.result)
                    yield none
            names = [name for name in node.output if name]
            for name in names:
                if name in scope.values or names.count(name) > 1:
                    raise UserError(f"two values are named '{name}'; names have to differ", place)
            since = since_attribute(domain, node.op_type, self.versions.get(domain, 1))
            kind = op(node.op_type, domain)
            try:
                made = op_of(node, kind, operands, since, types, self.resources, lambda g: self.region(g, scope))
            except ValueError as e:
                raise UserError(str(e), place) from None
            made.location = self.location(label)
            if (error := unknown or _against_schema(made, place)) is not None:
                self.wrong[made] = error
            yield made
            for result, name in zip(made.results, node.output, strict=True):
                if name:
                    scope.define(name, result)

    def _unknown_operator(self, op_type: str, domain: str, place: SourceLocation) -> UserError | None:
        """Why there is no such operator in the version of its domain that the model imports."""
        shown = domain or "ai.onnx"
        if not op_type:
            raise UserError("the node names no operator", place)
        if domain not in domains():
            return None
        newest = schema_at(domain, op_type, _ANY_VERSION)
        if newest is None:
            return UserError(f"unknown operator '{op_type}' of the domain '{shown}'", place)
        version = self.versions.get(domain, 1)
        if schema_at(domain, op_type, version) is None:
            return UserError(
                f"the model imports version {version} of '{shown}', which has no operator '{op_type}' yet; "
                f"it is in version {newest.since_version}",
                place,
            )
        return None

    def _add_weight(self, message: Message, name: str, block: Block, scope: GraphScope) -> None:
        try:
            array = array_of(message)
        except ValueError as e:
            raise UserError(f"weight '{name}': {e}", self.place("")) from None
        if array.dtype.kind in "OSU":
            helper, kinds = cast(Any, onnx_package("onnx.helper")), cast(Any, onnx_package()).AttributeProto
            strings = [s if isinstance(s, bytes) else str(s) for s in array.ravel().tolist()]
            said = helper.make_attribute("value_strings", strings, attr_type=kinds.STRINGS)
            value = attribute(said, self.resources, name)
            made = op("Constant")([], [UNKNOWN], {"value_strings": cast(Attribute, value)})
        else:
            value = tensor_attribute(array, self.resources, name)
            if value is None:
                raise UserError(f"weight '{name}' has elements of type {array.dtype}, which mlc does not know")
            made = op("Constant")([], [cast(Any, value).get_type()], {"value": value})
        self.add_constant(made, name, block, scope)

    def add_constant(self, made: OnnxOp, name: str, block: Block, scope: GraphScope) -> None:
        """Append the constant that a weight is."""
        made.location = self.location(name)
        block.add_op(made)
        scope.define(name, made.results[0])

    def location(self, label: str) -> NameLoc | FileLineColLoc:
        """The part of the model that is called `label`, or all of it."""
        place = FileLineColLoc(StringAttr(self.file), IntAttr(0), IntAttr(0))
        return NameLoc(StringAttr(label), place) if label else place

    def place(self, label: str) -> SourceLocation:
        """The same for messages."""
        return SourceLocation(self.file, 0, 0, label)


def _against_schema(op: OnnxOp, place: SourceLocation) -> UserError | None:
    """What an op has that its schema does not allow, or lacks."""
    try:
        op.verify_()
    except VerifyException as e:
        return UserError(str(e), place)
    return None


def _value(name: str, scope: GraphScope, place: SourceLocation) -> SSAValue:
    if (value := scope.find(name)) is None:
        raise UserError(f"the node reads '{name}', which no node before it computes", place)
    return value


def word(name: str) -> str | None:
    """A name of ONNX as one of a value in IR."""
    clean = _NO_WORD.sub("_", name.strip("/"))
    clean = f"v{clean}" if clean[:1].isdigit() else clean
    return clean if _COUNTED.sub("", clean) else None
