"""Writing structured ops over named dims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import tensor as upstream
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IndexType,
    IntegerAttr,
    i64,
)
from xdsl.dialects.tensor import CollapseShapeOp, ExpandShapeOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.graph.types import tensor
from mlc.dialects.tensor import ContractOp, MapOp, PutOp, ReduceOp, TakeOp
from mlc.dialects.tensor.dim_names import dim_names
from mlc.passes.graph_to_tensor._points import Body, Points, region_of, unchanged
from mlc.support.dtypes import is_unsigned
from mlc.support.former_names import warn_of_name
from mlc.support.types import Tensor, element_type, tensor_type

Dims = Sequence[tuple[str, int]]
Subscripts = Sequence[AffineExpr]
Access = tuple[SSAValue, Subscripts]
"""An operand and where it is read."""


def dims_of(shape: Sequence[int]) -> list[tuple[str, int]]:
    """Usual names with these sizes."""
    return list(zip(dim_names(len(shape)), shape, strict=True))


def d(position: int) -> AffineExpr:
    """The dim at `position`, `over` dims first."""
    return AffineExpr.dimension(position)


def every(rank: int) -> list[AffineExpr]:
    """The first `rank` dims as subscripts: the point itself."""
    return [d(i) for i in range(rank)]


@dataclass
class Builder:
    """Collects tensor-level ops; every method appends one and returns its result."""

    ops: list[Operation] = field(default_factory=list[Operation])

    def insert(self, op: Operation) -> SSAValue:
        """Append an op, of any dialect."""
        self.ops.append(op)
        return op.results[0]

    def add(self, op: Operation) -> SSAValue:
        """What `insert` was called before."""
        warn_of_name("'add' of a builder of tensor ops is called 'insert' now; use the new name")
        return self.insert(op)

    def map(self, inputs: Sequence[Access], over: Dims, element: Attribute, body: Body) -> SSAValue:
        """`tensor.map` with elements of the given type."""
        values = [v for v, _ in inputs]
        region = region_of(body, [element_type(v.type) for v in values])
        subscripts = [s for _, s in inputs]
        return self.insert(MapOp(values, subscripts, over, tensor(tuple(s for _, s in over), element), region))

    def map_points(self, inputs: Sequence[Access], shape: Sequence[int], element: Attribute, body: Body) -> SSAValue:
        """`tensor.map` over all points of a shape, with usual dim names."""
        return self.map(inputs, dims_of(shape), element, body)

    def reduce(
        self, kind: str, inputs: Sequence[Access], over: Dims, reduce: Dims, body: Body | None = None
    ) -> SSAValue:
        """`tensor.reduce` of elements, or of what `body` makes of them, of the first operand's element type."""
        values = [v for v, _ in inputs]
        elements = [element_type(v.type) for v in values]
        region = region_of(body, elements) if body else None
        result = tensor(tuple(s for _, s in over), elements[0])
        return self.insert(
            ReduceOp(_kind_for(kind, elements[0]), values, [s for _, s in inputs], [*over, *reduce], result, region)
        )

    def contract(
        self, lhs: Access, rhs: Access, over: Dims, reduce: Dims, element: Attribute | None = None
    ) -> SSAValue:
        """`tensor.contract`, with sums of the type `element`, by default that of the first operand."""
        elements = [element_type(value.type) for value, _ in (lhs, rhs)]
        element = element or elements[0]
        unsigned = [n for n, each in enumerate(elements) if each != element and is_unsigned(each)]
        result = tensor(tuple(s for _, s in over), element)
        return self.insert(ContractOp(lhs[0], rhs[0], [lhs[1], rhs[1]], [*over, *reduce], result, unsigned))

    def pad(self, value: SSAValue, low: Sequence[int], high: Sequence[int], number: float) -> SSAValue:
        """`tensor.pad` with a number; the value itself if there is nothing to pad."""
        if not any((*low, *high)):
            return value
        source = tensor_type(value)
        shape = tuple(a + s + b for a, s, b in zip(low, source.get_shape(), high, strict=True))
        element = source.element_type

        def body(p: Points, *where: SSAValue) -> SSAValue:
            del where
            return p.number(number, element)

        region = region_of(body, [_INDEX] * len(shape))
        return self.insert(upstream.PadOp(value, [], [], region, low, high, tensor(shape, element)))

    def constant(self, numbers: Sequence[float], shape: Sequence[int], element: Attribute) -> SSAValue:
        """A small constant tensor that is spelled out."""
        dense = DenseIntOrFPElementsAttr.from_list(cast(Any, tensor(tuple(shape), element)), list(numbers))
        return self.insert(ConstantOp(dense))

    def resource(self, data: DenseResourceAttr) -> SSAValue:
        """A constant tensor whose data the compilation holds."""
        return self.insert(ConstantOp(data))

    def concat(self, inputs: Sequence[SSAValue], axis: int) -> SSAValue:
        """`tensor.concat`: the inputs one after the other along an axis."""
        shape = list(tensor_type(inputs[0]).get_shape())
        shape[axis] = sum(tensor_type(v).get_shape()[axis] for v in inputs)
        result = tensor(tuple(shape), element_type(inputs[0].type))
        op = upstream.ConcatOp.create(
            operands=inputs, result_types=[result], properties={"dim": IntegerAttr(axis, i64)}
        )
        return self.insert(op)

    def take(
        self, data: SSAValue, place: Subscripts, coordinates: Sequence[tuple[str, SSAValue, Subscripts]], over: Dims
    ) -> SSAValue:
        """`tensor.take`, with the subscripts of the data over the dims and then the coordinates."""
        return self.insert(TakeOp(data, place, coordinates, over))

    def put(
        self,
        kind: str,
        updates: SSAValue,
        data: SSAValue,
        place: Subscripts,
        coordinates: Sequence[tuple[str, SSAValue, Subscripts]],
        over: Dims,
    ) -> SSAValue:
        """`tensor.put`, with the subscripts of the data over the dims and then the coordinates."""
        return self.insert(PutOp(_kind_for(kind, element_type(data.type)), updates, data, place, coordinates, over))

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """The same elements in row-major order under another shape: collapse to one dim, then expand."""
        source = tensor_type(value)
        if source.get_shape() == tuple(shape):
            return value
        if not shape or not source.get_shape():
            # Upstream's reshapes join or split axes, of which a tensor of rank 0 has none.
            first = [AffineExpr.constant(0)] * source.get_num_dims()
            return self.map_points([(value, first)], shape, source.element_type, unchanged)
        total = 1
        for size in shape:
            total *= size
        if source.get_num_dims() != 1:
            flat = tensor((total,), source.element_type)
            value = self.insert(
                CollapseShapeOp.create(
                    operands=[value], result_types=[flat], properties={"reassociation": _all(source.get_num_dims())}
                )
            )
        if len(shape) != 1:
            value = self.insert(_expand(value, tensor(tuple(shape), source.element_type)))
        return value


_INDEX = IndexType()
_UNSIGNED_KINDS = {"max": "maxui", "min": "minui"}


def _kind_for(kind: str, element: Attribute) -> str:
    """The reduction that combines elements of this type."""
    return _UNSIGNED_KINDS.get(kind, kind) if is_unsigned(element) else kind


def _all(rank: int) -> ArrayAttr[Attribute]:
    """The reassociation that joins all dims: [[0, 1, …]]; none at rank 0."""
    return ArrayAttr([ArrayAttr([IntegerAttr(i, i64) for i in range(rank)])] if rank else [])


def _expand(value: SSAValue, result: Tensor) -> ExpandShapeOp:
    return ExpandShapeOp.build(
        operands=[value, []],
        result_types=[result],
        properties={
            "reassociation": _all(result.get_num_dims()),
            "static_output_shape": DenseArrayBase.from_list(i64, result.get_shape()),
        },
    )
