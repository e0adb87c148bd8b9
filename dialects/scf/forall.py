"""Iterations at once over tensors, each of which writes a slice of the results."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, I64, ArrayAttr, DenseArrayBase, IndexType, TensorType, i64
from xdsl.dialects.utils.dynamic_index_list import (
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
    verify_dynamic_index_list,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, NoTerminator, RecursiveMemoryEffect, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.upstream import close, parse_arrow_types, print_arrow_types, print_closed

_Bounds = tuple[Sequence[SSAValue], Sequence[int]]
"""Values, and numbers with a mark where a value stands."""


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """The end of an iteration of `scf.forall`: its ops write slices of the results, in no order.

    ```mlir
    %y = scf.forall (%i) in (8) shared_outs(%out = %init) -> (tensor<8xf32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %part into %out[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      }
    }
    ```
    """

    name = "scf.forall.in_parallel"
    region = region_def("single_block")
    traits = lazy_traits_def(lambda: (HasParent(ForallOp), IsTerminator(), NoTerminator(), RecursiveMemoryEffect()))

    def __init__(self, region: Region | None = None) -> None:
        super().__init__(regions=[Region(Block()) if region is None or not region.blocks else region])

    @classmethod
    def parse(cls, parser: Parser) -> InParallelOp:
        op = cls(parser.parse_region())
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_region(self.region, print_empty_block=False)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ForallOp(IRDLOperation):
    """Iterations that run at once; each may write slices of the shared outputs, which become the results.

    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%out = %init) -> (tensor<?xf32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %part into %out[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
      }
    }
    ```

    Constraints:
      forall_c1: there are as many lower bounds, upper bounds and steps as counters
      forall_c2: the body takes the counters, then the shared outputs
      forall_c3: the results have the types of the shared outputs
      forall_c4: a mapping has one entry for each counter
      forall_c5: the ops at the end write slices of the shared outputs, as the body calls them
    """

    name = "scf.forall"

    dynamic_lower = var_operand_def(IndexType)
    dynamic_upper = var_operand_def(IndexType)
    dynamic_step = var_operand_def(IndexType)
    outputs = var_operand_def(TensorType)
    static_lower = prop_def(DenseArrayBase[I64], prop_name="staticLowerBound")
    static_upper = prop_def(DenseArrayBase[I64], prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase[I64], prop_name="staticStep")
    mapping = opt_prop_def(ArrayAttr)
    outs = var_result_def(TensorType)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(SingleBlockImplicitTerminator(InParallelOp), RecursiveMemoryEffect())

    def __init__(
        self,
        lower: _Bounds,
        upper: _Bounds,
        step: _Bounds,
        outputs: Sequence[SSAValue],
        body: Region,
    ) -> None:
        super().__init__(
            operands=[lower[0], upper[0], step[0], outputs],
            result_types=[[v.type for v in outputs]],
            properties={
                "staticLowerBound": DenseArrayBase.from_list(i64, lower[1]),
                "staticUpperBound": DenseArrayBase.from_list(i64, upper[1]),
                "staticStep": DenseArrayBase.from_list(i64, step[1]),
            },
            regions=[body],
        )

    @property
    def bounds(self) -> tuple[_Bounds, _Bounds, _Bounds]:
        """The lower bounds, the upper bounds and the steps."""
        return (
            (self.dynamic_lower, self.static_lower.get_values()),
            (self.dynamic_upper, self.static_upper.get_values()),
            (self.dynamic_step, self.static_step.get_values()),
        )

    @property
    def counts_from_zero(self) -> bool:
        """Whether all lower bounds are 0 and all steps 1."""
        lower, _, step = (numbers for _, numbers in self.bounds)
        return all(n == 0 for n in lower) and all(n == 1 for n in step)

    def verify_(self) -> None:
        lower, upper, step = self.bounds
        rank = len(upper[1])
        for values, numbers in (lower, upper, step):
            verify_dynamic_index_list(numbers, values, DYNAMIC_INDEX)
            if len(numbers) != rank:
                raise VerifyException(
                    f"scf.forall: {len(numbers)} lower bounds or steps for {rank} counters (forall_c1)"
                )
        expected = [IndexType()] * rank + [v.type for v in self.outputs]
        if list(self.body.block.arg_types) != expected:
            raise VerifyException(
                f"scf.forall: the body takes ({', '.join(map(str, self.body.block.arg_types))}), "
                f"required: ({', '.join(map(str, expected))}) (forall_c2)"
            )
        if list(self.result_types) != [v.type for v in self.outputs]:
            raise VerifyException("scf.forall: the results have other types than the shared outputs (forall_c3)")
        if self.mapping is not None and len(self.mapping) != rank:
            raise VerifyException(f"scf.forall: {len(self.mapping)} mappings for {rank} counters (forall_c4)")
        self._check_end(self.body.block.args[rank:])

    def _check_end(self, shared: Sequence[SSAValue]) -> None:
        end = self.body.block.last_op
        for op in end.region.block.ops if isinstance(end, InParallelOp) else ():
            if op.name != "tensor.parallel_insert_slice":
                raise VerifyException(
                    f"scf.forall: found '{op.name}' at the end; required: tensor.parallel_insert_slice (forall_c5)"
                )
            if op.operands[1] not in shared:
                raise VerifyException(
                    "scf.forall: a slice is written to a value that is not a shared output (forall_c5)"
                )

    @classmethod
    def parse(cls, parser: Parser) -> ForallOp:
        counters = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        rank = len(counters)
        if parser.parse_optional_keyword("in"):
            lower, upper, step = ((), [0] * rank), _parse_bounds(parser, rank), ((), [1] * rank)
        else:
            parser.parse_punctuation("=")
            lower = _parse_bounds(parser, rank)
            parser.parse_keyword("to")
            upper = _parse_bounds(parser, rank)
            parser.parse_keyword("step")
            step = _parse_bounds(parser, rank)
        shared: list[tuple[Parser.UnresolvedArgument, SSAValue]] = []
        if parser.parse_optional_keyword("shared_outs"):
            position = parser.pos
            pairs = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN,
                lambda: (
                    parser.parse_argument(expect_type=False),
                    parser.parse_punctuation("="),
                    parser.parse_unresolved_operand(),
                ),
            )
            outputs = parser.resolve_operands([p[2] for p in pairs], parse_arrow_types(parser), position)
            shared = [(pair[0], output) for pair, output in zip(pairs, outputs, strict=True)]
        index = IndexType()
        body = parser.parse_region([*(c.resolve(index) for c in counters), *(a.resolve(v.type) for a, v in shared)])
        close(body, InParallelOp)
        attributes = parser.parse_optional_attr_dict()
        op = cls(lower, upper, step, [v for _, v in shared], body)
        if (mapping := attributes.pop("mapping", None)) is not None:
            op.properties["mapping"] = mapping
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        lower, upper, step = self.bounds
        arguments = self.body.block.args
        printer.print_string(" (")
        printer.print_list(arguments[: len(upper[1])], lambda a: printer.print_block_argument(a, print_type=False))
        printer.print_string(")")
        words = (("in", upper),) if self.counts_from_zero else (("=", lower), ("to", upper), ("step", step))
        for word, (values, numbers) in words:
            printer.print_string(f" {word} ")
            print_dynamic_index_list(printer, DYNAMIC_INDEX, values, numbers, delimiter=Parser.Delimiter.PAREN)
        if self.outputs:
            printer.print_string(" shared_outs(")
            pairs = zip(arguments[len(upper[1]) :], self.outputs, strict=True)
            printer.print_list(pairs, lambda pair: _print_assignment(printer, *pair))
            printer.print_string(")")
        print_arrow_types(printer, self.result_types)
        printer.print_string(" ")
        print_closed(printer, self.body)
        mapping = {} if self.mapping is None else {"mapping": self.mapping}
        printer.print_op_attributes(mapping | self.attributes)


def _parse_bounds(parser: Parser, rank: int) -> _Bounds:
    position = parser.pos
    names, numbers = parse_dynamic_index_list_without_types(parser, DYNAMIC_INDEX, delimiter=Parser.Delimiter.PAREN)
    if len(numbers) != rank:
        parser.raise_error(f"{len(numbers)} bounds or steps for {rank} counters", position)
    return [parser.resolve_operand(name, IndexType()) for name in names], numbers


def _print_assignment(printer: Printer, argument: SSAValue, value: SSAValue) -> None:
    printer.print_ssa_value(argument)
    printer.print_string(" = ")
    printer.print_ssa_value(value)
