"""Transposes and broadcasts of linalg."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, region_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.linalg.interface import LinalgOp, parse_dims, parse_operands, print_operands, shape_of, tensor_types
from mlc.dialects.linalg.named import verify_extents
from mlc.support.types import element_type


class _MoveOp(IRDLOperation, LinalgOp):
    """What transposes and broadcasts share: a result of the elements of one operand."""

    input = operand_def()
    init = operand_def()
    result = var_result_def(TensorType)
    region = region_def("single_block")

    KEYWORD: ClassVar[str]
    """The name of the property that is a list of dims."""

    @property
    def ins(self) -> Sequence[SSAValue]:
        return [self.input]

    @property
    def outs(self) -> Sequence[SSAValue]:
        return [self.init]

    @property
    def iterators(self) -> Sequence[IteratorType]:
        return [IteratorType.PARALLEL] * len(shape_of(self.init.type))

    @property
    def dims(self) -> list[int]:
        """The list of dims."""
        return list(cast("DenseArrayBase[Any]", self.properties[self.KEYWORD]).get_values())

    @classmethod
    def parse(cls, parser: Parser) -> _MoveOp:
        (source,), outs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        dims = parse_dims(parser, cls.KEYWORD)
        attributes = parser.parse_optional_attr_dict()
        block = Block(arg_types=[element_type(source.type), element_type(outs[0].type)])
        block.add_op(YieldOp(block.args[0]))
        return cls.build(
            operands=[source, outs[0]],
            result_types=[tensor_types(outs)],
            properties={cls.KEYWORD: dims},
            regions=[Region(block)],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_operands(printer, "ins", [self.input])
        print_operands(printer, "outs", [self.init])
        printer.print_string(f" {self.KEYWORD} = [")
        printer.print_list(self.dims, printer.print_int)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class TransposeOp(_MoveOp):
    """Dim `i` of the result is dim `permutation[i]` of the operand.

    ```mlir
    %y = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%init : tensor<8x4xf32>) permutation = [1, 0]
    ```

    Constraints:
      transpose_c1: the permutation has each dim once
    """

    name = "linalg.transpose"
    KEYWORD: ClassVar[str] = "permutation"
    permutation = prop_def(DenseArrayBase.constr(i64))

    @property
    def index_maps(self) -> Sequence[AffineMap]:
        dims = self.dims
        read = tuple(AffineExpr.dimension(dims.index(i)) for i in range(len(dims)))
        return [AffineMap(len(dims), 0, read), AffineMap.identity(len(dims))]

    def verify_(self) -> None:
        rank = len(shape_of(self.init.type))
        if sorted(self.dims) != list(range(rank)) or len(shape_of(self.input.type)) != rank:
            raise VerifyException(
                f"{self.name}: permutation {self.dims} of {self.input.type}, required: each dim of {self.init.type} "
                "once (transpose_c1)"
            )
        verify_extents(self)


@irdl_op_definition
class BroadcastOp(_MoveOp):
    """Repeats an operand along new dims.

    ```mlir
    %y = linalg.broadcast ins(%x : tensor<8xf32>) outs(%init : tensor<4x8xf32>) dimensions = [0]
    ```

    Constraints:
      broadcast_c1: the new dims and those of the operand are the dims of the result
    """

    name = "linalg.broadcast"
    KEYWORD: ClassVar[str] = "dimensions"
    dimensions = prop_def(DenseArrayBase.constr(i64))

    @property
    def index_maps(self) -> Sequence[AffineMap]:
        rank, new = len(shape_of(self.init.type)), self.dims
        read = tuple(AffineExpr.dimension(i) for i in range(rank) if i not in new)
        return [AffineMap(rank, 0, read), AffineMap.identity(rank)]

    def verify_(self) -> None:
        rank, new = len(shape_of(self.init.type)), self.dims
        known = len(set(new)) == len(new) and set(new) <= set(range(rank))
        if not known or len(shape_of(self.input.type)) + len(new) != rank:
            raise VerifyException(
                f"{self.name}: dimensions {new} beside those of {self.input.type}, required: the dims of "
                f"{self.init.type} (broadcast_c1)"
            )
        verify_extents(self)
