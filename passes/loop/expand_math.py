"""`expand-math`: exp, log, tanh and the like become polynomials."""

from __future__ import annotations

import math as numbers
from collections.abc import Callable
from dataclasses import dataclass, replace

from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, ModuleOp, bf16, f16, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import Rewriter

from mlc.analysis.exact_halves import is_exact
from mlc.analysis.never_nan import is_never_nan
from mlc.dialects.arith import CmpfOp, SelectOp
from mlc.pass_manager.base import Pass
from mlc.pass_manager.lowering import LoweringDriver, StatelessPattern, lowers
from mlc.pass_manager.pipeline_options import require_option
from mlc.passes.loop._rounded_functions import ERROR, expand_rounded
from mlc.polynomials import exp, halves
from mlc.polynomials.builder import ConstantPool, Emitter, Number, has_format
from mlc.polynomials.functions import EXPANSIONS
from mlc.support.context import CompilerContext
from mlc.support.rounding import Rounding
from mlc.support.types import element_type, repeated_number, vector_type
from mlc.targets.machine import resolve_target


@lowers("expand-math", *EXPANSIONS)
class ExpandFunction(RewritePattern):
    """One function on f32 or f64, scalars or vectors, becomes the ops of its formula."""

    def __init__(self, ctx: CompilerContext) -> None:
        self._constants = ConstantPool()
        machine = resolve_target(ctx.target)
        self._avx512 = {"avx512f", "avx512dq"}.issubset(machine.features)
        self._minimum = machine.architecture.has_minimum

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not has_format(op.results[0].type):
            return
        emitter = Emitter(op, self._constants, self._avx512, self._minimum)
        result = EXPANSIONS[type(op)](*(Number(emitter, v) for v in op.operands))
        result.value.name_hint = op.results[0].name_hint
        rewriter.replace(op, [], [result.value])


@lowers("expand-math", arith.ExtFOp, arith.TruncFOp)
class ExpandConversion(RewritePattern):
    """Between f32 and the floats of 16 bits, where the machine has no instruction."""

    def __init__(self, ctx: CompilerContext) -> None:
        self._constants = ConstantPool()
        self._has_f16 = resolve_target(ctx.target).converts_f16

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        types = element_type(op.operands[0].type), element_type(op.results[0].type)
        formula = _CONVERSIONS.get(types)
        if formula is None or (f16 in types and self._has_f16 and not _is_compared(op)):
            return
        result = formula(Number(Emitter(op, self._constants), op.operands[0]))
        result.value.name_hint = op.results[0].name_hint
        rewriter.replace(op, [], [result.value])


@lowers("expand-math", arith.MaxnumfOp, arith.MinnumfOp)
class ExpandMaxnum(RewritePattern):
    """`maxnumf %x, %m`, `%m` never NaN -> `%x > %m ? %x : %m`, which x86 has as one instruction; `maxnumf` takes three.

    Other machines have one for `maxnumf` itself.
    """

    def __init__(self, ctx: CompilerContext) -> None:
        self._is_expanded = not resolve_target(ctx.target).architecture.has_minimum

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not self._is_expanded or not has_format(op.results[0].type):
            return
        for known, other in (reversed(op.operands), op.operands):
            if is_never_nan(known):
                predicate = "ogt" if isinstance(op, arith.MaxnumfOp) else "olt"
                is_other = CmpfOp(other, known, predicate)
                rewriter.replace(op, [is_other, SelectOp(is_other.result, other, known)])
                return


@lowers("expand-math", arith.MaximumfOp, arith.MinimumfOp)
class ExpandMaximum(RewritePattern):
    """`maximumf %x, 6.0` -> `%x < 6.0 ? 6.0 : %x`: NaN stays; x86 has one instruction, and three for `maximumf`.

    Of zeros, 0 is the larger one, so that `maximumf %x, 0.0` is `%x <= 0.0 ? 0.0 : %x`: two instructions.
    """

    def __init__(self, ctx: CompilerContext) -> None:
        self._is_expanded = not resolve_target(ctx.target).architecture.has_minimum

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not self._is_expanded or not has_format(op.results[0].type):
            return
        is_maximum = isinstance(op, arith.MaximumfOp)
        for known, other in (reversed(op.operands), op.operands):
            limit = _constant(known)
            if limit is None or numbers.isnan(limit):
                continue
            takes_over = limit == 0 and (numbers.copysign(1, limit) > 0) == is_maximum
            predicate = ("olt" if is_maximum else "ogt", "ole" if is_maximum else "oge")[takes_over]
            is_known = CmpfOp(other, known, predicate)
            rewriter.replace(op, [is_known, SelectOp(is_known.result, known, other)])
            return


def _constant(value: SSAValue) -> float | None:
    """The number that a value, or each lane of it, is in all runs."""
    owner = value.owner
    if isinstance(owner, vector.BroadcastOp):
        return _constant(owner.source)
    given = owner.value if isinstance(owner, arith.ConstantOp) else None
    if isinstance(given, FloatAttr):
        return given.value.data
    return repeated_number(given) if isinstance(given, DenseIntOrFPElementsAttr) else None


@lowers("expand-math", vector.ReductionOp)
class PromiseNumbers(StatelessPattern):
    """`vector.reduction <maxnumf> %v`, `%v` never NaN -> `… fastmath<nnan>`; LLVM tests each lane by itself if not."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ReductionOp, rewriter: PatternRewriter) -> None:
        is_one = op.kind.data in (CombiningKindFlag.MAXNUMF, CombiningKindFlag.MINNUMF)
        if is_one and op.acc is None and is_never_nan(op.vector):
            op.fastmath = arith.FastMathFlagsAttr([*op.fastmath.data, FastMathFlag.NO_NANS])
            rewriter.notify_op_modified(op)


def _is_compared(op: Operation) -> bool:
    """Whether a maximum or minimum reads the result.

    LLVM computes it before the conversion, as the one of two f16, and then 0 is the larger of 0 and NaN on x86.
    """
    return any(isinstance(use.operation, _COMPARING) for use in op.results[0].uses)


_COMPARING = arith.MaximumfOp | arith.MinimumfOp | arith.MaxnumfOp | arith.MinnumfOp

_CONVERSIONS: dict[tuple[Attribute, Attribute], Callable[[Number], Number]] = {
    (f16, f32): halves.f16_to_f32,
    (f32, f16): halves.f32_to_f16,
    (bf16, f32): halves.bf16_to_f32,
    (f32, bf16): halves.f32_to_bf16,
}


def _drop_exact_roundings(function: func.FuncOp, constants: ConstantPool) -> None:
    """Let those read a number itself that widen what it is rounded to, where it is one of the shorter type.

    Its upper half is that of a bf16, without the additions of a rounding.
    """
    for op in list(function.body.walk()):
        if not isinstance(op, arith.TruncFOp) or not is_exact(op.input, kind := element_type(op.result.type)):
            continue
        for use in list(op.result.uses):
            if isinstance(wide := use.operation, arith.ExtFOp) and wide.result.type == op.input.type:
                Rewriter.replace_op(wide, [], [op.input])
        if op.result.first_use is None:
            Rewriter.erase_op(op)
        elif kind == bf16 and element_type(op.input.type) == f32:
            short = halves.exact_f32_to_bf16(Number(Emitter(op, constants), op.input))
            short.value.name_hint = op.result.name_hint
            Rewriter.replace_op(op, [], [short.value])


_ROUNDING = Rounding(8, "functions become polynomials")


@dataclass(frozen=True)
class ExpandMathPass(Pass):
    """Expand the functions of the math dialect, so that artifacts never call the C library.

        %y = math.tanh %x : vector<16xf32>
    ->
        %a = math.absf %x : vector<16xf32>
        …
        %e = math.fma %p, %s, %t : vector<16xf32>
        %d = arith.addf %e, %two : vector<16xf32>
        %q = arith.divf %e, %d : vector<16xf32>
        %y = math.copysign %q, %x : vector<16xf32>

    Conversions between f32 and f16 become integer arithmetic where the target has no instruction, and so do those of
    bf16, but for vectors that are rounded with the precision "bf16": an instruction may make 0 of subnormal numbers.
    Rounding what is a number of 16 bits already, as a maximum of such numbers is, goes.

    f32 and f64, scalars and vectors of one rank. Infinities, NaN, signed zeros and denormals come out as in C. The
    largest errors, in units of the last place, are tested (tests/numeric/test_expand_math.py). Left alone are what is
    one instruction (fma, sqrt, absf, floor, …), other types, and functions without an expansion, which
    `convert-loop-to-llvm` reports.
    """

    name = "expand-math"
    rounding = _ROUNDING

    precision: str = "f32"
    """With "bf16" subnormal numbers of bf16 may become 0; one of `PRECISIONS`."""

    def rounding_in(self, module: ModuleOp) -> Rounding:
        degrees = [exp.exp_degree(op) for op in module.ops if isinstance(op, func.FuncOp)]
        error = max((exp.EXP_F32[degree].error for degree in degrees), default=0.0)
        rounded = ERROR if self.precision == "bf16" else 0
        return replace(_ROUNDING, ulps=max(_ROUNDING.ulps, 2 * error, rounded))

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_option("precision", self.precision, self.name)
        driver, constants = LoweringDriver(self.name, ctx), ConstantPool()
        has_instruction = self.precision == "bf16" and resolve_target(ctx.target).rounds_to_bf16
        for function in [op for op in module.ops if isinstance(op, func.FuncOp)]:
            _drop_exact_roundings(function, constants)
            if has_instruction:
                expand_rounded(function, constants)
            ops = function.body.walk()
            driver.lower(op for op in ops if not (has_instruction and _rounds_vectors_to_bf16(op)))


def _rounds_vectors_to_bf16(op: Operation) -> bool:
    """Whether an op makes bf16 of a vector of f32, of as many lanes as registers may have, or of several of them."""
    if not isinstance(op, arith.TruncFOp) or (kind := vector_type(op.result.type)) is None:
        return False
    lanes = kind.get_shape()[0] if len(kind.get_shape()) == 1 else 1
    return (element_type(op.input.type), kind.element_type) == (f32, bf16) and (lanes in (4, 8) or lanes % 16 == 0)
