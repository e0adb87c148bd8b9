"""Loads and stores of memrefs: an address, and an access of llvm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import llvm, memref, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, NoneAttr, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects import loop
from mlc.dialects.llvm import vectors
from mlc.dialects.llvm.prefetch import PrefetchOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.loop_to_llvm._addresses import Addresses
from mlc.passes.loop_to_llvm._lanes import ORDERING, load_lanes, store_lanes
from mlc.passes.loop_to_llvm._machine_pattern import MachinePattern
from mlc.passes.loop_to_llvm._types import ACCESSES, bit_width, in_memory, lower_type, memory_element, truncate
from mlc.support.context import CompilerContext
from mlc.support.locations import error_at
from mlc.support.types import MemRef, element_type, memref_type

_Subscripts = tuple[Sequence[AffineExpr], Sequence[SSAValue]]


def _affine(op: Operation) -> _Subscripts:
    assert isinstance(op, loop.LoadOp | loop.StoreOp | loop.PrefetchOp)
    return op.map.data.results, op.indices


def _plain(op: Operation) -> _Subscripts:
    indices = cast(Any, op).indices
    return AffineMap.identity(len(indices)).results, indices


def _load(op: Operation, pointer: SSAValue) -> list[Operation]:
    kind = op.results[0].type
    stored = in_memory(kind)
    load = llvm.LoadOp.create(operands=[pointer], result_types=[stored], properties=ORDERING)
    if stored == lower_type(kind):
        return [load]
    return [load, truncate(load.results[0], kind)]


def _store(op: Operation, pointer: SSAValue) -> list[Operation]:
    value = op.operands[0]
    stored = in_memory(value.type)
    if stored == lower_type(value.type):
        return [llvm.StoreOp.create(operands=[value, pointer], properties=ORDERING)]
    wide = llvm.ZExtOp(value, stored)
    return [wide, llvm.StoreOp.create(operands=[wide.res, pointer], properties=ORDERING)]


def _prefetch(op: Operation, pointer: SSAValue) -> list[Operation]:
    assert isinstance(op, loop.PrefetchOp)
    return [PrefetchOp(pointer, hint=4 - op.level.value.data)]  # 3 is to be kept in all caches, from the first


def _masked_load(op: Operation, pointer: SSAValue) -> list[Operation]:
    assert isinstance(op, vector.MaskedLoadOp)
    kind = op.result.type
    return [
        vectors.MaskedLoadOp.create(
            operands=[pointer, op.mask, op.pass_thru], result_types=[kind], properties=_element_alignment(op, kind)
        )
    ]


def _masked_store(op: Operation, pointer: SSAValue) -> list[Operation]:
    assert isinstance(op, vector.MaskedStoreOp)
    value = op.value_to_store
    return [
        vectors.MaskedStoreOp.create(operands=[value, pointer, op.mask], properties=_element_alignment(op, value.type))
    ]


def _element_alignment(op: Operation, accessed: Attribute) -> dict[str, Attribute]:
    if element_type(accessed) == i1:
        raise error_at(op, f"{op.name}: masked access to elements of type i1 is not supported; use i8")
    return {"alignment": IntegerAttr(bit_width(accessed) // 8, i32)}


_ACCESSES: dict[
    type[Operation],
    tuple[str, Callable[[Operation], _Subscripts], Callable[[Operation, SSAValue], list[Operation]]],
] = {
    loop.LoadOp: ("memref", _affine, _load),
    loop.StoreOp: ("memref", _affine, _store),
    loop.PrefetchOp: ("memref", _affine, _prefetch),
    memref.LoadOp: ("memref", _plain, _load),
    memref.StoreOp: ("memref", _plain, _store),
    vector.LoadOp: ("base", _plain, _load),
    vector.StoreOp: ("base", _plain, _store),
    vector.MaskedLoadOp: ("base", _plain, _masked_load),
    vector.MaskedStoreOp: ("base", _plain, _masked_store),
}
"""Per op: the field that holds the memref, what gives its subscripts, and the access that it becomes."""


@lowers(ACCESSES, *_ACCESSES)
class LowerAccess(MachinePattern):
    """`loop.load %x[%m + 1, %k] : memref<64x784xf32>` -> GEPs by `%m`, `%k` and 784, then `llvm.load`.

    Elements of type i1 take a byte of memory each, 0 or 1.
    """

    def __init__(self, ctx: CompilerContext) -> None:
        super().__init__(ctx)
        self._addresses = Addresses()

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        field, subscripts, access = _ACCESSES[type(op)]
        buffer = cast(SSAValue, getattr(op, field))
        kind = row_major(op, buffer)
        element = memory_element(cast(Attribute, kind.element_type))
        exists = not isinstance(op, loop.PrefetchOp)
        pointer = self._addresses.address(op, buffer, kind.get_shape(), element, *subscripts(op), exists=exists)
        if isinstance(op, loop.LoadOp | loop.StoreOp) and op.lanes != loop.CONSECUTIVE:
            machine = self.machine
            new = load_lanes(op, pointer, machine) if isinstance(op, loop.LoadOp) else store_lanes(op, pointer, machine)
        else:
            new = access(op, pointer)
        rewriter.replace(op, new)


def row_major(op: Operation, buffer: SSAValue) -> MemRef:
    """The type of a memref whose elements follow each other.

    Raises:
        UserError: it has another layout, or a dynamic shape.
    """
    kind = memref_type(buffer)
    if not isinstance(kind.layout, NoneAttr) or DYNAMIC_INDEX in kind.get_shape():
        raise error_at(op, f"{op.name}: found {kind}, required a memref with a static shape and no layout")
    return kind
