"""`affine.max`, which xDSL lacks beside `affine.min`."""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, result_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class MaxOp(IRDLOperation):
    """The largest result of an affine map.

    ```mlir
    %n = affine.max affine_map<(d0)[s0] -> (0, d0 - s0)>(%i)[%j]
    ```
    """

    name = "affine.max"
    arguments = var_operand_def(IndexType())
    map = prop_def(AffineMapAttr)
    result = result_def(IndexType())
    traits = traits_def(Pure())

    def verify_(self) -> None:
        required = self.map.data.num_dims + self.map.data.num_symbols
        if len(self.operands) != required:
            raise VerifyException(f"found {len(self.operands)} operands; required: {required}, as the map has")

    @classmethod
    def parse(cls, parser: Parser) -> MaxOp:
        position = parser.pos
        which = parser.parse_attribute()
        if not isinstance(which, AffineMapAttr):
            parser.raise_error("expected an affine map", position)

        def operands(delimiter: Parser.Delimiter) -> list[SSAValue[IndexType]]:
            return (
                parser.parse_optional_comma_separated_list(delimiter, lambda: parser.parse_operand(IndexType())) or []
            )

        values = [*operands(parser.Delimiter.PAREN), *operands(parser.Delimiter.SQUARE)]
        attributes = parser.parse_optional_attr_dict()
        return cls.build(
            operands=[values], properties={"map": which}, attributes=attributes, result_types=[IndexType()]
        )

    def print(self, printer: Printer) -> None:
        dims = self.map.data.num_dims
        printer.print_string(" ")
        printer.print_attribute(self.map)
        with printer.in_parens():
            printer.print_list(self.arguments[:dims], printer.print_operand)
        if self.arguments[dims:]:
            with printer.in_square_brackets():
                printer.print_list(self.arguments[dims:], printer.print_operand)
        printer.print_op_attributes(self.attributes)
