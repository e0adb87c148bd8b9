"""Blocks among structured operations."""

from xdsl.dialects import scf
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc.dialects.upstream import parse_arrow_types, print_arrow_types


class ExecuteRegionOp(scf.ExecuteRegionOp):
    """Runs its region once, which may have several blocks; each way through it ends with the results.

    ```mlir
    %y = scf.execute_region -> (f32) {
      cf.cond_br %c, ^left, ^right
    ^left:
      scf.yield %a : f32
    ^right:
      scf.yield %b : f32
    } {my.attribute}
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> "ExecuteRegionOp":
        types = parse_arrow_types(parser)
        op = cls(types, parser.parse_region())
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        print_arrow_types(printer, self.result_types)
        printer.print_string(" ")
        printer.print_region(self.region)
        printer.print_op_attributes(self.attributes)
