"""Each fusion, and each op that is in none, moves into a function of its own: a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.dialects import graph
from mlc.passes.shared.kernel_names import KernelNames
from mlc.support.ir import clone

STAYS: tuple[type[Operation], ...] = (graph.ConstantOp, graph.ReshapeOp)
"""Ops that compute nothing and therefore stay in the function that calls kernels."""
LOOPS: tuple[type[Operation], ...] = (graph.ScanOp, graph.IfOp, graph.WhileOp)
"""Ops that stay, too, around calls of the kernels that their bodies are made of."""


def outline_kernels(
    function: func.FuncOp, names: KernelNames, is_lowered: Callable[[Operation], bool]
) -> dict[func.FuncOp, list[Operation]]:
    """Replace the computing ops of `function` by calls; returns the new kernels, in program order, each with the ops
    that it was made of.

    Computing ops are those of the graph dialect, and ops of plugins that have a pattern (`is_lowered`).
    """
    kernels: dict[func.FuncOp, list[Operation]] = {}
    for op in [op for block in function.body.blocks for op in _ops_to_outline(block)]:
        computed = list(op.walk())
        if isinstance(op, graph.FusionOp):
            kernels[_outline_fusion(op, names)] = computed
        elif isinstance(op, graph.GraphOp) or is_lowered(op):
            kernels[_outline_op(op, names)] = computed
    return kernels


def _ops_to_outline(block: Block) -> Iterator[Operation]:
    """The ops of a block, and of the bodies of loops in it, that may be kernels."""
    for op in block.ops:
        if isinstance(op, LOOPS):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _ops_to_outline(inner)
        elif not isinstance(op, STAYS):
            yield op


def _outline_fusion(op: graph.FusionOp, names: KernelNames) -> func.FuncOp:
    body = op.detach_region(op.body)
    block = body.block
    terminator = block.last_op
    assert isinstance(terminator, graph.YieldOp)
    results = list(terminator.values)
    block.detach_op(terminator)
    terminator.erase()
    block.add_op(func.ReturnOp(*results))
    return _call(op, op.kernel_name.data, op.inputs, body, names)


def _outline_op(op: Operation, names: KernelNames) -> func.FuncOp:
    """A kernel of one op; constants that are one number move inside, where they become immediate."""
    inputs = list(dict.fromkeys(v for v in op.operands if graph.splat_of(v) is None))
    block = Block(arg_types=[v.type for v in inputs])
    mapping: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    for operand in op.operands:
        constant = graph.constant_of(operand)
        if operand not in mapping and constant is not None:
            block.add_op(clone(constant, mapping))
    inside = clone(op, mapping)
    block.add_ops([inside, func.ReturnOp(*inside.results)])
    return _call(op, op.name.split(".", 1)[1], inputs, Region(block), names)


def _call(op: Operation, hint: str, inputs: Sequence[SSAValue], body: Region, names: KernelNames) -> func.FuncOp:
    """Make the kernel, call it in place of `op`, and erase `op`."""
    signature = FunctionType.from_lists([v.type for v in inputs], [r.type for r in op.results])
    kernel = func.FuncOp(names.fresh(hint), signature, body, "private")
    kernel.location = op.location
    for argument, value in zip(body.block.args, inputs, strict=True):
        argument.name_hint = argument.name_hint or value.name_hint
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
    return kernel
