"""One emitter per op that computes or branches; uniform families share one that is made from a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, StringAttr, SymbolRefAttr, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from mlc.dialects.llvm import CallIntrinsicOp, LoopAnnotationAttr, integers, intrinsics, reductions, vectors
from mlc.support.errors import CompilerBug
from mlc.support.types import element_type, vector_type
from mlc.targets.llvm_ir_function import EMITTERS, EmitOp, FunctionText, emits, operands_of
from mlc.targets.llvm_ir_literals import STAGE, intrinsic_suffix, spell_constant

# Arithmetic ------------------------------------------------------------------------------------------------------


_NUW, _NSW = llvm.OverflowFlag.NO_UNSIGNED_WRAP, llvm.OverflowFlag.NO_SIGNED_WRAP


_FAST_MATH = (FastMathFlag.NO_NANS, FastMathFlag.NO_SIGNED_ZEROS, FastMathFlag.ALLOW_CONTRACT)
"""The fast-math flags that mlc stands for, in LLVM's order."""


def _fast_math(op: Operation) -> str:
    """`nnan nsz contract `, as far as the op allows it."""
    flags = op.properties.get("fastmathFlags")
    if flags is None:
        return ""
    return "".join(f"{flag.value} " for flag in _FAST_MATH if flag in cast(llvm.FastMathAttr, flags).data)


def _binary(opcode: str, flags: Callable[[Operation], str] | None = None) -> EmitOp:
    def emit(f: FunctionText, op: Operation) -> None:
        lhs, rhs = operands_of(op)
        flag = flags(op) if flags else ""
        f.define(op.results[0], f"{opcode} {flag}{f.type(lhs.type)} {f.names[lhs]}, {f.names[rhs]}")

    return emit


def _wrap(op: Operation) -> str:
    """`nuw nsw `, in LLVM's order, as far as the op promises it."""
    flags = cast(llvm.OverflowAttr, op.properties["overflowFlags"]).data
    return "".join(f"{flag} " for flag in (_NUW, _NSW) if flag in flags)


def _exact(op: Operation) -> str:
    return "exact " if op.properties.get("isExact") else ""


def _cast(opcode: str) -> EmitOp:
    def emit(f: FunctionText, op: Operation) -> None:
        (value,) = operands_of(op)
        result = op.results[0]
        f.define(result, f"{opcode} {f.type(value.type)} {f.names[value]} to {f.type(result.type)}")

    return emit


def _intrinsic(name: str, trailing_flag: str = "") -> EmitOp:
    """A call of an intrinsic that is overloaded on its last operand's type; `trailing_flag` names an i1 property."""

    def emit(f: FunctionText, op: Operation) -> None:
        values = operands_of(op)
        result = op.results[0]

        def signature() -> str:
            types = [f.type(v.type) for v in values] + (["i1"] if trailing_flag else [])
            return f"{f.type(result.type)} {{}}({', '.join(types)})"

        symbol = f.intrinsic(name, values[-1].type, signature)
        arguments = ", ".join(map(f.operand, values))
        if trailing_flag:
            flag = cast(IntegerAttr, op.properties[trailing_flag]).value.data
            arguments += f", i1 {'true' if flag else 'false'}"
        f.define(result, f"call {_fast_math(op)}{f.type(result.type)} {symbol}({arguments})")

    return emit


for _opcode, _op in {
    "add": integers.AddOp,
    "sub": integers.SubOp,
    "mul": integers.MulOp,
    "shl": integers.ShlOp,
}.items():
    EMITTERS[_op] = _binary(_opcode, _wrap)
for _opcode, _op in {
    "udiv": llvm.UDivOp,
    "sdiv": llvm.SDivOp,
    "lshr": llvm.LShrOp,
    "ashr": llvm.AShrOp,
}.items():
    EMITTERS[_op] = _binary(_opcode, _exact)
for _opcode, _op in {
    "urem": llvm.URemOp,
    "srem": llvm.SRemOp,
    "and": llvm.AndOp,
    "or": llvm.OrOp,
    "xor": llvm.XOrOp,
}.items():
    EMITTERS[_op] = _binary(_opcode)
for _opcode, _op in {
    "fadd": llvm.FAddOp,
    "fsub": llvm.FSubOp,
    "fmul": llvm.FMulOp,
    "fdiv": llvm.FDivOp,
    "frem": llvm.FRemOp,
}.items():
    EMITTERS[_op] = _binary(_opcode, _fast_math)
for _opcode, _op in {
    "trunc": llvm.TruncOp,
    "zext": llvm.ZExtOp,
    "sext": llvm.SExtOp,
    "fpext": llvm.FPExtOp,
    "fptrunc": llvm.FPTruncOp,
    "fptosi": vectors.FPToSIOp,
    "fptoui": vectors.FPToUIOp,
    "sitofp": llvm.SIToFPOp,
    "uitofp": vectors.UIToFPOp,
    "bitcast": llvm.BitcastOp,
    "ptrtoint": llvm.PtrToIntOp,
    "inttoptr": llvm.IntToPtrOp,
}.items():
    EMITTERS[_op] = _cast(_opcode)
for _op in (
    *intrinsics.INTRINSICS,
    *reductions.VECTOR_REDUCTIONS,
    *(llvm.FAbsOp, llvm.FCeilOp, llvm.FFloorOp, llvm.FSqrtOp, llvm.FMAOp, llvm.FCopySignOp),
    *(llvm.VectorFMaxOp, llvm.VectorFMinOp),
    *(llvm.FExpOp, llvm.FExp2Op, llvm.FLogOp, llvm.FLog2Op, llvm.FSinOp, llvm.FCosOp, llvm.FPowOp),
):
    EMITTERS[_op] = _intrinsic(_op.name.removeprefix("llvm.intr."))
EMITTERS[intrinsics.AbsOp] = _intrinsic("abs", "is_int_min_poison")
EMITTERS[intrinsics.CountLeadingZerosOp] = _intrinsic("ctlz", "is_zero_poison")


@emits(intrinsics.FPToSISatOp, intrinsics.FPToUISatOp)
def _saturating_cast(f: FunctionText, op: Operation) -> None:
    """An intrinsic that is overloaded on both types."""
    (value,), result = operands_of(op), op.results[0]
    name = f"{op.name.removeprefix('llvm.intr.')}.{intrinsic_suffix(result.type)}"
    symbol = f.intrinsic(name, value.type, lambda: f"{f.type(result.type)} {{}}({f.type(value.type)})")
    f.define(result, f"call {f.type(result.type)} {symbol}({f.operand(value)})")


@emits(intrinsics.ScaleOp)
def _scale(f: FunctionText, op: Operation) -> None:
    _avx512(f, op, "mask.scalef", ", {kind} zeroinitializer, {mask} -1, i32 4", ", {kind}, {mask}, i32")


@emits(intrinsics.LimitOp)
def _limit(f: FunctionText, op: Operation) -> None:
    """The control 2 asks for the smaller of the absolute values, and the sign of the first operand."""
    rest = ", i32 2, {kind} zeroinitializer, {mask} -1, i32 4"
    _avx512(f, op, "mask.range", rest, ", i32, {kind}, {mask}, i32")


@emits(intrinsics.ReciprocalOp)
def _reciprocal(f: FunctionText, op: Operation) -> None:
    _avx512(f, op, "rcp14", ", {kind} zeroinitializer, {mask} -1", ", {kind}, {mask}")


def _avx512(f: FunctionText, op: Operation, name: str, rest: str, types: str) -> None:
    """An instruction for registers of 512 bits, with all lanes active, rounded as the environment says: for each
    register of the operands, whose results are put together. `rest` stands after the operands, of these `types`."""
    element = element_type(op.results[0].type)
    suffix, mask, lanes = ("ps", "i16", 16) if element == f32 else ("pd", "i8", 8)
    kind, symbol = f"<{lanes} x {f.type(element)}>", f"@llvm.x86.avx512.{name}.{suffix}.512"
    rest, types = (each.format(kind=kind, mask=mask) for each in (rest, types))
    given = operands_of(op)
    f.module.declarations[symbol] = f"declare {kind} {symbol}({', '.join([kind] * len(given))}{types})"
    texts: list[str] = []
    for operands in zip(*(_registers(f, value, kind, lanes) for value in given), strict=True):
        texts.append(f"call {kind} {symbol}({', '.join(operands)}{rest})")
    length = lanes * len(texts)
    while len(texts) > 1:
        parts = [f"<{lanes} x {f.type(element)}> {f.temporary(text)}" for text in texts]
        parts += [f"<{lanes} x {f.type(element)}> poison"] * (len(parts) % 2)
        lanes *= 2
        mask = _spelled_mask(range(lanes if len(parts) > 2 else length))
        texts = [f"shufflevector {a}, {b}, {mask}" for a, b in zip(parts[::2], parts[1::2], strict=True)]
    f.define(op.results[0], texts[0])


def _registers(f: FunctionText, value: SSAValue, kind: str, lanes: int) -> list[str]:
    """The parts of so many lanes of a vector, as they stand among operands."""
    vector = vector_type(value.type)
    assert vector is not None
    whole, (length,) = f.operand(value), vector.get_shape()
    if length == lanes:
        return [whole]
    masks = [_spelled_mask(range(first, first + lanes)) for first in range(0, length, lanes)]
    return [f"{kind} {f.temporary(f'shufflevector {whole}, {whole}, {mask}')}" for mask in masks]


@emits(llvm.FNegOp)
def _fneg(f: FunctionText, op: Operation) -> None:
    f.define(op.results[0], f"fneg {_fast_math(op)}{f.operand(operands_of(op)[0])}")


@emits(llvm.ICmpOp)
def _icmp(f: FunctionText, op: Operation) -> None:
    lhs, rhs = operands_of(op)
    predicate = llvm.ALL_ICMP_FLAGS[cast(IntegerAttr, op.properties["predicate"]).value.data].value
    f.define(op.results[0], f"icmp {predicate} {f.operand(lhs)}, {f.names[rhs]}")


@emits(vectors.FCmpOp, llvm.FCmpOp)
def _fcmp(f: FunctionText, op: Operation) -> None:
    lhs, rhs = operands_of(op)
    predicate = llvm.ALL_FCMP_FLAGS[cast(IntegerAttr, op.properties["predicate"]).value.data].value.lstrip("_")
    f.define(op.results[0], f"fcmp {predicate} {f.operand(lhs)}, {f.names[rhs]}")


@emits(vectors.SelectOp, llvm.SelectOp)
def _select(f: FunctionText, op: Operation) -> None:
    condition, lhs, rhs = operands_of(op)
    f.define(op.results[0], f"select {f.operand(condition)}, {f.operand(lhs)}, {f.operand(rhs)}")


# Constants: written where they are used, so these make no lines --------------------------------------------------


@emits(llvm.ConstantOp)
def _constant(f: FunctionText, op: Operation) -> None:
    value = op.properties["value"]
    found = f.literals.get(id(value))
    if found is None:
        found = f.literals[id(value)] = (value, spell_constant(value))
    f.names[op.results[0]] = found[1]


@emits(vectors.PoisonOp)
def _poison(f: FunctionText, op: Operation) -> None:
    f.names[op.results[0]] = "poison"


@emits(llvm.UndefOp)
def _undef(f: FunctionText, op: Operation) -> None:
    f.names[op.results[0]] = "undef"


@emits(llvm.ZeroOp)
def _zero(f: FunctionText, op: Operation) -> None:
    result = op.results[0]
    f.names[result] = "null" if isinstance(result.type, llvm.LLVMPointerType) else "zeroinitializer"


@emits(llvm.AddressOfOp)
def _address_of(f: FunctionText, op: Operation) -> None:
    name = cast(SymbolRefAttr, op.properties["global_name"]).root_reference.data
    f.names[op.results[0]] = f.module.symbol(name)


# Vectors ---------------------------------------------------------------------------------------------------------


@emits(llvm.InsertElementOp)
def _insert_element(f: FunctionText, op: Operation) -> None:
    vector, value, index = operands_of(op)
    f.define(op.results[0], f"insertelement {f.operand(vector)}, {f.operand(value)}, {f.operand(index)}")


@emits(vectors.ExtractElementOp)
def _extract_element(f: FunctionText, op: Operation) -> None:
    vector, index = operands_of(op)
    f.define(op.results[0], f"extractelement {f.operand(vector)}, {f.operand(index)}")


@emits(llvm.ShuffleVectorOp)
def _shuffle_vector(f: FunctionText, op: Operation) -> None:
    lhs, rhs = operands_of(op)
    mask = op.properties["mask"]
    found = f.literals.get(id(mask))
    if found is None:
        found = f.literals[id(mask)] = (mask, _spelled_mask(cast(DenseArrayBase[IntegerType], mask).get_values()))
    f.define(op.results[0], f"shufflevector {f.operand(lhs)}, {f.operand(rhs)}, {found[1]}")


def _spelled_mask(positions: Sequence[int]) -> str:
    if not any(positions):
        return f"<{len(positions)} x i32> zeroinitializer"
    lanes = ", ".join("i32 poison" if p < 0 else f"i32 {p}" for p in positions)
    return f"<{len(positions)} x i32> <{lanes}>"


# Control ---------------------------------------------------------------------------------------------------------


def _loop(f: FunctionText, op: Operation) -> str:
    annotation = op.attributes.get("loop_annotation")
    return f", !llvm.loop {f.module.loop_metadata(annotation)}" if isinstance(annotation, LoopAnnotationAttr) else ""


@emits(llvm.BrOp)
def _branch(f: FunctionText, op: Operation) -> None:
    f.lines.append(f"  br label %{f.labels[op.successors[0]]}{_loop(f, op)}")


@emits(llvm.CondBrOp)
def _conditional_branch(f: FunctionText, op: Operation) -> None:
    then, otherwise = (f.labels[b] for b in op.successors)
    f.lines.append(f"  br i1 {f.names[operands_of(op)[0]]}, label %{then}, label %{otherwise}{_loop(f, op)}")


@emits(llvm.ReturnOp)
def _return(f: FunctionText, op: Operation) -> None:
    values = operands_of(op)
    f.lines.append(f"  ret {f.operand(values[0])}" if values else "  ret void")


@emits(llvm.UnreachableOp)
def _unreachable(f: FunctionText, op: Operation) -> None:
    f.lines.append("  unreachable")


@emits(llvm.CallOp)
def _call(f: FunctionText, op: Operation) -> None:
    callee = op.properties.get("callee")
    if callee is None:
        raise CompilerBug("indirect calls cannot be written as LLVM IR yet", STAGE)
    symbol = f.module.symbol(cast(SymbolRefAttr, callee).root_reference.data)
    _emit_call(f, op, symbol, operands_of(op))


@emits(CallIntrinsicOp)
def _call_intrinsic(f: FunctionText, op: Operation) -> None:
    values = operands_of(op)
    symbol = f"@{cast(StringAttr, op.properties['intrin']).data}"
    result = f.type(op.results[0].type) if op.results else "void"
    f.module.declarations[symbol] = f"declare {result} {symbol}({', '.join(f.type(v.type) for v in values)})"
    _emit_call(f, op, symbol, values)


def _emit_call(f: FunctionText, op: Operation, symbol: str, values: Sequence[SSAValue]) -> None:
    arguments = ", ".join(map(f.operand, values))
    if op.results:
        f.define(op.results[0], f"call {_fast_math(op)}{f.type(op.results[0].type)} {symbol}({arguments})")
    else:
        f.lines.append(f"  call void {symbol}({arguments})")
