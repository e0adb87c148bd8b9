"""Bodies of linalg as bodies of structured ops: what a value needs of the elements that a body takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import Rewriter

from mlc.dialects.arith import ExtSIOp, ExtUIOp, IndexCastOp, IndexCastUIOp, TruncIOp
from mlc.dialects.tensor import MapOp, TakeOp
from mlc.dialects.tensor.dim_names import dim_names
from mlc.support.affine import affine_bounds
from mlc.support.ir import clone
from mlc.support.locations import error_at
from mlc.support.types import element_type, integer_width, repeated_number, scalar_attribute, tensor_type

TO_TENSOR = "convert-linalg-to-tensor"


def constant_of(value: SSAValue) -> arith.ConstantOp | None:
    """The constant that defines a value, if one does."""
    owner = value.owner
    return owner if isinstance(owner, arith.ConstantOp) else None


def splat_of(value: SSAValue) -> int | float | None:
    """The one number that all elements of a tensor are, if that is visible."""
    constant = constant_of(value)
    data = constant.value if constant is not None else None
    return repeated_number(data) if isinstance(data, DenseIntOrFPElementsAttr) else None


def integer_of(value: SSAValue) -> int | None:
    """The integer that a scalar is, if it is a constant."""
    number = number_of(value)
    return number if isinstance(number, int) else None


def number_of(value: SSAValue) -> int | float | None:
    """The number that a scalar is, if it is a constant."""
    constant = constant_of(value)
    if constant is None or not isinstance(constant.value, IntegerAttr | FloatAttr):
        return None
    return constant.value.value.data


def stored_type(element: Attribute) -> Attribute:
    """The type that elements have at the tensor level: positions are integers of 64 bits."""
    return i64 if isinstance(element, IndexType) else element


def named_dims(shape: Sequence[int]) -> list[tuple[str, int]]:
    """A dim with a usual name for each axis of a shape, and its extent."""
    return list(zip(dim_names(len(shape)), shape, strict=True))


@dataclass
class BodyPoints:
    """A body that is made of parts of another one; its operands are collected on the way.

    Attributes:
        elements: for each argument of the old body, the operand that it is an element of.
        rows: where that is read, over the new dims.
        dims: each old dim over the new ones, for `linalg.index`.
        sizes: their extents.
        named: the new dims and their extents.
        before: the ops that make operands, such as the numbers of a dim; they stand before the new op.
    """

    elements: Sequence[SSAValue] = ()
    rows: Sequence[Sequence[AffineExpr]] = ()
    dims: Sequence[AffineExpr] = ()
    sizes: Sequence[int] = ()
    named: Sequence[tuple[str, int]] = ()
    before: list[Operation] = field(default_factory=list[Operation])
    operands: list[SSAValue] = field(default_factory=list[SSAValue])
    subscripts: list[Sequence[AffineExpr]] = field(default_factory=list[Sequence[AffineExpr]])
    block: Block = field(default_factory=Block)
    _mapping: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def take(self, block: Block, wanted: Sequence[SSAValue]) -> list[SSAValue]:
        """Copy what these values of `block` need; returns the copies."""
        needed: set[Operation] = set()
        pending = list(wanted)
        for op in reversed(list(block.ops)):
            if any(result in pending for result in op.results):
                needed.add(op)
                if not isinstance(op, tensor.ExtractOp):  # whose subscripts are computed elsewhere
                    pending += [v for inner in op.walk() for v in inner.operands]
        for argument in block.args:
            if argument in pending and argument not in self._mapping:
                self._mapping[argument] = self._element(argument)
        for op in block.ops:
            if op in needed:
                self.copy(op)
        return [self.inner(v) for v in wanted]

    def close(self, value: SSAValue) -> Region:
        """The finished body."""
        self.block.add_op(YieldOp(value))
        return Region(self.block)

    def finish(self, value: SSAValue) -> MapOp:
        """A map over no dims that yields `value`: a tensor of one number."""
        return MapOp(self.operands, self.subscripts, [], TensorType(value.type, []), self.close(value))

    def operand(self, value: SSAValue, row: Sequence[AffineExpr]) -> BlockArgument:
        """An argument for an element of one more operand."""
        self.operands.append(value)
        self.subscripts.append(row)
        return self.block.insert_arg(element_type(value.type), len(self.block.args))

    def element(self, value: SSAValue, row: Sequence[AffineExpr]) -> SSAValue:
        """An element of a tensor, which is a constant where all are; a scalar is itself."""
        if not isinstance(value.type, TensorType):
            return value
        if (number := splat_of(value)) is not None:
            return self.add([arith.ConstantOp(scalar_attribute(number, tensor_type(value).element_type))])
        return self.operand(value, row)

    def add(self, ops: Sequence[Operation]) -> SSAValue:
        """Append ops; returns what the last one makes."""
        self.block.add_ops(ops)
        return ops[-1].results[0]

    def _element(self, argument: BlockArgument) -> SSAValue:
        value = self.elements[argument.index]
        if not isinstance(value.type, TensorType):
            return self.inner(value)
        return self.element(value, self.rows[argument.index])

    def inner(self, value: SSAValue) -> SSAValue:
        """A value for use in the body: constants move inside."""
        if value in self._mapping:
            return self._mapping[value]
        constant = constant_of(value)
        if constant is not None and constant.parent is not self.block:
            self.copy(constant)
        return self._mapping.get(value, value)

    def bind(self, value: SSAValue, inside: SSAValue) -> None:
        """Let the body call a value so."""
        self._mapping[value] = inside

    def copy(self, op: Operation) -> Sequence[SSAValue]:
        """Copy an op; positions are of i64 in the copy. Returns the results of that."""
        for operand in () if isinstance(op, tensor.ExtractOp) else op.operands:
            self.inner(operand)
        made = _AS_I64.get(type(op), _as_i64)(self, op)
        for old, new in zip(op.results, made, strict=True):
            self._mapping[old] = new
        return made

    def clone(self, op: Operation) -> Sequence[SSAValue]:
        """A copy of an op in the body, in which positions are of type i64.

        Raises:
            UserError: it reads a tensor, at some points only.
        """
        if any(isinstance(inner, tensor.ExtractOp) for inner in op.walk()):
            raise error_at(op, f"{op.name}: found tensor.extract in a region of it; required: in the body of linalg")
        copy = clone(op, dict(self._mapping))
        self.block.add_op(copy)
        for result in list(copy.results):
            if isinstance(result.type, IndexType):
                Rewriter.replace_value_with_new_type(result, i64)
        return copy.results

    def index(self, op: IndexOp) -> Sequence[SSAValue]:
        """The numbers of a dim are one more operand."""
        dim = self.dims[op.dim.value.data]
        extent = self.sizes[op.dim.value.data]
        numbers = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(i64, [extent]), range(extent)))
        self.before.append(numbers)
        return [self.operand(numbers.result, [dim])]

    def cast(self, op: IndexCastOp | IndexCastUIOp) -> Sequence[SSAValue]:
        """A position as an integer of another width."""
        return [self.resized(op, self.inner(op.input))]

    def resized(self, op: IndexCastOp | IndexCastUIOp, value: SSAValue) -> SSAValue:
        """What a cast makes of `value`, which takes the place of its operand."""
        source, target = (stored_type(element_type(kind)) for kind in (value.type, op.result.type))
        before, after = integer_width(source), integer_width(target)
        assert before is not None and after is not None
        if before == after:
            return value
        extend = ExtUIOp if isinstance(op, IndexCastUIOp) else ExtSIOp
        make = extend if before < after else TruncIOp
        return self.add([make(value, target)])

    def constant(self, op: arith.ConstantOp) -> Sequence[SSAValue]:
        """A number, which is of type i64 where it is a position."""
        if isinstance(op.result.type, IndexType) and isinstance(op.value, IntegerAttr):
            return [self.add([arith.ConstantOp(IntegerAttr(op.value.value.data, i64))])]
        return self.clone(op)

    def extract(self, op: tensor.ExtractOp) -> Sequence[SSAValue]:
        """What a `tensor.take` reads at all points is one more operand: subscripts out of range are undefined, and
        become the nearest that are not."""
        place: list[AffineExpr] = []
        coordinates: list[tuple[str, SSAValue, Sequence[AffineExpr]]] = []
        for value, extent in zip(op.indices, tensor_type(op.tensor).get_shape(), strict=True):
            if extent < 1:
                raise error_at(op, f"{op.name}: found {op.tensor.type}; required: a type with known extents, not 0")
            if (subscript := self._affine_subscript(value, extent)) is None:
                subscript = AffineExpr.dimension(len(self.named) + len(coordinates))
                coordinates.append((f"at{len(coordinates)}", *self._coordinate(op, value)))
            place.append(subscript)
        take = TakeOp(op.tensor, place, coordinates, self.named)
        self.before.append(take)
        return [self.operand(take.result, self._all_dims())]

    def _all_dims(self) -> Sequence[AffineExpr]:
        return [AffineExpr.dimension(i) for i in range(len(self.named))]

    def _affine_subscript(self, value: SSAValue, extent: int) -> AffineExpr | None:
        """A subscript that is a dim or a constant, where it stays inside of the axis."""
        number = integer_of(value)
        if isinstance(value.owner, IndexOp):
            found = self.dims[value.owner.dim.value.data]
        elif number is not None:
            found = AffineExpr.constant(number)
        else:
            return None
        low, high = affine_bounds(found, [size for _, size in self.named])
        return found if low >= 0 and high < extent else None

    def _coordinate(self, op: tensor.ExtractOp, value: SSAValue) -> tuple[SSAValue, Sequence[AffineExpr]]:
        """A tensor of subscripts, and where it is read: an operand, or what the body computes at all points."""
        block, cast = op.parent, value.owner
        assert block is not None
        if isinstance(cast, IndexCastOp) and isinstance(cast.input, BlockArgument) and cast.input.block is block:
            number = cast.input.index
            if isinstance(self.elements[number].type, TensorType) and cast.input.type in (i32, i64):
                return self.elements[number], self.rows[number]
        points = BodyPoints(self.elements, self.rows, self.dims, self.sizes, self.named, self.before)
        (subscript,) = points.take(block, [value])
        if subscript.type != i64:
            raise error_at(op, f"{op.name}: found a subscript from outside of the body; required: one computed in it")
        kind = TensorType(i64, [size for _, size in self.named])
        numbers = MapOp(points.operands, points.subscripts, self.named, kind, points.close(subscript))
        self.before.append(numbers)
        return numbers.result, self._all_dims()


def _as_i64(points: BodyPoints, op: Operation) -> Sequence[SSAValue]:
    return points.clone(op)


_AS_I64: Mapping[type[Operation], Callable[..., Sequence[SSAValue]]] = {
    IndexOp: BodyPoints.index,
    IndexCastOp: BodyPoints.cast,
    IndexCastUIOp: BodyPoints.cast,
    arith.ConstantOp: BodyPoints.constant,
    tensor.ExtractOp: BodyPoints.extract,
}
"""Ops on positions that are not copied as they are."""
