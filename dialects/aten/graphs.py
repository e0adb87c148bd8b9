"""Graphs of `torch.fx`, of ATen's operators, as IR: one op per node, names as locations."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseResourceAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneType,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from mlc.dialects.aten.bounds import BOUNDED_EXTENTS, Bounds, bounded_dims, depends, takes_extents
from mlc.dialects.aten.branches import (
    COND,
    as_complex,
    as_real,
    bodies_of,
    flag_of,
    is_read,
    kind_of,
    tensors_of,
    yield_flag,
)
from mlc.dialects.aten.effects import CHECKED, SEED, draws, is_mutation
from mlc.dialects.aten.graph_source import GraphSource
from mlc.dialects.aten.nodes import (
    first_of,
    is_number,
    is_part,
    is_symbolic,
    is_tensor,
    memory_order,
    named,
    symbolic_of,
    word,
)
from mlc.dialects.aten.open_extents import OpenExtents
from mlc.dialects.aten.ops import NoneOp, call, permuted
from mlc.dialects.aten.origins import file_of, place_of
from mlc.dialects.aten.schemas import OverloadSchema, known_overload, torch_package, with_numbers
from mlc.dialects.aten.tensors import array_of, constant_of
from mlc.dialects.aten.values import attribute_of, element_of_dtype
from mlc.dialects.graph import ConstantOp, IfOp, WhileOp, YieldOp
from mlc.support.errors import SourceLocation, UserError
from mlc.support.functions import DONATED
from mlc.support.resources import Resources
from mlc.support.types import real_type

if TYPE_CHECKING:
    Node = Any
    """A `torch.fx.Node`."""

_T = TypeVar("_T")


def read_graph(source: GraphSource, resources: Resources) -> ModuleOp:
    """The module of a graph: the function `@main` of the placeholders that are tensors and no constants, and of the
    results that are tensors. Constants share memory with torch where they lie in one piece.

    Raises:
        UserError: a node is not an operator of ATen, or has a type that the IR lacks.
    """
    return _Reader(source, resources).module()


def read_body(
    source: GraphSource, resources: Resources, arguments: Sequence[SSAValue], location: LocationAttr
) -> tuple[list[Operation], list[SSAValue | None]]:
    """The ops of a graph on values that are there, all said to come from one place, and its results; None for one that
    is not a tensor.

    Raises:
        UserError: a node is not an operator of ATen, or has a type that the IR lacks.
    """
    return _Reader(source, resources, location=location).body(arguments)


@dataclass
class _Reader:
    source: GraphSource
    resources: Resources
    values: dict[Any, SSAValue | list[SSAValue | None]] = field(
        default_factory=dict["Any", "SSAValue | list[SSAValue | None]"]
    )
    block: Block = field(default_factory=Block)
    inputs: list[str] = field(default_factory=list[str])
    shapes: list[Sequence[Any]] = field(default_factory=list["Sequence[Any]"])
    """Those of the inputs, as torch has them."""
    location: LocationAttr | None = None
    """Where all ops are said to come from; None for a place of each node's own."""

    def __post_init__(self) -> None:
        self.bounds = Bounds(self.source.extent)
        self.open = OpenExtents(self.source.ranges)

    def body(self, arguments: Sequence[SSAValue]) -> tuple[list[Operation], list[SSAValue | None]]:
        """The ops of the graph on these values for its placeholders that are tensors, in no block, and its results."""
        given = iter(arguments)
        results: list[SSAValue | None] = []
        for node in self.source.graph.nodes:
            if node.op == "placeholder":
                if is_tensor(said := node.meta.get("val")):
                    value, kind = next(given), self._type(said, node)
                    self.values[node] = value if value.type == kind else self._as_complex(value, node)
            elif node.op == "output":
                flat = cast(Any, torch_package("torch.utils._pytree")).tree_leaves(node.args[0])
                found = [None if each is None else self.values.get(each) for each in flat]
                results = [each if isinstance(each, SSAValue) else None for each in found]
            else:
                self._read_value(node) if node.op == "get_attr" else self._read_call(node)
        ops = list(self.block.ops)
        for op in ops:
            op.detach()
        return ops, results

    def module(self) -> ModuleOp:
        returned: list[SSAValue] = []
        for node in self.source.graph.nodes:
            match node.op:
                case "placeholder" | "get_attr":
                    self._read_value(node)
                case "call_function":
                    self._read_call(node)
                case "output":
                    returned = self._results(node)
                case other:
                    raise UserError(f"a node of kind '{other}' is not an operator of ATen", self._place(node))
        arguments = [named(name, self.source.input_dims.get(name, ())) for name in self.inputs]
        arguments = self.open.with_extents(self.block, arguments, self.shapes)
        if self.source.seeded and draws(self.source.graph):
            self.block.insert_arg(TensorType(i64, []), len(self.block.args)).name_hint = "seed"
            arguments.append(DictionaryAttr({SEED: UnitAttr()}))
        self.block.add_op(func.ReturnOp(*returned))
        names = [*self.source.output_names, *["" for _ in returned]][: len(returned)]
        function = func.FuncOp(
            "main",
            FunctionType.from_lists(self.block.arg_types, [v.type for v in returned]),
            Region(self.block),
            arg_attrs=ArrayAttr(arguments),
            res_attrs=ArrayAttr([self._named_result(i, name) for i, name in enumerate(names)]),
        )
        if self.source.checked:
            function.attributes[CHECKED] = UnitAttr()
        function.location = file_of(None, self.source.file)
        module = ModuleOp([function])
        module.location = file_of(None, self.source.file)
        return module

    def _named_result(self, number: int, name: str) -> DictionaryAttr:
        donor = self.values.get(self.source.donated.get(number))
        place = {DONATED: IntegerAttr(donor.index, i64)} if isinstance(donor, BlockArgument) else {}
        return DictionaryAttr({**named(name or f"output{number}").data, **place})

    # ---- values that are there from the start

    def _read_value(self, node: Node) -> None:
        """A placeholder, or an attribute of the module."""
        name = str(node.target) if node.op == "get_attr" else node.name
        if name in self.source.constants:
            self._add_constant(node, name, self.source.constants[name])
        elif node.op == "get_attr":
            if node.users and all(map(kind_of, node.users)):
                return  # a body, which is read with the call that it is for
            raise UserError(f"the program does not define the attribute '{name}'", self._place(node))
        elif is_tensor(node.meta.get("val")):
            value = self.block.insert_arg(self._type(node.meta["val"], node), len(self.block.args))
            self._define(node, value)
            self.inputs.append(self.source.input_names.get(node.name, node.name))
            self.shapes.append(tuple(node.meta["val"].shape))

    def _add_constant(self, node: Node, name: str, tensor: Any) -> None:
        kind = cast("TensorType[Any]", self._type(tensor, node))
        resource = self.resources.add(array_of(tensor), name)
        made = ConstantOp(DenseResourceAttr.from_params(resource, cast(Any, real_type(kind))))
        self._append(made, node)
        self._define(node, self._as_complex(made.result, node) if tensor.is_complex() else made.result)

    def _as_complex(self, value: SSAValue, node: Node) -> SSAValue:
        self._append(made := as_complex(value), node)
        return made.results[0]

    # ---- operators

    def _read_call(self, node: Node) -> None:
        if is_mutation(node):
            return  # its value is a result
        if node.target is operator.getitem:
            if (part := self._part(node.args[0], node.args[1])) is not None:
                self._define(node, part)
            return
        if not is_tensor(first_of(node.meta.get("val"))) and is_number(node.meta.get("val")):
            return  # arithmetic on extents, which is known
        if is_read(node):
            self._read_branches(node)
            return
        name, schema, given = self._operator(node)
        self.bounds.meet(node)
        if self.bounds.holds(name, given):
            return
        self.open.require_known_strides(name, given, self._place(node))
        order = memory_order(given["self"].meta.get("val")) if name.startswith("aten.as_strided") else []
        if order is None:
            raise UserError("it reads memory that is not that of its tensor alone, from the start", self._place(node))
        operands: list[SSAValue] = []
        counts: list[int] = []
        attributes: dict[str, Attribute] = {}
        for argument in schema.arguments:
            value = given.get(argument.name, argument.default)
            if argument.tensors:
                values = list(value) if argument.tensors == "list" and value is not None else [value]
                own = [self._operand(v, node) for v in values if v is not None or argument.tensors == "list"]
                operands += own if value is not None else []
                counts.append(len(own) if value is not None else 0)
            elif argument.required or value != argument.default or type(value) is not type(argument.default):
                self._require_known(name, argument.name, value, node)
                attributes[argument.name] = self._attribute(argument.name, value, node)
        found = node.meta.get("val")
        results = [found] if is_tensor(found) else list(cast(Sequence[Any], found or ()))
        types = [NoneType() if each is None else self._type(each, node) for each in results if is_part(each)]
        if order and order != sorted(order):
            moved = permuted(operands[0], order)
            self._append(moved, node)
            operands[0] = moved.results[0]
        if any(dims := [bounded_dims(each) for each in results if is_part(each)]):
            attributes[BOUNDED_EXTENTS] = ArrayAttr([DenseArrayBase.from_list(i64, each) for each in dims])
        made = call(name, counts, operands, {**attributes, **self._at(node, self.open.shapes, results)}, types)
        self._append(made, node)
        if is_tensor(found):
            self._define(node, made.results[0])
        else:
            rest = iter(made.results)
            self.values[node] = [next(rest) if is_part(each) else None for each in results]

    def _read_branches(self, node: Node) -> None:
        """`torch.cond` is `graph.if` of the same operands, `while_loop` is `graph.while`; of a condition that is known
        there is one branch."""
        if self.source.ranges:
            raise UserError("it has branches or loops, whose bodies take no extents of the call", self._place(node))
        if kind_of(node) == COND:
            condition, then, otherwise, operands = node.args
            used = self._tensors(operands, node)
            if is_number(known := self._plain(condition, node)):
                ops, results = self._inner(then if known else otherwise, node).body(used)
                self.block.add_ops(ops)
                self.values[node] = results
                return
            regions = [self._region(each, used, node) for each in (then, otherwise)]
            flag = flag_of(self._operand(condition, node), self.block)
            types = [real_type(cast(Any, self._type(each, node))) for each in node.meta["val"]]
            made: IfOp | WhileOp = IfOp(flag, used, types, *regions)
        else:
            go_on, step, carried, more = node.args
            initial, used = self._tensors(carried, node), self._tensors(more, node)
            if len(initial) != len(carried):
                raise UserError("it carries numbers; required: tensors alone", self._place(node))
            regions = [self._region(each, [*initial, *used], node) for each in (go_on, step)]
            yield_flag(regions[0].block)
            made = WhileOp(initial, used, *regions)
        self._append(made, node)
        results = zip(node.meta["val"], made.outputs, strict=True)
        self.values[node] = [self._as_complex(v, node) if val.is_complex() else v for val, v in results]

    def _tensors(self, operands: Sequence[Any], node: Node) -> list[SSAValue]:
        """Those operands that are not numbers, which are known; complex ones as they lie in memory."""
        tensors = [self._operand(each, node) for each in operands if not is_number(self._plain(each, node))]
        return [as_real(each, self.block) for each in tensors]

    def _inner(self, body: Node, node: Node) -> _Reader:
        """A reader of a body."""
        if (module := self.source.bodies.get(str(body.target))) is None:
            raise UserError(f"the program does not define the body '{body.target}'", self._place(node))
        own = GraphSource(module.graph, self.source.file, tensors_of(module), bodies_of(module))
        own.extent = self.source.extent
        return _Reader(own, self.resources, location=self.location)

    def _region(self, body: Node, arguments: Sequence[SSAValue], node: Node) -> Region:
        """A body with an argument for each of these values."""
        block = Block(arg_types=[v.type for v in arguments])
        ops, results = self._inner(body, node).body(block.args)
        found = [each for each in results if each is not None]
        if len(found) != len(results):
            raise UserError("a body returns numbers; required: tensors alone", self._place(node))
        block.add_ops(ops)
        block.add_op(YieldOp(*(as_real(each, block) for each in found)))
        return Region(block)

    def _part(self, node: Node, index: int) -> SSAValue | None:
        """One of several results, if there is one."""
        parts = self.values.get(node)
        found = parts[index] if isinstance(parts, list) else None
        return None if found is None or found.type == NoneType() else found

    def _operator(self, node: Node) -> tuple[str, OverloadSchema, dict[str, Any]]:
        """The name of an operator in IR, its schema, and the arguments that are given."""
        name, schema = self._at(node, known_overload, node.target)
        given = dict(zip((a.name for a in schema.arguments), node.args, strict=False)) | node.kwargs
        single = [a.name for a in schema.arguments if a.tensors == "one"]
        numbers = [each for each in single if is_number(self._plain(given.get(each), node))]
        return *with_numbers(name, schema, numbers), given

    def _operand(self, value: Any, node: Node) -> SSAValue:
        if value is None:
            none = NoneOp()
            self._append(none, node)
            return none.result
        if self.open.has(value):
            raise UserError(f"it takes '{value}', an extent of the call, as a tensor", self._place(node))
        if is_number(number := self._plain(value, node)):
            made = constant_of(number)
            self._append(made, node)
            return self._as_complex(made.result, node) if isinstance(number, complex) else made.result
        found = self.values.get(value)
        if not isinstance(found, SSAValue):
            raise UserError(f"it takes '{value}', which is not a tensor that is computed before", self._place(node))
        return found

    def _attribute(self, name: str, value: Any, node: Node) -> Attribute:
        if self.open.has(value):
            return self._at(node, self.open.attribute, value)
        attribute = attribute_of(self._plain(value, node))
        if attribute is None:
            raise UserError(f"argument '{name}' is {value!r}, which has no form in the IR", self._place(node))
        return attribute

    def _plain(self, value: Any, node: Node) -> Any:
        """A value with numbers in place of symbolic ones."""
        if isinstance(value, list | tuple):
            return [self._plain(each, node) for each in cast(Sequence[Any], value)]
        found = symbolic_of(value)
        return self._extent(found, node) if is_symbolic(found) and not self.open.has(found) else found

    # ---- the end, types, names

    def _results(self, node: Node) -> list[SSAValue]:
        flat: Any = self.source.results
        if flat is None:
            flat = cast(Any, torch_package("torch.utils._pytree")).tree_leaves(node.args[0])
        found = [self.values.get(each) for each in flat if each is not None]
        return [value for value in found if isinstance(value, SSAValue)]

    def _type(self, value: Any, node: Node) -> Attribute:
        torch = cast(Any, torch_package())
        element = element_of_dtype(value.dtype)
        if element is None:
            raise UserError(f"its elements are {value.dtype}, which has no type in the IR", self._place(node))
        if value.layout != torch.strided or value.is_quantized:
            raise UserError(f"it is a tensor of layout {value.layout}; required: a dense one", self._place(node))
        return TensorType(element, [self._extent(extent, node) for extent in value.shape])

    def _extent(self, extent: Any, node: Node) -> int:
        if self.open.has(extent):
            return self._at(node, self.open.most, extent)
        if not depends(extent):
            return self.source.extent(extent)
        if not self.source.bounded:
            raise UserError("the shape of a tensor depends on data", self._place(node))
        return self._at(node, self.bounds.most, extent)

    def _at(self, node: Node, question: Callable[[Any], _T], value: Any) -> _T:
        """The answer to a question about a value; an error has the place of the node."""
        try:
            return question(value)
        except UserError as e:
            raise UserError(e.words, self._place(node)) from None

    def _require_known(self, name: str, argument: str, value: Any, node: Node) -> None:
        """Numbers that depend on data are taken for the most that they can be; few operators may get such."""
        values = cast("Sequence[Any]", value) if isinstance(value, list | tuple) else [value]
        if not takes_extents(name) and any(depends(symbolic_of(each)) for each in values):
            raise UserError(f"its argument '{argument}' depends on data", self._place(node))

    def _define(self, node: Node, value: SSAValue) -> None:
        self.values[node] = value
        if self.location is None:
            value.name_hint = word(node.name) or value.name_hint

    def _append(self, op: Operation, node: Node) -> None:
        op.location = self.location or NameLoc(StringAttr(node.name), file_of(node, self.source.file))
        self.block.add_op(op)

    def _place(self, node: Node) -> SourceLocation | None:
        return place_of(node, self.source.file)
