"""Loops and accesses in upstream's words: scf, affine, memref, vector."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, arith, memref, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from mlc.dialects import scf
from mlc.dialects.loop import ConstantOp, ForOp, LoadOp, PrefetchOp, StoreOp, YieldOp
from mlc.dialects.memref import GlobalOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.support.context import CompilerContext
from mlc.support.functions import ALIGNMENT
from mlc.support.locations import error_at
from mlc.support.types import Vector, vector_type

TO_SCF = "convert-loop-to-scf"


@lowers(TO_SCF, ForOp)
class LoopToScf(RewritePattern):
    """Serial loops become `scf.for`, which carries values; independent iterations become `scf.parallel`, which says so.

        loop.for parallel "m" %m = 0 to 64 {      scf.parallel (%m) = (%c0) to (%c64) step (%c1) {
          loop.yield                          ->    scf.reduce
        }                                         }

    That a loop is for threads is a decision which upstream makes by other means (`convert-scf-to-openmp`).
    """

    def __init__(self, ctx: CompilerContext) -> None:
        del ctx

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        bounds = [_index(n) for n in (op.lower.value.data, op.upper.value.data, op.step.value.data)]
        lower, upper, step = (c.result for c in bounds)
        rewriter.insert(bounds)
        if op.limit is not None:
            first = _index(1)
            at_least = arith.MaxSIOp(op.limit, first.result)
            least = arith.MinSIOp(upper, at_least.result)
            rewriter.insert([first, at_least, least])
            upper = least.result
        if op.start is not None:
            lower = _begin(op, op.start, lower, rewriter)
        last = op.body.block.last_op
        assert isinstance(last, YieldOp)
        rewriter.replace(last, scf.ReduceOp() if op.is_parallel else scf.YieldOp(*last.arguments))
        body = op.detach_region(op.body)
        if op.is_parallel:
            rewriter.replace(op, scf.ParallelOp([lower], [upper], [step], body))
        else:
            rewriter.replace(op, scf.ForOp(lower, upper, step, op.iter_args, body))


def _begin(op: ForOp, start: SSAValue, lower: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """The largest value of a counter that is not more than a start, or the lower bound."""
    step = _index(op.range.step)
    least = arith.MaxSIOp(start, lower)
    beyond = arith.SubiOp(least, lower)
    blocks = arith.DivUIOp(beyond, step)
    more = arith.MuliOp(blocks, step)
    first = arith.AddiOp(lower, more)
    rewriter.insert([step, least, beyond, blocks, more, first])
    return first.result


@lowers(TO_SCF, LoadOp, StoreOp)
class AccessToMemref(RewritePattern):
    """`loop.load %x[%m + 1, %k]` -> `memref.load`, or `vector.load`, with an `affine.apply` for the sum."""

    def __init__(self, ctx: CompilerContext) -> None:
        del ctx

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoadOp | StoreOp, rewriter: PatternRewriter) -> None:
        vectors = vector_type(op.accessed)
        if vectors is not None and vectors.element_type == i1:
            raise error_at(
                op,
                f"{op.name}: upstream packs vectors of i1 into bits, buffers here have a byte for each; "
                "convert before loops are vectorized",
            )
        if not op.is_consecutive:
            raise error_at(
                op,
                f"{op.name}: upstream has no vector of elements that are apart; convert before loops are vectorized",
            )
        ops: list[Operation] = []
        indices = [_subscript(e, op.indices, ops) for e in op.map.data.results]
        rewriter.insert(ops)
        if vectors is not None and op.lanes.active is not None:
            rewriter.replace(op, _masked(op, indices, vectors, op.lanes.active))
        elif isinstance(op, LoadOp):
            rewriter.replace(
                op,
                memref.LoadOp.get(op.memref, indices)
                if vectors is None
                else vector.LoadOp(op.memref, indices, vectors),
            )
        elif vectors is None:
            rewriter.replace(op, memref.StoreOp.get(op.value, op.memref, indices))
        else:
            rewriter.replace(op, vector.StoreOp(op.value, op.memref, indices))


@lowers(TO_SCF, PrefetchOp)
class DropPrefetch(StatelessPattern):
    """Left out: upstream's `memref.prefetch` takes no place that does not exist."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PrefetchOp, rewriter: PatternRewriter) -> None:
        rewriter.erase(op)


def _masked(op: LoadOp | StoreOp, indices: Sequence[SSAValue], kind: Vector, active: int) -> list[Operation]:
    """An access to the first lanes only."""
    (length,) = kind.get_shape()
    lanes: Vector = VectorType(i1, [length])
    mask = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(lanes, [lane < active for lane in range(length)]))
    if isinstance(op, StoreOp):
        return [mask, vector.MaskedStoreOp(op.memref, indices, mask.result, op.value)]
    zero = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(kind, [0]))
    return [mask, zero, vector.MaskedLoadOp(op.memref, indices, mask.result, zero.result)]


def _subscript(expr: AffineExpr, indices: Sequence[SSAValue], ops: list[Operation]) -> SSAValue:
    """The value of one subscript; what computes it is appended to `ops`."""
    match expr:
        case AffineDimExpr():
            return indices[expr.position]
        case AffineConstantExpr():
            ops.append(_index(expr.value))
        case _:
            used = sorted(expr.used_dims())
            renumber = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(len(indices))]
            subscript = AffineMap(len(used), 0, (expr.replace_dims_and_symbols(renumber, []),))
            ops.append(affine.ApplyOp([indices[i] for i in used], AffineMapAttr(subscript)))
    return ops[-1].results[0]


def _index(value: int) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(value, IndexType()))


@lowers(TO_SCF, ConstantOp)
class ConstantToGlobal(RewritePattern):
    """`loop.constant dense_resource<w>` -> `memref.get_global @weight_w`, and that global where the module starts."""

    def __init__(self, ctx: CompilerContext) -> None:
        del ctx
        self._names: dict[Attribute, str] = {}

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConstantOp, rewriter: PatternRewriter) -> None:
        if op.value not in self._names:
            module = _module_of(op)
            name = _fresh(module, op.value)
            rewriter.insert(
                GlobalOp(name, op.buffer_type, op.value, ALIGNMENT), InsertPoint.at_start(module.body.block)
            )
            self._names[op.value] = name
        rewriter.replace(op, memref.GetGlobalOp(self._names[op.value], op.buffer_type))


def _module_of(op: Operation) -> ModuleOp:
    parent = op.parent_op()
    while not isinstance(parent, ModuleOp):
        assert parent is not None
        parent = parent.parent_op()
    return parent


def _fresh(module: ModuleOp, value: Attribute) -> str:
    """A name that no symbol of `module` has yet, derived from the resource if there is one."""
    symbols = (op.get_attr_or_prop("sym_name") for op in module.ops)
    taken = {s.data for s in symbols if isinstance(s, StringAttr)}
    hint = f"weight_{value.resource_handle.data}" if isinstance(value, DenseResourceAttr) else "constant"
    name, n = hint, 0
    while name in taken:
        n += 1
        name = f"{hint}_{n}"
    return name
