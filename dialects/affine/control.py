"""A choice by an affine condition, and what a loop's bounds may use."""

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineSetAttr, IndexType
from xdsl.ir import Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.affine.verify import verify_operands
from mlc.dialects.upstream import close, parse_arrow_types, print_arrow_types, print_closed
from mlc.support.requirements import requires


class IfOp(affine.IfOp):
    """Runs one of two regions, the second of which may be missing, by whether values are in an integer set.

    ```mlir
    affine.for %i = 0 to 8 {
      %x = affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)> (%i)[%n] -> (f32) {
        affine.yield %a : f32
      } else {
        affine.yield %b : f32
      }
    }
    ```

    Constraints:
      if_c1: there is a value for each dim and each symbol of the set
      if_c2: an op with results has both regions, and these yield values of their types
      if_c3: regions have no arguments
    """

    @classmethod
    def parse(cls, parser: Parser) -> "IfOp":
        position = parser.pos
        condition = parser.parse_attribute()
        if not isinstance(condition, AffineSetAttr):
            parser.raise_error(f"the condition of affine.if is an affine_set, got {condition}", position)
        operands = [*_parse_values(parser, parser.Delimiter.PAREN), *_parse_values(parser, parser.Delimiter.SQUARE)]
        types = parse_arrow_types(parser)
        regions = [parser.parse_region()]
        if parser.parse_optional_keyword("else"):
            regions.append(parser.parse_region())
        for region in regions:
            close(region, affine.YieldOp.get)
        return cls.build(
            operands=[operands],
            result_types=[types],
            properties={"condition": condition},
            attributes=parser.parse_optional_attr_dict(),
            regions=[*regions, Region()][:2],
        )

    def print(self, printer: Printer) -> None:
        dims = self.condition.data.num_dims
        printer.print_string(" ")
        printer.print_attribute(self.condition)
        with printer.in_parens():
            printer.print_list(self.args[:dims], printer.print_operand)
        if self.args[dims:]:
            with printer.in_square_brackets():
                printer.print_list(self.args[dims:], printer.print_operand)
        print_arrow_types(printer, self.result_types)
        printer.print_string(" ")
        print_closed(printer, self.then_region)
        if self.else_region.blocks:
            printer.print_string(" else ")
            print_closed(printer, self.else_region)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        super().verify_()
        condition = self.condition.data
        if len(self.args) != condition.num_dims + condition.num_symbols:
            raise VerifyException(
                f"affine.if: {len(self.args)} values for {condition.num_dims} dims and {condition.num_symbols} symbols "
                "(if_c1)"
            )
        verify_operands(self, condition.num_dims, condition.num_symbols, self.args)
        if self.results and not self.else_region.blocks:
            raise VerifyException("affine.if: an op with results needs an else region (if_c2)")
        for region in self.regions:
            for block in region.blocks:
                if block.args:
                    raise VerifyException("affine.if: its regions have no arguments (if_c3)")
                last = block.last_op
                found = last.operand_types if isinstance(last, affine.YieldOp) else None
                if found is None or tuple(found) != tuple(self.result_types):
                    raise VerifyException("affine.if: a region does not yield the types of the results (if_c2)")


@requires(affine.ForOp)
def bounds_are_affine(op: affine.ForOp) -> None:
    """Check the values that the bounds of a loop are computed from."""
    for bound, operands in (
        (op.lowerBoundMap.data, op.lowerBoundOperands),
        (op.upperBoundMap.data, op.upperBoundOperands),
    ):
        verify_operands(op, bound.num_dims, bound.num_symbols, operands)


def _parse_values(parser: Parser, delimiter: Parser.Delimiter) -> Sequence[SSAValue]:
    names = parser.parse_optional_comma_separated_list(delimiter, parser.parse_unresolved_operand)
    return [parser.resolve_operand(name, IndexType()) for name in names or ()]
