"""Reachable blocks and the dominator tree of a region.

The algorithm is the simple one of Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979):
O(m log n) for n blocks and m edges, whatever their shape.
"""

from __future__ import annotations

from xdsl.ir import Block, Region


def successors(block: Block) -> tuple[Block, ...]:
    """The blocks that control may go to from the end of `block`."""
    last = block.last_op
    return () if last is None else tuple(last.successors)


def reverse_post_order(region: Region) -> list[Block]:
    """The blocks that control can reach, each before its successors, loops apart; the entry is first."""
    return _depth_first(region)[1]


def immediate_dominators(region: Region) -> dict[Block, Block]:
    """The nearest other block that every path to a reachable block goes through; the entry, which has none, is its own.

    A block comes after the one that dominates it.
    """
    parents, _ = _depth_first(region)
    order = list(parents)
    number = {block: i for i, block in enumerate(order)}
    predecessors: list[list[int]] = [[] for _ in order]
    for block in order:
        for successor in successors(block):
            predecessors[number[successor]].append(number[block])
    nearest = _immediate([number[parent] for parent in parents.values()], predecessors)
    return {block: order[nearest[i]] for i, block in enumerate(order)}


def _depth_first(region: Region) -> tuple[dict[Block, Block], list[Block]]:
    """The parents of the reachable blocks in a depth-first search, in preorder; the blocks in reverse post-order."""
    entry = region.first_block
    if entry is None:
        return {}, []
    parents, finished = {entry: entry}, list[Block]()
    stack = [(entry, iter(successors(entry)))]
    while stack:
        block, rest = stack[-1]
        for successor in rest:
            if successor not in parents:
                parents[successor] = block
                stack.append((successor, iter(successors(successor))))
                break
        else:
            finished.append(block)
            stack.pop()
    return parents, finished[::-1]


def _immediate(parents: list[int], predecessors: list[list[int]]) -> list[int]:
    """The immediate dominators of nodes that are numbered in preorder."""
    forest = _Forest(len(parents))
    semi = forest.semi
    result = [0] * len(parents)
    buckets: list[list[int]] = [[] for _ in parents]
    """The nodes whose semidominator is this one."""
    for node in range(len(parents) - 1, 0, -1):
        for before in predecessors[node]:
            semi[node] = min(semi[node], semi[forest.lowest(before)])
        buckets[semi[node]].append(node)
        parent = parents[node]
        forest.ancestor[node] = parent
        for each in buckets[parent]:
            lowest = forest.lowest(each)
            result[each] = lowest if semi[lowest] < parent else parent
        buckets[parent] = []
    for node in range(1, len(parents)):
        if result[node] != semi[node]:
            result[node] = result[result[node]]
    return result


class _Forest:
    """The part of the depth-first tree that was linked so far, its paths compressed."""

    def __init__(self, size: int) -> None:
        self.semi = list(range(size))
        """Semidominators, as far as they are known."""
        self.ancestor = [-1] * size
        self._best = list(range(size))

    def lowest(self, node: int) -> int:
        """The node of the lowest semidominator on the linked path up from `node`, the path's root left out."""
        ancestor, best, semi = self.ancestor, self._best, self.semi
        if ancestor[node] < 0:
            return node
        path = [node]
        while ancestor[ancestor[path[-1]]] >= 0:
            path.append(ancestor[path[-1]])
        for each in reversed(path[:-1]):
            above = ancestor[each]
            if semi[best[above]] < semi[best[each]]:
                best[each] = best[above]
            ancestor[each] = ancestor[above]
        return best[node]
