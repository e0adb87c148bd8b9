"""Whether every value is defined where it is used.

A definition must come before the use: in the same block, in a block on every path from the region's entry to the
use's block, or in a region around it. xDSL's verifier does not check this. The time is linear in operations and
operands, but for the dominators of blocks (`support/dominators.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.traits import NoTerminator

from mlc.support.dominators import immediate_dominators
from mlc.support.errors import Note, UserError
from mlc.support.locations import location_of
from mlc.syntax.words import name_of

_ORDERLESS = frozenset({"equivalence.class", "equivalence.const_class"})
"""Operations whose operands may come later: the members of the classes of an e-graph."""
_ORDERLESS_REGIONS = frozenset({"equivalence.graph", "test.op"})


def undominated_uses(root: Operation) -> Iterator[tuple[Operation, int]]:
    """The operands, by operation and number, that are not defined where they are used.

    Of several uses of a value by one operation, the first.
    """
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
        told: set[SSAValue] = set()
        for i, operand in enumerate(op.operands):
            if operand not in told and not order.dominates(operand, op):
                told.add(operand)
                yield op, i


def error_of(op: Operation, operand: int, written: str | None = None) -> UserError:
    """The error for an operand that is not defined where it is used; `written` is its name in the text, if known."""
    value = op.operands[operand]
    owner = value.owner
    where = location_of(owner) if isinstance(owner, Operation) else None
    name = written or value.name_hint
    which = f"'%{name}'" if name else f"number {operand}"
    notes = [Note("defined here", where)] if where is not None else []
    return UserError(
        f"'{name_of(op)}': operand {which} is used where its definition does not reach", location_of(op), notes
    )


def _is_graph(op: Operation, region: Region) -> bool:
    """Whether the order of operations in a region means nothing.

    As in MLIR, that is so in a single block that needs no terminator; and nothing is known of a single block in
    an unregistered operation, nor in xDSL's `test.op`, which stands for any operation.
    """
    if region.first_block is not region.last_block:
        return False
    return isinstance(op, UnregisteredOp) or op.name in _ORDERLESS_REGIONS or op.has_trait(NoTerminator)


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
        around = user if user.parent is block else _ancestor_in_region(user, block.parent)
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


def _ancestor_in_region(op: Operation, region: Region | None) -> Operation | None:
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
    dominators = immediate_dominators(region)
    children: dict[Block, list[Block]] = {block: [] for block in dominators}
    for block, dominator in dominators.items():
        if block is not dominator:
            children[dominator].append(block)
    stack = [block for block in dominators if dominators[block] is block]
    preorder: list[Block] = []
    while stack:
        block = stack.pop()
        preorder.append(block)
        stack.extend(children[block])
    size = dict.fromkeys(preorder, 1)
    for block in reversed(preorder[1:]):
        size[dominators[block]] += size[block]
    return {block: (number, number + size[block] - 1) for number, block in enumerate(preorder)}
