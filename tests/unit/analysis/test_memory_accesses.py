"""What single loads and stores touch, and what ops do to memory."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue

from mlc.analysis.memory_accesses import Effects, MemoryAccess, base_of, range_of, writes_to
from mlc.compiler.compilation import new_context
from mlc.dialects.loop import ForOp, LoadOp, StoreOp
from mlc.support.ir import is_made_in
from mlc.syntax import parse_module


def _parse(body: str, arguments: str = "%x: memref<32x64xf32>") -> ModuleOp:
    text = f"func.func private @f({arguments}) {{ {body} return }} func.func private @g(%x: memref<32x64xf32>)"
    return parse_module(text, "f.mlir", new_context())


def _accesses(module: ModuleOp) -> list[MemoryAccess]:
    return [MemoryAccess.of(op) for op in module.walk() if isinstance(op, LoadOp | StoreOp)]


def _loop_of(module: ModuleOp) -> ForOp:
    (op,) = (op for op in module.walk() if isinstance(op, ForOp))
    return op


def test_lanes_reach_beyond_the_subscript() -> None:
    module = _parse("""
        %scalar = loop.load %x[1, 2] : memref<32x64xf32>
        %row = loop.load %x[1, 2] : memref<32x64xf32>, vector<4xf32>
        %some = loop.load %x[1, 2] active 3 : memref<32x64xf32>, vector<4xf32>
        %column = loop.load %x[1, 2] along 0 : memref<32x64xf32>, vector<4xf32>
        %apart = loop.load %x[1, 2] stride 5 : memref<32x64xf32>, vector<4xf32>
        %both = loop.load %x[1, 2] along 0 stride 3 active 2 : memref<32x64xf32>, vector<4xf32>
        loop.store %some, %x[1, 2] active 3 : memref<32x64xf32>, vector<4xf32>
    """)
    found = _accesses(module)
    assert [access.reach for access in found] == [(0, 0), (0, 3), (0, 2), (3, 0), (0, 15), (3, 0), (0, 2)]
    assert [access.is_store for access in found] == [False] * 6 + [True]


def test_bounds_of_subscripts() -> None:
    module = _parse("""
        loop.for serial "i" %i = 2 to 9 step 3 {
          loop.for parallel "j" %j = 0 to 4 {
            %a = loop.load %x[%i, %j * 2 + 1] : memref<32x64xf32>
            %b = loop.load %x[10 - %i, %i * 2 - %j + 3] : memref<32x64xf32>
            %c = loop.load %x[%i mod 2, %j - %j + 7] : memref<32x64xf32>
          }
        }
    """)
    bounds = [[None if s is None else s.bounds() for s in access.subscripts] for access in _accesses(module)]
    assert bounds == [[(2, 8), (1, 7)], [(2, 8), (4, 19)], [None, (7, 7)]]


def test_subscripts_that_no_loop_counts_have_no_bounds() -> None:
    module = _parse("%a = loop.load %x[%n, 0] : memref<32x64xf32>", "%x: memref<32x64xf32>, %n: index")
    (access,) = _accesses(module)
    assert [None if s is None else s.bounds() for s in access.subscripts] == [None, (0, 0)]


def test_a_loop_that_does_not_run_has_no_range() -> None:
    loop = _loop_of(_parse('loop.for serial "i" %i = 4 to 4 { %a = arith.constant 0.0 : f32 }'))
    assert range_of(loop.induction_variable) is None


def test_views_are_the_buffer_that_they_show() -> None:
    module = _parse(
        """
        %c = arith.constant 0 : index
        %v = memref.view %w[%c][] : memref<256xi8> to memref<8x8xf32>
        %r = memref.reinterpret_cast %v to offset: [0], sizes: [64], strides: [1] : memref<8x8xf32> to memref<64xf32>
        %a = loop.load %r[3] : memref<64xf32>
        loop.store %a, %v[0, 0] : memref<8x8xf32>
        %own = memref.alloc() : memref<8xf32>
        loop.store %a, %own[0] : memref<8xf32>
        """,
        "%w: memref<256xi8>",
    )
    load, store, own = _accesses(module)
    assert load.buffer is store.buffer is base_of(store.op.memref)
    assert isinstance(load.buffer, BlockArgument)
    assert load.buffer is not own.buffer
    assert (load.subscripts, load.reach) == ((), ())  # anywhere in it
    view = load.op.memref
    assert writes_to([store.op], view)
    assert not writes_to([own.op, load.op], view)


def test_calls_may_write_anything() -> None:
    module = _parse("func.call @g(%x) : (memref<32x64xf32>) -> () %a = loop.load %x[0, 0] : memref<32x64xf32>")
    (access,) = _accesses(module)
    call = access.op.prev_op
    assert call is not None
    assert Effects.of(call).unknown == "func.call"
    assert writes_to([call], access.buffer)
    effects = Effects.of(access.op)
    effects.add(Effects.of(call))
    assert effects.unknown == "func.call"


def test_meetings_are_pairs_of_which_one_writes() -> None:
    module = _parse(
        """
        %a = loop.load %x[0, 0] : memref<32x64xf32>
        %b = loop.load %x[0, 1] : memref<32x64xf32>
        %c = loop.load %y[0] : memref<8xf32>
        loop.store %a, %x[0, 2] : memref<32x64xf32>
        loop.store %a, %z[0] : memref<8xf32>
        """,
        "%x: memref<32x64xf32>, %y: memref<8xf32>, %z: memref<8xf32>",
    )
    a, b, c, d, e = (access.op for access in _accesses(module))

    def pairs(first: Effects, second: Effects) -> list[tuple[object, object]]:
        return [(p.op, q.op) for p, q in first.meetings(second)]

    assert pairs(Effects.of(a, b), Effects.of(c, d)) == [(a, d), (b, d)]
    assert pairs(Effects.of(d), Effects.of(a, e)) == [(d, a)]
    assert pairs(Effects.of(a, c), Effects.of(b, c)) == []
    assert pairs(Effects.of(d), Effects.of(d)) == [(d, d)]


def test_what_is_made_in_a_loop() -> None:
    module = _parse("""
        %out = memref.alloc() : memref<8xf32>
        loop.for serial "i" %i = 0 to 8 {
          %in = memref.alloc() : memref<8xf32>
          loop.for serial "j" %j = 0 to 8 {
            %deep = memref.alloc() : memref<8xf32>
          }
        }
    """)
    outer, inner = (op for op in module.walk() if isinstance(op, ForOp))
    out, own, deep = (op.memref for op in module.walk() if isinstance(op, memref.AllocOp))
    values: list[SSAValue] = [out, own, deep, outer.induction_variable, inner.induction_variable]
    assert [is_made_in(v, outer) for v in values] == [False, True, True, True, True]
    assert [is_made_in(v, inner) for v in values] == [False, False, True, False, True]
