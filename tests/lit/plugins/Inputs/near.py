"""A dialect of contractions, a reduction and a move: graph ops, and structured ops that no pass of mlc has heard of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.graph import GraphOp, MoveOp
from mlc.dialects.graph.types import FloatTensor, Tensor, shape_of, tensor, type_of
from mlc.dialects.tensor import StructuredOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor import Builder, ToTensor, d, dims_of, every, unchanged
from mlc.reference.execution import Array, evaluates


@irdl_op_definition
class ProductsOp(StructuredOp):
    """Sums products, as a contraction does."""

    name = "near.products"

    @property
    def reduction(self) -> str:
        return "add"

    @property
    def contracts(self) -> bool:
        return True

    def emit_point(self, values: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
        product = arith.MulfOp(values[0], values[1])
        return [product], product.result


@irdl_op_definition
class DistancesOp(StructuredOp):
    """Sums squared differences."""

    name = "near.distances"

    @property
    def reduction(self) -> str:
        return "add"

    def emit_point(self, values: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
        difference = arith.SubfOp(values[0], values[1])
        square = arith.MulfOp(difference.result, difference.result)
        return [difference, square], square.result


class _OfRows(GraphOp):
    """An op of each row of `lhs` with each row of `rhs`: `[m, k]` and `[n, k]` give `[m, n]`."""

    lhs = operand_def(FloatTensor)
    rhs = operand_def(FloatTensor)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def inferred_type(self) -> Tensor:
        lhs, rhs = shape_of(self.lhs), shape_of(self.rhs)
        if len(lhs) != 2 or len(rhs) != 2 or lhs[1] != rhs[1]:
            raise VerifyException(f"{self.name}: rows of {type_of(self.lhs)} and {type_of(self.rhs)} differ in length")
        return tensor((lhs[0], rhs[0]), type_of(self.lhs).element_type)


@irdl_op_definition
class DotOp(_OfRows):
    """The products of rows."""

    name = "near.dot"
    CONTRACTS: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True


@irdl_op_definition
class SquaredOp(_OfRows):
    """The squared distances of rows."""

    name = "near.squared"
    REDUCES: ClassVar[bool] = True


@irdl_op_definition
class UpsideDownOp(MoveOp):
    """The rows from the last to the first."""

    name = "near.upside_down"
    STORED_BY_PRODUCER: ClassVar[bool] = True
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def inferred_type(self) -> Tensor:
        return type_of(self.input)

    def read_through(self, subscripts: Sequence[AffineExpr], sizes: Sequence[int]) -> list[AffineExpr]:
        first, *rest = subscripts
        return [first * -1 + (shape_of(self.input)[0] - 1), *rest]


@evaluates(DotOp)
def dot(op: DotOp, lhs: Array, rhs: Array) -> Array:
    """All products, each rounded; `lhs @ rhs.T` would leave that, and what overflows, to the BLAS of the machine."""
    return (lhs[:, None] * rhs[None]).sum(2, lhs.dtype)


@evaluates(SquaredOp)
def squared(op: SquaredOp, lhs: Array, rhs: Array) -> Array:
    """At all points at once."""
    return ((lhs[:, None] - rhs[None]) ** 2).sum(2, lhs.dtype)


@evaluates(UpsideDownOp)
def upside_down(op: UpsideDownOp, x: Array) -> Array:
    """Along the first axis."""
    return x[::-1]


@lowers("convert-graph-to-tensor", DotOp, SquaredOp)
class OfRowsToStructured(ToTensor):
    """One structured op of this dialect."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, DotOp | SquaredOp)
        (m, k), (n, _) = shape_of(op.lhs), shape_of(op.rhs)
        structured = ProductsOp if isinstance(op, DotOp) else DistancesOp
        row, column, along = every(3)
        dims = [("m", m), ("n", n), ("k", k)]
        return b.insert(structured([op.lhs, op.rhs], [[row, along], [column, along]], dims, op.result.type))


@lowers("convert-graph-to-tensor", UpsideDownOp)
class UpsideDownToMap(ToTensor):
    """A map that only reads elsewhere."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, UpsideDownOp)
        shape = shape_of(op.result)
        subscripts = op.read_through([d(i) for i in range(len(shape))], shape)
        return b.map([(op.input, subscripts)], dims_of(shape), type_of(op.result).element_type, unchanged)


Near = Dialect("near", [ProductsOp, DistancesOp, DotOp, SquaredOp, UpsideDownOp])
