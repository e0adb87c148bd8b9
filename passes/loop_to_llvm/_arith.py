"""Arithmetic: `arith`, and what of `math` is one instruction or a cheap intrinsic."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from mlc.dialects.arith import (
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    IndexCastOp,
    IndexCastUIOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from mlc.dialects.llvm import integers, intrinsics, vectors
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.loop_to_llvm._types import VALUES, bit_width, index_type, lower_type, number_of, truncate

_STRICT: dict[str, Attribute] = {"fastmathFlags": llvm.FastMathAttr(None)}
_KEPT = frozenset({FastMathFlag.ALLOW_CONTRACT, FastMathFlag.NO_SIGNED_ZEROS, FastMathFlag.NO_NANS})
"""The fast-math flags that code generation makes use of."""
_WRAP: dict[str, Attribute] = {"overflowFlags": integers.NO_OVERFLOW_FLAGS}

_FLOAT: dict[type[Operation], type[Operation]] = {
    arith.AddfOp: llvm.FAddOp,
    arith.SubfOp: llvm.FSubOp,
    arith.MulfOp: llvm.FMulOp,
    arith.DivfOp: llvm.FDivOp,
    arith.NegfOp: llvm.FNegOp,
    arith.MaximumfOp: intrinsics.MaximumOp,
    arith.MinimumfOp: intrinsics.MinimumOp,
    arith.MaxnumfOp: llvm.VectorFMaxOp,
    arith.MinnumfOp: llvm.VectorFMinOp,
    SelectOp: vectors.SelectOp,
    math.AbsFOp: llvm.FAbsOp,
    math.CeilOp: llvm.FCeilOp,
    math.CopySignOp: llvm.FCopySignOp,
    math.FloorOp: llvm.FFloorOp,
    math.FmaOp: intrinsics.FMulAddOp,
    math.RoundEvenOp: intrinsics.RoundEvenOp,
    math.RoundOp: intrinsics.RoundOp,
    math.SqrtOp: llvm.FSqrtOp,
    math.TruncOp: intrinsics.TruncateOp,
}
"""Ops that become one op with fast-math flags and the same operands. `contract`, `nsz` and `nnan` go through."""

_INTEGER: dict[type[Operation], tuple[type[Operation], dict[str, Attribute]]] = {
    arith.AddiOp: (integers.AddOp, _WRAP),
    arith.SubiOp: (integers.SubOp, _WRAP),
    arith.MuliOp: (integers.MulOp, _WRAP),
    arith.AndIOp: (llvm.AndOp, {}),
    arith.OrIOp: (llvm.OrOp, {}),
    arith.XOrIOp: (llvm.XOrOp, {}),
    arith.MaxSIOp: (intrinsics.SMaxOp, {}),
    arith.MinSIOp: (intrinsics.SMinOp, {}),
    arith.MaxUIOp: (intrinsics.UMaxOp, {}),
    arith.MinUIOp: (intrinsics.UMinOp, {}),
    ExtSIOp: (llvm.SExtOp, {}),
    ExtUIOp: (llvm.ZExtOp, {}),
    TruncIOp: (llvm.TruncOp, {}),
    SIToFPOp: (llvm.SIToFPOp, {}),
    UIToFPOp: (vectors.UIToFPOp, {}),
    arith.ExtFOp: (llvm.FPExtOp, {}),
    arith.TruncFOp: (llvm.FPTruncOp, {}),
    arith.BitcastOp: (llvm.BitcastOp, {}),
    math.AbsIOp: (intrinsics.AbsOp, {"is_int_min_poison": IntegerAttr.from_bool(False)}),
    math.CountLeadingZerosOp: (intrinsics.CountLeadingZerosOp, {"is_zero_poison": IntegerAttr.from_bool(False)}),
}
"""Ops that become one op with the same operands and these properties."""

CHEAP_MATH = frozenset(op for table in (_FLOAT, _INTEGER) for op in table) | {math.RsqrtOp}
"""The ops that need no expansion into polynomials (and all ops of arith)."""


def fast_math(op: Operation) -> dict[str, Attribute]:
    """The flags of the llvm op that replaces `op`, as its properties."""
    flags = cast(Any, op.properties.get("fastmath"))
    if flags is None or not _KEPT.intersection(flags.data):
        return _STRICT
    return {"fastmathFlags": llvm.FastMathAttr([flag for flag in flags.data if flag in _KEPT])}


def no_flags(op_type: type[Operation]) -> dict[str, Attribute]:
    """The properties of an integer op of llvm that promises nothing about overflow."""
    return _WRAP if op_type in integers.INTEGER_OPS else {}


@lowers(VALUES, *_FLOAT)
class LowerFloatOp(StatelessPattern):
    """`arith.addf %a, %b fastmath<contract>` -> `llvm.fadd %a, %b {fastmathFlags = contract}`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        target = _FLOAT[type(op)]
        types = [lower_type(op.results[0].type)]
        rewriter.replace(op, target.create(operands=op.operands, result_types=types, properties=fast_math(op)))


@lowers(VALUES, *_INTEGER)
class LowerIntegerOp(StatelessPattern):
    """`arith.addi %a, %b : index` -> `llvm.add %a, %b : i64` where addresses have 64 bits, and conversions."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        target, properties = _INTEGER[type(op)]
        if properties is _WRAP:
            properties = _overflow(op)
        types = [lower_type(op.results[0].type)]
        rewriter.replace(op, target.create(operands=op.operands, result_types=types, properties=properties))


def _overflow(op: Operation) -> dict[str, Attribute]:
    flags = cast(Any, op.properties.get("overflowFlags"))
    if flags is None or not flags.data:
        return _WRAP
    return {"overflowFlags": llvm.OverflowAttr([llvm.OverflowFlag(flag.value) for flag in flags.data])}


@lowers(VALUES, arith.ConstantOp)
class LowerConstant(StatelessPattern):
    """A number or a vector of numbers; an index becomes an integer."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter) -> None:
        kind = lower_type(op.result.type)
        value: Attribute = op.value
        if isinstance(value, IntegerAttr) and isinstance(value.type, IndexType):
            value = IntegerAttr(value.value.data, index_type())
        elif isinstance(value, DenseIntOrFPElementsAttr) and kind is not op.result.type:
            value = DenseIntOrFPElementsAttr.from_list(cast(Any, kind), [*cast(Any, value).get_values()])
        elif not isinstance(value, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr):
            return  # whole tensors are not values of this level; the check at the end reports them
        rewriter.replace(op, llvm.ConstantOp.create(result_types=[kind], properties={"value": value}))


@lowers(VALUES, CmpiOp, CmpfOp)
class LowerCompare(StatelessPattern):
    """The predicates of arith and llvm are numbered alike."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CmpiOp | CmpfOp, rewriter: PatternRewriter) -> None:
        properties: dict[str, Attribute] = {"predicate": op.predicate}
        target: type[Operation] = llvm.ICmpOp
        if isinstance(op, CmpfOp):
            target = vectors.FCmpOp
            properties |= fast_math(op)
        kind = vectors.mask_type_of(op.lhs.type)
        rewriter.replace(op, target.create(operands=op.operands, result_types=[kind], properties=properties))


@lowers(VALUES, IndexCastOp, IndexCastUIOp)
class LowerIndexCast(StatelessPattern):
    """Between index and integers: an extension, a truncation, or nothing."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IndexCastOp | IndexCastUIOp, rewriter: PatternRewriter) -> None:
        source, kind = op.operands[0], lower_type(op.results[0].type)
        before, after = bit_width(source.type), bit_width(kind)
        if before == after:
            rewriter.replace(op, [], [source])
        elif before < after:
            extend = llvm.ZExtOp if isinstance(op, IndexCastUIOp) else llvm.SExtOp
            rewriter.replace(op, extend(source, kind))
        else:
            rewriter.replace(op, truncate(source, kind))


@lowers(VALUES, math.RsqrtOp)
class LowerRsqrt(StatelessPattern):
    """`rsqrt(x)` -> `1 / sqrt(x)`, both correctly rounded."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: math.RsqrtOp, rewriter: PatternRewriter) -> None:
        kind = op.result.type
        one = llvm.ConstantOp.create(result_types=[kind], properties={"value": number_of(kind, 1.0)})
        root = llvm.FSqrtOp.create(operands=[op.operand], result_types=[kind], properties=_STRICT)
        rewriter.replace(op, [one, root, llvm.FDivOp(one.result, root.results[0])])
