"""Choosing the register tile of a contraction.

A tile of `rows` x `vectors` accumulators stays in registers while the reduction runs. Each of its steps loads `vectors`
vectors of one operand, and one number of the other per row, for `rows * vectors` multiply-adds.
"""

from __future__ import annotations

from dataclasses import dataclass

FMAS_IN_FLIGHT = 8
"""Two multiply-add units with a latency of four cycles: fewer independent accumulators leave them idle."""
MOST_VECTORS = 16
MOST_ROWS = 14


@dataclass(frozen=True)
class RegisterTile:
    """`rows` rows of `vectors` vectors each."""

    rows: int
    vectors: int


def best_tile(rows: int, columns: int, lanes: int, registers: int) -> RegisterTile:
    """The tile with the highest estimated throughput for a result of `rows` x `columns`.

    The estimate multiplies how busy the multiply-add units are, how little the loads limit them, and how much of the
    covered area is real work rather than a remainder.
    """
    width = -(-columns // lanes)
    candidates = [
        RegisterTile(r, v)
        for v in range(1, min(MOST_VECTORS, width) + 1)
        for r in range(1, min(MOST_ROWS, rows) + 1)
        if r * v + v + 1 <= registers
    ]
    return max(candidates, key=lambda t: (_throughput(t, rows, columns, lanes), t.rows * t.vectors))


def _throughput(tile: RegisterTile, rows: int, columns: int, lanes: int) -> float:
    fmas = tile.rows * tile.vectors
    busy = min(1.0, fmas / FMAS_IN_FLIGHT)
    # Two loads a cycle next to two multiply-adds; below three multiply-adds for two loads the loads are what limits.
    loads = tile.vectors + tile.rows
    fed = min(1.0, fmas / loads / 1.5)
    return busy * fed * _used(rows, tile.rows) * _used(columns, tile.vectors * lanes)


def _used(size: int, block: int) -> float:
    """The share of whole blocks in `size`; a remainder costs about as much as a block."""
    return size / (-(-size // block) * block)
