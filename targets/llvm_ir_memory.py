"""Emitters of the ops of the llvm dialect that touch memory, or compute addresses."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from mlc.dialects.llvm import vectors
from mlc.dialects.llvm.prefetch import PrefetchOp
from mlc.targets.llvm_ir_function import FunctionText, emits, operands_of


def _alignment(f: FunctionText, op: Operation, accessed: Attribute) -> str:
    known = op.properties.get("alignment")
    return f.alignment(accessed) if known is None else f"align {cast(IntegerAttr, known).value.data}"


@emits(llvm.LoadOp)
def _load(f: FunctionText, op: Operation) -> None:
    result = op.results[0]
    pointer = f.names[operands_of(op)[0]]
    f.define(result, f"load {f.type(result.type)}, ptr {pointer}, {_alignment(f, op, result.type)}")


@emits(llvm.StoreOp)
def _store(f: FunctionText, op: Operation) -> None:
    value, pointer = operands_of(op)
    f.lines.append(f"  store {f.operand(value)}, ptr {f.names[pointer]}, {_alignment(f, op, value.type)}")


@emits(llvm.GEPOp)
def _gep(f: FunctionText, op: Operation) -> None:
    pointer, *dynamic = operands_of(op)
    constants = op.properties["rawConstantIndices"]
    found = f.literals.get(id(constants))
    if found is None:
        found = f.literals[id(constants)] = (constants, _gep_indices(cast(DenseArrayBase[IntegerType], constants)))
    indices = found[1]
    for value in dynamic:
        indices = indices.replace("?", f.operand(value), 1)
    inbounds = "inbounds " if "inbounds" in op.properties else ""
    element = f.type(op.properties["elem_type"])
    f.define(op.results[0], f"getelementptr {inbounds}{element}, ptr {f.names[pointer]}, {indices}")


def _gep_indices(constants: DenseArrayBase[IntegerType]) -> str:
    """The indices, with `?` where a value goes; an index that follows the first may be of a struct, hence i32."""
    parts: list[str] = []
    for n, index in enumerate(constants.get_values()):
        width = 32 if n and index >= 0 else 64
        parts.append("?" if index == llvm.GEP_USE_SSA_VAL else f"i{width} {index}")
    return ", ".join(parts)


@emits(llvm.AllocaOp)
def _alloca(f: FunctionText, op: Operation) -> None:
    element = op.properties["elem_type"]
    f.define(
        op.results[0],
        f"alloca {f.type(element)}, {f.operand(operands_of(op)[0])}, {_alignment(f, op, element)}",
    )


@emits(vectors.MaskedLoadOp)
def _masked_load(f: FunctionText, op: Operation) -> None:
    data, mask, pass_thru = operands_of(op)
    kind = f.type(pass_thru.type)
    symbol = _masked_symbol(
        f, "masked.load", pass_thru.type, f"{kind} {{}}(ptr, i32 immarg, {f.type(mask.type)}, {kind})"
    )
    alignment = cast(IntegerAttr, op.properties["alignment"]).value.data
    f.define(
        op.results[0],
        f"call {kind} {symbol}({f.operand(data)}, i32 {alignment}, {f.operand(mask)}, {f.operand(pass_thru)})",
    )


@emits(vectors.MaskedStoreOp, llvm.MaskedStoreOp)
def _masked_store(f: FunctionText, op: Operation) -> None:
    value, data, mask = operands_of(op)
    kind = f.type(value.type)
    signature = f"void {{}}({kind}, ptr, i32 immarg, {f.type(mask.type)})"
    symbol = _masked_symbol(f, "masked.store", value.type, signature)
    alignment = cast(IntegerAttr, op.properties["alignment"]).value.data
    f.lines.append(f"  call void {symbol}({f.operand(value)}, {f.operand(data)}, i32 {alignment}, {f.operand(mask)})")


@emits(PrefetchOp)
def _prefetch(f: FunctionText, op: Operation) -> None:
    symbol = "@llvm.prefetch.p0"
    f.module.declarations[symbol] = f"declare void {symbol}(ptr, i32 immarg, i32 immarg, i32 immarg)"
    numbers = (cast(IntegerAttr, op.properties[name]).value.data for name in ("rw", "hint", "cache"))
    f.lines.append(f"  call void {symbol}({f.operand(operands_of(op)[0])}, {', '.join(f'i32 {n}' for n in numbers)})")


def _masked_symbol(f: FunctionText, name: str, vector: Attribute, signature: str) -> str:
    """Masked accesses are overloaded on the vector and on the pointer."""
    symbol = f.intrinsic(name, vector, lambda: signature.replace("{}", "{}.p0"))
    return f"{symbol}.p0"
