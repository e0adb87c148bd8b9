"""The pass `dce`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, OpResult
from xdsl.traits import IsTerminator, SymbolOpInterface

from mlc.pass_manager.base import Pass
from mlc.passes.any_level._effects import EffectSummary
from mlc.support.context import CompilerContext
from mlc.support.dominators import reverse_post_order
from mlc.support.ir import symbols_in


@dataclass(frozen=True)
class DcePass(Pass):
    """Remove ops whose results nobody needs, blocks that nobody reaches, and private functions that nobody calls.

    ```mlir
    %0 = graph.exp %x : tensor<4xf32>        // only used by %1: gone
    %1 = graph.neg %0 : tensor<4xf32>        // unused: gone
    %2 = graph.relu %x : tensor<4xf32>
    return %2 : tensor<4xf32>
    ```

    An op is needed if it does something to memory beyond reading or allocating, if its effects are unknown, or if a
    needed op uses a result of it. It works at any level, in one marking and one sweeping walk. It leaves alone values
    that a loop or a branch carries round without anybody reading them, and stores to memory that is never read.
    """

    name = "dce"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        marking = _Marking(EffectSummary(), _private_symbols(module))
        marking.mark(module)
        _sweep(module, marking)


def _private_symbols(module: ModuleOp) -> dict[str, list[Operation]]:
    """Private symbols by name; equal names in nested modules are not told apart."""
    symbols: dict[str, list[Operation]] = defaultdict(list)
    for op in module.walk():
        if (name := _private_name(op)) is not None:
            symbols[name].append(op)
    return symbols


def _private_name(op: Operation) -> str | None:
    visibility, name = op.properties.get("sym_visibility"), op.properties.get("sym_name")
    if visibility is None or name is None or not op.has_trait(SymbolOpInterface):
        return None
    is_private = isinstance(visibility, StringAttr) and visibility.data == "private"
    return name.data if is_private and isinstance(name, StringAttr) else None


@dataclass
class _Marking:
    effects: EffectSummary
    private_symbols: dict[str, list[Operation]]
    needed: set[Operation] = field(default_factory=set[Operation])
    reachable: set[Block] = field(default_factory=set[Block])

    def mark(self, root: Operation) -> None:
        """Find all ops that are needed if `root` is."""
        pending = [root]
        while pending:
            op = pending.pop()
            if op in self.needed:
                continue
            self.needed.add(op)
            pending += [v.owner for v in op.operands if isinstance(v, OpResult)]
            pending += [s for name in symbols_in(op) for s in self.private_symbols.get(name, ())]
            pending += self._needed_inside(op)

    def _needed_inside(self, op: Operation) -> Iterator[Operation]:
        for region in op.regions:
            for block in reverse_post_order(region):
                self.reachable.add(block)
                yield from (nested for nested in block.ops if self._is_root(nested))

    def _is_root(self, op: Operation) -> bool:
        if op.has_trait(IsTerminator):
            return True
        if op.has_trait(SymbolOpInterface):
            return _private_name(op) is None
        return not self.effects.is_removable(op)


def _sweep(op: Operation, marking: _Marking) -> None:
    """Erase what is below `op` and not marked, users before what they use."""
    for region in op.regions:
        for block in reversed(list(region.blocks)):
            if block not in marking.reachable:
                region.erase_block(block, safe_erase=False)
                continue
            for nested in reversed(list(block.ops)):
                if nested not in marking.needed:
                    block.erase_op(nested, safe_erase=False)
                elif nested.regions:
                    _sweep(nested, marking)
