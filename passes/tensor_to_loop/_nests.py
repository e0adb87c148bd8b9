"""Structured ops become loop nests.

A nest computes one op for every point of its `over` dims. An operand is either loaded from its buffer or, if its
producer is *computed in place*, emitted right there: that keeps a bias, an activation or a square in registers.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.analysis.in_place import computed_in_place
from mlc.dialects.loop import ForOp, LoadOp, StoreOp, YieldOp
from mlc.dialects.loop.nests import parallel_nest
from mlc.dialects.tensor import StructuredOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.tensor_to_loop._functions import destination
from mlc.passes.tensor_to_loop._padding import border, padded_in_place, shifted
from mlc.support.context import CompilerContext
from mlc.support.ir import identity_of
from mlc.support.types import element_type


@dataclass
class _NestBody:
    """Writes what computes points; `counters` are the loop counters in scope, which subscripts refer to as d0, d1, …"""

    counters: list[SSAValue]
    emitted: dict[StructuredOp, SSAValue] = field(default_factory=dict[StructuredOp, SSAValue])
    """The ops that are computed, each behind those that it reads, with their values at the point."""

    def value(self, op: StructuredOp, dims: Sequence[AffineExpr], ops: list[Operation]) -> SSAValue:
        """The result of `op` at the point that `dims` names; the ops that compute it are appended to `ops`.

        All readers of an op need it at one point, so it is computed for the first one.
        """
        if op not in self.emitted:
            if op.reduction is not None:
                self.emitted[op] = self._reduced(op, dims, ops)
            else:
                point_ops, self.emitted[op] = op.emit_point(self._operands(op, dims, ops))
                ops += point_ops
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
        if isinstance(operand.type, TensorType):  # it has no buffer: its producer is computed in place
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


@lowers("convert-tensor-to-loop", StructuredOp)
class StructuredOpToNest(RewritePattern):
    """`over` dims -> parallel loops, `reduce` dims -> serial loops that carry the accumulator, one store per point.

    The loops are in the order of the dims of the reduction that is computed in place, if there is one: a result that is
    transposed is computed as it was said, and stored where it belongs. A result that is only padded is stored where the
    padded one has it.
    """

    def __init__(self, ctx: CompilerContext) -> None:
        del ctx
        self._in_place: dict[Block, set[StructuredOp]] = {}

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, StructuredOp) and op.parent is not None
        if op.parent not in self._in_place:
            self._in_place[op.parent] = computed_in_place(op.parent)
        in_place = self._in_place[op.parent]
        if op in in_place:
            return
        padding = padded_in_place(op.result)
        target = destination(rewriter, op.result if padding is None else padding.result)
        where = None if padding is None else shifted(padding.static_low.get_values())
        nest_body = _NestBody([])
        order = _loop_order(op, in_place)

        def body(counters: list[SSAValue]) -> list[Operation]:
            nest_body.counters = [counters[order.index(i)] for i in range(len(counters))]
            subscripts = list(nest_body.counters)
            ops: list[Operation] = []
            value = nest_body.value(op, [AffineExpr.dimension(i) for i in range(len(counters))], ops)
            return [*ops, StoreOp(value, target, subscripts, where)]

        nest = parallel_nest([(op.dim_names[i], op.dim_sizes[i]) for i in order], body)
        if padding is not None:
            nest = [*border(padding, target), *nest]
            rewriter.replace(padding, [], [target])
        rewriter.replace(op, nest, [target])
        for producer in reversed(nest_body.emitted):
            if producer is not op:
                rewriter.erase(producer)


def _loop_order(op: StructuredOp, in_place: Container[StructuredOp]) -> list[int]:
    """The `over` dims of `op`, outermost first."""
    own = list(range(op.num_parallel))
    readers = [(op, own)]
    seen = {op}
    while readers:
        reader, order = readers.pop()
        if reader.reduction is not None:
            return order
        for value, affine in zip(reader.inputs, reader.index_maps, strict=True):
            if isinstance(producer := value.owner, StructuredOp) and producer in in_place and producer not in seen:
                seen.add(producer)
                # In place means that the subscripts are the reader's dims, each once.
                dims = [e.position for e in affine.results if isinstance(e, AffineDimExpr)]
                readers.append((producer, [order[d] for d in dims]))
    return own
