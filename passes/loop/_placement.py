"""Kernels that copy arguments into subviews of an output, and kernels whose output is such a subview."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ArrayAttr, MemRefType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import counter_bounds, loop_of, shift_subscripts, shifts_of
from mlc.analysis.nests import functions_with_loops, perfect_nest, update_type
from mlc.dialects.loop import LoadOp, StoreOp, enclosing_loops
from mlc.support.context import CompilerContext
from mlc.support.functions import is_private
from mlc.support.ir import ancestor_in, clone
from mlc.support.kernel_names import KernelNames
from mlc.support.types import MemRef, memref_type

_Box = tuple[tuple[int, int], ...]
"""The least and the greatest subscript of each axis."""


@dataclass(frozen=True)
class Subview:
    """A buffer, and where in it a smaller one lies: at `offsets`, one per axis."""

    buffer: MemRef
    offsets: tuple[int, ...]

    def seen_with(self, shape: Sequence[int], part: Sequence[int]) -> Subview | None:
        """This subview of the shape `part`, the buffer seen with other axes, so that the subview is seen as `shape`.

        What is put side by side along one axis are runs of memory, however the axes before and after that one are
        joined or split: 56x56x64 in 56x56x128 is 3136x64 in 3136x128. None where the axes do not fit.
        """
        whole = self.buffer.get_shape()
        if tuple(shape) == tuple(part):
            return self
        longer = [axis for axis, size in enumerate(part) if size != whole[axis]]
        if len(longer) > 1 or not prod(shape):
            return None
        if not longer:
            return Subview(MemRefType(self.buffer.element_type, shape), (0,) * len(shape))
        (axis,) = longer
        before, behind = prod(part[:axis]), prod(part[axis + 1 :])
        split = max((i for i in range(len(shape)) if prod(shape[:i]) == before), default=None)
        if split is None:
            return None
        step = prod(shape[split + 1 :])
        size, start = whole[axis] * behind, self.offsets[axis] * behind
        if size % step or start % step:
            return None
        seen = [*shape[:split], size // step, *shape[split + 1 :]]
        return Subview(
            MemRefType(self.buffer.element_type, seen),
            tuple(start // step if i == split else 0 for i in range(len(seen))),
        )


@dataclass(frozen=True)
class Copy:
    """A kernel's copy of the whole argument number `source` into a subview of argument number `target`."""

    source: int
    target: int
    subview: Subview


def find_copies(kernel: func.FuncOp) -> list[Copy]:
    """The copies of whole arguments whose sources may be written in place, in the order of the arguments.

    The target is an output that is only stored to, in parts that are apart; or one that is a whole copy before anything
    else happens to it, as that of a scatter is. A kernel with a schedule has none: the schedule names loops, which have
    to stay.
    """
    if "schedule" in kernel.attributes:
        return []
    copies = [copy for argument in kernel.body.block.args if (copy := _copy_of(argument)) is not None]
    targets = {copy.target: kernel.body.block.args[copy.target] for copy in copies}
    apart = {number for number, target in targets.items() if is_only_stored(target) and _stored_apart(target)}
    return [copy for copy in copies if copy.target in apart or _comes_first(copy, kernel.body.block)]


def is_only_stored(argument: BlockArgument) -> bool:
    """Whether each use of a buffer is a store into it."""
    return all(isinstance(use.operation, StoreOp) and use.index == 1 for use in argument.uses)


def _comes_first(copy: Copy, block: Block) -> bool:
    """Whether a copy fills all of its target before anything else happens to that, directly or through a view."""
    source, target = block.args[copy.source], block.args[copy.target]
    load = source.get_user_of_unique_use()
    assert load is not None
    if source.type != target.type:
        return False
    nest, order = ancestor_in(load, block), {op: number for number, op in enumerate(block.ops)}
    pending: list[SSAValue] = [target]
    while pending:
        for use in pending.pop().uses:
            if isinstance(use.operation, memref.ReinterpretCastOp):
                pending.append(use.operation.result)
            elif (op := ancestor_in(use.operation, block)) is not nest and order[op] < order[nest]:
                return False
    return True


def _copy_of(argument: BlockArgument) -> Copy | None:
    """The nest that moves all elements of `argument`, which nothing else reads, and does nothing else."""
    load = argument.get_user_of_unique_use()
    store = load.result.get_user_of_unique_use() if isinstance(load, LoadOp) else None
    if not isinstance(load, LoadOp) or not isinstance(store, StoreOp) or not isinstance(store.memref, BlockArgument):
        return None
    loops = enclosing_loops(load)
    nest = perfect_nest(loops[-1]) if loops else []  # an element that is read at a computed place has no loops
    whole = [range(size) for size in memref_type(argument).get_shape()]
    if (
        store.value is not load.result
        or store.memref.block is not argument.block
        or store.memref is argument
        or not nest
        or len(nest) != len(loops)
        or nest[-1].body.block is not store.parent
        or [type(op) for op in nest[-1].body.block.ops][:-1] != [LoadOp, StoreOp]
        or nest[0].parent is not argument.block
        or list(load.indices) != list(store.indices)
        or set(load.indices) != {loop.induction_variable for loop in nest}
        or load.map.data != AffineMap.identity(len(whole))
        or [loop.range for v in load.indices if (loop := loop_of(v)) is not None] != whole
    ):
        return None
    offsets = shifts_of(store.map.data)
    if offsets is None:
        return None
    return Copy(argument.index, store.memref.index, Subview(memref_type(store.memref), offsets))


def _stored_apart(target: BlockArgument) -> bool:
    """Whether there is an axis along which the parts of a buffer that the stores fill lie one after the other."""
    boxes: list[_Box] = []
    for use in target.uses:
        store = use.operation
        assert isinstance(store, StoreOp)
        try:
            boxes.append(tuple(counter_bounds(e, store.indices) for e in store.map.data.results))
        except ValueError:
            return False
    for axis in range(memref_type(target).get_num_dims()):
        intervals = sorted(box[axis] for box in boxes)
        if all(high < low for (_, high), (low, _) in pairwise(intervals)):
            return True
    return False


def only_copies(kernel: func.FuncOp, count: int) -> bool:
    """Whether `count` nests are all that a kernel consists of."""
    return sum(1 for _ in kernel.body.block.ops) == count + 1


def store_into(kernel: func.FuncOp, number: int, subview: Subview) -> None:
    """Let `kernel` store its output `number` into a subview of a larger buffer."""
    argument = kernel.body.block.args[number]
    output = Rewriter.replace_value_with_new_type(argument, subview.buffer)
    for use in list(output.uses):
        store = use.operation
        assert isinstance(store, StoreOp)
        shift_subscripts(store, subview.offsets)
    update_type(kernel)


def drop_copies(kernel: func.FuncOp, sources: Sequence[int]) -> None:
    """Take the copies of these arguments out of `kernel`, and the arguments."""
    block = kernel.body.block
    attributes = list(kernel.arg_attrs) if kernel.arg_attrs else []
    for number in sorted(sources, reverse=True):
        argument = block.args[number]
        for use in list(argument.uses):
            Rewriter.erase_op(enclosing_loops(use.operation)[-1])
        block.erase_arg(argument)
        if attributes:
            del attributes[number]
    if kernel.arg_attrs:
        kernel.properties["arg_attrs"] = ArrayAttr(attributes)
    update_type(kernel)


class Kernels:
    """The kernels of a module that call nothing, and the variants of them that a pass makes for some of the calls.

    Functions of several blocks are left alone: what comes before what is not seen from their ops.
    """

    def __init__(self, module: ModuleOp, ctx: CompilerContext) -> None:
        self._ctx = ctx
        self._names = KernelNames(module)
        self._functions: dict[str, func.FuncOp] = {}
        self._calls = Counter[str]()
        self._variants: dict[func.FuncOp, dict[Hashable, func.FuncOp]] = {}
        self._origins: dict[func.FuncOp, tuple[func.FuncOp, Hashable]] = {}
        self._copies: dict[func.FuncOp, list[Copy]] = {}
        self.callers: list[func.FuncOp] = []
        """The functions of one block that call others."""
        for function in (f for f in functions_with_loops(module) if len(f.body.blocks) == 1):
            calls = [_callee(op) for op in function.walk() if isinstance(op, func.CallOp)]
            self._calls.update(calls)
            if calls:
                self.callers.append(function)
            elif is_private(function):
                self._functions[function.sym_name.data] = function

    def called_by(self, call: func.CallOp) -> func.FuncOp | None:
        """The kernel that is called; None if the function is public, calls others, or has no body."""
        return self._functions.get(_callee(call))

    def copies(self, call: func.CallOp) -> list[Copy]:
        """`find_copies` of the kernel that is called."""
        kernel = self.called_by(call)
        if kernel is None:
            return []
        if kernel not in self._copies:
            self._copies[kernel] = find_copies(kernel)
        return self._copies[kernel]

    def change(self, call: func.CallOp, suffix: str, key: Hashable, change: Callable[[func.FuncOp], None]) -> None:
        """Let `call` call a kernel that is changed in the way for which `key` stands, with a `suffix` to its name.

        A kernel that nobody else calls is changed itself. The call still has to get operands that suit.
        """
        kernel = self._functions[_callee(call)]
        variant = self._variants.get(kernel, {}).get(key)
        if variant is None:
            if self._calls[_callee(call)] == 1:
                variant = kernel
                self._forget(kernel)
            else:
                variant = self._copy(kernel, suffix)
                self._variants.setdefault(kernel, {})[key] = variant
                self._origins[variant] = kernel, key
            change(variant)
        self._calls[variant.sym_name.data] += 1
        self.drop_call(call)
        call.callee = SymbolRefAttr(variant.sym_name.data)

    def drop_call(self, call: func.CallOp) -> None:
        """`call` calls its kernel no longer, which is erased if nobody else does."""
        name = _callee(call)
        self._calls[name] -= 1
        if not self._calls[name]:
            kernel = self._functions.pop(name)
            self._forget(kernel)
            Rewriter.erase_op(kernel)

    def _copy(self, kernel: func.FuncOp, suffix: str) -> func.FuncOp:
        copy = clone(kernel)
        assert isinstance(copy, func.FuncOp)
        copy.sym_name = StringAttr(self._names.fresh(f"{kernel.sym_name.data}_{suffix}"))
        schedule = copy.attributes.get("schedule")
        if schedule is not None and (rule := self._ctx.rule_schedules.get((kernel.sym_name.data, schedule))):
            self._ctx.rule_schedules[copy.sym_name.data, schedule] = rule
        Rewriter.insert_op(copy, InsertPoint.after(kernel))
        self._functions[copy.sym_name.data] = copy
        return copy

    def _forget(self, kernel: func.FuncOp) -> None:
        """What is known of a kernel is true no longer."""
        self._copies.pop(kernel, None)
        self._variants.pop(kernel, None)
        if (origin := self._origins.pop(kernel, None)) is not None:
            self._variants.get(origin[0], {}).pop(origin[1], None)


def _callee(call: func.CallOp) -> str:
    return call.callee.root_reference.data
