"""Affine loops whose iterations are independent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.affine import YieldOp
from xdsl.dialects.builtin import (
    I64,
    AffineMapAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.affine.subscripts import SubscriptParser, print_expression
from mlc.dialects.affine.verify import verify_operands
from mlc.dialects.memref.atomics import KINDS
from mlc.dialects.upstream import close, parse_arrow_types, print_arrow_types, print_closed

_Bounds = tuple[AffineMap, Sequence[int], Sequence[SSAValue]]
"""The expressions of all counters, how many each counter has, and the values in them."""


@irdl_op_definition
class ParallelOp(IRDLOperation):
    """Counters that run over a box whose iterations are independent; what they yield is combined.

    A counter starts at the largest of its lower bounds and ends before the smallest of its upper bounds.

    ```mlir
    %sum = affine.parallel (%i, %j) = (0, max(%n, 5)) to (%n, min(%n, 100)) step (1, 2) reduce ("addf") -> (f32) {
      affine.yield %x : f32
    }
    ```

    Constraints:
      parallel_c1: there are as many lower bounds, upper bounds and positive steps as counters
      parallel_c2: there is one reduction for each result, of a known kind
      parallel_c3: the body yields values of the types of the results
    """

    name = "affine.parallel"

    map_operands = var_operand_def(IndexType())
    reductions = prop_def(ArrayAttr[IntegerAttr[I64]])
    lowerBoundsMap = prop_def(AffineMapAttr)
    lowerBoundsGroups = prop_def(DenseIntElementsAttr)
    upperBoundsMap = prop_def(AffineMapAttr)
    upperBoundsGroups = prop_def(DenseIntElementsAttr)
    steps = prop_def(ArrayAttr[IntegerAttr[I64]])
    res = var_result_def()
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    @property
    def bounds(self) -> tuple[_Bounds, _Bounds]:
        """The lower and the upper bounds."""
        lower, upper = self.lowerBoundsMap.data, self.upperBoundsMap.data
        count = lower.num_dims + lower.num_symbols
        return (
            (lower, _integers(self.lowerBoundsGroups), self.map_operands[:count]),
            (upper, _integers(self.upperBoundsGroups), self.map_operands[count:]),
        )

    def verify_(self) -> None:
        rank = len(self.body.block.args)
        for expressions, groups, operands in self.bounds:
            if len(groups) != rank or sum(groups) != len(expressions.results):
                raise VerifyException(f"affine.parallel: {len(groups)} bounds for {rank} counters (parallel_c1)")
            verify_operands(self, expressions.num_dims, expressions.num_symbols, operands)
        steps = [step.value.data for step in self.steps]
        if len(steps) != rank or any(step < 1 for step in steps):
            raise VerifyException(f"affine.parallel: the steps {steps} of {rank} counters (parallel_c1)")
        kinds = [kind.value.data for kind in self.reductions]
        if len(kinds) != len(self.results) or any(kind not in range(len(KINDS)) for kind in kinds):
            raise VerifyException(
                f"affine.parallel: the reductions {kinds} of {len(self.results)} results (parallel_c2)"
            )
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or tuple(last.operand_types) != tuple(self.result_types):
            raise VerifyException("affine.parallel: the body does not yield the types of the results (parallel_c3)")

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        counters = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        lower = _parse_bounds(parser, "max")
        parser.parse_keyword("to")
        upper = _parse_bounds(parser, "min")
        steps = [1] * len(counters)
        if parser.parse_optional_keyword("step"):
            steps = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_integer)
        reductions: list[int] = []
        if parser.parse_optional_keyword("reduce"):
            reductions = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_kind(parser))
        types = parse_arrow_types(parser)
        body = parser.parse_region([counter.resolve(IndexType()) for counter in counters])
        close(body, YieldOp.get)
        return cls.build(
            operands=[[*lower[2], *upper[2]]],
            result_types=[types],
            properties={
                "reductions": _array(reductions),
                "lowerBoundsMap": AffineMapAttr(lower[0]),
                "lowerBoundsGroups": _groups(lower[1]),
                "upperBoundsMap": AffineMapAttr(upper[0]),
                "upperBoundsGroups": _groups(upper[1]),
                "steps": _array(steps),
            },
            attributes=parser.parse_optional_attr_dict(),
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        lower, upper = self.bounds
        printer.print_string(" (")
        printer.print_list(self.body.block.args, lambda a: printer.print_block_argument(a, print_type=False))
        printer.print_string(") = ")
        _print_bounds(printer, "max", lower)
        printer.print_string(" to ")
        _print_bounds(printer, "min", upper)
        steps = [step.value.data for step in self.steps]
        if any(step != 1 for step in steps):
            printer.print_string(f" step ({', '.join(map(str, steps))})")
        if self.results:
            kinds = ", ".join(f'"{KINDS[kind.value.data]}"' for kind in self.reductions)
            printer.print_string(f" reduce ({kinds})")
        print_arrow_types(printer, self.result_types)
        printer.print_string(" ")
        print_closed(printer, self.body)
        printer.print_op_attributes(self.attributes)


def _integers(groups: DenseIntElementsAttr) -> Sequence[int]:
    return [int(n) for n in groups.get_values()]


def _array(numbers: Sequence[int]) -> ArrayAttr[IntegerAttr[I64]]:
    return ArrayAttr([IntegerAttr(n, i64) for n in numbers])


def _groups(counts: Sequence[int]) -> DenseIntOrFPElementsAttr:
    return cast(Any, DenseIntOrFPElementsAttr).from_list(TensorType(i32, [len(counts)]), list(counts))


def _parse_kind(parser: Parser) -> int:
    position = parser.pos
    kind = parser.parse_str_literal()
    if kind not in KINDS:
        parser.raise_error(f"unknown reduction '{kind}', required one of {', '.join(KINDS)}", position)
    return KINDS.index(kind)


def _parse_bounds(parser: Parser, word: str) -> _Bounds:
    """`(0, max(%n, 5))`."""
    subscripts = SubscriptParser(parser)

    def bound() -> list[AffineExpr]:
        if parser.parse_optional_keyword(word):
            return parser.parse_comma_separated_list(parser.Delimiter.PAREN, subscripts.parse)
        return [subscripts.parse()]

    groups = parser.parse_comma_separated_list(parser.Delimiter.PAREN, bound)
    results = [expression for group in groups for expression in group]
    return subscripts.map_of(results), [len(group) for group in groups], subscripts.operands()


def _print_bounds(printer: Printer, word: str, bounds: _Bounds) -> None:
    expressions, counts, operands = bounds
    rest = list(expressions.results)

    def write(expression: AffineExpr) -> None:
        print_expression(printer, expression, expressions.num_dims, operands)

    def write_group(count: int) -> None:
        group, rest[:count] = rest[:count], []
        if count == 1:
            write(group[0])
            return
        printer.print_string(word)
        with printer.in_parens():
            printer.print_list(group, write)

    with printer.in_parens():
        printer.print_list(counts, write_group)
