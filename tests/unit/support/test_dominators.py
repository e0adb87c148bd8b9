"""Dominators of random graphs against the definition: what cannot be reached without a block is dominated by it."""

from __future__ import annotations

import random

from xdsl.dialects import test
from xdsl.ir import Block, Region

from mlc.support.dominators import immediate_dominators, reverse_post_order, successors


def random_region(draw: random.Random) -> Region:
    """Up to nine blocks with up to three successors each, the entry being none of them."""
    blocks = [Block() for _ in range(draw.randint(1, 9))]
    for block in blocks:
        targets = draw.choices(blocks[1:], k=draw.randint(0, 3)) if len(blocks) > 1 else []
        block.add_op(test.TestTermOp(successors=targets))
    return Region(blocks)


def reachable(region: Region, without: Block | None = None) -> set[Block]:
    """The blocks that control can reach on paths that avoid `without`."""
    assert region.first_block is not None
    found, pending = set[Block](), [region.first_block]
    while pending:
        block = pending.pop()
        if block is not without and block not in found:
            found.add(block)
            pending.extend(successors(block))
    return found


def test_dominators_of_random_graphs() -> None:
    draw = random.Random(7)
    for _ in range(400):
        region = random_region(draw)
        blocks = reachable(region)
        dominators = immediate_dominators(region)
        assert set(dominators) == set(reverse_post_order(region)) == blocks
        dominated = {block: blocks - reachable(region, block) for block in blocks}
        seen = set[Block]()
        for block, nearest in dominators.items():
            strict = {each for each in blocks if block in dominated[each] and each is not block}
            if block is region.first_block:
                assert nearest is block and not strict
            else:
                assert nearest in strict
                assert all(nearest in dominated[each] for each in strict)
            assert nearest in seen | {block}
            seen.add(block)


def test_a_region_without_blocks() -> None:
    assert immediate_dominators(Region()) == {}
    assert reverse_post_order(Region()) == []
