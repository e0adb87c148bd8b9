"""`write-in-place`: what is only computed to be copied into a larger buffer is computed there."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ModuleOp, NoneAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.nests import erase_unused_buffer
from mlc.dialects.arith import CmpiOp
from mlc.dialects.loop.copies import copy_nest
from mlc.dialects.loop.views import reinterpret
from mlc.dialects.memref import ExtractAlignedPointerAsIndexOp
from mlc.dialects.scf import IfOp
from mlc.pass_manager.base import Pass
from mlc.passes.loop._placement import Copy, Kernels, drop_copies, is_only_stored, only_copies, store_into
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused
from mlc.support.functions import donated_to, marks_of
from mlc.support.ir import ancestor_in
from mlc.support.types import memref_type


@dataclass(frozen=True)
class WriteInPlacePass(Pass):
    """Let a kernel store its result right into the buffer that another kernel would copy it to.

        call @conv(%x, %w, %a)                       : … memref<8x16xf32>
        call @conv_1(%x, %v, %b)                     : … memref<8x32xf32>
        call @concat(%a, %b, %y)                     // %y[m, n] = %a[m, n], %y[m, n + 16] = %b[m, n]
    ->
        call @conv(%x, %w, %y)                       // stores %y[m, n]
        call @conv_1(%x, %v, %y)                     // stores %y[m, n + 16]

    What is copied has to be a buffer that one call writes, without reading it if it becomes a part of another one, and
    no other call reads. Buffers may be seen with other shapes on their way. A kernel that has other callers is copied
    for this one. Subviews that nobody computes, such as an input of the function or a value that has other readers, are
    still copied.

    A kernel that copies an argument and goes on to change the copy, as a scatter does, changes the argument instead. If
    that is an argument of the function, and the copy an output that may be the same memory (`mlc.donated`), it is
    copied before the call unless it is:

        call @scatter(%cache, %at, %new, %out)       // copies %cache to %out, and changes that
    ->
        %p = memref.extract_aligned_pointer_as_index %cache
        %q = memref.extract_aligned_pointer_as_index %out
        %apart = arith.cmpi ne, %p, %q
        scf.if %apart { … copy %cache to %out … }
        call @scatter_rest(%at, %new, %out)

    A kernel that has a schedule keeps its copies. Stores other than constant subviews along one axis are not supported.
    """

    name = "write-in-place"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        kernels = Kernels(module, ctx)
        for function in kernels.callers:
            caller = _Caller(function.body.block, kernels, ctx)
            # A concatenation that is part of another one comes after it here, when its own place is known.
            for call in reversed([op for op in function.body.block.ops if isinstance(op, func.CallOp)]):
                caller.without_copies(call)


@dataclass
class _Caller:
    """A function whose calls are looked at, last one first."""

    block: Block
    kernels: Kernels
    ctx: CompilerContext
    _order: dict[Operation, int] = field(init=False)
    """The place of each op; what is moved keeps its place up to date."""
    _busy_until: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """For each buffer that is written in parts: the place of the last op in front that needs it as a whole."""

    def __post_init__(self) -> None:
        self._order = {op: number for number, op in enumerate(self.block.ops)}

    def without_copies(self, call: func.CallOp) -> None:
        """Leave out of `call` as many copies as possible."""
        done: list[Copy] = []
        for copy in self.kernels.copies(call):
            try:
                self._place(call, copy)
                done.append(copy)
            except Refused as reason:
                self.ctx.remark(call, f"operand {copy.source} of '{_name(call)}' is copied: {reason}")
        if not done:
            return
        kernel = self.kernels.called_by(call)
        assert kernel is not None
        sources = tuple(copy.source for copy in done)
        if only_copies(kernel, len(sources)):
            unused = list(call.operands)
            self.kernels.drop_call(call)
            Rewriter.erase_op(call)
        else:
            self.kernels.change(call, "rest", sources, lambda kernel: drop_copies(kernel, sources))
            unused = [call.operands[number] for number in sources]
            call.operands = [value for number, value in enumerate(call.operands) if number not in sources]
        for value in unused:
            erase_unused_buffer(value)

    def _place(self, call: func.CallOp, copy: Copy) -> None:
        """Let the producer of what is copied store it in its place.

        Raises:
            Refused: it cannot; nothing has been changed.
        """
        source, target = _base(call.operands[copy.source]), _base(call.operands[copy.target])
        if isinstance(target, BlockArgument) and _donor(target) is source:
            self._copy_unless_same(call, source, target)
            return
        producer, number = self._producer(call, source)
        result = producer.operands[number]
        subview = copy.subview.seen_with(
            memref_type(result).get_shape(), memref_type(call.operands[copy.source]).get_shape()
        )
        if subview is None:
            raise Refused(f"'{_name(producer)}' computes it with other axes, {result.type}")
        name, kernel = _name(producer), self.kernels.called_by(producer)
        assert kernel is not None
        if subview.buffer != result.type and not is_only_stored(kernel.body.block.args[number]):
            raise Refused(f"'{name}' reads what it has stored")
        self._make_room(target, call, producer)
        if subview.buffer != result.type:
            change = f"in_{_name(call)}", (number, subview)
            self.kernels.change(producer, *change, lambda kernel: store_into(kernel, number, subview))
        place = target
        if target.type != subview.buffer:
            view = reinterpret(target, subview.buffer)
            view.location, view.result.name_hint = producer.location, target.name_hint
            Rewriter.insert_op(view, InsertPoint.before(producer))
            place = view.result
        producer.operands[number] = place
        erase_unused_buffer(result)
        self.ctx.remark(producer, f"'{name}' stores its result where '{_name(call)}' would copy it to")

    def _copy_unless_same(self, call: func.CallOp, source: SSAValue, target: SSAValue) -> None:
        """Copy an argument before a call to the output that may be the same memory.

        Raises:
            Refused: the argument is read after the call, or the output is used before it.
        """
        here = self._order[call]
        places = [[self._order.get(ancestor_in(op, self.block), here) for op, _ in _users(v)] for v in (source, target)]
        if places[0].count(here) > 1 or any(p > here for p in places[0]):
            raise Refused("it is read once more")
        if places[1].count(here) > 1 or any(p < here for p in places[1]):
            raise Refused("the buffer that it is copied to is in use before")
        first, second = (ExtractAlignedPointerAsIndexOp(v) for v in (source, target))
        apart = CmpiOp(first.results[0], second.results[0], "ne")
        block = Block([*copy_nest(source, target), scf.YieldOp()])
        ops = [first, second, apart, IfOp(apart.result, [], Region(block), None)]
        for op in ops:
            op.location = call.location
            Rewriter.insert_op(op, InsertPoint.before(call))
            self._order[op] = here
        self.ctx.remark(call, f"'{_name(call)}' changes operand {source.name_hint} where it lies")

    def _producer(self, reader: func.CallOp, buffer: SSAValue) -> tuple[func.CallOp, int]:
        """The call that writes all of `buffer`, of which `reader` is the only reader, and as which operand."""
        if not isinstance(buffer.owner, memref.AllocOp):
            raise Refused("it is not a buffer of this function")
        users = _users(buffer)
        others = [user for user in users if user[0] is not reader]
        if len(users) != 2 or len(others) != 1:
            raise Refused("it has other readers")
        producer, number = others[0]
        if not isinstance(producer, func.CallOp) or _base(producer.operands[number]) is not buffer:
            raise Refused(f"{producer.name} computes it, or a part of it")
        kernel, here = self.kernels.called_by(producer), self._order[reader]
        if kernel is None or self._order.get(producer, here) >= here:
            raise Refused(f"'{_name(producer)}' is not a kernel before it")
        return producer, number

    def _make_room(self, target: SSAValue, call: func.CallOp, producer: func.CallOp) -> None:
        """Let the larger buffer exist, and be free, from `producer` on."""
        here = self._order[call]
        if target not in self._busy_until:
            # Calls that are put in place later store subviews apart from each other, so that they do not count.
            donor = _donor(target)
            places = [self._order.get(op, here) for v in (target, donor) if v is not None for op, _ in _users(v)]
            once = places.count(here) == 1
            self._busy_until[target] = max((p for p in places if p < here), default=-1) if once else here
        if self._busy_until[target] >= self._order[producer]:
            raise Refused("the buffer that it is copied to is in use before")
        if isinstance(target, BlockArgument):
            return
        alloc = target.owner
        if not isinstance(alloc, memref.AllocOp) or alloc.parent is not self.block:
            raise Refused("the buffer that it is copied to is not one of this function")
        if self._order[alloc] > self._order[producer]:
            alloc.detach()
            Rewriter.insert_op(alloc, InsertPoint.before(producer))
            self._order[alloc] = self._order[producer]


def _name(call: func.CallOp) -> str:
    return call.callee.root_reference.data


def _base(value: SSAValue) -> SSAValue:
    """The buffer that `value` is, perhaps with another shape."""
    while isinstance(owner := value.owner, memref.ReinterpretCastOp) and _is_whole(owner):
        value = owner.source
    return value


def _donor(output: SSAValue) -> SSAValue | None:
    """The argument whose memory an output may have; None if there is none."""
    function = output.block.parent_op() if isinstance(output, BlockArgument) else None
    if not isinstance(output, BlockArgument) or not isinstance(function, func.FuncOp):
        return None
    place = donated_to(marks_of(function.args, function.arg_attrs)[output.index])
    return None if place is None else function.args[place]


def _is_whole(view: memref.ReinterpretCastOp) -> bool:
    """Whether a view has all elements of its source, in their order."""
    types = memref_type(view.source), memref_type(view.result)
    first, second = (prod(t.get_shape()) for t in types)
    return first == second and all(isinstance(t.layout, NoneAttr) for t in types)


def _users(buffer: SSAValue) -> list[tuple[Operation, int]]:
    """What uses a buffer, directly or through a view, and as which operand."""
    found: list[tuple[Operation, int]] = []
    pending = [buffer]
    while pending:
        for use in pending.pop().uses:
            if isinstance(use.operation, memref.ReinterpretCastOp):
                pending.append(use.operation.result)
            else:
                found.append((use.operation, use.index))
    return found
