"""Graphs of `torch.fx`, of ATen's operators, as IR: one op per node, names as locations."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FileLineColLoc,
    FunctionType,
    IntAttr,
    IntegerAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneType,
    StringAttr,
    TensorType,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from mlc.dialects.aten.effects import CHECKED, SEED, draws, is_mutation
from mlc.dialects.aten.ops import NoneOp, call
from mlc.dialects.aten.schemas import OverloadSchema, op_name, schema_of, torch_package
from mlc.dialects.aten.tensors import array_of
from mlc.dialects.aten.values import attribute_of, element_of_dtype
from mlc.dialects.graph import ConstantOp
from mlc.support.errors import SourceLocation, UserError
from mlc.support.functions import DIMS, DONATED, NAME
from mlc.support.locations import location_of
from mlc.support.resources import Resources

if TYPE_CHECKING:
    Node = Any
    """A `torch.fx.Node`."""

_FRAME = re.compile(r'File "([^"]+)", line (\d+), in ')
_NO_WORD = re.compile(r"[^A-Za-z0-9_$.-]")


@dataclass
class GraphSource:
    """What is to be read: a graph, and what its parts are.

    Attributes:
        graph: a `torch.fx.Graph` whose nodes have `meta["val"]`.
        file: what messages call the model.
        constants: the tensors that some placeholders, or attributes that nodes get, are for good, by their names.
        input_names: what callers call other placeholders, if that is not the name of the node.
        input_dims: names for the dims of inputs that are open, or were, by what callers call the input.
        output_names: what callers call the results, in order; empty for numbers.
        extent: the number that an extent of a shape, or another symbolic number, is.
        results: the nodes whose values are returned, instead of those that the graph returns.
        donated: the placeholders in whose memory some of `results` may lie, by the numbers of these.
        checked: whether one more result counts the elements of arguments that torch does not take.
        seeded: whether a graph that draws random numbers takes a seed, an i64 that is its last argument.
    """

    graph: Any
    file: str = "model"
    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    input_names: Mapping[str, str] = field(default_factory=dict[str, str])
    input_dims: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    output_names: Sequence[str] = ()
    extent: Callable[[Any], Any] = int
    results: Sequence[Any] | None = None
    donated: Mapping[int, Any] = field(default_factory=dict[int, Any])
    seeded: bool = False
    checked: bool = False


def read_graph(source: GraphSource, resources: Resources) -> ModuleOp:
    """The module of a graph: the function `@main` of the placeholders that are tensors and no constants, and of the
    results that are tensors. Constants share memory with torch where they lie in one piece.

    Raises:
        UserError: a node is no operator of ATen, or has a type that the IR lacks.
    """
    return _Reader(source, resources).module()


def read_body(
    source: GraphSource, resources: Resources, arguments: Sequence[SSAValue], location: LocationAttr
) -> tuple[list[Operation], list[SSAValue | None]]:
    """The ops of a graph on values that are there, all said to come from one place, and its results; None for one that
    is no tensor.

    Raises:
        UserError: a node is no operator of ATen, or has a type that the IR lacks.
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
    location: LocationAttr | None = None
    """Where all ops are said to come from; None for a place of each node's own."""

    def body(self, arguments: Sequence[SSAValue]) -> tuple[list[Operation], list[SSAValue | None]]:
        """The ops of the graph on these values for its placeholders that are tensors, in no block, and its results."""
        given = iter(arguments)
        results: list[SSAValue | None] = []
        for node in self.source.graph.nodes:
            if node.op == "placeholder":
                if _is_tensor(node.meta.get("val")):
                    self.values[node] = next(given)
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
                    raise UserError(f"a node of kind '{other}' is no operator of ATen", self._place(node))
        arguments = [_named(name, self.source.input_dims.get(name, ())) for name in self.inputs]
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
        function.location = self._file()
        module = ModuleOp([function])
        module.location = self._file()
        return module

    def _named_result(self, number: int, name: str) -> DictionaryAttr:
        marks = _named(name or f"output{number}")
        donor = self.values.get(self.source.donated.get(number))
        if not isinstance(donor, BlockArgument):
            return marks
        return DictionaryAttr({**marks.data, DONATED: IntegerAttr(donor.index, i64)})

    # ---- values that are there from the start

    def _read_value(self, node: Node) -> None:
        """A placeholder, or an attribute of the module."""
        name = str(node.target) if node.op == "get_attr" else node.name
        if name in self.source.constants:
            self._add_constant(node, name, self.source.constants[name])
        elif node.op == "get_attr":
            if _is_branch(node):
                return  # it is refused with the call that it is for
            raise UserError(f"nobody says what the attribute '{name}' is", self._place(node))
        elif _is_tensor(node.meta.get("val")):
            value = self.block.insert_arg(self._type(node.meta["val"], node), len(self.block.args))
            self._define(node, value)
            self.inputs.append(self.source.input_names.get(node.name, node.name))

    def _add_constant(self, node: Node, name: str, tensor: Any) -> None:
        kind = self._type(tensor, node)
        resource = self.resources.add(array_of(tensor), name)
        made = ConstantOp(DenseResourceAttr.from_params(resource, cast(Any, kind)))
        self._append(made, node)
        self._define(node, made.result)

    # ---- operators

    def _read_call(self, node: Node) -> None:
        if is_mutation(node):
            return  # its value is a result
        if node.target is operator.getitem:
            if (part := self._part(node.args[0], node.args[1])) is not None:
                self._define(node, part)
            return
        if not _is_tensor(_first(node.meta.get("val"))) and _is_number(node.meta.get("val")):
            return  # arithmetic on extents, which is known
        name, schema, given = self._operator(node)
        if name.startswith("aten.as_strided") and not _lies_in_order(given["self"].meta.get("val")):
            raise UserError(
                "it reads the memory of a tensor whose elements do not lie there in order", self._place(node)
            )
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
                attributes[argument.name] = self._attribute(argument.name, value, node)
        found = node.meta.get("val")
        results = [found] if _is_tensor(found) else list(cast(Sequence[Any], found or ()))
        types = [NoneType() if each is None else self._type(each, node) for each in results if _is_part(each)]
        made = call(name, counts, operands, attributes, types)
        self._append(made, node)
        if _is_tensor(found):
            self._define(node, made.results[0])
        else:
            rest = iter(made.results)
            self.values[node] = [next(rest) if _is_part(each) else None for each in results]

    def _part(self, node: Node, index: int) -> SSAValue | None:
        """One of several results, if there is one."""
        parts = self.values.get(node)
        found = parts[index] if isinstance(parts, list) else None
        return None if found is None or found.type == NoneType() else found

    def _operator(self, node: Node) -> tuple[str, OverloadSchema, dict[str, Any]]:
        """The name of an operator in IR, its schema, and the arguments that are given."""
        torch = cast(Any, torch_package())
        target = node.target
        if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
            named = getattr(target, "__name__", str(target))
            shown = f"{getattr(target, '__module__', '')}.{named}".removeprefix("_operator.")
            raise UserError(f"'{shown}' is no operator of ATen", self._place(node))
        name = op_name(target)
        if (schema := schema_of(name)) is None:
            raise UserError(f"torch has no schema of '{name}'", self._place(node))
        given = dict(zip((a.name for a in schema.arguments), node.args, strict=False)) | node.kwargs
        single = [a.name for a in schema.arguments if a.tensors == "one"]
        numbers = [each for each in single if _is_number(self._plain(given.get(each), node))]
        if numbers:
            # torch takes numbers for tensors of no dims; there is an overload for most, else they are constants.
            other = schema_of(name.replace(".Tensor", ".Scalar"))
            if other is not None and not any(a.tensors and a.name in numbers for a in other.arguments):
                return name.replace(".Tensor", ".Scalar"), other, given
        return name, schema, given

    def _operand(self, value: Any, node: Node) -> SSAValue:
        if value is None:
            none = NoneOp()
            self._append(none, node)
            return none.result
        if _is_number(number := self._plain(value, node)):
            return self._number(number, node)
        found = self.values.get(value)
        if not isinstance(found, SSAValue):
            raise UserError(f"it takes '{value}', which is no tensor that is computed before", self._place(node))
        return found

    def _number(self, number: float, node: Node) -> SSAValue:
        """A number as a constant of no dims."""
        element = i1 if isinstance(number, bool) else i64 if isinstance(number, int) else f64
        made = ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, TensorType(element, [])), [number]))
        self._append(made, node)
        return made.result

    def _attribute(self, name: str, value: Any, node: Node) -> Attribute:
        attribute = attribute_of(self._plain(value, node))
        if attribute is None:
            raise UserError(f"argument '{name}' is {value!r}, which has no form in the IR", self._place(node))
        return attribute

    def _plain(self, value: Any, node: Node) -> Any:
        """A value with numbers in place of symbolic ones."""
        if isinstance(value, list | tuple):
            return [self._plain(each, node) for each in cast(Sequence[Any], value)]
        found = value.meta.get("val") if hasattr(value, "meta") and hasattr(value, "target") else value
        return self._extent(found, node) if _is_symbolic(found) else found

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
        shapes = cast(Any, torch_package("torch.fx.experimental.symbolic_shapes")) if _is_symbolic(extent) else None
        if shapes is not None and shapes.free_unbacked_symbols(extent):
            raise UserError("the shape of a tensor depends on data", self._place(node))
        return self.source.extent(extent)

    def _define(self, node: Node, value: SSAValue) -> None:
        self.values[node] = value
        if self.location is None:
            value.name_hint = word(node.name) or value.name_hint

    def _append(self, op: Operation, node: Node) -> None:
        op.location = self.location or NameLoc(StringAttr(node.name), self._file(node))
        self.block.add_op(op)

    def _file(self, node: Node | None = None) -> FileLineColLoc:
        """The line of the model's source that a node was made for, if that is known."""
        frames = _FRAME.findall(node.meta.get("stack_trace") or "") if node is not None else []
        file, line = frames[-1] if frames else (self.source.file, 0)
        return FileLineColLoc(StringAttr(file), IntAttr(int(line)), IntAttr(0))

    def _place(self, node: Node) -> SourceLocation | None:
        op = NoneOp()
        op.location = NameLoc(StringAttr(node.name), self._file(node))
        return location_of(op)


def word(name: str) -> str | None:
    """A name of torch as one of a value in IR."""
    clean = _NO_WORD.sub("_", name)
    return f"v{clean}" if clean[:1].isdigit() else clean or None


def _named(name: str, dims: Sequence[str] = ()) -> DictionaryAttr:
    said: dict[str, Attribute] = {NAME: StringAttr(name)}
    if any(dims):
        said[DIMS] = ArrayAttr([StringAttr(dim) for dim in dims])
    return DictionaryAttr(said)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, cast(Any, torch_package()).Tensor)


def _is_branch(node: Node) -> bool:
    """Whether an attribute is a graph that an operator of higher order takes, such as a branch of `torch.cond`."""
    return bool(node.users) and all(
        isinstance(user.target, cast(Any, torch_package())._ops.HigherOrderOperator) for user in node.users
    )


def _is_part(value: Any) -> bool:
    """Whether what an operator gives is a result in IR: a tensor, or one that was not asked for."""
    return value is None or _is_tensor(value)


def _lies_in_order(value: Any) -> bool:
    return value.is_contiguous() and value.storage_offset() == 0


def _first(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return next(iter(cast("Sequence[Any]", value)), None)
    return value


def _is_symbolic(value: Any) -> bool:
    torch = cast(Any, torch_package())
    return isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or _is_symbolic(value)
