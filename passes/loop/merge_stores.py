"""`merge-stores`: neighbouring stores of bytes are one, and so is what computes the bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, ModuleOp, VectorType, f32, i8, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.dependences import may_meet
from mlc.analysis.memory_accesses import MemoryAccess, base_of, is_repeatable
from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import CONSECUTIVE, DotOp, LoadOp, PrefetchOp, StoreOp
from mlc.pass_manager.base import Pass
from mlc.schedules.steps.vectorize import LANEWISE_OPS
from mlc.support.affine import split_constant
from mlc.support.context import CompilerContext
from mlc.support.types import element_type, repeated_number, vector_of, vector_type
from mlc.targets.machine import resolve_target

_WIDENED = LANEWISE_OPS - {DotOp}
"""Ops of which one on longer vectors is as good as several: sums of dot products stay in their registers."""


@dataclass(frozen=True)
class MergeStoresPass(Pass):
    """Store neighbouring vectors of bytes at once, up to a register, and compute them together.

        %a = arith.trunci %x : vector<16xi32> to vector<16xi8>
        %b = arith.trunci %y : vector<16xi32> to vector<16xi8>
        loop.store %a, %q[%m, %n] : memref<8x64xi8>, vector<16xi8>
        loop.store %b, %q[%m, %n + 16] : memref<8x64xi8>, vector<16xi8>
    ->
        %z = vector.shuffle %x, %y [0, 1, …, 31] : vector<16xi32>, vector<16xi32>
        %c = arith.trunci %z : vector<32xi32> to vector<32xi8>
        loop.store %c, %q[%m, %n] : memref<8x64xi8>, vector<32xi8>

    A vector of sums of 32 bits fills a register, and the bytes that it becomes fill a quarter of one. Longer vectors
    are several registers at first, for which instructions are what they were, and one when they are bytes: packs and
    lookups do all of it at once. (Larsen and Amarasinghe, "Exploiting Superword Level Parallelism with Multimedia
    Instruction Sets", 2000.)
    """

    name = "merge-stores"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        most: int | None = None
        for function in functions_with_loops(module):
            for block in [b for op in function.walk() for region in op.regions for b in region.blocks]:
                if groups := list(_neighbours(block)):
                    most = most or resolve_target(ctx.target).vector_bits // 8
                    position = {op: i for i, op in enumerate(block.ops)}
                    stored = {base_of(op.memref) for op in position if isinstance(op, StoreOp)}
                    for stores in (part for group in groups for part in _parts(group, most)):
                        _Widening(stores, position, stored).run()


_Group = dict[int, StoreOp]
"""Stores of equal vectors to one buffer that differ in a constant in the last subscript, by that."""


def _neighbours(block: Block) -> Iterator[_Group]:
    """Stores of bytes that may all be where the last of them is."""
    pending: dict[SSAValue, dict[object, _Group]] = {}
    for op in block.ops:
        if isinstance(op, StoreOp | LoadOp):
            groups = pending.get(base_of(op.memref), {})
            key = _key(op) if isinstance(op, StoreOp) else None
            for other in [k for k, group in groups.items() if k != key and _meets(op, group)]:
                yield groups.pop(other)
            if key is None or not isinstance(op, StoreOp):
                continue
            place, lanes = split_constant(op.map.data.results[-1])[1], _lanes(op.value.type)
            if any(abs(place - other) < lanes for other in groups.get(key, ())):
                yield groups.pop(key)  # what is stored there twice is stored in this order
            pending.setdefault(base_of(op.memref), groups).setdefault(key, {})[place] = op
        elif not isinstance(op, PrefetchOp) and not is_repeatable(op):
            yield from (group for groups in pending.values() for group in groups.values())
            pending.clear()
    yield from (group for groups in pending.values() for group in groups.values())


def _meets(op: LoadOp | StoreOp, group: _Group) -> bool:
    """Whether an access may touch what a store of a group writes."""
    access = MemoryAccess.of(op)
    return any(may_meet(MemoryAccess.of(store), access) for store in group.values())


def _key(op: StoreOp) -> object | None:
    """What is equal for stores that may be neighbours; None for a store that is not a vector of bytes in a row."""
    kind = vector_type(op.value.type)
    if kind is None or kind.element_type != i8 or kind.get_num_dims() != 1 or op.lanes != CONSECUTIVE:
        return None
    *outer, last = op.map.data.results
    return op.memref, tuple(op.indices), tuple(outer), split_constant(last)[0], kind


def _lanes(kind: Attribute) -> int:
    shaped = vector_type(kind)
    assert shaped is not None
    return shaped.get_shape()[0]


def _parts(group: _Group, most: int) -> Iterator[list[StoreOp]]:
    """Powers of two of stores that follow each other without a gap, of `most` bytes together."""
    places = sorted(group)
    while places:
        lanes, run = _lanes(group[places[0]].value.type), 1
        while run < len(places) and places[run] == places[0] + run * lanes:
            run += 1
        count = 1 << min(run, max(most // lanes, 1)).bit_length() - 1
        if count > 1:
            yield [group[place] for place in places[:count]]
        places = places[count:]


_Values = tuple[SSAValue, ...]
"""Values of one type that become the parts of a vector."""


class _Widening:
    """One store in place of several, of a vector that is computed as a whole as far as its parts are alike."""

    def __init__(
        self, stores: Sequence[StoreOp], position: Mapping[Operation, int], stored: Collection[SSAValue]
    ) -> None:
        """`position` says where ops of the block are, `stored` to which buffers it stores."""
        self._stores, self._position, self._stored = stores, position, stored
        self._last = max(stores, key=position.__getitem__)
        self._wide: dict[_Values, SSAValue] = {}

    def run(self) -> None:
        """Replace the stores, unless bytes would have to be put together."""
        values = tuple(store.value for store in self._stores)
        alike = self._alike(values)
        if values not in alike:
            return
        for parts in reversed(alike):
            self._widen(parts)
        first = self._stores[0]
        wide = StoreOp(self._vector(values), first.memref, list(first.indices), first.map.data)
        wide.location = first.location
        Rewriter.insert_op(wide, InsertPoint.before(self._last))
        for store in self._stores:
            Rewriter.erase_op(store)
        for parts in [*alike, *self._wide]:
            for value in parts:
                if value.first_use is None and isinstance(op := value.owner, Operation) and op.parent is not None:
                    Rewriter.erase_op(op)

    def _alike(self, values: _Values) -> list[_Values]:
        """Results of equal ops of which all readers become wide, those that are computed last first."""
        found: dict[_Values, None] = {}
        gone: set[Operation] = set(self._stores)
        pending: list[tuple[int, int, _Values]] = []
        seen: set[_Values] = set()

        def note(parts: _Values) -> None:
            ops = [v.owner for v in parts]
            if parts not in seen and len({*ops}) == len(ops) and all(op in self._position for op in ops):
                seen.add(parts)
                heappush(pending, (-max(self._position[op] for op in ops), len(seen), parts))  # pyright: ignore

        note(values)
        while pending:
            parts = heappop(pending)[2]
            ops = [cast(Operation, v.owner) for v in parts]
            if not _are_alike(ops) or not all(use.operation in gone for v in parts for use in v.uses):
                continue
            found[parts] = None
            gone.update(ops)
            for operands in zip(*(op.operands for op in ops), strict=True):
                note(operands)
        return list(found)

    def _widen(self, parts: _Values) -> None:
        ops = [cast(Operation, v.owner) for v in parts]
        operands = [self._vector(each) for each in zip(*(op.operands for op in ops), strict=True)]
        first = ops[0]
        self._wide[parts] = self._insert(
            type(first).create(
                operands=operands,
                result_types=[_times(first.results[0].type, len(parts))],
                properties=dict(first.properties),
                attributes=dict(first.attributes),
                location=first.location,
            )
        )

    def _vector(self, parts: _Values) -> SSAValue:
        """The vector of all parts: a wide op's, a constant, a broadcast, or put together."""
        if parts not in self._wide:
            self._wide[parts] = self._made(parts)
        return self._wide[parts]

    def _made(self, parts: _Values) -> SSAValue:
        first, kind = parts[0].owner, _times(parts[0].type, len(parts))
        if (number := _common_number(parts)) is not None:
            return self._insert(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, kind), [number])))
        if isinstance(first, vector.BroadcastOp) and all(part is parts[0] for part in parts):
            return self._insert(vector.BroadcastOp(first.source, cast(VectorType[Attribute], kind)))
        if self._are_loaded(parts):
            load = cast(LoadOp, first)
            return self._insert(LoadOp(load.memref, list(load.indices), load.map.data, kind))
        joined = list(parts)
        while len(joined) > 1:
            joined = [self._insert(_concatenation(a, b)) for a, b in zip(joined[::2], joined[1::2], strict=True)]
        return joined[0]

    def _are_loaded(self, parts: _Values) -> bool:
        """Whether parts are words that follow each other in a buffer that nothing in the block stores to.

        Shorter numbers are widened by the loads, each of which fills a register with them.
        """
        loads = [part.owner for part in parts]
        first = loads[0]
        if not isinstance(first, LoadOp) or base_of(first.memref) in self._stored:
            return False
        if element_type(first.result.type) not in (i32, f32):
            return False
        *outer, last = first.map.data.results
        rest, start = split_constant(last)
        for number, load in enumerate(loads):
            if not isinstance(load, LoadOp) or load.parent is not first.parent or load.lanes != CONSECUTIVE:
                return False
            *around, place = load.map.data.results
            same = (load.memref, list(load.indices), around) == (first.memref, list(first.indices), outer)
            if not same or split_constant(place) != (rest, start + number * _lanes(load.result.type)):
                return False
        return first.parent is self._last.parent

    def _insert(self, op: Operation) -> SSAValue:
        Rewriter.insert_op(op, InsertPoint.before(self._last))
        return op.results[0]


def _are_alike(ops: Sequence[Operation]) -> bool:
    """Whether ops of one class compute the same lane by lane, on vectors of one length."""
    first = ops[0]
    if type(first) not in _WIDENED or len(first.results) != 1:
        return False
    kinds = [v.type for v in (*first.operands, *first.results)]
    lanes = {kind.get_shape() if (kind := vector_type(each)) is not None else None for each in kinds}
    return len(lanes) == 1 and None not in lanes and all(_same(first, op) for op in ops[1:])


def _same(one: Operation, other: Operation) -> bool:
    return (
        type(one) is type(other)
        and one.properties == other.properties
        and one.attributes == other.attributes
        and [v.type for v in one.operands] == [v.type for v in other.operands]
        and one.results[0].type == other.results[0].type
    )


def _common_number(parts: _Values) -> float | None:
    """The number that all lanes of all parts are, if these are constants."""
    values = {part.owner.value if isinstance(part.owner, arith.ConstantOp) else None for part in parts}
    value = values.pop()
    return repeated_number(value) if not values and isinstance(value, DenseIntOrFPElementsAttr) else None


def _times(kind: Attribute, count: int) -> Attribute:
    """A vector of `count` times as many lanes."""
    shaped = vector_type(kind)
    assert shaped is not None
    return vector_of(shaped.element_type, count * _lanes(kind))


def _concatenation(a: SSAValue, b: SSAValue) -> vector.ShuffleOp:
    kind = _times(a.type, 2)
    mask = DenseArrayBase.from_list(i64, range(_lanes(kind)))
    return vector.ShuffleOp(a, b, mask, result_type=cast(VectorType[Attribute], kind))
