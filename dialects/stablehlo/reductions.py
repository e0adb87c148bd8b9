"""Ops that combine elements by a region: reduce, reduce_window, select_and_scatter, map and sort.

```mlir
%0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import DenseArrayBase, FunctionType, TensorType, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, region_def, traits_def, var_operand_def, var_result_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect

from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.base import BOOL, DENSE, I64, I64S, HloOp, declare, hlo
from mlc.dialects.stablehlo.control import ReturnOp
from mlc.dialects.stablehlo.places import without
from mlc.dialects.stablehlo.rules import element, in_range, is_unique, require, scalar, shape, words

_EFFECTS = (RecursiveMemoryEffect(),)


def halves(op: Operation) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
    """What is reduced, and what each reduction starts from."""
    count = len(op.operands) // 2
    return op.operands[:count], op.operands[count:]


def _reduce_like(op: HloOp, counted: int, shapes: int, elements: int) -> None:
    """As many inputs as starting values and results, of one shape and of one element type each.

    Raises:
        VerifyException: they are not.
    """
    inputs, inits = halves(op)
    holds = len(inputs) > 0 and len(inputs) == len(inits) == len(op.results)
    found = f"found {len(op.operands)} operands and {len(op.results)} results"
    require(op, counted, holds, f"{found}; inputs, starting values and results are as many")
    require(op, shapes, all(rules.fits(shape(v), shape(inputs[0])) for v in inputs), "the inputs have one shape")
    for value, init in zip(inputs, inits, strict=True):
        holds = element(value) == element(init)
        require(op, elements, holds, f"a reduction of {value.type} cannot start from {init.type}")


def _combiner(op: HloOp, constraint: int, name: str) -> None:
    """The region combines two elements of each input to one of each result."""
    inputs, _ = halves(op)
    scalars, outcomes = [scalar(v.type) for v in inputs], [scalar(r.type) for r in op.results]
    rules.region_types(op, constraint, op.regions[0], [*scalars, *scalars], outcomes, name, True)


@irdl_op_definition
class ReduceOp(HloOp):
    """Combines the elements along some dims, all inputs at once, by a region or by one op.

    ```mlir
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    ```
    """

    name = "stablehlo.reduce"
    values = var_operand_def()
    dimensions = prop_def(I64S)
    outcomes = var_result_def()
    body_region = region_def("single_block")
    traits = traits_def(*_EFFECTS)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        inputs: list[UnresolvedOperand] = []
        inits: list[UnresolvedOperand] = []

        def pair() -> None:
            with parser.in_parens():
                inputs.append(parser.parse_unresolved_operand())
                parser.parse_keyword("init")
                parser.parse_punctuation(":")
                inits.append(parser.parse_unresolved_operand())

        start = parser.pos
        parser.parse_comma_separated_list(parser.Delimiter.NONE, pair)
        named = parser.pos
        applied = parser.parse_identifier() if parser.parse_optional_keyword("applies") else None
        parser.parse_keyword("across")
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        if not isinstance(kind, FunctionType) or not kind.inputs.data:
            parser.raise_error(f"expected the types of operands and results, (…) -> …, got {kind}", start, parser.pos)
        types = kind.inputs.data
        operands = parser.resolve_operands([*inputs, *inits], types, start)
        region = _parse_reducer(parser) if applied is None else _applying(parser, applied, types[0], named)
        properties: dict[str, Attribute] = {"dimensions": DenseArrayBase.from_list(i64, dims)}
        return cls.create(
            operands=operands,
            result_types=kind.outputs.data,
            properties=properties,
            attributes=attributes,
            regions=[region],
        )

    def print(self, printer: Printer) -> None:
        inputs, inits = halves(self)
        for i, (value, init) in enumerate(zip(inputs, inits, strict=True)):
            printer.print_string(", (" if i else "(")
            printer.print_ssa_value(value)
            printer.print_string(" init: ")
            printer.print_ssa_value(init)
            printer.print_string(")")
        if (applied := _applied(self)) is not None:
            printer.print_string(f" applies {applied.name}")
        printer.print_string(f" across dimensions = {list(self.ints('dimensions'))}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type([o.type for o in self.operands], [r.type for r in self.results])
        if applied is None:
            printer._print_new_line()  # pyright: ignore[reportPrivateUsage]
            printer.print_string(" reducer")
            arguments = self.body().args
            for one, two in zip(arguments[: len(inputs)], arguments[len(inputs) :], strict=True):
                printer.print_string("(")
                printer.print_block_argument(one)
                printer.print_string(", ")
                printer.print_block_argument(two)
                printer.print_string(") ")
            printer.print_string(" ")
            printer.print_region(self.body_region, print_entry_block_args=False)

    def verify_(self) -> None:
        rules.tensors(self)
        _reduce_like(self, 3, 1, 2)
        inputs, _ = halves(self)
        dims, sizes = self.ints("dimensions"), shape(inputs[0])
        require(self, 4, in_range(dims, len(sizes)), f"dims are {list(dims)}; inputs have {len(sizes)} dims")
        require(self, 5, is_unique(dims), f"dims are {list(dims)}; each may be there once")
        _combiner(self, 6, "body")
        needed = without(sizes, *dims)
        for result in self.results:
            found = shape(result)
            require(self, 7, rules.fits(found, needed), f"the result is {words(found)}; it has to be {words(needed)}")


def _parse_reducer(parser: Parser) -> Region:
    """`reducer(%a: type, %b: type) (…) { … }`, whose pairs become all first arguments and then all second ones."""
    parser.parse_keyword("reducer")
    ones: list[Parser.Argument] = []
    twos: list[Parser.Argument] = []
    while parser.parse_optional_punctuation("("):
        ones.append(parser.parse_argument())
        parser.parse_punctuation(",")
        twos.append(parser.parse_argument())
        parser.parse_punctuation(")")
    return parser.parse_region([*ones, *twos])


def _applying(parser: Parser, name: str, kind: Attribute, position: int) -> Region:
    """The region of one op, whose name was given."""
    try:
        op = hlo(name.removeprefix("stablehlo."))
    except KeyError:
        op = None
    if op is None or not op.COMMUTATIVE or not isinstance(kind, TensorType):
        parser.raise_error(
            f"expected an op of two operands that may be exchanged, such as stablehlo.add, got {name}", position
        )
    assert op is not None
    element_type = scalar(cast(Attribute, kind))
    block = Block(arg_types=[element_type, element_type])
    made = op.create(operands=list(block.args), result_types=[element_type])
    block.add_ops([made, ReturnOp(*made.results)])
    return Region(block)


def _applied(op: ReduceOp) -> Operation | None:
    """The only op of the region, if that is all that has to be said about it."""
    block = op.body()
    first, last = block.first_op, block.last_op
    if first is None or last is None or first.next_op is not last or not isinstance(first, HloOp):
        return None
    wanted = scalar(op.operands[0].type)
    plain = first.COMMUTATIVE and not first.attributes and not first.properties
    types = {v.type for v in (*first.operands, *first.results)} == {wanted}
    straight = tuple(first.operands) == tuple(block.args) and tuple(last.operands) == tuple(first.results)
    return first if plain and types and straight else None


def _map(op: HloOp) -> None:
    """c1 to c4: inputs of one shape, all of whose dims are named, and a region on their elements."""
    require(op, 2, len(op.operands) > 0, "there is nothing to map")
    rank, dims = len(shape(op.operands[0])), op.ints("dimensions")
    require(op, 3, dims == tuple(range(rank)), f"dims are {list(dims)}; they have to be those of the inputs, in order")
    arguments, outcomes = [scalar(o.type) for o in op.operands], [scalar(r.type) for r in op.results]
    rules.region_types(op, 4, op.regions[0], arguments, outcomes, "computation")


declare(
    "map",
    operands="*inputs",
    properties={"dimensions": I64S},
    regions="computation",
    traits=_EFFECTS,
    rules=(rules.tensors, rules.same_shapes(1), _map),
)


def _sort(op: HloOp) -> None:
    """c1 to c5: inputs of one shape, results of their types, and a region that compares two elements of each."""
    require(op, 1, len(op.operands) > 0, "there is nothing to sort")
    found, needed = [r.type for r in op.results], [o.type for o in op.operands]
    require(op, 2, len(found) == len(needed), f"found {len(found)} results of {len(needed)} inputs")
    for value, result in zip(op.operands, op.results, strict=True):
        same = element(value) == element(result) and rules.fits(shape(value), shape(result))
        require(op, 2, same, f"the result is {result.type}; it has to be {value.type}")
        require(op, 3, rules.fits(shape(value), shape(op.operands[0])), "the inputs have one shape")
    rank, at = len(shape(op.operands[0])), op.number("dimension", -1)
    require(op, 4, -rank <= at < rank, f"the dim is {at}; inputs have {rank} dims")
    scalars = [scalar(o.type) for o in op.operands for _ in range(2)]
    rules.region_types(op, 5, op.regions[0], scalars, [TensorType(i1, ())], "comparator")


declare(
    "sort",
    operands="*inputs",
    results="*outcomes",
    optional={"dimension": I64, "is_stable": BOOL},
    regions="comparator",
    traits=_EFFECTS,
    rules=(rules.tensors, _sort),
)


def _reduce_window(op: HloOp) -> None:
    """c1 to c16: numbers for each dim, and as many results as there are windows."""
    _reduce_like(op, 1, 2, 3)
    sizes = shape(op.operands[0])
    rank, ones = len(sizes), (1,) * len(sizes)
    parts: list[tuple[int, ...]] = []
    for counted, positive, name in (
        (4, 5, "window_dimensions"),
        (6, 7, "window_strides"),
        (8, 9, "base_dilations"),
        (10, 11, "window_dilations"),
    ):
        values = op.ints(name, ones)
        require(op, counted, len(values) == rank, f"{name} is {list(values)}; inputs have {rank} dims")
        require(op, positive, all(v > 0 for v in values), f"{name} is {list(values)}; all have to be greater than 0")
        parts.append(values)
    padding = op.pairs("padding") or ((0, 0),) * rank
    require(op, 12, len(padding) == rank, f"found padding of {len(padding)} dims; inputs have {rank}")
    _combiner(op, 13, "body")
    window, strides, base, dilations = parts
    needed = rules.windows(sizes, window, strides, base, dilations, padding)
    for result in op.results:
        found = shape(result)
        require(op, 15, rules.fits(found, needed), f"the result is {words(found)}; it has to be {words(needed)}")


declare(
    "reduce_window",
    operands="*values",
    results="*outcomes",
    properties={"window_dimensions": I64S},
    optional={"window_strides": I64S, "base_dilations": I64S, "window_dilations": I64S, "padding": DENSE},
    regions="body_region",
    traits=_EFFECTS,
    rules=(rules.tensors, _reduce_window),
)


def _select_and_scatter(op: HloOp) -> None:
    """c1 to c12: a source with an element for each window."""
    operand, source, init = op.operands
    sizes, kind = shape(operand), scalar(operand.type)
    rank, ones = len(sizes), (1,) * len(sizes)
    require(op, 1, element(source) == element(operand), f"the source is {source.type}; the operand is {operand.type}")
    require(op, 3, element(init) == element(operand), f"the start is {init.type}; the operand is {operand.type}")
    window, strides = op.ints("window_dimensions", ones), op.ints("window_strides", ones)
    for counted, positive, name, values in ((4, 5, "window_dimensions", window), (6, 7, "window_strides", strides)):
        require(op, counted, len(values) == rank, f"{name} is {list(values)}; the operand has {rank} dims")
        require(op, positive, all(v > 0 for v in values), f"{name} is {list(values)}; all have to be greater than 0")
    padding = op.pairs("padding") or ((0, 0),) * rank
    require(op, 8, len(padding) == rank, f"found padding of {len(padding)} dims; the operand has {rank}")
    needed = rules.windows(sizes, window, strides, ones, ones, padding)
    found = shape(source)
    require(op, 2, rules.fits(found, needed), f"the source is {words(found)}; it has to be {words(needed)}")
    rules.region_types(op, 9, op.regions[0], [kind, kind], [TensorType(i1, ())], "select")
    rules.region_types(op, 10, op.regions[1], [kind, kind], [scalar(op.results[0].type)], "scatter", True)
    result = op.results[0]
    require(op, 11, rules.fits(shape(result), sizes), f"the result is {result.type}; the operand is {operand.type}")


declare(
    "select_and_scatter",
    operands="operand source init_value",
    optional={"window_dimensions": I64S, "window_strides": I64S, "padding": DENSE},
    regions="select scatter",
    traits=_EFFECTS,
    rules=(rules.tensors, _select_and_scatter),
)
