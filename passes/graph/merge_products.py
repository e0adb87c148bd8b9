"""The pass `merge-products`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from mlc.dialects.graph import ConvOp, GraphOp, MatmulOp
from mlc.pass_manager.base import Pass
from mlc.passes.graph._attention import attention_before
from mlc.passes.graph._blocks import graph_blocks
from mlc.passes.graph._branches import Branch, branch_of, put_side_by_side
from mlc.passes.graph._product_cost import cycles_apart, cycles_beside
from mlc.support.context import CompilerContext
from mlc.support.locations import location_of
from mlc.targets.machine import Machine, resolve_target

_NAMED = 4
"""How many of the products that are merged are called by their names."""


@dataclass(frozen=True)
class MergeProductsPass(Pass):
    """Multiply a matrix, or an image, with several constant ones at once: queries, keys and values, heads of a network.

    ```mlir
    %q = graph.matmul %x, %wq : tensor<128x384xf32>, tensor<384x24xf32> -> tensor<128x24xf32>
    %k = graph.matmul %x, %wk : ...
    // after, with %wq and %wk side by side in %w
    %0 = graph.matmul %x, %w : tensor<128x384xf32>, tensor<384x48xf32> -> tensor<128x48xf32>
    %q = graph.slice %0 starts [0, 0] ends [128, 24] strides [1, 1] : ...
    %k = graph.slice %0 starts [0, 24] ends [128, 48] strides [1, 1] : ...
    ```

    Matrix products and convolutions of one group with channels last are merged, together with the elementwise ops that
    all of them have after them: biases, scales, activations. A part that is read by a product of matrices or by an op
    along rows is read where it lies, through whatever transposes and reshapes there are (see `fuse`); all others are
    charged for a copy.

    It is done where the estimate by facts of the machine expects a gain: where matrices alone leave lanes or registers
    empty, and where threads are called once instead of several times. Remarks say what it expects. Weights that are not
    constant, or that somebody else reads, are left alone: putting these side by side would cost at each call, or twice
    the memory.
    """

    name = "merge-products"

    target: str = ""
    """The machine to choose for; the target of the compilation if empty."""
    threads: int = 1
    """How many threads share a kernel."""
    least_gain: float = 1.05
    """How many times as fast the products have to be by the estimate; 0 merges whatever can be merged."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        machine = resolve_target(self.target or ctx.target)
        for block in graph_blocks(module):
            for branches in _branches(block, ctx):
                self._visit(branches, machine, ctx)

    def _visit(self, branches: Sequence[Branch], machine: Machine, ctx: CompilerContext) -> None:
        """Merge those of the branches that gain most, then those of the others, until none gains enough."""
        left = sorted(branches, key=lambda b: (b.problem.copied > 0, b.problem.columns))
        while len(left) > 1:
            gains = {count: self._gain(left[:count], machine) for count in range(2, len(left) + 1)}
            enough = [count for count, gain in gains.items() if gain.times >= self.least_gain]
            if not enough:
                gain = gains[len(left)].times
                words = f"estimated {gain:.2f} times as fast, required {self.least_gain}"
                ctx.remark(left[0].product, f"not merged with {_others(left, left[0])}: {words}")
                return
            count = max(enough, key=lambda n: gains[n].saved if self.least_gain else n)
            merged = [b for b in branches if b in left[:count]]
            words = f"estimated {gains[count].times:.2f} times as fast"
            for branch in merged[1:]:
                ctx.remark(branch.product, f"merged with {_others(merged, branch)}: {words}")
            put_side_by_side(merged, ctx)
            left = left[count:]

    def _gain(self, branches: Sequence[Branch], machine: Machine) -> _Gain:
        problems = [b.problem for b in branches]
        apart = cycles_apart(problems, machine, self.threads)
        together = cycles_beside(problems, machine, self.threads)
        return _Gain(apart / together if together else 1.0, apart - together)


@dataclass(frozen=True)
class _Gain:
    times: float
    saved: float
    """In cycles."""


def _others(branches: Sequence[Branch], this: Branch) -> str:
    """How many products `branches` are besides `this`, and which, as far as that can be read."""
    names = [_name(each) for each in branches if each is not this]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    plural = "s" if len(names) > 1 else ""
    return f"{len(names)} other product{plural} of the same input ({', '.join(names[:_NAMED])}{more})"


def _name(branch: Branch) -> str:
    """What a product is called in the source, and where it stands."""
    name, place = branch.product.result.name_hint, location_of(branch.product)
    spelled = f"%{name}" if name else branch.product.name
    if place is None or not place.line:
        return spelled
    return f"{spelled} at {place.line}:{place.column}"


def _branches(block: Block, ctx: CompilerContext) -> list[list[Branch]]:
    """The products of a block that can be merged, by what is multiplied and by what follows."""
    strided: set[SSAValue] = set()
    for op in block.ops:
        if isinstance(op, GraphOp) and (attention := attention_before(op)):
            strided.add(attention[0].operands[1])
    groups: dict[object, list[Branch]] = {}
    products: dict[SSAValue, list[tuple[GraphOp, Branch | str]]] = {}
    for op in block.ops:
        if isinstance(op, MatmulOp | ConvOp):
            branch = branch_of(op, strided, ctx)
            products.setdefault(op.operands[0], []).append((op, branch))
            if isinstance(branch, Branch):
                groups.setdefault(branch.key, []).append(branch)
    for op, branch in (pair for pairs in products.values() if len(pairs) > 1 for pair in pairs):
        if isinstance(branch, str):
            ctx.remark(op, f"not merged with other products of the same input: {branch}")
        elif len(groups[branch.key]) == 1:
            ctx.remark(op, "not merged with other products of the same input: no other is followed by such ops")
    return [group for group in groups.values() if len(group) > 1]
