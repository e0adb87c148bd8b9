"""The ops of linalg with bodies in formats of their own, map and reduce, and softmax."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    SameVariadicOperandSize,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.linalg.interface import LinalgOp, parse_dims, parse_operands, print_operands, shape_of, tensor_types
from mlc.dialects.linalg.named import verify_extents
from mlc.dialects.upstream import parse_arrow_types
from mlc.support.types import element_type


def _identity_of(value: SSAValue) -> AffineMap:
    return AffineMap.identity(len(shape_of(value.type)))


def _parse_short_body(parser: Parser) -> str | None:
    """The op of `{ arith.addf }`, or nothing."""
    if parser.parse_optional_punctuation("{") is None:
        return None
    name = parser.parse_identifier("the name of an op")
    parser.parse_optional_attr_dict()
    parser.parse_punctuation("}")
    return name


def _short_body(parser: Parser, name: str, elements: Sequence[Attribute], used: Sequence[int], position: int) -> Region:
    """A region of one op, which takes some of the arguments, and yields what it computes."""
    kind = parser.ctx.get_optional_op(name)
    if kind is None:
        parser.raise_error(f"'{name}' is not an op that is known", position, position)
    block = Block(arg_types=elements)
    op = kind.create(operands=[block.args[i] for i in used], result_types=[elements[-1]])
    block.add_ops([op, YieldOp(*op.results)])
    return Region(block)


def _parse_body(parser: Parser) -> Region:
    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
    return parser.parse_region(arguments)


def _print_body(printer: Printer, region: Region) -> None:
    printer.print_string(" ")
    with printer.in_parens():
        printer.print_list(region.block.args, printer.print_block_argument)
    printer.print_string(" ")
    printer.print_region(region, print_entry_block_args=False)


@irdl_op_definition
class MapOp(IRDLOperation, LinalgOp):
    """Computes each element of a result from the elements of the operands at the same place.

    ```mlir
    %z = linalg.map ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<4xf32>) (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
    %w = linalg.map { arith.addf } ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<4xf32>)
    ```

    Constraints:
      map_c1: the body takes an element of each operand, and perhaps of the result
    """

    name = "linalg.map"
    inputs = var_operand_def()
    init = operand_def()
    res = var_result_def(TensorType)
    body = region_def("single_block")

    @property
    def ins(self) -> Sequence[SSAValue]:
        return self.inputs

    @property
    def outs(self) -> Sequence[SSAValue]:
        return [self.init]

    @property
    def index_maps(self) -> Sequence[AffineMap]:
        return [_identity_of(self.init)] * len(self.operands)

    @property
    def iterators(self) -> Sequence[IteratorType]:
        return [IteratorType.PARALLEL] * len(shape_of(self.init.type))

    def verify_(self) -> None:
        found = [a.type for a in self.body.block.args]
        elements = [element_type(v.type) for v in self.operands]
        if found not in (elements, elements[:-1]):
            raise VerifyException(
                f"{self.name}: the body takes ({', '.join(map(str, found))}), one element of each operand is "
                f"({', '.join(map(str, elements[:-1]))}) (map_c1)"
            )
        verify_extents(self)

    @classmethod
    def parse(cls, parser: Parser) -> MapOp:
        position = parser.pos
        short = _parse_short_body(parser)
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        attributes = parser.parse_optional_attr_dict()
        elements = [element_type(v.type) for v in (*inputs, *outputs)]
        if short is None:
            region = _parse_body(parser)
        else:
            region = _short_body(parser, short, elements, range(len(inputs)), position)
            region.block.erase_arg(region.block.args[-1])
        return cls.build(
            operands=[inputs, outputs[0]], result_types=[tensor_types(outputs)], regions=[region], attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        print_operands(printer, "ins", self.inputs)
        print_operands(printer, "outs", [self.init])
        printer.print_op_attributes(self.attributes)
        _print_body(printer, self.body)


@irdl_op_definition
class ReduceOp(IRDLOperation, LinalgOp):
    """Combines elements along some dims.

    ```mlir
    %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1] (%a: f32, %sum: f32) {
      %t = arith.addf %a, %sum : f32
      linalg.yield %t : f32
    }
    %r = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
    ```

    Constraints:
      reduce_c1: there are as many results as operands
      reduce_c2: the dims are dims of the operands, in rising order
    """

    name = "linalg.reduce"
    inputs = var_operand_def()
    inits = var_operand_def()
    res = var_result_def(TensorType)
    dimensions = prop_def(DenseArrayBase.constr(i64))
    body = region_def("single_block")

    irdl_options = (SameVariadicOperandSize(),)

    @property
    def ins(self) -> Sequence[SSAValue]:
        return self.inputs

    @property
    def outs(self) -> Sequence[SSAValue]:
        return self.inits

    @property
    def index_maps(self) -> Sequence[AffineMap]:
        whole, gone = _identity_of(self.inputs[0]), self.dimensions.get_values()
        left = AffineMap(whole.num_dims, 0, tuple(e for i, e in enumerate(whole.results) if i not in gone))
        return [*[whole] * len(self.inputs), *[left] * len(self.inits)]

    @property
    def iterators(self) -> Sequence[IteratorType]:
        gone = self.dimensions.get_values()
        rank = len(shape_of(self.inputs[0].type))
        return [IteratorType.REDUCTION if i in gone else IteratorType.PARALLEL for i in range(rank)]

    def verify_(self) -> None:
        dims, rank = list(self.dimensions.get_values()), len(shape_of(self.inputs[0].type))
        if len(self.inputs) != len(self.inits):
            raise VerifyException(f"{self.name}: {len(self.inputs)} operands for {len(self.inits)} results (reduce_c1)")
        if dims != sorted(set(dims)) or not set(dims) <= set(range(rank)):
            raise VerifyException(f"{self.name}: dimensions {dims}, required: rising numbers below {rank} (reduce_c2)")
        verify_extents(self)

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        position = parser.pos
        short = _parse_short_body(parser)
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        dims = parse_dims(parser, "dimensions")
        attributes = parser.parse_optional_attr_dict()
        elements = [element_type(v.type) for v in (*inputs, *outputs)]
        # Upstream's op takes what is there first.
        region = _parse_body(parser) if short is None else _short_body(parser, short, elements, (1, 0), position)
        return cls.build(
            operands=[inputs, outputs],
            result_types=[tensor_types(outputs)],
            properties={"dimensions": dims},
            regions=[region],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_operands(printer, "ins", self.inputs)
        print_operands(printer, "outs", self.inits)
        printer.print_string(" dimensions = [")
        printer.print_list(self.dimensions.get_values(), printer.print_int)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        _print_body(printer, self.body)


@irdl_op_definition
class SoftmaxOp(IRDLOperation):
    """Exponentials along a dim, divided by their sum.

    ```mlir
    %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```

    Constraints:
      softmax_c1: the operand and the result have one type, which has the dim
    """

    name = "linalg.softmax"
    input = operand_def()
    output = operand_def()
    result = var_result_def(TensorType)
    dimension = prop_def(IntegerAttr)

    @property
    def dim(self) -> int:
        """The dim along which the elements of the result add up to 1."""
        return self.dimension.value.data

    def verify_(self) -> None:
        if self.input.type != self.output.type or not 0 <= self.dim < len(shape_of(self.input.type)):
            raise VerifyException(
                f"{self.name}: dimension {self.dim} of {self.input.type} to {self.output.type}, required: one type, "
                "and one of its dims (softmax_c1)"
            )

    @classmethod
    def parse(cls, parser: Parser) -> SoftmaxOp:
        attributes = parser.parse_optional_attr_dict()
        parser.parse_keyword("dimension")
        with parser.in_parens():
            dim = parser.parse_integer()
        (source,), (output,) = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        results = parse_arrow_types(parser)
        return cls.build(
            operands=[source, output],
            result_types=[results],
            properties={"dimension": IntegerAttr(dim, i64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" dimension({self.dim})")
        print_operands(printer, "ins", [self.input])
        print_operands(printer, "outs", [self.output])
        if self.result:
            printer.print_string(" -> ")
            printer.print_attribute(self.result[0].type)


CUSTOM: tuple[type[Operation], ...] = (MapOp, ReduceOp, SoftmaxOp)
