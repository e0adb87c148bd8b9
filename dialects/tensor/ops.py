"""The structured ops: map, reduce, contract."""

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType, StringAttr
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.tensor.structured import REDUCTIONS, StructuredOp, check_elements
from mlc.support.ir import inlined
from mlc.support.types import element_type, tensor_type


class _WithBody(StructuredOp):
    """A structured op whose points are computed by a region of scalar ops, one argument per operand.

    Constraints:
      body_c1: the body takes one element of each operand
      body_c2: it ends with `tensor.yield` of one value
      body_c3: that has the element type of the result
    """

    body = region_def("single_block")

    def emit_point(self, values: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
        ops, (point,) = inlined(self.body.block, values)
        return ops, point

    @property
    def yielded(self) -> SSAValue:
        """The scalar that the body computes."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last.arguments[0]

    def verify_(self) -> None:
        super().verify_()
        block = self.body.block
        found = [a.type for a in block.args]
        expected = [element_type(v.type) for v in self.inputs]
        if found != expected:
            raise VerifyException(
                f"{self.name}: the body takes ({', '.join(map(str, found))}), "
                f"one element of each operand is ({', '.join(map(str, expected))}) (body_c1)"
            )
        if not isinstance(block.last_op, YieldOp) or len(block.last_op.arguments) != 1:
            raise VerifyException(f"{self.name}: the body must end with tensor.yield of one value (body_c2)")
        if self.yielded.type != element_type(self.result.type):
            raise VerifyException(
                f"{self.name}: the body yields {self.yielded.type}, "
                f"the result's elements are {element_type(self.result.type)} (body_c3)"
            )


@irdl_op_definition
class MapOp(_WithBody):
    """Computes each point of the result from one element of each operand: elementwise ops, broadcasts, transposes.

    ```mlir
    %y = tensor.map %x[m, n], %b[n] over (m: 4, n: 8) : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32> {
    ^bb0(%a: f32, %bias: f32):
      %s = arith.addf %a, %bias : f32
      tensor.yield %s : f32
    }
    ```
    """

    name = "tensor.map"
    traits = traits_def(Pure(), SingleBlockImplicitTerminator(YieldOp))

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        subscripts: Sequence[Sequence[AffineExpr]],
        dims: Sequence[tuple[str, int]],
        result_type: Attribute,
        body: Region,
    ) -> None:
        super().__init__(inputs, subscripts, dims, result_type, regions=[body])

    @property
    def moves(self) -> bool:
        return len(self.inputs) == 1 and self.yielded is self.body.block.args[0]


@irdl_op_definition
class ReduceOp(_WithBody):
    """Combines points over the `reduce` dims with add, mul, max or min; NaN wins in max and min.

    Integers are signed in max and min, and unsigned in maxui and minui. NaN loses in maxnum (IEEE 754-2008, 5.3.1):
    the result is the greatest number, and -inf if all are NaN.

    The body computes the element that is combined; a body that only passes on its argument need not be written.

    ```mlir
    %m = tensor.reduce max %x[r, k] over (r: 4) reduce (k: 8) : tensor<4x8xf32> -> tensor<4xf32>
    %s = tensor.reduce add %x[r, k] over (r: 4) reduce (k: 8) : tensor<4x8xf32> -> tensor<4xf32> {
    ^bb0(%a: f32):
      %square = arith.mulf %a, %a : f32
      tensor.yield %square : f32
    }
    ```

    Constraints:
      reduce_c1: the kind is add, mul, max, min, maxnum, maxui or minui
      reduce_c2: there is a `reduce` dim
      reduce_c3: maxui and minui are of integers, maxnum is of floats
    """

    name = "tensor.reduce"
    kind = prop_def(StringAttr)
    traits = traits_def(Pure(), SingleBlockImplicitTerminator(YieldOp))

    def __init__(
        self,
        kind: str,
        inputs: Sequence[SSAValue],
        subscripts: Sequence[Sequence[AffineExpr]],
        dims: Sequence[tuple[str, int]],
        result_type: Attribute,
        body: Region | None = None,
    ) -> None:
        if body is None:
            block = Block(arg_types=[element_type(inputs[0].type)])
            block.add_op(YieldOp(block.args[0]))
            body = Region(block)
        super().__init__(inputs, subscripts, dims, result_type, {"kind": StringAttr(kind)}, [body])

    @property
    def reduction(self) -> str:
        return self.kind.data

    @property
    def passes_through(self) -> bool:
        """Whether the body only yields its one argument."""
        block = self.body.block
        return len(block.args) == 1 and self.yielded is block.args[0]

    def verify_(self) -> None:
        super().verify_()
        if self.kind.data not in REDUCTIONS:
            raise VerifyException(
                f"tensor.reduce: unknown kind '{self.kind.data}', required one of {', '.join(REDUCTIONS)} (reduce_c1)"
            )
        if self.num_parallel == len(self.dims):
            raise VerifyException("tensor.reduce: no dim to reduce over; use tensor.map (reduce_c2)")
        check_elements(self, self.kind.data, element_type(self.result.type), "reduce_c3")

    @classmethod
    def parse(cls, parser: Parser) -> "ReduceOp":
        kind = parser.parse_identifier("the kind of reduction")
        operands, subscripts, dims = cls.parse_iteration(parser)
        attributes = parser.parse_optional_attr_dict()
        inputs, result_type = cls.parse_types(parser, operands)
        op = cls(kind, inputs, subscripts, dims, result_type, parser.parse_optional_region())
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data}")
        self.print_iteration(printer, printed=("kind",))
        if not self.passes_through:
            printer.print_string(" ")
            printer.print_region(self.body)


@irdl_op_definition
class ContractOp(StructuredOp):
    """Sums products of two operands over the `reduce` dims: matmul, every convolution.

    ```mlir
    %y = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 8) reduce (k: 16)
       : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
    ```

    Constraints:
      contract_c1: there are two operands
      contract_c2: operands and result have one element type
    """

    name = "tensor.contract"

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        subscripts: Sequence[Sequence[AffineExpr]],
        dims: Sequence[tuple[str, int]],
        result_type: Attribute,
    ) -> None:
        super().__init__([lhs, rhs], subscripts, dims, result_type)

    @property
    def reduction(self) -> str:
        return "add"

    @property
    def contracts(self) -> bool:
        return True

    def emit_point(self, values: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
        lhs, rhs = values
        product = arith.MuliOp(lhs, rhs) if isinstance(lhs.type, IntegerType) else arith.MulfOp(lhs, rhs)
        return [product], product.result

    def emit_step(self, accumulator: SSAValue, values: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
        if isinstance(accumulator.type, IntegerType):
            return super().emit_step(accumulator, values)
        # One rounding instead of two, and one instruction: the sum and the product belong together.
        fma = math.FmaOp(values[0], values[1], accumulator)
        return [fma], fma.result

    def verify_(self) -> None:
        super().verify_()
        if len(self.inputs) != 2:
            raise VerifyException(f"tensor.contract: takes two operands, got {len(self.inputs)} (contract_c1)")
        types = {element_type(v.type) for v in (*self.inputs, self.result)}
        if len(types) != 1:
            lhs, rhs = (tensor_type(v) for v in self.inputs)
            raise VerifyException(
                f"tensor.contract: operands and result must have one element type, got {lhs}, {rhs} -> "
                f"{tensor_type(self.result)} (contract_c2)"
            )
