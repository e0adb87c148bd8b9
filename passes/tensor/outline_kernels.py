"""`outline-kernels`: what a public function computes itself moves into kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.analysis.in_place import computed_in_place
from mlc.dialects.func import FuncOp
from mlc.dialects.tensor import StructuredOp
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.functions import models_of
from mlc.support.ir import is_made_in
from mlc.support.kernel_names import KernelNames


@dataclass(frozen=True)
class OutlineKernelsPass(Pass):
    """Move each nest of a public function into a private function, a kernel, which the passes after this one shape.

        func.func @main(…) { %0 = tensor.contract %x, %w …; %1 = tensor.map %0, %b …; return %1 }
    ->
        func.func private @contract_map(…) { tensor.contract …; tensor.map … }
        func.func @main(…) { %1 = call @contract_map(%x, %w, %b); return %1 }

    The graph level makes kernels of fusions; this is for what comes in below it, such as linalg. What is computed in
    the nest of its readers goes with them (epilogue fusion), and so do nests that pass over the rows that their readers
    pass over: a softmax is one kernel. A function with a schedule, and ops that use scalars from outside, stay as they
    are.
    """

    name = "outline-kernels"
    ir_level = "tensor"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        names = KernelNames(module)
        for function in models_of(module):
            if "schedule" in function.attributes:
                continue
            for block in dict.fromkeys(op.parent for op in function.walk() if isinstance(op, StructuredOp)):
                for ops in _nests(block) if block is not None else ():
                    if (kernel := _outlined(ops, names)) is not None:
                        module.body.block.insert_op_before(kernel, function)


def _nests(block: Block) -> list[list[StructuredOp]]:
    """The structured ops of a block by nest, the op that the nest is of last."""
    in_place = computed_in_place(block)
    nests: dict[StructuredOp, list[StructuredOp]] = {}
    root_of: dict[StructuredOp, StructuredOp] = {}
    for op in reversed([op for op in block.ops if isinstance(op, StructuredOp)]):
        readers = [use.operation for use in op.result.uses] if op in in_place else []
        root_of[op] = next((root_of[reader] for reader in readers if isinstance(reader, StructuredOp)), op)
        nests.setdefault(root_of[op], []).insert(0, op)
    return _over_rows([nest for root, nest in reversed(nests.items()) if root.result.uses])


def _over_rows(nests: Sequence[list[StructuredOp]]) -> list[list[StructuredOp]]:
    """The nests, but those of one kernel that pass over the same rows, one after the other: a softmax, a norm.

    What a nest of rows makes goes to nests of one such kernel alone, which read of a row what was made for that row.
    Schedules take a row after the other then, which stays in the first cache. Products have tiles of their own.
    """
    groups = {nest[-1]: list(nest) for nest in nests}
    group_of = {op: root for root, nest in groups.items() for op in nest}
    for nest in reversed(nests):
        readers = [use.operation for use in nest[-1].result.uses]
        roots = {group_of.get(reader) if isinstance(reader, StructuredOp) else None for reader in readers}
        into = roots.pop() if len(roots) == 1 else None
        if into is None or not _pass_over_same_rows(nest, groups[into]):
            continue
        groups[into] = [*nest, *groups[into]]
        del groups[nest[-1]]
        group_of.update(dict.fromkeys(nest, into))
    return list(groups.values())


def _pass_over_same_rows(nest: Sequence[StructuredOp], readers: Sequence[StructuredOp]) -> bool:
    """Whether ops compute rows from rows: those that reduce make a number for each, and others read the same row."""
    ops, made = [*nest, *readers], nest[-1].result
    ranks = {op.num_parallel for op in ops if op.reduction is not None}
    if len(ranks) != 1 or ranks == {0} or any(op.contracts for op in ops):
        return False
    (rank,) = ranks
    rows = tuple(AffineExpr.dimension(i) for i in range(rank))
    reads = [m.results for op in readers for v, m in zip(op.inputs, op.index_maps, strict=True) if v is made]
    return all(read[:rank] == rows for read in reads) and len({op.dim_sizes[:rank] for op in ops}) == 1


def _outlined(ops: Sequence[StructuredOp], names: KernelNames) -> func.FuncOp | None:
    """A function of these ops, which a call in place of the last one calls; None if it would take more than tensors."""
    root = ops[-1]
    inside = set(ops)
    inputs = list(dict.fromkeys(v for op in ops for v in _from_outside(op) if v.owner not in inside))
    if not all(isinstance(value.type, TensorType) for value in inputs):
        return None
    call = func.CallOp(names.fresh("_".join(op.name.split(".", 1)[1] for op in ops)), inputs, [root.result.type])
    call.location, call.results[0].name_hint = root.location, root.result.name_hint
    block = Block(arg_types=[value.type for value in inputs])
    arguments = dict(zip(inputs, block.args, strict=True))
    for value, argument in arguments.items():
        argument.name_hint = value.name_hint
    assert root.parent is not None
    root.parent.insert_op_before(call, root)
    root.result.replace_all_uses_with(call.results[0])
    for op in ops:
        op.detach()
        block.add_op(op)
        for inner in op.walk():
            for position, operand in enumerate(inner.operands):
                inner.operands[position] = arguments.get(operand, operand)
    block.add_op(func.ReturnOp(root.result))
    signature = FunctionType.from_lists([value.type for value in inputs], [root.result.type])
    kernel = FuncOp(call.callee.root_reference.data, signature, Region(block), "private")
    kernel.location = root.location
    return kernel


def _from_outside(op: StructuredOp) -> list[SSAValue]:
    """What an op, and what is in it, uses and does not make."""
    return [value for inner in op.walk() for value in inner.operands if not is_made_in(value, op)]
