"""Reachable blocks and the dominator tree of a region.

The algorithm is that of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from xdsl.ir import Block, Region


def reverse_post_order(region: Region) -> list[Block]:
    """The blocks that control can reach, each before its successors, loops apart; the entry is first."""
    entry = region.first_block
    if entry is None:
        return []
    seen, finished = {entry}, list[Block]()
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, successors = stack[-1]
        for successor in successors:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(_successors(successor))))
                break
        else:
            finished.append(block)
            stack.pop()
    return finished[::-1]


def immediate_dominators(order: list[Block]) -> dict[Block, Block]:
    """The nearest other block that every path to a block goes through, for blocks in reverse post-order.

    The entry, which has none, is its own.
    """
    if not order:
        return {}
    number = {block: i for i, block in enumerate(order)}
    predecessors: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for successor in _successors(block):
            predecessors[successor].append(block)
    result = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [p for p in predecessors[block] if p in result]
            nearest = known[0]
            for other in known[1:]:
                nearest = _common(nearest, other, result, number)
            if result.get(block) is not nearest:
                result[block] = nearest
                changed = True
    return result


def _common(a: Block, b: Block, dominators: dict[Block, Block], number: dict[Block, int]) -> Block:
    while a is not b:
        if number[a] > number[b]:
            a = dominators[a]
        else:
            b = dominators[b]
    return a


def _successors(block: Block) -> tuple[Block, ...]:
    last = block.last_op
    return () if last is None else tuple(last.successors)
