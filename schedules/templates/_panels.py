"""Whether the rows of a product bring the panel of weights that comes next.

    for n blocks: for rows: for k: { prefetch some of panel n + 1; acc += x[row, k] * panel[n][k] }

All rows of a product use one panel of weights before the next one. The first of them wait for it: weights were last
used one call of the model ago, and are wherever there is room for all weights of the model. What a tile of registers
computes takes less time than a panel from far away, so each panel costs the difference. Spread over all rows, the next
one comes for nothing, as long as the second cache holds both.
"""

from __future__ import annotations

from mlc.dialects.loop.prefetch import SECOND_CACHE
from mlc.dialects.loop.steps import Step
from mlc.schedules.register_tile import RegisterTile
from mlc.schedules.steps.prefetch_next import PrefetchNext
from mlc.targets.machine import Machine

WORTH_FETCHING = 0.02
"""The part of its time that a product has to save."""


def next_panel_steps(
    tile: RegisterTile,
    *,
    loops: tuple[str, str],
    rows: int,
    steps: int,
    panel: int,
    others: int,
    weights: int,
    machine: Machine,
) -> list[Step]:
    """The step that brings the next panel of constant weights, if that is worth it.

    Args:
        tile: the register tile.
        loops: the innermost loop of the reduction, and the one over panels.
        rows: of the product, over all dims that share a panel.
        steps: of the reduction.
        panel: the size of a panel in bytes.
        others: the bytes that all rows read and write meanwhile, which pass by.
        weights: the bytes of all weights of the model.
        machine: whose facts decide.
    """
    blocks = -(-rows // tile.rows)
    arriving = _bytes_per_cycle(weights, machine)
    if blocks < 2 or arriving is None or 2 * panel + others // blocks > machine.l2_bytes:
        return []
    lines = -(-panel // (steps * machine.memory.line_bytes))
    loads = tile.rows + tile.vectors + -(-lines // blocks)
    busy = tile.rows * tile.vectors / machine.issue.fma_units
    if loads / machine.issue.loads > busy:
        return []
    block = steps * busy
    lost = panel / arriving - block
    return [PrefetchNext(*loops, SECOND_CACHE)] if lost > WORTH_FETCHING * (blocks * block + lost) else []


def _bytes_per_cycle(weights: int, machine: Machine) -> float | None:
    """What arrives from the nearest level that holds so many bytes; None from those next to the core."""
    if weights <= machine.l2_bytes:
        return None
    return machine.memory.l3_read if weights <= machine.l3_bytes else machine.memory.memory_read
