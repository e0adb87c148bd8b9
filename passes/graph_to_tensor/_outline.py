"""Each fusion, and each op that is in none, moves into a function of its own: a kernel."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.analysis.structure import Structure
from mlc.dialects import graph
from mlc.dialects.func import FuncOp
from mlc.support.ir import clone
from mlc.support.kernel_names import KernelNames
from mlc.support.locations import place_new_ops

STAYS: tuple[type[Operation], ...] = (graph.ConstantOp, graph.ReshapeOp)
"""Ops that compute nothing and therefore stay in the function that calls kernels."""
LOOPS: tuple[type[Operation], ...] = (graph.ScanOp, graph.IfOp, graph.WhileOp)
"""Ops that stay, too, around calls of the kernels that their bodies are made of."""


@dataclass
class Outlining:
    """Replaces ops by calls of kernels.

    Computing ops are those of the graph dialect, and ops of plugins that have a pattern (`is_lowered`). What is equal
    but for the names of values becomes one kernel, so that all that is done to kernels is done once for equal layers.
    """

    names: KernelNames
    is_lowered: Callable[[Operation], bool]
    computed_by: dict[Operation, str] = field(default_factory=dict[Operation, str])
    """The kernel that computes each op."""
    _known: dict[Hashable, func.FuncOp] = field(default_factory=dict[Hashable, func.FuncOp])

    def outline(self, function: func.FuncOp) -> list[func.FuncOp]:
        """Replace the computing ops of `function` by calls; returns the new kernels, in program order."""
        before = len(self._known)
        for op in [op for block in function.body.blocks for op in _ops_to_outline(block)]:
            if isinstance(op, graph.FusionOp):
                self._outline_fusion(op)
            elif isinstance(op, graph.GraphOp) or self.is_lowered(op):
                self._outline_op(op)
        return list(self._known.values())[before:]

    def _outline_fusion(self, op: graph.FusionOp) -> None:
        computed = list(op.walk())
        body = op.detach_region(op.body)
        block = body.block
        terminator = block.last_op
        assert isinstance(terminator, graph.YieldOp)
        results = list(terminator.values)
        block.detach_op(terminator)
        terminator.erase()
        block.add_op(func.ReturnOp(*results))
        self._call(op, op.kernel_name.data, op.inputs, body, computed)

    def _outline_op(self, op: Operation) -> None:
        """A kernel of one op; constants that are one number move inside, where they become immediate."""
        computed = list(op.walk())
        inputs = list(dict.fromkeys(v for v in op.operands if graph.splat_of(v) is None))
        block = Block(arg_types=[v.type for v in inputs])
        mapping: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
        for operand in op.operands:
            constant = graph.constant_of(operand)
            if operand not in mapping and constant is not None:
                block.add_op(clone(constant, mapping))
        inside = clone(op, mapping)
        block.add_ops([inside, func.ReturnOp(*inside.results)])
        self._call(op, op.name.split(".", 1)[1], inputs, Region(block), computed)

    def _call(
        self, op: Operation, hint: str, inputs: Sequence[SSAValue], body: Region, computed: Sequence[Operation]
    ) -> None:
        """Make the kernel, unless it exists, call it in place of `op`, and erase `op`."""
        kernel = self._kernel(op, hint, inputs, body)
        self.computed_by |= dict.fromkeys(computed, kernel.sym_name.data)
        call = func.CallOp(kernel.sym_name.data, list(inputs), [r.type for r in op.results])
        call.location = op.location
        block = op.parent
        assert block is not None
        block.insert_op_before(call, op)
        for old, new in zip(op.results, call.results, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        op.detach()
        op.erase()

    def _kernel(self, op: Operation, hint: str, inputs: Sequence[SSAValue], body: Region) -> func.FuncOp:
        signature = FunctionType.from_lists([v.type for v in inputs], [r.type for r in op.results])
        kernel = FuncOp(hint, signature, body, "private")
        key = hint, Structure().of(kernel)
        if (known := self._known.get(key)) is not None:
            kernel.erase()
            return known
        self._known[key] = kernel
        kernel.sym_name = StringAttr(self.names.fresh(hint))
        place_new_ops(kernel, op.location)
        for argument, value in zip(body.block.args, inputs, strict=True):
            argument.name_hint = argument.name_hint or value.name_hint
        return kernel


def _ops_to_outline(block: Block) -> Iterator[Operation]:
    """The ops of a block, and of the bodies of loops in it, that may be kernels."""
    for op in block.ops:
        if isinstance(op, LOOPS):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _ops_to_outline(inner)
        elif not isinstance(op, STAYS):
            yield op
