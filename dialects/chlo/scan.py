"""`chlo.scan`: a loop over one dim of some tensors.

```mlir
%sums, %total = chlo.scan(%x) inits(%zero) dimension=0 attributes {is_reverse = true} {
^bb0(%element: tensor<f32>, %sum: tensor<f32>):
  %0 = stablehlo.add %element, %sum : tensor<f32>
  stablehlo.return %0, %0 : tensor<f32>, tensor<f32>
} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from mlc.dialects.stablehlo.base import HloOp
from mlc.dialects.stablehlo.rules import require, shape

_WRITTEN = ("dimension", "operandSegmentSizes", "resultSegmentSizes")
"""The properties that the form has places for."""


class ScanForm(HloOp):
    """How a scan is written, and what it is made of: each step takes a slice of each input, then what is carried, and
    gives a slice of each output, then what is carried on."""

    @property
    def axis(self) -> int:
        """The dim of inputs and outputs along which the scan goes."""
        return self.number("dimension")

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The tensors of which a step takes slices."""
        return self.operands[: len(self.operands) - self.carried]

    @property
    def initial(self) -> Sequence[SSAValue]:
        """What the first step has from the one before."""
        return self.operands[len(self.operands) - self.carried :]

    @property
    def carried(self) -> int:
        """How many values pass from step to step."""
        return self.ints("operandSegmentSizes")[1]

    @property
    def steps(self) -> int:
        """How many steps there are."""
        if self.inputs:
            return shape(self.inputs[0])[self.axis]
        return self.number("scan_dim_size")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        inputs = _values(parser)
        parser.parse_keyword("inits")
        initial = _values(parser)
        parser.parse_keyword("dimension")
        parser.parse_punctuation("=")
        dimension = parser.parse_integer()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region()
        parser.parse_punctuation(":")
        kind = parser.parse_function_type()
        if len(kind.outputs) < len(initial):
            parser.raise_error(f"{len(kind.outputs)} results; at least the {len(initial)} that are carried", start)
        properties: dict[str, Attribute] = {
            "dimension": IntegerAttr(dimension, i64),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(inputs), len(initial)]),
            "resultSegmentSizes": DenseArrayBase.from_list(i32, [len(kind.outputs) - len(initial), len(initial)]),
        }
        rest = dict(attributes.data) if attributes else {}
        own = cls.get_irdl_definition().properties
        return cls.create(
            operands=parser.resolve_operands([*inputs, *initial], list(kind.inputs), start),
            result_types=list(kind.outputs),
            properties=properties | {name: rest.pop(name) for name in list(rest) if name in own},
            attributes=rest,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        for word, values in (("(", self.inputs), (" inits(", self.initial)):
            printer.print_string(word)
            printer.print_list(values, printer.print_ssa_value)
            printer.print_string(")")
        printer.print_string(f" dimension={self.axis}")
        rest = {name: value for name, value in self.properties.items() if name not in _WRITTEN}
        printer.print_op_attributes(rest | self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.regions[0])
        printer.print_string(" : (")
        printer.print_list([v.type for v in self.operands], printer.print_attribute)
        printer.print_string(") -> (")
        printer.print_list([v.type for v in self.results], printer.print_attribute)
        printer.print_string(")")


def _values(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)


def scan_is_right(op: HloOp) -> None:
    """Types of a scan's slices, of what it carries, and of its results.

    Raises:
        VerifyException: they do not fit.
    """
    scan = cast(ScanForm, op)
    operands, results = (scan.ints(f"{part}SegmentSizes") for part in ("operand", "result"))
    for sizes, values, what in ((operands, scan.operands, "operands"), (results, scan.results, "results")):
        fit = len(sizes) == 2 and min(sizes) >= 0 and sum(sizes) == len(values)
        require(op, "c1", fit, f"there are {len(values)} {what}, in segments of {list(sizes)}")
    same = operands[1] == results[1]
    require(op, "c2", same, f"{operands[1]} values are carried, and {results[1]} are results; these must be as many")
    is_told = bool(operands[0]) or "scan_dim_size" in op.properties
    require(op, "c3", is_told, "without inputs, scan_dim_size says how many steps there are")
    at = scan.axis
    stacks = [*scan.inputs, *scan.results[: results[0]]]
    for value in stacks:
        require(op, "c4", 0 <= at < len(shape(value)), f"{value.type} has a dim {at}, over which the scan goes")
        fit = shape(value)[at] == scan.steps
        require(op, "c4", fit, f"dim {at} of {value.type} has the {scan.steps} elements of the scan")
    slices = [_slice(v, at) for v in stacks]
    carried = [v.type for v in scan.initial]
    takes, gives = [a.type for a in op.body().args], [v.type for v in cast(Any, op.body().last_op).operands]
    needed = [*slices[: operands[0]], *carried]
    require(op, "c5", takes == needed, f"the body takes {_listed(takes)}; it must take {_listed(needed)}")
    needed = [*slices[operands[0] :], *carried]
    require(op, "c6", gives == needed, f"the body returns {_listed(gives)}; it must return {_listed(needed)}")
    found = [r.type for r in scan.results[results[0] :]]
    require(op, "c7", found == carried, f"the last results are {_listed(found)}; what is carried is {_listed(carried)}")


def _slice(value: SSAValue, at: int) -> Attribute:
    kind = cast("TensorType[Attribute]", value.type)
    return TensorType(kind.element_type, [e for i, e in enumerate(kind.get_shape()) if i != at])


def _listed(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"
