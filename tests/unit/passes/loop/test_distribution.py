"""What parallel loops hold is taken apart where that changes nothing, and costs what threads would take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.dialects.loop import ForOp
from mlc.passes.loop._distribution import pieces_of
from mlc.passes.loop._sharing import Sharing, ops_executed, parallel_loops

_LOOP = """
func.func private @other(memref<9x40xf32>)
func.func @main(%x: memref<9x40xf32>, %y: memref<9x40xf32>) {{
  %one = arith.constant 1.0 : f32
  loop.for {kind} "m" %m = 0 to 9 {{
{body}
  }}
  return
}}
"""
_COPY = """
    loop.for parallel "n" %n{0} = {1} to {2} {{
      %a{0} = loop.load {from_}[%m, %n{0}] : memref<9x40xf32>
      loop.store %a{0}, %y[%m, %n{0}] : memref<9x40xf32>
    }}"""
_STORE = "    loop.store %one, %y[%m, {0}] : memref<9x40xf32>\n"


def _copy(number: int, first: int, last: int, source: str = "%x") -> str:
    return _COPY.format(number, first, last, from_=source)


def _loop(folder: Path, *parts: str, kind: str = "parallel") -> ForOp:
    module = parse_verified(_LOOP.format(kind=kind, body="\n".join(parts)), "m.mlir", new_context(), folder)
    return next(op for op in module.walk() if isinstance(op, ForOp))


def _sizes(loop: ForOp) -> list[int]:
    return [len(piece) for piece in pieces_of(loop)]


def test_pieces_stay_in_their_order(tmp_path: Path) -> None:
    """What stands behind a loop, and writes what that has written, is not part of what stands in front of it."""
    assert _sizes(_loop(tmp_path, _STORE.format(1), _STORE.format(2), _copy(0, 0, 40), _STORE.format(3))) == [2, 1, 1]


def test_what_reads_and_writes_is_read(tmp_path: Path) -> None:
    assert _sizes(_loop(tmp_path, _copy(0, 0, 20), _copy(1, 20, 40))) == [1, 1]
    assert _sizes(_loop(tmp_path, _copy(0, 0, 20, "%y"), _copy(1, 20, 40))) == []


def test_what_is_not_known_to_be_independent_stays_together(tmp_path: Path) -> None:
    call = "    func.call @other(%x) : (memref<9x40xf32>) -> ()"
    assert _sizes(_loop(tmp_path, _copy(0, 0, 20), call)) == []


def _shared(loop: ForOp, least_ns: float, fork_ns: float = 0.0, threads: int = 8) -> tuple[float, str, list[list[str]]]:
    """The time of the best way, where an op takes 1 ns; its remark; the loops that it spreads."""
    root = loop.parent_op()
    assert isinstance(root, FuncOp)
    spread: list[list[str]] = []

    def note(loops: Sequence[ForOp]) -> None:
        spread.append([f"{each.dim.data}{each.range.start}" for each in loops])

    way = Sharing(threads, fork_ns, least_ns, loop, float(ops_executed(loop)), note).best_way(loop)
    way.carry_out()
    return way.ns, way.remark, spread


def test_what_is_small_is_left_alone_without_a_word(tmp_path: Path) -> None:
    loop = _loop(tmp_path, _copy(0, 0, 2))
    ns = float(ops_executed(loop))
    assert _shared(loop, least_ns=ns + 1) == (ns, "", [])


def test_a_small_piece_takes_as_long_as_one_thread_does(tmp_path: Path) -> None:
    loop = _loop(tmp_path, _copy(0, 0, 39), _copy(1, 39, 40))
    ns, _, spread = _shared(loop, least_ns=60)
    assert spread == [["m0", "n0"]]
    busy = 9 * 39 / (8 * -(-9 * 39 // 8))
    assert ns == pytest.approx(9 * 39 * 4 / (8 * busy) + 9 * 4)


def test_a_serial_loop_is_not_taken_apart(tmp_path: Path) -> None:
    """Both pieces write the same places, and the second one of each iteration counts."""
    loop = _loop(tmp_path, _copy(0, 0, 40), _copy(1, 0, 40), kind="serial")
    *_, spread = _shared(loop, least_ns=20, fork_ns=2)
    assert spread == [["n0"], ["n0"]]
    assert len(pieces_of(loop)) == 2


def test_of_loops_that_run_once_the_innermost_is_left(tmp_path: Path) -> None:
    loop = _loop(tmp_path, f'    loop.for parallel "k" %k = 0 to 1 {{\n{_copy(0, 0, 1)}\n    }}')
    run, met = parallel_loops(next(op for op in loop.body.block.ops if isinstance(op, ForOp)))
    assert [each.dim.data for each in run] == ["n"] and met == 1
