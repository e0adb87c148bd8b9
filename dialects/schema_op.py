"""Ops that are made from the schemas of another system: any number of operands and results, attributes by name."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import IRDLOperation, var_operand_def, var_region_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer

_O = TypeVar("_O", bound="SchemaOp")


class SchemaOp(IRDLOperation, ABC):
    """What ops that are made from schemas share: their parts, and how they are written.

    ```mlir
    %y = onnx.Conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<*xf32>
    ```
    """

    GRAPHS: ClassVar[tuple[str, ...]] = ()
    """The names of the graphs that an op may hold, in the order of its regions; that of one left out is empty."""

    inputs = var_operand_def()
    outputs = var_result_def()
    bodies = var_region_def()

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        attributes: dict[str, Attribute] | None = None,
        bodies: Sequence[Region] = (),
    ) -> None:
        regions = list(bodies) or [Region() for _ in self.GRAPHS]
        super().__init__(operands=[inputs], result_types=[result_types], attributes=attributes or {}, regions=[regions])

    def graph(self, name: str) -> Block | None:
        """The graph that is the attribute of this name; None if it is left out."""
        region = dict(zip(self.GRAPHS, self.regions, strict=False)).get(name)
        return region.block if region is not None and region.blocks else None

    @classmethod
    def parse(cls: type[_O], parser: Parser) -> _O:
        start = parser.pos
        unresolved = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        bodies: list[Region] = []
        for graph in cls.GRAPHS:
            given = parser.parse_optional_keyword(graph)
            bodies.append(parser.parse_region() if given else Region())
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        if not isinstance(kind, FunctionType):
            parser.raise_error(f"expected the types of operands and results, (…) -> (…), got {kind}", start)
        operands = parser.resolve_operands(unresolved or [], kind.inputs.data, start)
        return cls(operands, kind.outputs.data, attributes, bodies)

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        for graph, body in zip(self.GRAPHS, self.regions, strict=False):
            if body.blocks:
                printer.print_string(f" {graph} ")
                printer.print_region(body, print_empty_block=False)
        printer.print_string(" : ")
        printer.print_operation_type(self)
