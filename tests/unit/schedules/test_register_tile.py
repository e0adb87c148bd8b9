"""Which register tile is chosen, and what it was charged for."""

from __future__ import annotations

import pytest

from mlc.schedules.register_tile import RegisterTile, TileProblem, best_tile
from mlc.targets.machine import Machine, resolve_target

V3 = resolve_target("x86-64-v3")
LONG = 4 * 1024
"""The bytes of a column whose panels no first cache holds."""


def _tile(rows: int, columns: int, column_bytes: int, machine: Machine = V3) -> tuple[int, int]:
    tile = best_tile(TileProblem(rows, columns, machine.lanes(32), column_bytes=column_bytes), machine)
    return tile.rows, tile.vectors


def test_a_tile_may_take_all_registers():
    assert TileProblem(7, 512, 8).registers(RegisterTile(4, 3), V3) == V3.vector_registers
    assert _tile(7, 512, LONG) == (4, 3)


def test_products_take_a_register():
    v2 = resolve_target("x86-64-v2")
    assert TileProblem(7, 512, 4).registers(RegisterTile(4, 3), v2) == v2.vector_registers + 1


def test_rows_of_a_ragged_block_stay_beside_a_mask():
    whole, ragged = (TileProblem(64, columns, 8).registers(RegisterTile(5, 2), V3) for columns in (16, 13))
    assert (whole, ragged) == (13, 17)


@pytest.mark.parametrize(
    "column_bytes, rows, vectors",
    [(4 * 64, 2, 5), (LONG, 6, 2)],
)
def test_panels_of_the_second_cache_are_used_by_more_rows(column_bytes: int, rows: int, vectors: int):
    """Two rows use a vector of 32 bytes per cycle up, which is all that a second cache delivers at its best."""
    assert _tile(64, 200, column_bytes) == (rows, vectors)


def test_few_rows_have_to_pay_in_the_first_cache_too():
    """Tiles of 3 x 4 need a bit fewer loads."""
    assert _tile(3136, 256, 4 * 64) == (6, 2)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_there_may_be_no_more_rows(rows: int):
    assert _tile(rows, 512, LONG)[0] == rows


def test_late_results_are_charged():
    """Tiles of 4 x 3 would leave one of 4 x 2, as many multiply-adds as are in flight."""
    assert _tile(3136, 64, LONG) == (6, 2)


@pytest.mark.parametrize("target", ["x86-64-v4", "znver4", "neoverse-n1", "apple-m1", "cortex-a53"])
@pytest.mark.parametrize("rows, columns", [(512, 512), (128, 384), (56, 64), (14, 256), (7, 512)])
def test_large_tiles_use_panels_often_enough(target: str, rows: int, columns: int):
    """With 32 registers it makes no difference where panels come from."""
    machine = resolve_target(target)
    assert _tile(rows, columns, LONG, machine) == _tile(rows, columns, 0, machine)


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3", "haswell", "znver3", "x86-64-v4", "neoverse-n1"])
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 7, 13, 49])
@pytest.mark.parametrize("columns", [1, 5, 8, 13, 37, 64, 512])
def test_there_is_always_a_tile_that_fits(target: str, rows: int, columns: int):
    machine = resolve_target(target)
    problem = TileProblem(rows, columns, machine.lanes(32), column_bytes=LONG)
    tile = best_tile(problem, machine)
    assert tile.rows <= rows and problem.registers(tile, machine) <= machine.vector_registers


def test_a_tile_of_all_rows_leaves_out_padding():
    v4 = resolve_target("x86-64-v4")
    without, padded = (TileProblem(14, 256, 16, column_bytes=LONG, padding=share) for share in (0.0, 0.05))
    assert best_tile(without, v4).rows < 14
    assert best_tile(padded, v4) == RegisterTile(14, 2)


def test_padding_is_no_reason_to_wait_for_loads():
    """14 x 1 needs 15 loads for 14 multiply-adds."""
    assert _tile(14, 256, LONG) == _tile_with_padding(14, 256)


def _tile_with_padding(rows: int, columns: int) -> tuple[int, int]:
    tile = best_tile(TileProblem(rows, columns, V3.lanes(32), column_bytes=LONG, padding=0.05), V3)
    return tile.rows, tile.vectors


@pytest.mark.parametrize("padding", [0.0, 0.1])
def test_rows_of_arm_have_addresses_of_their_own(padding: float):
    for target in ("neoverse-n1", "cortex-a76"):
        machine = resolve_target(target)
        assert best_tile(TileProblem(14, 256, 4, column_bytes=LONG, padding=padding), machine).rows <= 10


@pytest.mark.parametrize("vectors", [1, 3, 5])
def test_the_order_of_the_weights_may_say_the_width(vectors: int):
    free, bound = (
        TileProblem(32, 512, 8, column_bytes=LONG),
        TileProblem(32, 512, 8, column_bytes=LONG, vectors=vectors),
    )
    assert best_tile(bound, V3).vectors == vectors
    assert bound.registers(best_tile(bound, V3), V3) <= V3.vector_registers
    assert best_tile(free, V3) == best_tile(TileProblem(32, 512, 8, column_bytes=LONG, vectors=0), V3)


def test_of_few_blocks_none_is_small() -> None:
    """Seventeen rows are 6, 6 and 5, and not 7, 7 and 3, which cost the same; of many blocks, one does not count."""
    v4 = resolve_target("znver5")
    few, many = (TileProblem(rows, 33, v4.lanes(32), column_bytes=4000) for rows in (17, 7 * 60 + 3))
    assert best_tile(few, v4) == RegisterTile(6, 3)
    assert few.smallest_rows(RegisterTile(7, 3)) == 3
    assert many.smallest_rows(RegisterTile(7, 3)) == 7


def test_a_panel_that_the_second_cache_does_not_hold_is_made_narrow() -> None:
    """4608 steps of 64 columns take 1.2 MB: each block of rows would bring them from the last cache again."""
    machine = resolve_target("znver5")
    short, long = (TileProblem(56, 512, 16, column_bytes=4 * steps) for steps in (2304, 4608))
    assert best_tile(short, machine).vectors == 4
    tile = best_tile(long, machine)
    assert tile.vectors * 16 * long.column_bytes <= 0.9 * machine.l2_bytes
    assert best_tile(long, machine.with_facts({"l2_bytes": 2 << 20}, {})) == best_tile(short, machine)
    assert best_tile(long, machine.with_facts({"l3_read": 1e9}, {})) == best_tile(short, machine)


def test_a_panel_of_one_block_of_rows_comes_once() -> None:
    """Else a vector of it takes two cycles to come, and six rows use it for three."""
    machine = resolve_target("znver5").with_facts({"l3_read": 32.0}, {})
    tile = RegisterTile(6, 4)
    few, many = (TileProblem(rows, 512, 16, column_bytes=4 * 4608) for rows in (6, 7))
    assert few.strain(tile, machine) == 1.0
    assert many.strain(tile, machine) == pytest.approx((1 + (2 / 3) ** 4) ** 0.25)


def test_rows_in_pairs_are_put_together_once_for_many_columns():
    """A shuffle for two rows takes a turn of the units that multiply; a row that is left over takes several."""
    machine = resolve_target("neoverse-v1")
    problem = TileProblem(64, 512, 4, holds_rows=True, pairs_rows=True)
    assert best_tile(problem, machine) == RegisterTile(4, 6)
    assert problem.registers(RegisterTile(4, 6), machine) <= machine.vector_registers
    assert problem.busy(RegisterTile(4, 6), machine) == (24 + 2) / machine.issue.fma_units
    assert problem.busy(RegisterTile(3, 6), machine) == (18 + 1 + 3 * 6) / machine.issue.fma_units


def test_panels_of_long_words_are_used_by_as_many_rows_as_the_second_cache_asks_for():
    """A vector of them takes two registers; of one that arrives late, all that is computed with it waits."""
    machine = resolve_target("neoverse-n2")
    near, far = (TileProblem(64, 512, 4, column_bytes=size, holds_rows=True, pairs_rows=True) for size in (64, 8 << 10))
    assert best_tile(near, machine) == RegisterTile(4, 6)
    assert best_tile(far, machine) == RegisterTile(6, 4)
    assert far.strain(RegisterTile(6, 4), machine) < far.strain(RegisterTile(4, 6), machine)


@pytest.mark.parametrize(
    "rows, columns, vectors, is_one",
    [
        (6, 128, 4, True),
        (6, 80, 4, True),  # the last block is one register
        (6, 96, 4, True),
        (6, 70, 4, True),
        (6, 112, 4, False),  # three registers are left
        (6, 100, 4, False),  # two and a part of one
        (5, 160, 5, True),
        (5, 144, 5, True),
        (4, 192, 6, True),
        (4, 128, 6, True),
        (3, 128, 8, False),  # 24 sums, 8 vectors, a factor: more than 32
        (6, 160, 5, False),
        (1, 256, 16, True),  # vectors pass by
        (1, 512, 31, False),
    ],
)
def test_rows_that_are_one_vector(rows: int, columns: int, vectors: int, is_one: bool):
    problem, machine = TileProblem(64, columns, 16), resolve_target("x86-64-v4")
    assert problem.has_whole_vectors(RegisterTile(rows, vectors), machine) is is_one


def test_rows_are_registers_where_factors_come_from_lanes():
    problem, machine = TileProblem(64, 128, 4), resolve_target("neoverse-n1")
    assert not problem.has_whole_vectors(RegisterTile(4, 4), machine)
