"""Scalars that depend on tensors become tensors of rank 0, which loops and branches of the tensor level carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IndexType, IntegerAttr, TensorType, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.affine import MaxOp
from mlc.dialects.arith import IndexCastOp
from mlc.dialects.tensor import MapOp, StructuredOp
from mlc.passes.upstream._points import BodyPoints, constant_of, integer_of, stored_type
from mlc.passes.upstream._subscripts import evaluated
from mlc.support.locations import place_new_ops
from mlc.support.types import Tensor

_AFFINE = (affine.ApplyOp, affine.MinOp, MaxOp)


@dataclass
class Scalars:
    """The tensors of rank 0 that scalars of a function are; positions are of i64."""

    _tensors: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    _divisors: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    _tiles: dict[tuple[SSAValue, int], SSAValue] = field(default_factory=dict[tuple[SSAValue, int], SSAValue])

    def __contains__(self, value: SSAValue) -> bool:
        return value in self._tensors

    def let(self, value: SSAValue, tensor: SSAValue, divisor: int = 1) -> None:
        """From here on a scalar is that tensor; it is a multiple of `divisor`."""
        self._tensors[value] = tensor
        self._divisors[value] = divisor

    def tensor_of(self, value: SSAValue) -> SSAValue:
        """The tensor that a scalar is; one that depends on no tensor gets one where it is defined."""
        if value not in self._tensors:
            self._tensors[value] = _insert_after(value, _constant(value) or _captured(value))
        return self._tensors[value]

    def tile_of(self, position: SSAValue, size: int) -> SSAValue:
        """The number of the tile of `size` elements that starts at a position, computed once, where that is."""
        if (position, size) not in self._tiles:
            points, first = BodyPoints(), self.tensor_of(position)
            at = points.operand(first, [])
            length = points.add([arith.ConstantOp(IntegerAttr(size, i64))])
            made = points.finish(points.add([arith.DivSIOp(at, length)]))
            self._tiles[position, size] = _insert_after(first, made)
        return self._tiles[position, size]

    def compute(self, op: Operation, before: Operation) -> None:
        """Let a map make what an op on scalars makes, before `before`; one map for each result."""
        for number, result in enumerate(op.results):
            points = BodyPoints()
            for value in op.operands:
                if constant_of(value) is None:
                    points.bind(value, points.operand(self.tensor_of(value), []))
            copy = points.copy(op)[number] if not isinstance(op, _AFFINE) else _affine(points, op)
            self._tensors[result] = self.insert(points.finish(copy), before)

    def insert(self, op: Operation, before: Operation) -> SSAValue:
        """Put an op before another one, at its location; returns its result."""
        place_new_ops(op, before.location)
        Rewriter.insert_op(op, InsertPoint.before(before))
        return op.results[0]

    def read(self, op: StructuredOp, values: Sequence[SSAValue]) -> None:
        """Let these scalars, which the body of an op uses, be elements of more operands."""
        rows = [*(m.results for m in op.index_maps), *(() for _ in values)]
        block = op.regions[0].block
        for value in values:
            argument = block.insert_arg(stored_type(value.type), len(block.args))
            argument.name_hint = value.name_hint
            for use in list(value.uses):
                if use.operation is not op and op.is_ancestor(use.operation):
                    use.operation.operands[use.index] = argument
        op.operands = [*op.operands, *map(self.tensor_of, values)]
        op.set_iteration(rows, list(zip(op.dim_names, op.dim_sizes, strict=True)))

    def divisor(self, value: SSAValue) -> int:
        """A number by which a position can be divided, the greatest that is visible; 0 if it is 0."""
        if (number := integer_of(value)) is not None:
            return abs(number)
        owner = value.owner
        if isinstance(owner, arith.AddiOp | arith.SubiOp):
            return gcd(self.divisor(owner.lhs), self.divisor(owner.rhs))
        if isinstance(owner, arith.MuliOp):
            return self.divisor(owner.lhs) * self.divisor(owner.rhs)
        if isinstance(owner, affine.ApplyOp):
            ops: list[Operation] = []
            which = owner.map.data
            found = self.divisor(evaluated(which.results[0], which.num_dims, owner.mapOperands, ops))
            _forget(ops)
            return found
        return self._divisors.get(value, 1)


def is_scalar_op(op: Operation) -> bool:
    """Whether an op computes scalars of scalars, and nothing else."""
    values = (*op.operands, *op.results)
    plain = bool(op.results) and not op.regions and not any(isinstance(v.type, TensorType) for v in values)
    return plain and (isinstance(op, _AFFINE) or op.dialect_name() in ("arith", "math"))


def scalar_type(value: SSAValue) -> Tensor:
    """The type of the tensor that a scalar is."""
    return TensorType(stored_type(value.type), [])


def _constant(value: SSAValue) -> Operation | None:
    constant = constant_of(value)
    if constant is None or not isinstance(constant.value, IntegerAttr | FloatAttr):
        return None
    number = constant.value.value.data
    return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(scalar_type(value), [number]))


def _insert_after(value: SSAValue, op: Operation) -> SSAValue:
    """Put an op after what defines a value; returns its result."""
    owner = value.owner
    Rewriter.insert_op(op, InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner))
    if isinstance(owner, Operation):
        place_new_ops(op, owner.location)
    return op.results[0]


def _captured(value: SSAValue) -> MapOp:
    points = BodyPoints()
    inside = points.add([IndexCastOp(value, i64)]) if isinstance(value.type, IndexType) else value
    return points.finish(inside)


def _affine(points: BodyPoints, op: Operation) -> SSAValue:
    """The ops that an affine map consists of, on what the body calls its operands."""
    assert isinstance(op, _AFFINE)
    ops: list[Operation] = []
    which = op.map.data
    found = [evaluated(each, which.num_dims, op.operands, ops) for each in which.results]
    for other in found[1:]:
        ops.append((arith.MaxSIOp if isinstance(op, MaxOp) else arith.MinSIOp)(found[0], other))
        found[0] = ops[-1].results[0]
    for each in ops:
        points.copy(each)
    result = points.inner(found[0])
    _forget(ops)
    return result


def _forget(ops: Sequence[Operation]) -> None:
    """Erase ops that stand nowhere, as they count as readers."""
    for op in reversed(ops):
        op.erase()
