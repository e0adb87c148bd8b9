"""A choice between two regions."""

from xdsl.dialects import scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Region
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.upstream import close, parse_arrow_types, print_arrow_types, print_closed


class IfOp(scf.IfOp):
    """Runs one of two regions, the second of which may be missing; each yields values of the types of the results.

    ```mlir
    %y = scf.if %c -> (f32) {
      scf.yield %a : f32
    } else {
      scf.yield %b : f32
    }
    ```

    Constraints:
      if_c1: regions have no arguments
      if_c2: an op with results has both regions
    """

    @classmethod
    def parse(cls, parser: Parser) -> "IfOp":
        condition = parser.resolve_operand(parser.parse_unresolved_operand(), i1)
        types = parse_arrow_types(parser)
        regions = [parser.parse_region()]
        if parser.parse_optional_keyword("else"):
            regions.append(parser.parse_region())
        for region in regions:
            close(region, scf.YieldOp)
        then, otherwise = [*regions, Region()][:2]
        return cls(condition, types, then, otherwise, parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.cond)
        print_arrow_types(printer, self.result_types)
        printer.print_string(" ")
        print_closed(printer, self.true_region)
        if self.false_region.blocks:
            printer.print_string(" else ")
            print_closed(printer, self.false_region)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        super().verify_()
        if self.results and not self.false_region.blocks:
            raise VerifyException("scf.if: an op with results needs an else region (if_c2)")
        for region in self.regions:
            for block in region.blocks:
                if block.args:
                    raise VerifyException("scf.if: its regions have no arguments (if_c1)")
