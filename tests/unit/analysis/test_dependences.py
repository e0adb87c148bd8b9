"""Dependence analysis against brute force: all iterations of small loops, one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.accesses import AccessOp
from mlc.analysis.dependences import Direction, Level, iterations_meet, may_meet
from mlc.analysis.memory_accesses import Effects, MemoryAccess
from mlc.compiler.compilation import new_context
from mlc.dialects.loop import ForOp, LoadOp, StoreOp
from mlc.support.types import vector_type
from mlc.syntax import parse_module

EXTENT = 64


def _program(rng: random.Random) -> tuple[ModuleOp, list[ForOp], list[AccessOp]]:
    """Three nested loops around a load and a store of one buffer, at random sums of the counters."""
    ranges = [(rng.randint(0, 2), rng.randint(1, 5), rng.choice((1, 1, 2, 3))) for _ in range(3)]
    rank = rng.randint(1, 2)
    lanes = rng.choice((0, 0, 0, 2, 4))

    def subscripts() -> str:
        parts: list[str] = []
        for _ in range(rank):
            factors = {c: rng.choice((0, 0, 1, 1, 2, 3, -1)) for c in "ijk"}
            terms = [f"%{c} * {f}" for c, f in factors.items() if f]
            parts.append(" + ".join([*terms, str(rng.randint(12, 16))]))
        return ", ".join(parts)

    kind = f"memref<{'x'.join([str(EXTENT)] * rank)}xf32>"
    suffix = f", vector<{lanes}xf32>" if lanes else ""
    (i, j, k) = (f"{lo} to {lo + (n - 1) * s + 1} step {s}" for lo, n, s in ranges)
    text = f"""
        func.func private @f(%x: {kind}) {{
          loop.for serial "i" %i = {i} {{
            loop.for serial "j" %j = {j} {{
              loop.for serial "k" %k = {k} {{
                %a = loop.load %x[{subscripts()}] : {kind}{suffix}
                loop.store %a, %x[{subscripts()}] : {kind}{suffix}
              }}
            }}
          }}
          return
        }}
    """
    module = parse_module(text, "f.mlir", new_context())
    loops = [op for op in module.walk() if isinstance(op, ForOp)]
    return module, loops, [op for op in module.walk() if isinstance(op, LoadOp | StoreOp)]


def _elements(op: AccessOp, loops: list[ForOp]) -> Iterator[tuple[tuple[int, ...], set[tuple[int, ...]]]]:
    """For each iteration of all loops, the elements that `op` touches."""
    for values in product(*(loop.range for loop in loops)):
        known = dict(zip((loop.induction_variable for loop in loops), values, strict=True))
        at = [e.eval([known[v] for v in op.indices], []) for e in op.map.data.results]
        kind = vector_type(op.accessed)
        lanes = 1 if kind is None else kind.get_shape()[0]
        yield values, {(*at[:-1], at[-1] + lane) for lane in range(lanes)}


_HOLDS = {Direction.SAME: int.__eq__, Direction.BEFORE: int.__lt__, Direction.AFTER: int.__gt__}


def _meets(a: AccessOp, b: AccessOp, loops: list[ForOp], orders: dict[int, Direction], scope: int) -> bool:
    """Whether the accesses meet in iterations in these orders, the loops outside of loop number `scope` in the same."""
    of_b = list(_elements(b, loops))
    for first, elements in _elements(a, loops):
        for second, others in of_b:
            if first[:scope] != second[:scope] or not elements & others:
                continue
            if all(_HOLDS[order](first[n], second[n]) for n, order in orders.items()):
                return True
    return False


@pytest.mark.parametrize("seed", range(4))
def test_what_is_said_to_be_apart_is_apart(seed: int) -> None:
    apart = meeting = exact = 0
    for number in range(60):
        rng = random.Random(1000 * seed + number)
        _, loops, (load, store) = _program(rng)
        for a, b in ((load, store), (store, store)):
            scope = rng.randrange(3)
            chosen = sorted(rng.sample(range(scope, 3), rng.randint(1, 3 - scope)))
            orders = {n: rng.choice(list(Direction)) for n in chosen}
            levels = [Level(loops[n], loops[n], order) for n, order in orders.items()]
            said = may_meet(MemoryAccess.of(a), MemoryAccess.of(b), *levels, scope=loops[scope])
            found = _meets(a, b, loops, orders, scope)
            assert said or not found, f"{a}\n{b}\n{orders} in {loops[scope].dim}"
            apart += not said
            meeting += found
            exact += said == found
    # The tests look at one subscript at a time, so that some pairs that never meet are not seen to be apart.
    assert apart > 20
    assert meeting > 10
    assert exact > 0.75 * 120


def _pair(read: str, write: str, trips: int = 8, step: int = 1) -> tuple[ForOp, MemoryAccess, MemoryAccess]:
    text = f"""
        func.func private @f(%x: memref<64xf32>) {{
          loop.for serial "i" %i = 0 to {trips * step} step {step} {{
            %a = loop.load %x[{read}] : memref<64xf32>
            loop.store %a, %x[{write}] : memref<64xf32>
          }}
          return
        }}
    """
    module = parse_module(text, "f.mlir", new_context())
    (loop,) = (op for op in module.walk() if isinstance(op, ForOp))
    load, store = (MemoryAccess.of(op) for op in loop.body.walk() if isinstance(op, LoadOp | StoreOp))
    return loop, load, store


@pytest.mark.parametrize(
    ("read", "write", "step", "meets"),
    [
        ("%i", "%i", 1, "="),
        ("%i", "%i + 1", 1, ">"),  # what an iteration reads was written by the one before it
        ("%i + 1", "%i", 1, "<"),
        ("%i + 7", "%i", 1, "<"),
        ("%i + 8", "%i", 1, ""),  # farther than the loop runs
        ("%i", "%i + 1", 2, ""),  # between the iterations
        ("%i", "%i + 2", 2, ">"),
        ("%i * 2", "%i * 2 + 1", 1, ""),  # even and odd
        ("%i * 2", "%i * 4 + 2", 1, ">"),
        ("3", "%i", 1, "=<>"),
        ("0", "%i + 1", 1, ""),
        ("%i + 8", "%i * 4", 1, "<>"),  # 8 = 2 * 4, and 12 = 3 * 4
        ("%i", "%i mod 2", 1, "=<>"),  # what is not a sum is anywhere
    ],
)
def test_one_loop_is_seen_exactly(read: str, write: str, step: int, meets: str) -> None:
    loop, load, store = _pair(read, write, step=step)
    found = [order.value for order in Direction if may_meet(load, store, Level(loop, loop, order))]
    assert sorted(found) == sorted(meets)


@pytest.mark.parametrize(("trips", "orders"), [(1, "="), (2, "<=>"), (3, "<=>")])
def test_different_iterations_take_two(trips: int, orders: str) -> None:
    loop, load, store = _pair("5", "5", trips)
    found = [order.value for order in Direction if may_meet(load, store, Level(loop, loop, order))]
    assert sorted(found) == sorted(orders)


@pytest.mark.parametrize(
    ("read", "write", "scope", "levels", "meets"),
    [
        # Loops around the scope are in one iteration for both; other loops in it are in any two.
        ("%i * 8 + %j", "%i * 8 + %j + 8", "j", "j=", False),
        ("%i * 8 + %j", "%i * 8 + %j + 8", "j", "j<", False),
        ("%i * 8 + %j + 16", "%i * 8 + %j", "j", "j=", False),
        ("%i * 8 + %j", "%i * 8 + %j + 8", "i", "j=", True),
        ("%i * 8 + %j", "%i * 8 + %j + 8", "i", "i=", False),
        ("%i * 8 + %j", "%i * 8 + %j + 8", "i", "i< j=", False),
        ("%i * 8 + %j", "%i * 8 + %j + 8", "i", "i> j=", True),
        ("%i * 8 + %j", "%i * 8 + %j + 8", "i", "i> j>", False),
        ("%i * 8 + %j", "%i * 8 + %j + 7", "i", "i> j<", True),
        ("%i * 8 + %j", "%i * 8 + %j + 7", "i", "i> j=", False),
        ("%i + %j", "%i + %j + 6", "i", "i>", True),  # three by each of the loops
        ("%i + %j", "%i + %j + 7", "i", "i>", False),
        ("%i + %j", "%i + %j + 6", "i", "i> j<", False),
        # The parts of a sum that are in any iteration keep their factors.
        ("%i * 2 + %j * 4", "%j * 4 + 1", "i", "i=", False),
        ("%i * 2 + %j * 4", "%j * 4 + 2", "i", "i<", True),
        ("%j * 4", "%i + %j * 4 + 11", "i", "i<", True),
        ("%j * 4", "%i + %j * 4 + 12", "i", "i<", False),
        ("20 - %j * 4", "%i + 21", "i", "i=", False),
        ("%j * 3", "12 - %j * 3", "i", "i<", True),
        ("%j * 3", "11 - %j * 3", "i", "i<", False),
        # Lanes go on behind the subscript, those of either access.
        ("%i * 8 : 4", "%i * 8 + 3", "i", "i=", True),
        ("%i * 8 : 4", "%i * 8 + 4", "i", "i=", False),
        ("%i * 8 + 3", "%i * 8 : 4", "i", "i=", True),
        ("%i * 8 + 4", "%i * 8 : 4", "i", "i=", False),
        ("%i * 8", "%i * 8 + 1 : 4", "i", "i=", False),
        ("%i * 8 : 4", "%i * 8 + 5 : 4", "i", "i=", False),
        ("%i * 8 : 4", "%i * 8 + 5 : 4", "i", "i>", True),
    ],
)
def test_two_loops_are_seen_exactly(read: str, write: str, scope: str, levels: str, meets: bool) -> None:
    def access(subscript: str) -> tuple[str, str]:
        place, _, lanes = subscript.partition(" : ")
        return f"%x[{place}]", f"memref<64xf32>{f', vector<{lanes}xf32>' if lanes else ''}"

    (source, loaded), (target, stored) = access(read), access(write)
    value = stored.partition(", ")[2] or "f32"
    text = f"""
        func.func private @f(%x: memref<64xf32>, %v: {value}) {{
          loop.for serial "i" %i = 0 to 4 {{
            loop.for serial "j" %j = 0 to 4 {{
              %a = loop.load {source} : {loaded}
              loop.store %v, {target} : {stored}
            }}
          }}
          return
        }}
    """
    module = parse_module(text, "f.mlir", new_context())
    loops = {op.dim.data: op for op in module.walk() if isinstance(op, ForOp)}
    first, second = (MemoryAccess.of(op) for op in module.walk() if isinstance(op, LoadOp | StoreOp))
    chosen = [Level(loops[name], loops[name], Direction(order)) for name, order in levels.split()]
    assert may_meet(first, second, *chosen, scope=loops[scope]) == meets


@pytest.mark.parametrize(
    ("buffer", "read", "write", "meets"),
    [
        ("%out", "%i", "%i", False),
        ("%out", "%i", "%i + 1", True),
        ("%out", "%i + 1", "%i", True),
        ("%out", "0", "%i + 1", False),
        ("%out", "%i", "0", True),
        ("%out", "8", "9", True),  # a store of every iteration to one element
        ("%own", "%i", "%i + 1", False),  # each iteration makes a buffer
    ],
)
def test_pairs_in_different_iterations(buffer: str, read: str, write: str, meets: bool) -> None:
    text = f"""
        func.func private @f() {{
          %out = memref.alloc() : memref<16xf32>
          loop.for serial "i" %i = 0 to 4 {{
            %own = memref.alloc() : memref<16xf32>
            %a = loop.load {buffer}[{read}] : memref<16xf32>
            loop.store %a, {buffer}[{write}] : memref<16xf32>
          }}
          return
        }}
    """
    module = parse_module(text, "f.mlir", new_context())
    (loop,) = (op for op in module.walk() if isinstance(op, ForOp))
    assert (iterations_meet(Effects.of(loop), loop) is not None) == meets
