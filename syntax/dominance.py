"""Whether every value is defined where it is used.

A definition must come before the use: in the same block, in a block on every path from the region's entry to the
use's block, or in a region around it. xDSL's verifier does not check this. The time is linear in operations,
operands and edges
(dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.traits import NoTerminator

from mlc.support.errors import Note, UserError
from mlc.support.locations import location_of

_ORDERLESS = frozenset({"equivalence.class", "equivalence.const_class"})
"""Operations whose operands may come later: the members of the classes of an e-graph."""


def undominated_uses(root: Operation) -> Iterator[tuple[Operation, int]]:
    """The operands, by operation and number, that are not defined where they are used."""
    order = _Order()
    pending = [root]
    while pending:
        op = pending.pop()
        for region in op.regions:
            if _is_graph(op, region):
                for block in region.blocks:
                    pending.extend(block.ops)
                continue
            for block in region.blocks:
                for number, inner in enumerate(block.ops):
                    order.positions[inner] = number
                    if inner.regions:
                        pending.append(inner)
    for op in order.positions:
        if op.name in _ORDERLESS:
            continue
        for i, operand in enumerate(op.operands):
            if not order.dominates(operand, op):
                yield op, i


def error_of(op: Operation, operand: int) -> UserError:
    """The error for an operand that is not defined where it is used."""
    value = op.operands[operand]
    owner = value.owner
    where = location_of(owner) if isinstance(owner, Operation) else None
    name = f"'%{value.name_hint}'" if value.name_hint else f"number {operand}"
    notes = [Note("defined here", where)] if where is not None else []
    return UserError(f"'{op.name}': operand {name} is used where its definition does not reach", location_of(op), notes)


def _is_graph(op: Operation, region: Region) -> bool:
    """Whether the order of operations in a region means nothing.

    As in MLIR, that is so in a single block that needs no terminator; and nothing is known of unregistered
    operations, nor of xDSL's `test.op`, which stands for any operation.
    """
    if isinstance(op, UnregisteredOp) or op.name == "equivalence.graph":
        return True
    return region.first_block is region.last_block and (op.has_trait(NoTerminator) or op.name == "test.op")


@dataclass
class _Order:
    """The order of operations in their blocks, and the dominator trees of regions, made when they are first
    needed.
    """

    positions: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """The place of each operation in its block, except in graph regions."""
    _trees: dict[Region, dict[Block, tuple[int, int]]] = field(
        default_factory=dict[Region, "dict[Block, tuple[int, int]]"]
    )

    def dominates(self, value: SSAValue, user: Operation) -> bool:
        """Whether `value` is defined wherever `user` runs."""
        block = value.owner.parent if isinstance(value, OpResult) else value.owner
        if not isinstance(block, Block):
            return False
        around = _ancestor_in(user, block.parent)
        if around is None:
            return False
        use_block = around.parent
        if use_block is not block:
            return use_block is not None and self._block_dominates(block, use_block)
        if not isinstance(value, OpResult):
            return True
        if (defined := self.positions.get(value.op)) is None:
            return True
        return defined < self.positions[around]

    def _block_dominates(self, definition: Block, use: Block) -> bool:
        region = definition.parent
        assert region is not None
        if region not in self._trees:
            self._trees[region] = _tree(region)
        tree = self._trees[region]
        if use not in tree:
            return True  # unreachable: nothing runs there
        if definition not in tree:
            return False
        first, last = tree[definition]
        return first <= tree[use][0] <= last


def _ancestor_in(op: Operation, region: Region | None) -> Operation | None:
    """The operation in a block of `region` that is `op` or contains it."""
    current: Operation | None = op
    while current is not None:
        block = current.parent
        if block is not None and block.parent is region:
            return current
        current = current.parent_op()
    return None


def _tree(region: Region) -> dict[Block, tuple[int, int]]:
    """For each reachable block, its number and the largest number below it in the dominator tree, in preorder."""
    entry = region.first_block
    assert entry is not None
    order = _reverse_postorder(entry)
    number = {block: i for i, block in enumerate(order)}
    before: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for successor in _successors(block):
            before[successor].append(block)
    parent = {entry: entry}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            best: Block | None = None
            for candidate in before[block]:
                if candidate in parent:
                    best = candidate if best is None else _meet(candidate, best, parent, number)
            if best is not None and parent.get(block) is not best:
                parent[block] = best
                changed = True
    return _intervals(entry, order, parent)


def _meet(a: Block, b: Block, parent: dict[Block, Block], number: dict[Block, int]) -> Block:
    while a is not b:
        while number[a] > number[b]:
            a = parent[a]
        while number[b] > number[a]:
            b = parent[b]
    return a


def _intervals(entry: Block, order: list[Block], parent: dict[Block, Block]) -> dict[Block, tuple[int, int]]:
    children: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order[1:]:
        children[parent[block]].append(block)
    first: dict[Block, int] = {}
    stack = [entry]
    preorder: list[Block] = []
    while stack:
        block = stack.pop()
        first[block] = len(preorder)
        preorder.append(block)
        stack.extend(children[block])
    size = dict.fromkeys(preorder, 1)
    for block in reversed(preorder[1:]):
        size[parent[block]] += size[block]
    return {block: (n, n + size[block] - 1) for block, n in first.items()}


def _successors(block: Block) -> tuple[Block, ...]:
    last = block.last_op
    return () if last is None else tuple(last.successors)


def _reverse_postorder(entry: Block) -> list[Block]:
    done: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(_successors(successor))))
                break
        else:
            done.append(block)
            stack.pop()
    return done[::-1]
