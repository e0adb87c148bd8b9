"""`graph.fusion`: a group of ops that becomes one kernel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarOperand,
    VarOpResult,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure

from mlc.dialects.graph.branches import IfOp, WhileOp
from mlc.dialects.graph.scan import ScanOp
from mlc.dialects.graph.types import AnyTensor, Value, violation

__all__ = ["FusionOp", "YieldOp"]


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the body of `graph.fusion` with its results, or one of `graph.scan`, `graph.if` or `graph.while`.

    ```mlir
    %y = graph.fusion "relu" (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> {
      %0 = graph.relu %a : tensor<64xf32>
      graph.yield %0 : tensor<64xf32>
    }
    ```
    """

    name = "graph.yield"

    values: VarOperand = var_operand_def(AnyTensor)

    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: Value) -> None:
        super().__init__(operands=[values])


@irdl_custom_directive
class Captures(CustomDirective):
    """`(%inside = %outside, …) : (types) -> types { body }`, where `%inside` are the arguments of the body."""

    operands: VariadicOperandVariable
    operand_types: TypeDirective
    result_types: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        def pair() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
            argument = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            return argument, parser.parse_unresolved_operand()

        pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
        parser.parse_punctuation(":")
        position = parser.pos
        signature = parser.parse_type()
        if not isinstance(signature, FunctionType):
            parser.raise_error("expected the types of operands and results, as (a, b) -> c", position, parser.pos)
        inputs = signature.inputs.data
        if len(inputs) != len(pairs):
            message = f"{len(pairs)} operands, but {len(inputs)} operand types; these must be as many"
            parser.raise_error(message, position, parser.pos)
        self.operands.set(state, [operand for _, operand in pairs])
        self.operand_types.set(state, inputs)
        self.result_types.set(state, signature.outputs.data)
        arguments = [argument.resolve(type) for (argument, _), type in zip(pairs, inputs, strict=True)]
        self.body.set(state, parser.parse_region(arguments))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        operands, body = self.operands.get(op), self.body.get(op)
        printer.print_string(" (")
        for i, (argument, operand) in enumerate(zip(body.block.args, operands, strict=True)):
            printer.print_string(", " if i else "")
            printer.print_ssa_value(argument)
            printer.print_string(" = ")
            printer.print_ssa_value(operand)
        printer.print_string(") : ")
        printer.print_function_type(operands.types, [r.type for r in op.results])
        printer.print_string(" ")
        printer.print_region(body, print_entry_block_args=False)
        state.should_emit_space = True
        state.last_was_punctuation = False


@irdl_op_definition
class FusionOp(IRDLOperation):
    """Ops that are computed together; `kernel_name` becomes the name of the kernel.

    The body sees only its arguments, so that it can move to a function as it is.

    ```mlir
    %y = graph.fusion "linear_relu" (%a = %x, %m = %w, %v = %b)
        : (tensor<64x784xf32>, tensor<784x200xf32>, tensor<200xf32>) -> tensor<64x200xf32> {
      %0 = graph.matmul %a, %m : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
      %1 = graph.add %0, %v : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
      %2 = graph.relu %1 : tensor<64x200xf32>
      graph.yield %2 : tensor<64x200xf32>
    }
    ```

    Required:

    - `fusion_c1`: the body takes what the operands are
    - `fusion_c2`: the body ends in `graph.yield`
    - `fusion_c3`: the body yields what the results are
    """

    name = "graph.fusion"

    kernel_name = prop_def(StringAttr)
    inputs: VarOperand = var_operand_def(AnyTensor)
    outputs: VarOpResult = var_result_def(AnyAttr())
    body: Region = region_def("single_block")

    traits = traits_def(Pure(), IsolatedFromAbove())
    custom_directives = (Captures,)
    assembly_format = (
        "$kernel_name custom<Captures>($inputs, type($inputs), type($outputs), $body) attr-dict-with-keyword"
    )

    def __init__(
        self, kernel_name: str, inputs: Sequence[Value], result_types: Sequence[Attribute], body: Region
    ) -> None:
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"kernel_name": StringAttr(kernel_name)},
            regions=[body],
        )

    @property
    def results_inside(self) -> VarOperand:
        """The values that the body yields."""
        terminator = self.body.block.last_op
        assert isinstance(terminator, YieldOp)
        return terminator.values

    def verify_(self) -> None:
        """Check what the class says is required."""
        if (found := list(self.body.block.arg_types)) != (needed := list(self.inputs.types)):
            raise violation(self.name, 1, f"the body takes {_list(found)}; the operands are {_list(needed)}")
        if not isinstance(self.body.block.last_op, YieldOp):
            raise violation(self.name, 2, "the body does not end in graph.yield")
        yielded, results = list(self.results_inside.types), list(self.outputs.types)
        if yielded != results:
            raise violation(self.name, 3, f"the body yields {_list(yielded)}; the results are {_list(results)}")


def _list(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


# The terminator and what it ends refer to each other, so it gets its traits last.
YieldOp.traits = traits_def(Pure(), IsTerminator(), HasParent(FusionOp, ScanOp, IfOp, WhileOp))
