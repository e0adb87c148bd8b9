"""Finding loops by name, and taking loops apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import constant_index, replace_counter
from mlc.dialects.loop import ConstantOp, ForOp


def loops_named(root: Operation, name: str) -> list[ForOp]:
    """The loops under `root` over the dim `name`, in program order; a loop may stand inside another of the list."""
    return [op for op in root.walk() if isinstance(op, ForOp) and op.dim.data == name]


def outermost_loops(root: Operation) -> list[ForOp]:
    """The loops under `root` that are in no other loop."""
    return list(_outermost(op for region in root.regions for block in region.blocks for op in block.ops))


def functions_with_loops(module: ModuleOp) -> list[func.FuncOp]:
    """The functions of a module that have a body."""
    return [op for op in _functions_in(module) if not op.is_declaration]


def _functions_in(op: Operation) -> Iterator[func.FuncOp]:
    """The functions in `op`, without a look at their bodies."""
    for inner in (inner for region in op.regions for block in region.blocks for inner in block.ops):
        if isinstance(inner, func.FuncOp):
            yield inner
        elif inner.regions:
            yield from _functions_in(inner)


def add_argument(function: func.FuncOp, kind: Attribute) -> BlockArgument:
    """Let a function take one more argument, its last; calls are left to the caller."""
    block = function.body.blocks[0]
    argument = block.insert_arg(kind, len(block.args))
    update_type(function)
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr([*function.arg_attrs, DictionaryAttr({})])
    return argument


def update_type(function: func.FuncOp) -> None:
    """Let the type of a function say what its arguments are now."""
    inputs = [a.type for a in function.body.blocks[0].args]
    function.function_type = FunctionType.from_lists(inputs, list(function.function_type.outputs))


def perfect_nest(loop: ForOp) -> list[ForOp]:
    """`loop` and the loops below it, as long as each is all there is in the one above."""
    nest = [loop]
    while True:
        ops = list(nest[-1].body.block.ops)
        if len(ops) != 2 or not isinstance(ops[0], ForOp) or ops[0].iter_args or nest[-1].iter_args:
            return nest
        nest.append(ops[0])


def inline_single_iterations(root: Operation) -> None:
    """Replace the loops under `root` that run once by their bodies, but for those that a limit may leave out."""
    for op in list(root.walk()):
        if isinstance(op, ForOp) and len(op.range) == 1 and not op.may_be_skipped:
            _inline(op)


def _inline(loop: ForOp) -> None:
    block = loop.body.block
    for argument, initial in zip(loop.carried, loop.iter_args, strict=True):
        argument.replace_all_uses_with(initial)
    replace_counter(loop.induction_variable, constant_index(loop.range.start))
    yielded = list(loop.yielded)
    ops = list(block.ops)[:-1]
    for op in ops:
        op.detach()
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    for result, value in zip(loop.results, yielded, strict=True):
        result.replace_all_uses_with(value)
    loop.detach()
    loop.erase()


def _outermost(ops: Iterable[Operation]) -> Iterator[ForOp]:
    for op in ops:
        if isinstance(op, ForOp):
            yield op
        else:
            for region in op.regions:
                for block in region.blocks:
                    yield from _outermost(block.ops)


def erase_unused_buffer(value: SSAValue) -> None:
    """Erase the view, allocation or constant that `value` is if nothing uses it, and so on with what a view shows."""
    while isinstance(op := value.owner, memref.ReinterpretCastOp | memref.AllocOp | ConstantOp) and not value.uses:
        source = op.operands[0] if isinstance(op, memref.ReinterpretCastOp) else None
        Rewriter.erase_op(op)
        if source is None:
            return
        value = source
