"""What `graph.scan` and `tensor.scan` have in common: a body that runs once per step, and what passes between steps.

The body is isolated: values from outside come in as operands, each with an argument of the body. So a pass that works
on one block at a time is right inside a body without knowing what a loop is, uses in a body count as uses of the scan,
and whether something depends on the step is read off the arguments. Constants need no way in; they stand in the body.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from itertools import islice
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    AnyTensorTypeConstr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    VarOperand,
    VarOpResult,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, Pure
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import Tensor, tensor_type

_Pair = tuple[Parser.UnresolvedArgument, UnresolvedOperand]
_CARRY, _OVER, _USING, _STACK, _BACKWARDS = "carry", "over", "using", "stack", "backwards"


class ScanLike(IRDLOperation, ABC):
    """Runs a body a known number of times, one step after the other; a value at each step follows from those before it.

    Operands are initial values of what is carried, tensors of which each step gets one row (along the leading axis),
    and values that all steps use. The body takes them in this order and yields what the next step carries, then one row
    of each stacked result. Results are the last carried values, then the stacks.
    """

    trips = prop_def(IntegerAttr[I64])
    backwards = prop_def(DenseArrayBase.constr(i1))
    """For each of the tensors that rows are taken from, then for each stack: whether the last row is the first."""
    initial: VarOperand = var_operand_def(AnyTensorTypeConstr)
    rows_of: VarOperand = var_operand_def(AnyTensorTypeConstr)
    captured: VarOperand = var_operand_def(AnyTensorTypeConstr)
    outputs: VarOpResult = var_result_def(AnyTensorTypeConstr)
    body: Region = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), IsolatedFromAbove())

    def __init__(
        self,
        trips: int,
        initial: Sequence[SSAValue],
        rows_of: Sequence[SSAValue],
        captured: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        body: Region,
        backwards: Sequence[bool] = (),
    ) -> None:
        """A scan; without `backwards`, all rows are taken and stacked first to last."""
        count = len(rows_of) + len(result_types) - len(initial)
        super().__init__(
            operands=[initial, rows_of, captured],
            result_types=[result_types],
            properties={
                "trips": IntegerAttr(trips, i64),
                "backwards": DenseArrayBase.from_list(i1, list(map(int, backwards or [False] * count))),
            },
            regions=[body],
        )

    @property
    def steps(self) -> int:
        """How often the body runs."""
        return self.trips.value.data

    @property
    def carried(self) -> Sequence[BlockArgument]:
        """What the body calls the carried values."""
        return self.body.block.args[: len(self.initial)]

    @property
    def rows(self) -> Sequence[BlockArgument]:
        """What the body calls the rows of a step."""
        return tuple(islice(self.body.block.args, len(self.initial), len(self.initial) + len(self.rows_of)))

    @property
    def used(self) -> Sequence[BlockArgument]:
        """What the body calls the values that all steps use."""
        return self.body.block.args[len(self.initial) + len(self.rows_of) :]

    @property
    def yielded(self) -> Sequence[SSAValue]:
        """What the body hands on: carried values, then a row of each stack."""
        last = self.body.block.last_op
        assert last is not None
        return last.operands

    @property
    def last_values(self) -> Sequence[SSAValue]:
        """The results that are carried values."""
        return self.outputs[: len(self.initial)]

    @property
    def stacks(self) -> Sequence[SSAValue]:
        """The results that hold a row of each step."""
        return self.outputs[len(self.initial) :]

    @property
    def directions(self) -> tuple[bool, ...]:
        """`backwards`, as Python's truth values."""
        return tuple(map(bool, self.backwards.get_values()))

    @property
    def taken_backwards(self) -> tuple[bool, ...]:
        """For each of `rows_of`, whether the first step gets its last row."""
        return self.directions[: len(self.rows_of)]

    @property
    def stacked_backwards(self) -> tuple[bool, ...]:
        """For each of `stacks`, whether the first step makes its last row."""
        return self.directions[len(self.rows_of) :]

    def verify_(self) -> None:
        """Check the constraints that the classes list."""
        found, needed = list(self.body.block.arg_types), self._types_of_arguments()
        if found != needed:
            raise self._violation(3, f"the body takes {_list(found)}; the operands give {_list(needed)}")
        last = self.body.block.last_op
        if last is None or not last.name.endswith(".yield"):
            raise self._violation(4, f"the body does not end in {self.dialect_name()}.yield")
        yielded, carried = [v.type for v in self.yielded], [v.type for v in self.initial]
        if yielded[: len(carried)] != carried:
            what = f"the body yields {_list(yielded)}; what it carries is {_list(carried)}"
            raise self._violation(5, f"{what}; required: the next of these first, in their order")
        wanted = [*carried, *(_stack(self.steps, t) for t in yielded[len(carried) :])]
        if (results := list(self.outputs.types)) != wanted and not (
            len(results) == len(wanted) and all(map(_agree, results, wanted))
        ):
            raise self._violation(6, f"the results are {_list(results)}; what the body yields gives {_list(wanted)}")
        if len(self.directions) != len(self.rows_of) + len(self.stacks):
            count = len(self.rows_of) + len(self.stacks)
            raise self._violation(
                7, f"{len(self.directions)} directions for {count} tensors that rows are taken from, and stacks"
            )

    def _types_of_arguments(self) -> list[Attribute]:
        if self.steps < 0:
            raise self._violation(1, f"{self.steps} steps; required: 0 or more")
        rows: list[Attribute] = []
        for value in self.rows_of:
            kind = tensor_type(value)
            shape = kind.get_shape()
            if not shape or shape[0] not in (self.steps, DYNAMIC_INDEX):
                raise self._violation(
                    2, f"a row of {kind} in each of {self.steps} steps; required: {self.steps} as its first extent"
                )
            rows.append(TensorType(kind.element_type, shape[1:]))
        return [*self.initial.types, *rows, *self.captured.types]

    def _violation(self, number: int, message: str) -> VerifyException:
        return VerifyException(f"{self.name}: {message} (scan_c{number})")

    @classmethod
    def parse(cls, parser: Parser) -> ScanLike:
        trips = parser.parse_integer()
        initial, _ = _parse_bindings(parser, _CARRY)
        rows, taken = _parse_bindings(parser, _OVER)
        captured, _ = _parse_bindings(parser, _USING)
        stacked: list[bool] | None = None
        if parser.parse_optional_keyword(_STACK):
            stacked = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_direction(parser))
        parser.parse_punctuation(":")
        position = parser.pos
        signature = parser.parse_type()
        if not isinstance(signature, FunctionType):
            parser.raise_error("expected the types of operands and results, as (a, b) -> c", position, parser.pos)
        pairs = [*initial, *rows, *captured]
        types = signature.inputs.data
        if len(types) != len(pairs):
            message = f"{len(pairs)} operands, but {len(types)} operand types; these must be as many"
            parser.raise_error(message, position, parser.pos)
        stacks = len(signature.outputs.data) - len(initial)
        if stacks < 0:
            message = f"{len(initial)} carried values, but {len(signature.outputs.data)} result types"
            parser.raise_error(message, position, parser.pos)
        operands = [parser.resolve_operand(v, t) for (_, v), t in zip(pairs, types, strict=True)]
        inside = [cls._argument_type(t, len(initial) <= i < len(initial) + len(rows)) for i, t in enumerate(types)]
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region([a.resolve(t) for (a, _), t in zip(pairs, inside, strict=True)])
        first, second = len(initial), len(initial) + len(rows)
        directions = [*taken, *(stacked if stacked is not None else [False] * stacks)]
        op = cls(
            trips,
            operands[:first],
            operands[first:second],
            operands[second:],
            signature.outputs.data,
            body,
            directions,
        )
        op.properties["backwards"] = DenseArrayBase.from_list(i1, list(map(int, directions)))
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    @staticmethod
    def _argument_type(kind: Attribute, is_row: bool) -> Attribute:
        if not is_row or not isinstance(kind, TensorType):
            return kind
        whole = cast(Tensor, kind)
        return TensorType(whole.element_type, whole.get_shape()[1:]) if whole.get_shape() else whole

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.steps}")
        _print_bindings(printer, _CARRY, self.carried, self.initial)
        _print_bindings(printer, _OVER, self.rows, self.rows_of, self.taken_backwards)
        _print_bindings(printer, _USING, self.used, self.captured)
        if any(self.stacked_backwards) or len(self.stacked_backwards) != len(self.stacks):
            words = [_BACKWARDS if b else "forwards" for b in self.stacked_backwards]
            printer.print_string(f" {_STACK} ({', '.join(words)})")
        printer.print_string(" : ")
        printer.print_function_type([v.type for v in self.operands], [r.type for r in self.results])
        printer.print_string(" ")
        if self.attributes:
            printer.print_string("attributes ")
            printer.print_attr_dict(self.attributes)
            printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def _parse_bindings(parser: Parser, keyword: str) -> tuple[list[_Pair], list[bool]]:
    """`keyword (%inside = %outside backwards, …)`; nothing if the keyword is missing."""
    if not parser.parse_optional_keyword(keyword):
        return [], []

    def binding() -> tuple[_Pair, bool]:
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        value = parser.parse_unresolved_operand()
        return (argument, value), keyword == _OVER and parser.parse_optional_keyword(_BACKWARDS) is not None

    found = parser.parse_comma_separated_list(parser.Delimiter.PAREN, binding)
    return [pair for pair, _ in found], [direction for _, direction in found]


def _parse_direction(parser: Parser) -> bool:
    if parser.parse_optional_keyword("forwards"):
        return False
    parser.parse_characters(_BACKWARDS)
    return True


def _print_bindings(
    printer: Printer,
    keyword: str,
    inside: Sequence[SSAValue],
    outside: Sequence[SSAValue],
    directions: Sequence[bool] = (),
) -> None:
    if not outside:
        return
    printer.print_string(f" {keyword} (")
    for i, (argument, value) in enumerate(zip(inside, outside, strict=True)):
        printer.print_string(", " if i else "")
        printer.print_ssa_value(argument)
        printer.print_string(" = ")
        printer.print_ssa_value(value)
        if i < len(directions) and directions[i]:
            printer.print_string(f" {_BACKWARDS}")
    printer.print_string(")")


def stack_type(steps: int, row: Tensor) -> Tensor:
    """The type of a stack of as many rows."""
    return TensorType(row.element_type, [steps, *row.get_shape()])


def _stack(steps: int, row: Attribute) -> Attribute:
    return stack_type(steps, cast(Tensor, row)) if isinstance(row, TensorType) else row


def _agree(result: Attribute, wanted: Attribute) -> bool:
    """Whether two types are the same but for extents of the first that are not known."""
    if not isinstance(result, TensorType) or not isinstance(wanted, TensorType):
        return result == wanted
    found, needed = cast(Tensor, result), cast(Tensor, wanted)
    one, other = found.get_shape(), needed.get_shape()
    same = len(one) == len(other) and found.element_type == needed.element_type
    return same and all(a in (b, DYNAMIC_INDEX) for a, b in zip(one, other, strict=True))


def _list(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"
