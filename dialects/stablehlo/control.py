"""Control flow: while, if, case, and what ends their regions.

```mlir
%0:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<4xf32>
cond {
  %1 = stablehlo.compare LT, %i, %bound, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %1 : tensor<i1>
} do {
  %1 = stablehlo.add %i, %one : tensor<i32>
  stablehlo.return %1, %x : tensor<i32>, tensor<4xf32>
}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, region_def, traits_def, var_operand_def, var_result_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect

from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.base import HloOp, declare
from mlc.dialects.stablehlo.rules import require

_EFFECTS = (RecursiveMemoryEffect(),)


@irdl_op_definition
class ReturnOp(HloOp):
    """What a region gives.

    ```mlir
    %y = "stablehlo.if"(%c) ({
      stablehlo.return %x : tensor<4xf32>
    }, {
      stablehlo.return %x : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    ```
    """

    name = "stablehlo.return"
    values = var_operand_def()
    assembly_format = "($values^)? attr-dict (`:` type($values)^)?"
    traits = traits_def(Pure(), IsTerminator())

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])


@irdl_op_definition
class WhileOp(HloOp):
    """Repeats `do` with what it returned, as long as `cond` holds; the arguments of both have the same names.

    ```mlir
    %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %i, %bound, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
    ```
    """

    name = "stablehlo.while"
    operand = var_operand_def()
    outcomes = var_result_def()
    cond = region_def("single_block")
    do = region_def("single_block")
    traits = traits_def(*_EFFECTS)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        arguments: list[Parser.UnresolvedArgument] = []
        inits: list[UnresolvedOperand] = []

        def pair() -> None:
            arguments.append(parser.parse_argument(expect_type=False))
            parser.parse_punctuation("=")
            inits.append(parser.parse_unresolved_operand())

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
        types: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation(":"):
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        if len(types) != len(inits):
            parser.raise_error(f"{len(inits)} values but {len(types)} types", start, parser.pos)
        operands = parser.resolve_operands(inits, types, start)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_keyword("cond")
        cond = parser.parse_region([a.resolve(t) for a, t in zip(arguments, types, strict=True)])
        parser.parse_keyword("do")
        do = parser.parse_region([a.resolve(t) for a, t in zip(arguments, types, strict=True)])
        return cls.create(
            operands=operands,
            result_types=types,
            attributes=dict(attributes.data) if attributes else {},
            regions=[cond, do],
        )

    def print(self, printer: Printer) -> None:
        body = self.do.block
        printer.print_string("(")
        names: list[str] = []
        for i, (argument, init) in enumerate(zip(body.args, self.operands, strict=True)):
            printer.print_string(", " if i else "")
            names.append(printer.print_ssa_value(argument))
            printer.print_string(" = ")
            printer.print_ssa_value(init)
        printer.print_string(")")
        if self.operands:
            printer.print_string(" : ")
            printer.print_list([o.type for o in self.operands], printer.print_attribute)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer._print_new_line()  # pyright: ignore[reportPrivateUsage]
        printer.print_string("cond ")
        # The arguments of both regions have one name each.
        known = printer._ssa_values  # pyright: ignore[reportPrivateUsage]
        known |= dict(zip(self.cond.block.args, names, strict=True))
        printer.print_region(self.cond, print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(self.do, print_entry_block_args=False)

    def verify_(self) -> None:
        rules_of_types = [o.type for o in self.operands]
        rules.region_types(self, 1, self.cond, rules_of_types, [TensorType(i1, ())], "cond")
        rules.region_types(self, 2, self.do, rules_of_types, rules_of_types, "body")
        found = [r.type for r in self.results]
        require(self, 3, found == rules_of_types, "results have the types of the operands")


def _branches(op: HloOp, nothing: int, alike: int, results: int) -> None:
    """Branches take nothing and return what the results are.

    Raises:
        VerifyException: they do not.
    """
    for i, region in enumerate(op.regions):
        require(op, nothing, not region.block.args, f"branch {i} takes {len(region.block.args)} values; it takes none")
    outcomes = [r.type for r in op.results]
    for i, region in enumerate(op.regions):
        number = results if i == 0 else alike
        rules.region_types(op, number, region, None, outcomes, f"branch {i}")


def _if(op: HloOp) -> None:
    found = op.operands[0].type
    require(op, "i1", found == TensorType(i1, ()), f"the condition is {found}; it has to be tensor<i1>")
    _branches(op, 1, 2, 3)


declare("if", operands="pred", results="*outcomes", regions="true_branch false_branch", traits=_EFFECTS, rules=(_if,))


def _case(op: HloOp) -> None:
    require(op, 1, len(op.regions) > 0, "it has no branch")
    _branches(op, 2, 3, 4)


declare(
    "case",
    operands="index",
    results="*outcomes",
    regions="*branches",
    traits=_EFFECTS,
    rules=(_case,),
)
