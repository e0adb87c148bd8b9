"""What computes the points of structured ops, in the innermost loops of a nest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.dialects.loop import ForOp, LoadOp, YieldOp
from mlc.dialects.tensor import StructuredOp
from mlc.support.ir import identity_of
from mlc.support.locations import place_new_ops
from mlc.support.types import element_type


@dataclass
class NestBody:
    """Writes what computes points; `counters` are the loop counters in scope, which subscripts refer to as d0, d1, …"""

    counters: list[SSAValue]
    emitted: dict[StructuredOp, SSAValue] = field(default_factory=dict[StructuredOp, SSAValue])
    """The ops that are computed, each after those that it reads, with their values at the point."""

    def value(self, op: StructuredOp, dims: Sequence[AffineExpr], ops: list[Operation]) -> SSAValue:
        """The result of `op` at the point that `dims` names; the ops that compute it are appended to `ops`.

        All readers of an op need it at one point, so it is computed for the first one. What computes it stands in the
        source where it does.
        """
        if op not in self.emitted:
            start = len(ops)
            if op.reduction is not None:
                self.emitted[op] = self._reduced(op, dims, ops)
            else:
                point_ops, self.emitted[op] = op.emit_point(self._operands(op, dims, ops))
                ops += point_ops
            for new in ops[start:]:
                place_new_ops(new, op.location)
        return self.emitted[op]

    def _reduced(self, op: StructuredOp, dims: Sequence[AffineExpr], ops: list[Operation]) -> SSAValue:
        """Serial loops over the `reduce` dims that carry the value reduced so far."""
        assert op.reduction is not None
        init = identity_of(op.reduction, element_type(op.result.type))
        ops.append(init)
        first = op.num_parallel
        loops: list[ForOp] = []
        carried: SSAValue = init.result
        for name, size in zip(op.dim_names[first:], op.dim_sizes[first:], strict=True):
            loop = ForOp(name, 0, size, iter_args=[carried])
            loop.carried[0].name_hint = "acc"
            carried = loop.carried[0]
            loops.append(loop)
        depth = len(self.counters)
        self.counters += [loop.induction_variable for loop in loops]
        points = [*dims, *(AffineExpr.dimension(depth + i) for i in range(len(loops)))]
        innermost: list[Operation] = []
        step_ops, result = op.emit_step(carried, self._operands(op, points, innermost))
        inside: Sequence[Operation] = [*innermost, *step_ops]
        del self.counters[depth:]
        for loop in reversed(loops):
            loop.body.block.add_ops([*inside, YieldOp(result)])
            inside, result = [loop], loop.results[0]
        ops += inside
        return result

    def _operands(self, op: StructuredOp, dims: Sequence[AffineExpr], ops: list[Operation]) -> list[SSAValue]:
        return [self._operand(v, m, dims, ops) for v, m in zip(op.inputs, op.index_maps, strict=True)]

    def _operand(
        self, operand: SSAValue, affine: AffineMap, dims: Sequence[AffineExpr], ops: list[Operation]
    ) -> SSAValue:
        subscripts = [e.replace_dims_and_symbols(dims, []) for e in affine.results]
        if isinstance(operand.type, TensorType):  # it has no buffer: its producer is fused into the nest
            assert isinstance(operand.owner, StructuredOp)
            return self.value(operand.owner, subscripts, ops)
        load = self.load(operand, subscripts)
        ops.append(load)
        return load.result

    def load(self, buffer: SSAValue, subscripts: Sequence[AffineExpr]) -> LoadOp:
        """A load whose index operands are just the counters that its subscripts use."""
        used = sorted(set[int]().union(*(e.used_dims() for e in subscripts)))
        renumber = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(len(self.counters))]
        affine = AffineMap(len(used), 0, tuple(e.replace_dims_and_symbols(renumber, []) for e in subscripts))
        return LoadOp(buffer, [self.counters[i] for i in used], affine)
