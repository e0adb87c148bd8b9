"""Vectors: everything of `vector` but loads and stores."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    i32,
    i64,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects.llvm import integers, intrinsics, reductions, vectors
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.loop_to_llvm._arith import fast_math, no_flags
from mlc.passes.loop_to_llvm._types import VALUES, integer_constant, lower_type, shuffle, truncate
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug
from mlc.support.locations import error_at
from mlc.support.types import Vector, vector_of, vector_type


def lanes_of(op: Operation, kind: Attribute) -> int:
    """The number of lanes of a vector type.

    Raises:
        UserError: it is not a vector of one dimension.
    """
    shape = None if (found := vector_type(kind)) is None else found.get_shape()
    if shape is None or len(shape) != 1:
        raise error_at(op, f"{op.name}: {kind} is not a vector of one dimension, as this target requires")
    return shape[0]


@lowers(VALUES, vector.BroadcastOp)
class LowerBroadcast(RewritePattern):
    """A constant becomes a constant vector; any other value goes into lane 0 and from there into all lanes.

    Instruction selection folds the latter into a memory operand where the value was just loaded.
    """

    def __init__(self, ctx: CompilerContext) -> None:
        self._masks: dict[int, DenseArrayBase[Any]] = {}

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.BroadcastOp, rewriter: PatternRewriter) -> None:
        source = op.source
        kind = cast(Vector, lower_type(op.vector.type))
        lanes = lanes_of(op, kind)
        constant = source.owner
        if isinstance(constant, llvm.ConstantOp) and isinstance(constant.value, FloatAttr | IntegerAttr):
            splat = DenseIntOrFPElementsAttr.from_list(kind, [cast(Any, constant.value).value.data])
            rewriter.replace(op, llvm.ConstantOp.create(result_types=[kind], properties={"value": splat}))
            return
        if lanes not in self._masks:
            self._masks[lanes] = DenseArrayBase.from_list(i32, [0] * lanes)
        new: list[Operation] = []
        if vector_type(source.type) is None:
            poison = vectors.PoisonOp.create(result_types=[kind])
            zero = integer_constant(0)
            first = llvm.InsertElementOp.create(
                operands=[poison.results[0], source, zero.results[0]], result_types=[kind]
            )
            new = [poison, zero, first]
            source = first.results[0]
        new.append(
            llvm.ShuffleVectorOp.create(
                operands=[source, source], result_types=[kind], properties={"mask": self._masks[lanes]}
            )
        )
        rewriter.replace(op, new)


@lowers(VALUES, vector.FMAOp, vector.BitcastOp)
class LowerSameOperands(StatelessPattern):
    """Ops that llvm has with the same operands."""

    _TARGETS: dict[type[Operation], tuple[type[Operation], dict[str, Attribute]]] = {
        vector.FMAOp: (intrinsics.FMulAddOp, {"fastmathFlags": llvm.FastMathAttr(None)}),
        vector.BitcastOp: (llvm.BitcastOp, {}),
    }

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        target, properties = self._TARGETS[type(op)]
        types = [lower_type(op.results[0].type)]
        rewriter.replace(op, target.create(operands=op.operands, result_types=types, properties=properties))


@lowers(VALUES, vector.ShuffleOp)
class LowerShuffle(StatelessPattern):
    """`vector.shuffle` of vectors of one dimension."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ShuffleOp, rewriter: PatternRewriter) -> None:
        left, right = lanes_of(op, op.v1.type), lanes_of(op, op.v2.type)
        lanes = list(op.mask.iter_values())
        if left == right:
            rewriter.replace(op, shuffle(op.v1, op.v2, lanes))
            return
        # llvm shuffles vectors of one length, so the shorter one is widened first
        longer = max(left, right)
        widen = [shuffle(v, v, [*range(n), *[-1] * (longer - n)]) for v, n in ((op.v1, left), (op.v2, right))]
        moved = [p if p < left else p - left + longer for p in lanes]
        rewriter.replace(op, [*widen, shuffle(widen[0].res, widen[1].res, moved)])


@lowers(VALUES, vector.ExtractOp, vector.InsertOp)
class LowerElementAccess(StatelessPattern):
    """One lane read or replaced."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ExtractOp | vector.InsertOp, rewriter: PatternRewriter) -> None:
        (position,) = op.get_mixed_position()
        new: list[Operation] = []
        if isinstance(position, int):
            new.append(constant := integer_constant(position))
            position = constant.result
        if isinstance(op, vector.ExtractOp):
            lanes_of(op, op.vector.type)
            new.append(vectors.ExtractElementOp(op.vector, position))
        else:
            lanes_of(op, op.dest.type)
            new.append(llvm.InsertElementOp(op.dest, op.source, position))
        rewriter.replace(op, new)


@lowers(VALUES, vector.CreateMaskOp)
class LowerCreateMask(StatelessPattern):
    """`create_mask %n` -> `(0, 1, 2, …) < splat(%n)`, in 32 bits."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.CreateMaskOp, rewriter: PatternRewriter) -> None:
        lanes = lanes_of(op, op.mask_vector.type)
        kind = vector_of(i32, lanes)
        steps = llvm.ConstantOp(DenseIntOrFPElementsAttr.from_list(kind, range(lanes)), kind)
        count = truncate(op.mask_dim_sizes[0], i32)
        poison, zero = vectors.PoisonOp(kind), integer_constant(0)
        first = llvm.InsertElementOp(poison.res, count.res, zero.result)
        splat = shuffle(first.res, poison.res, [0] * lanes)
        less = IntegerAttr(llvm.ICmpPredicateFlag.SLT.to_int(), i64)
        mask = llvm.ICmpOp(steps.result, splat.res, less)
        rewriter.replace(op, [steps, count, poison, zero, first, splat, mask])


_INTRINSICS: dict[CombiningKindFlag, type[Operation]] = {
    CombiningKindFlag.MAXIMUMF: reductions.ReduceFMaximumOp,
    CombiningKindFlag.MINIMUMF: reductions.ReduceFMinimumOp,
    CombiningKindFlag.MAXNUMF: reductions.ReduceFMaxOp,
    CombiningKindFlag.MINNUMF: reductions.ReduceFMinOp,
    CombiningKindFlag.MAXSI: reductions.ReduceSMaxOp,
    CombiningKindFlag.MINSI: reductions.ReduceSMinOp,
    CombiningKindFlag.MAXUI: reductions.ReduceUMaxOp,
    CombiningKindFlag.MINUI: reductions.ReduceUMinOp,
    CombiningKindFlag.AND: reductions.ReduceAndOp,
    CombiningKindFlag.OR: reductions.ReduceOrOp,
    CombiningKindFlag.XOR: reductions.ReduceXorOp,
    CombiningKindFlag.ADD: reductions.ReduceAddOp,
    CombiningKindFlag.MUL: reductions.ReduceMulOp,
}
"""Combining in any order gives one result, so LLVM may choose it (floats: all but add and mul)."""

_COMBINE: dict[CombiningKindFlag, tuple[type[Operation], type[Operation]]] = {
    CombiningKindFlag.ADD: (integers.AddOp, llvm.FAddOp),
    CombiningKindFlag.MUL: (integers.MulOp, llvm.FMulOp),
    CombiningKindFlag.MAXIMUMF: (intrinsics.MaximumOp, intrinsics.MaximumOp),
    CombiningKindFlag.MINIMUMF: (intrinsics.MinimumOp, intrinsics.MinimumOp),
    CombiningKindFlag.MAXNUMF: (llvm.VectorFMaxOp, llvm.VectorFMaxOp),
    CombiningKindFlag.MINNUMF: (llvm.VectorFMinOp, llvm.VectorFMinOp),
    CombiningKindFlag.MAXSI: (intrinsics.SMaxOp, intrinsics.SMaxOp),
    CombiningKindFlag.MINSI: (intrinsics.SMinOp, intrinsics.SMinOp),
    CombiningKindFlag.MAXUI: (intrinsics.UMaxOp, intrinsics.UMaxOp),
    CombiningKindFlag.MINUI: (intrinsics.UMinOp, intrinsics.UMinOp),
    CombiningKindFlag.AND: (llvm.AndOp, llvm.AndOp),
    CombiningKindFlag.OR: (llvm.OrOp, llvm.OrOp),
    CombiningKindFlag.XOR: (llvm.XOrOp, llvm.XOrOp),
}
"""The op that combines two values, for integers and for floats."""


@lowers(VALUES, vector.ReductionOp)
class LowerReduction(StatelessPattern):
    """A reduction of all lanes, and of one more value if there is an accumulator.

    Sums and products of floats depend on their order. It is fixed here, so that a result is the same in every run: the
    upper half of the lanes is added to the lower half until one is left.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ReductionOp, rewriter: PatternRewriter) -> None:
        lanes = lanes_of(op, op.vector.type)
        kind = op.kind.data
        scalar = op.dest.type
        is_float = isinstance(scalar, AnyFloat)
        combine = _COMBINE[kind][is_float]
        properties = fast_math(op) if is_float else no_flags(combine)
        if is_float and kind in (CombiningKindFlag.ADD, CombiningKindFlag.MUL):
            new = _halve(op.vector, lanes, combine, properties)
        else:
            new = [
                _INTRINSICS[kind].create(
                    operands=[op.vector], result_types=[scalar], properties=fast_math(op) if is_float else {}
                )
            ]
        if op.acc is not None:
            operands = [op.acc, new[-1].results[0]]
            new.append(combine.create(operands=operands, result_types=[scalar], properties=properties))
        rewriter.replace(op, new)


def _halve(value: SSAValue, lanes: int, combine: type[Operation], properties: dict[str, Attribute]) -> list[Operation]:
    """Ops that combine all lanes; an odd lane out joins the first one."""
    new: list[Operation] = []
    while lanes > 1:
        half = lanes // 2
        low, high = shuffle(value, value, range(half)), shuffle(value, value, range(half, 2 * half))
        step = combine.create(operands=[low.res, high.res], result_types=[low.res.type], properties=properties)
        new += [low, high, step]
        if lanes % 2:
            new += _join_last(value, lanes, step.results[0], combine, properties)
        value, lanes = new[-1].results[0], half
    zero = integer_constant(0)
    return [*new, zero, vectors.ExtractElementOp(value, zero.result)]


def _join_last(
    value: SSAValue, lanes: int, halved: SSAValue, combine: type[Operation], properties: dict[str, Attribute]
) -> list[Operation]:
    """Combine the last lane of `value` into lane 0 of `halved`."""
    source = vector_type(value.type)
    if source is None:
        raise CompilerBug(f"{value.type} is not a vector", VALUES)
    last, zero = integer_constant(lanes - 1), integer_constant(0)
    odd, first = vectors.ExtractElementOp(value, last.result), vectors.ExtractElementOp(halved, zero.result)
    joined = combine.create(operands=[first.res, odd.res], result_types=[source.element_type], properties=properties)
    return [last, zero, odd, first, joined, llvm.InsertElementOp(halved, joined.results[0], zero.result)]
