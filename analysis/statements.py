"""Loop nests taken apart into statements: a store each, what its value is computed of, and the loops around it.

A nest of several statements may become a nest for each of them (loop distribution), and loops that subscript a store
may stand in any order, where no two accesses to an element change places. (Allen and Kennedy, "Automatic Translation of
FORTRAN Programs to Vector Form", TOPLAS 1987.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from mlc.analysis.accesses import loop_of
from mlc.analysis.dependences import Direction, Level, may_meet
from mlc.analysis.memory_accesses import MemoryAccess, base_of
from mlc.dialects.loop import ConstantOp, ForOp, LoadOp, LoopKind, StoreOp, YieldOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.support.affine import split_terms
from mlc.support.errors import Refused
from mlc.support.ir import is_made_in

_MOST_STATEMENTS = 32
"""Each pair of statements is looked at."""


@dataclass(frozen=True)
class Statement:
    """A store in a nest.

    Attributes:
        loads: what the stored value is computed of, inside of the nest.
        over: the loops that subscript the store, in the order of its axes.
        reduced: the other loops around it, as they stand: all of their iterations store to one element.
    """

    store: StoreOp
    loads: tuple[LoadOp, ...]
    over: tuple[ForOp, ...]
    reduced: tuple[ForOp, ...]

    @property
    def accesses(self) -> list[MemoryAccess]:
        """All that it does to memory."""
        return [MemoryAccess.of(op) for op in (*self.loads, self.store)]


def is_plain(nest: ForOp) -> bool:
    """Whether a nest is as a person writes it: one that has vectors, threads or words to LLVM is shaped already."""
    for op in nest.walk():
        if isinstance(op, ForOp) and (op.attributes or op.kind.data is LoopKind.THREADS):
            return False
        if any(isinstance(v.type, VectorType) for v in (*op.operands, *op.results)):
            return False
    return True


def statements_of(nest: ForOp) -> list[Statement]:
    """The statements of a nest, in order, which may each have a nest of its own, in which `over` loops are parallel.

    Raises:
        Refused: it does other things than to compute and store, or results might change.
    """
    for op in nest.walk():
        if isinstance(op, ForOp):
            if not op.range:
                raise Refused(f"loop '{op.dim.data}' does not run")
            if any(isinstance(v.type, MemRefType) for v in op.iter_args):
                raise Refused(f"loop '{op.dim.data}' carries buffers")
        elif not isinstance(op, LoadOp | StoreOp | YieldOp) and (op.regions or not is_side_effect_free(op)):
            raise Refused(f"'{op.name}' is in it")
        if isinstance(op, LoadOp | StoreOp) and not _is_known(base_of(op.memref), is_stored=isinstance(op, StoreOp)):
            name = f" '%{op.memref.name_hint}'" if op.memref.name_hint else ""
            raise Refused(f"the buffer{name} may be the same memory as another one")
    statements = [_statement(op, nest) for op in nest.walk() if isinstance(op, StoreOp)]
    if len(statements) > _MOST_STATEMENTS:
        raise Refused(f"it has {len(statements)} stores; at most {_MOST_STATEMENTS} are taken apart")
    order = {op: number for number, op in enumerate(nest.walk())}
    for statement in statements:
        _require_independent(statement, nest)
    for first, second in combinations(statements, 2):
        _require_distributable(first, second, nest, order)
    return statements


def _is_known(buffer: SSAValue, *, is_stored: bool) -> bool:
    """Whether a buffer is memory of its own: an allocation, an argument of a function, or a constant that is read."""
    if isinstance(buffer, BlockArgument):
        function = buffer.block.parent_op()
        return isinstance(function, FuncOp) and function.body.blocks[0] is buffer.block
    own = (memref.AllocOp, memref.AllocaOp)
    return isinstance(buffer.owner, own if is_stored else (*own, ConstantOp, memref.GetGlobalOp))


def _statement(store: StoreOp, nest: ForOp) -> Statement:
    loops = [
        loop for loop in reversed(enclosing_loops(store)) if loop is nest or is_made_in(loop.induction_variable, nest)
    ]
    if (carrying := next((loop for loop in loops if loop.iter_args), None)) is not None:
        raise Refused(f"loop '{carrying.dim.data}' stores and carries values")
    over: list[ForOp] = []
    for subscript in store.map.data.results:
        factors = split_terms(subscript)
        for dim in sorted(factors, key=lambda dim: -abs(factors[dim] or 0)):
            loop = loop_of(store.indices[dim])
            if factors[dim] is None or loop is None or loop not in loops:
                raise Refused("a subscript of a store is not a sum of loop counters")
            if loop not in over:
                over.append(loop)
    return Statement(
        store, tuple(_loads_of(store.value, nest)), tuple(over), tuple(loop for loop in loops if loop not in over)
    )


def _loads_of(value: SSAValue, nest: ForOp) -> Iterator[LoadOp]:
    """The loads in `nest` that a value is computed of."""
    seen: set[SSAValue] = set()
    pending = [value]
    while pending:
        value = pending.pop()
        if value in seen or not is_made_in(value, nest):
            continue
        seen.add(value)
        op = value.owner
        if isinstance(op, LoadOp):
            yield op
        elif isinstance(op, ForOp):
            pending += [*op.iter_args, *op.yielded]
        elif isinstance(op, Operation):
            pending += op.operands


def _require_independent(statement: Statement, nest: ForOp) -> None:
    """Check that iterations of `over` loops have nothing to do with each other, whatever the other loops do, and that
    what the `reduced` ones do to an element is seen by no load but the one that it starts from.

    Raises:
        Refused: results might change.
    """
    store = MemoryAccess.of(statement.store)
    for access in statement.accesses:
        if access.buffer is not store.buffer:
            continue
        if is_made_in(access.buffer, nest):
            raise Refused("it stores to a buffer of its own")
        for loop in statement.over:
            if any(
                may_meet(a, b, Level(loop, loop, Direction.BEFORE), scope=nest)
                for a, b in ((access, store), (store, access))
            ):
                name = loop.dim.data
                raise Refused(f"an iteration of '{name}' stores an element that another one of '{name}' touches")
    if statement.reduced:
        same = [load for load in statement.loads if base_of(load.memref) is store.buffer]
        if len(same) > 1 or any(not is_same_element(load, statement.store) for load in same):
            raise Refused("what is reduced reads other elements of the result")


def is_same_element(load: LoadOp, store: StoreOp) -> bool:
    """Whether a load reads the element that a store writes, in the same iteration."""
    return (
        load.memref is store.memref
        and load.map.data == store.map.data
        and all(a is b for a, b in zip(load.indices, store.indices, strict=True))
    )


def _require_distributable(first: Statement, second: Statement, nest: ForOp, order: Mapping[Operation, int]) -> None:
    """Check that all of `first` may be done before all of `second`.

    Raises:
        Refused: `second` may touch an element before `first` does.
    """
    for a in first.accesses:
        for b in second.accesses:
            if a.buffer is b.buffer and (a.is_store or b.is_store) and _is_earlier(b, a, nest, order):
                name = f" of '%{a.buffer.name_hint}'" if a.buffer.name_hint else ""
                raise Refused(f"an element{name} is touched by two stores of the nest in turn")


def _is_earlier(b: MemoryAccess, a: MemoryAccess, nest: ForOp, order: Mapping[Operation, int]) -> bool:
    """Whether `b` may touch an element before `a` touches it."""
    around = enclosing_loops(a.op)
    common = [loop for loop in reversed(enclosing_loops(b.op)) if loop in around]
    common = common[common.index(nest) :]
    for depth, loop in enumerate(common):
        if may_meet(a, b, *_same(common[:depth]), Level(loop, loop, Direction.AFTER)):
            return True
    return order[b.op] < order[a.op] and may_meet(a, b, *_same(common))


def _same(loops: Sequence[ForOp]) -> list[Level]:
    return [Level(loop, loop, Direction.SAME) for loop in loops]
