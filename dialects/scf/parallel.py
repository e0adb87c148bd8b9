"""Loops whose iterations are independent, and the reductions over them."""

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.upstream import close, parse_arrow_types, print_arrow_types


class ReduceOp(scf.ReduceOp):
    """Combines a value of each iteration of `scf.parallel` with what the others gave; one region for each value.

    ```mlir
    %sum = scf.parallel (%i) = (%lower) to (%upper) step (%step) init (%zero) -> f32 {
      scf.reduce(%a : f32) {
      ^bb0(%x: f32, %y: f32):
        %0 = arith.addf %x, %y : f32
        scf.reduce.return %0 : f32
      }
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> "ReduceOp":
        operands: Sequence[SSAValue] = ()
        if parser.parse_optional_punctuation("("):
            names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            parser.parse_punctuation(")")
            operands = parser.resolve_operands(names, types, parser.pos)
        regions: list[Region] = []
        if (first := parser.parse_optional_region()) is not None:
            regions.append(first)
            while parser.parse_optional_punctuation(",") or operands[len(regions) :]:
                regions.append(parser.parse_region())
        op = cls(operands, regions)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        if self.args:
            printer.print_string("(")
            printer.print_list(self.args, printer.print_operand)
            printer.print_string(" : ")
            printer.print_list(self.args.types, printer.print_attribute)
            printer.print_string(")")
        if self.reductions:
            printer.print_string(" ")
            printer.print_list(self.reductions, printer.print_region)
        printer.print_op_attributes(self.attributes)


class ParallelOp(scf.ParallelOp):
    """Loops whose iterations may run in any order, or at once.

    ```mlir
    %sum = scf.parallel (%i, %j) = (%l0, %l1) to (%u0, %u1) step (%s0, %s1) init (%zero) -> f32 {
      scf.reduce(%a : f32) {
      ^bb0(%x: f32, %y: f32):
        %0 = arith.addf %x, %y : f32
        scf.reduce.return %0 : f32
      }
    }
    ```

    Constraints:
      parallel_c1: there is at least one counter
    """

    def verify_(self) -> None:
        super().verify_()
        if not self.lowerBound:
            raise VerifyException("scf.parallel: it has no counter, at least one is needed (parallel_c1)")

    @classmethod
    def parse(cls, parser: Parser) -> "ParallelOp":
        index = IndexType()
        counters = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        bounds: list[Sequence[SSAValue]] = []
        for word in ("=", "to", "step"):
            parser.parse_characters(word)
            position = parser.pos
            names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
            if len(names) != len(counters):
                parser.raise_error(f"{len(names)} values for {len(counters)} counters", position)
            bounds.append([parser.resolve_operand(name, index) for name in names])
        position, inits = parser.pos, list[SSAValue]()
        if parser.parse_optional_keyword("init"):
            names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
            inits = list(parser.resolve_operands(names, parse_arrow_types(parser), position))
        body = parser.parse_region([counter.resolve(index) for counter in counters])
        close(body, ReduceOp)
        lower, upper, step = bounds
        op = cls(lower, upper, step, body, inits)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_list(self.body.block.args, lambda a: printer.print_block_argument(a, print_type=False))
        printer.print_string(")")
        for word, values in (("=", self.lowerBound), ("to", self.upperBound), ("step", self.step)):
            _print_values(printer, word, values)
        if self.initVals:
            _print_values(printer, "init", self.initVals)
        print_arrow_types(printer, self.result_types)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)


def _print_values(printer: Printer, word: str, values: Sequence[SSAValue]) -> None:
    printer.print_string(f" {word} (")
    printer.print_list(values, printer.print_operand)
    printer.print_string(")")
