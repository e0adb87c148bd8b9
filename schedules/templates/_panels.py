"""Whether the rows of a product bring the panel of weights that comes next.

    for n blocks: for rows: for k: { prefetch some of panel n + 1; acc += x[row, k] * panel[n][k] }

All rows of a product use one panel of weights before the next one. The first of them wait for it: weights were last
used one call of the model ago, and are wherever there is room for all weights of the model. What a tile of registers
computes takes less time than a panel from far away, so each panel costs the difference. Spread over all rows, the next
one comes for nothing, as long as the second cache holds both.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    step = TileStep(tile.rows * tile.vectors / machine.issue.fma_units, tile.rows + tile.vectors)
    blocks = -(-rows // tile.rows)
    is_worth_it = brings_next_panel(
        step, blocks=blocks, steps=steps, panel=panel, others=others, among=weights, machine=machine
    )
    return [PrefetchNext(*loops, SECOND_CACHE)] if is_worth_it else []


@dataclass(frozen=True)
class TileStep:
    """A step of the reduction of a register tile."""

    busy: float
    """The cycles of its products."""
    loads: float
    """The loads of its operands."""


def brings_next_panel(
    step: TileStep, *, blocks: int, steps: int, panel: int, others: int, among: int, machine: Machine
) -> bool:
    """Whether a product gains if `blocks` tiles, which use one panel, bring the next one meanwhile.

    Args:
        step: what a step of the reduction of one tile takes; there are `steps`.
        panel, others: bytes, as in `next_panel_steps`.
        among: the bytes that pass by before a panel is read again.
    """
    arriving = _bytes_per_cycle(among, machine)
    if blocks < 2 or arriving is None or 2 * panel + others // blocks > machine.l2_bytes:
        return False
    lines = -(-panel // (steps * machine.memory.line_bytes))
    if (step.loads + -(-lines // blocks)) / machine.issue.loads > step.busy:
        return False
    block = steps * step.busy
    lost = panel / arriving - block
    return lost > WORTH_FETCHING * (blocks * block + lost)


def _bytes_per_cycle(weights: int, machine: Machine) -> float | None:
    """What arrives from the nearest level that holds so many bytes; None from those next to the core."""
    if weights <= machine.l2_bytes:
        return None
    return machine.memory.l3_read if weights <= machine.l3_bytes else machine.memory.memory_read
