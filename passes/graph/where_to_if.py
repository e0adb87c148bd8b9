"""The pass `where-to-if`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import (
    BroadcastOp,
    ConstantOp,
    GraphOp,
    IfOp,
    ReshapeOp,
    ScanOp,
    WhereOp,
    WhileOp,
    YieldOp,
)
from mlc.dialects.graph.types import is_static, shape_of
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.ir import clone, erase_unused

_TRUE, _FALSE = 1, 2
"""The operands that a `where` chooses from."""
_LOOPS = (ScanOp, WhileOp)
_MOVABLE = (GraphOp, IfOp, *_LOOPS)


@dataclass(frozen=True)
class WhereToIfPass(Pass):
    """Compute no product in a step of a loop whose results one condition leaves out.

    ```mlir
    graph.scan 64 carry (%h = %h0) over (%t = %counted, %x = %xs) using (%n = %seq) : … {
      %c = graph.compare lt, %t, %n : tensor<i64>, tensor<i64> -> tensor<i1>
      %0 = graph.matmul %h, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
      %1 = graph.add %x, %0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
      %2 = graph.where %c, %1, %h : tensor<i1>, tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
      …
    // after
      %2 = graph.if %c using (%h, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>) {
        …                                       // the product and the sum
        graph.yield %1 : tensor<4x8xf32>
      } else {
        graph.yield %h : tensor<4x8xf32>
      }
    ```

    So a recurrent network over 8 of 320 columns makes 8 steps. All `where` of one condition become one branch, with the
    ops that nothing else reads. That needs one flag for all elements, and a product or a loop among those ops: what is
    elementwise costs less than it would as a kernel of its own.
    """

    name = "where-to-if"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for scan in [op for op in module.walk() if isinstance(op, ScanOp)]:
            for branch in _put_branches(scan.body.block):
                ctx.remark(scan, f"{len(branch.choices)} 'graph.where' are a branch, as they leave a product out")


@dataclass(eq=False)
class _Branch:
    """What becomes one branch.

    Attributes:
        condition: a single element.
        ops: the `where` ops that it decides, and what is computed for one of their sides alone, in the order of the
            block; with the side, as the number of the operand that it is, and 0 for a `where`.
    """

    condition: SSAValue
    ops: dict[Operation, int] = field(default_factory=dict[Operation, int])

    @property
    def choices(self) -> list[WhereOp]:
        """The `where` ops."""
        return [op for op, side in self.ops.items() if isinstance(op, WhereOp) and not side]

    def saves(self) -> bool:
        """Whether it leaves out a product, or a loop."""
        return any(
            side and (isinstance(op, _LOOPS) or (isinstance(op, GraphOp) and op.CONTRACTS))
            for op, side in self.ops.items()
        )

    def write(self, end: Operation) -> None:
        """Replace the ops by a `graph.if` before `end`."""
        last = self.choices[-1]
        results = [op.result for op in self.choices if any(use.operation not in self.ops for use in op.result.uses)]
        read = dict.fromkeys(v for op, side in self.ops.items() for v in op.operands[0 if side else 1 :])
        captured = [v for v in read if v.owner not in self.ops and not isinstance(v.owner, ConstantOp)]
        bodies = {_TRUE: _Body(captured), _FALSE: _Body(captured)}
        for op, side in self.ops.items():
            if isinstance(op, WhereOp) and not side:
                bodies[_TRUE].choose(op, op.on_true)
                bodies[_FALSE].choose(op, op.on_false)
            else:
                bodies[side].add(op)
        condition = _condition(last)  # which a branch that is written already may have replaced
        assert condition is not None
        if shape_of(condition):
            flag = ReshapeOp(condition, ())
            flag.location = last.location
            Rewriter.insert_op(flag, InsertPoint.before(end))
            condition = flag.result
        types = [value.type for value in results]
        branch = IfOp(condition, captured, types, *(body.finish(results) for body in bodies.values()))
        branch.location = last.location
        Rewriter.insert_op(branch, InsertPoint.before(end))
        for old, new in zip(results, branch.outputs, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)


def _put_branches(block: Block) -> list[_Branch]:
    """Write the branches that save something, each where all is known that it reads; returns these."""
    branches = [branch for branch in _branches(block) if branch.saves()]
    if not branches:
        return []
    order = _ordered(block, branches)
    if len(written := [each for each in order if isinstance(each, _Branch)]) < len(branches):
        order = _ordered(block, written)  # what waits for itself stays
    end = block.last_op
    assert end is not None
    for each in order:
        if isinstance(each, _Branch):
            each.write(end)
        elif each is not end:
            each.detach()
            block.insert_op_before(each, end)
    replaced = [op for branch in written for op in reversed(branch.ops)]
    read = dict.fromkeys(value for op in replaced for value in op.operands)
    for op in replaced:
        Rewriter.erase_op(op)
    for value in read:
        erase_unused(value)
    return written


def _branches(block: Block) -> list[_Branch]:
    """What one branch could compute for each condition of a single element."""
    found: dict[SSAValue, _Branch] = {}
    served: dict[Operation, tuple[_Branch, int]] = {}
    for op in reversed(list(block.ops)):
        condition = _condition(op)
        sides = {_served(use, served) for result in op.results for use in result.uses}
        side = sides.pop() if len(sides) == 1 else None
        if side is not None and side[0].condition is not condition and isinstance(op, _MOVABLE):
            served[op] = side
        elif condition is not None:
            served[op] = found.setdefault(condition, _Branch(condition)), 0
    for op in block.ops:
        if op in served:
            branch, side = served[op]
            branch.ops[op] = side
    return list(found.values())


def _served(use: Use, served: Mapping[Operation, tuple[_Branch, int]]) -> tuple[_Branch, int] | None:
    """The branch that needs a value, if this use is the only one, and for which side."""
    branch, side = served.get(use.operation, (None, 0))
    side = side or use.index  # the operand of a `where` that it is
    return (branch, side) if branch is not None and side else None


def _condition(op: Operation) -> SSAValue | None:
    """The element that decides for all elements of a result."""
    if not isinstance(op, WhereOp) or set(shape_of(op.condition)) - {1} or not is_static(op.result.type):
        return None
    value = op.condition
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.input
    return value


def _ordered(block: Block, branches: Sequence[_Branch]) -> list[Operation | _Branch]:
    """The ops of a block and the branches, each after what it reads, and else in the order of the block.

    Those that read what is computed of their results are not among them, nor what waits for these (Kahn, 1962).
    """
    branch_of = {op: branch for branch in branches for op in branch.ops}
    place: dict[Operation | _Branch, int] = {branch_of.get(op, op): i for i, op in enumerate(block.ops)}
    nodes = {i: each for each, i in place.items()}
    readers: dict[Operation | _Branch, list[Operation | _Branch]] = defaultdict(list)
    missing: dict[Operation | _Branch, int] = dict.fromkeys(place, 0)
    for op in block.ops:
        reader = branch_of.get(op, op)
        for value in op.operands:
            if isinstance(value.owner, Operation) and (made := branch_of.get(value.owner, value.owner)) is not reader:
                readers[made].append(reader)
                missing[reader] += 1
    ready = [place[each] for each, count in missing.items() if not count]
    heapify(ready)
    found: list[Operation | _Branch] = []
    while ready:
        found.append(each := nodes[heappop(ready)])
        for reader in readers[each]:
            missing[reader] -= 1
            if not missing[reader]:
                heappush(ready, place[reader])
    return found


class _Body:
    """A body of the branch that is being written."""

    def __init__(self, captured: Sequence[SSAValue]) -> None:
        self.block = Block(arg_types=[value.type for value in captured])
        self.known: dict[SSAValue, SSAValue] = dict(zip(captured, self.block.args, strict=True))
        for value, argument in self.known.items():
            argument.name_hint = value.name_hint

    def add(self, op: Operation) -> None:
        """Compute what an op computes."""
        for value in op.operands:
            self._inside(value)
        self.block.add_op(clone(op, self.known))

    def choose(self, op: WhereOp, value: SSAValue) -> None:
        """Let the result of an op be a value, in as many places."""
        found = self._inside(value)
        if found.type != op.result.type:
            wide = BroadcastOp(found, shape_of(op.result))
            wide.location = op.location
            self.block.add_op(wide)
            found = wide.result
        self.known[op.result] = found

    def finish(self, results: Sequence[SSAValue]) -> Region:
        """The body, which yields what these are in it, and computes nothing else."""
        self.block.add_op(YieldOp(*(self.known[value] for value in results)))
        for op in reversed(list(self.block.ops)):
            if op.results and not any(result.uses for result in op.results):
                Rewriter.erase_op(op)
        return Region(self.block)

    def _inside(self, value: SSAValue) -> SSAValue:
        """What a value is called here; a constant is repeated."""
        if value not in self.known:
            assert isinstance(value.owner, ConstantOp)
            self.block.add_op(clone(value.owner, self.known))
        return self.known[value]
