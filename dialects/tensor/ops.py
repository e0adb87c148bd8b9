"""The structured ops: map, reduce, contract."""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, IntegerType, StringAttr, f32, i8, i32, i64
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.arith import ExtSIOp, ExtUIOp, SIToFPOp
from mlc.dialects.tensor.structured import REDUCTIONS, StructuredOp, check_elements
from mlc.support.ir import inlined
from mlc.support.types import element_type, integer_width, tensor_type


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

    Operands may be shorter than the result: each is widened to the result's element type, in which products are added.
    Integers are widened as signed ones, but for the operands that `unsigned` numbers. Weights of i8 are widened to f32.

    ```mlir
    %y = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 8) reduce (k: 16) {unsigned = array<i64: 0>}
       : tensor<4x16xi8>, tensor<16x8xi8> -> tensor<4x8xi32>
    ```

    Constraints:
      contract_c1: there are two operands
      contract_c2: operands have the element type of the result, or a shorter one that is an integer, or a float, too;
        one of them may be i8 where the other one and the result are f32
      contract_c3: `unsigned` numbers operands of integers that are shorter than the result
    """

    name = "tensor.contract"

    unsigned = opt_prop_def(DenseArrayBase.constr(i64))

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        subscripts: Sequence[Sequence[AffineExpr]],
        dims: Sequence[tuple[str, int]],
        result_type: Attribute,
        unsigned: Sequence[int] = (),
    ) -> None:
        properties = {"unsigned": DenseArrayBase.from_list(i64, unsigned)} if unsigned else {}
        super().__init__([lhs, rhs], subscripts, dims, result_type, properties)

    @property
    def unsigned_operands(self) -> tuple[int, ...]:
        """The operands whose integers are widened with zeros."""
        return () if self.unsigned is None else self.unsigned.get_values()

    @property
    def reduction(self) -> str:
        return "add"

    @property
    def contracts(self) -> bool:
        return True

    def emit_point(self, values: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
        ops, (lhs, rhs) = self._widened(values)
        product = arith.MuliOp(lhs, rhs) if isinstance(lhs.type, IntegerType) else arith.MulfOp(lhs, rhs)
        return [*ops, product], product.result

    def emit_step(self, accumulator: SSAValue, values: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
        if isinstance(accumulator.type, IntegerType):
            return super().emit_step(accumulator, values)
        ops, (lhs, rhs) = self._widened(values)
        # One rounding instead of two, and one instruction: the sum and the product belong together.
        fma = math.FmaOp(lhs, rhs, accumulator)
        return [*ops, fma], fma.result

    def _widened(self, values: Sequence[SSAValue]) -> tuple[list[Operation], list[SSAValue]]:
        """Elements of the operands as elements of the result, and the ops that make them so."""
        element, ops, wide = element_type(self.result.type), list[Operation](), list[SSAValue]()
        for number, value in enumerate(values):
            if value.type != element:
                if value.type == i8 and element == f32:
                    ops.append(ExtSIOp(value, i32))
                    ops.append(SIToFPOp(ops[-1], f32))
                elif integer_width(element) is None:
                    ops.append(arith.ExtFOp(value, cast(Any, element)))
                else:
                    extend = ExtUIOp if number in self.unsigned_operands else ExtSIOp
                    ops.append(extend(value, cast(Any, element)))
                value = ops[-1].results[0]
            wide.append(value)
        return ops, wide

    def verify_(self) -> None:
        super().verify_()
        if len(self.inputs) != 2:
            raise VerifyException(f"tensor.contract: takes two operands, got {len(self.inputs)} (contract_c1)")
        result = element_type(self.result.type)
        elements = [element_type(v.type) for v in self.inputs]
        if result == f32 and f32 in elements and i8 in elements:
            elements = [f32, f32]
        shorter = [number for number, element in enumerate(elements) if _is_shorter(element, result)]
        if any(n not in shorter and element != result for n, element in enumerate(elements)):
            lhs, rhs = (tensor_type(v) for v in self.inputs)
            raise VerifyException(
                f"tensor.contract: operands must have the element type of the result, or a shorter one of its kind, "
                f"got {lhs}, {rhs} -> {tensor_type(self.result)} (contract_c2)"
            )
        if wrong := [n for n in self.unsigned_operands if n not in shorter or not isinstance(result, IntegerType)]:
            raise VerifyException(
                f"tensor.contract: 'unsigned' numbers operands of integers shorter than {result}, got {wrong[0]} "
                "(contract_c3)"
            )


def _is_shorter(element: Attribute, other: Attribute) -> bool:
    """Whether both are integers, or both floats, and the first has fewer bits."""
    widths = integer_width(element), integer_width(other)
    if widths[0] is not None and widths[1] is not None:
        return widths[0] < widths[1]
    is_float = isinstance(element, AnyFloat) and isinstance(other, AnyFloat)
    return is_float and cast(Any, element).bitwidth < cast(Any, other).bitwidth
