"""`outline-loops`: loops that a public function was given become kernels with schedules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import FunctionType, IntegerAttr, MemRefType, ModuleOp, NoneAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import rewritten_subscripts
from mlc.analysis.in_place import computed_in_place
from mlc.analysis.nests import outermost_loops
from mlc.analysis.statements import Statement, is_plain, statements_of
from mlc.dialects.func import FuncOp
from mlc.dialects.loop import ForOp, LoadOp, ScheduleAttr, StoreOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.loop.nest_body import NestBody
from mlc.dialects.loop.nests import parallel_nest
from mlc.dialects.tensor import StructuredOp
from mlc.pass_manager.base import Pass
from mlc.passes.loop._index_notation import IndexNotation, counted_from_zero
from mlc.schedules.default_schedule import choose_steps, tensor_kernel
from mlc.support.context import CompilerContext, RuleSchedule
from mlc.support.errors import Refused
from mlc.support.functions import ALIGNMENT, donated_to, marks_of, models_of
from mlc.support.ir import clone
from mlc.support.kernel_names import KernelNames
from mlc.support.locations import place_new_ops
from mlc.support.rounding import Rounding
from mlc.support.types import memref_type
from mlc.targets.machine import Machine, resolve_target


@dataclass(frozen=True)
class OutlineLoopsPass(Pass):
    """Move loop nests of public functions into private functions, kernels, and give these schedules by the templates
    that those of the tensor level have.

        func.func @main(%a: …, %b: …, %c: memref<64x64xf32>) {
          loop.for serial "i" … { loop.for serial "j" … {
            loop.store %zero, %c[%i, %j]
            loop.for serial "k" … { … loop.store %t, %c[%i, %j] } } }     // %t is %c[%i, %j] + %a[%i, %k] * %b[%k, %j]
    ->
        func.func private @contract(%a: …, %b: …, %c: …) attributes {schedule = #loop.schedule<[…]>} {
          loop.for parallel "i" … { loop.for parallel "j" … {
            %s = loop.for serial "k" … iter_args(%acc = %zero) -> (f32) { … math.fma … }
            loop.store %s, %c[%i, %j] } } }
        func.func @main(…) { call @contract(%a, %b, %c) }

    A nest of several stores becomes a kernel for each of them (loop distribution). The loops that subscript the store
    come first, in the order of its axes, and are parallel; the others reduce in a value that they carry. Dependence
    analysis has to prove that no access to an element changes places with another one, `analysis/statements.py`; where
    it does not, the nest stays as it is, with a remark, and the nests inside of it are looked at. So do nests for which
    there is no template, such as copies of elements that lie side by side, and those of few points. A
    function with a schedule, and loops with vectors, threads or attributes, are as somebody wants them.
    """

    name = "outline-loops"
    rounding = Rounding(4, "sums start from what changes nothing, and products are added in one rounding")

    least_points: int = 256
    """How often a load has to run: loops over fewer points take less time than another function is worth."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        outline(module, ctx, self.least_points)


def outline(module: ModuleOp, ctx: CompilerContext, least_points: int) -> list[FuncOp]:
    """What the pass does; returns each kernel at the tensor level, with its name and its schedule."""
    machine, names = None, KernelNames(module)
    outlined: list[FuncOp] = []
    for function in models_of(module):
        marks = marks_of(function.args, function.arg_attrs)
        if "schedule" in function.attributes or any(donated_to(each) is not None for each in marks):
            continue
        machine = machine or resolve_target(ctx.target)
        outliner = _Outliner(function, names, machine, ctx)
        for loop in outermost_loops(function):
            outliner.visit(loop, least_points)
        for kernel in outliner.kernels:
            module.body.block.insert_op_before(kernel, function)
        outlined += outliner.outlined
    return outlined


class _Stays(Refused):
    """A nest is right as it is, and so are those in it."""


@dataclass
class _Outlined:
    """A statement on its way to a kernel."""

    notation: IndexNotation
    function: FuncOp
    """What it computes, at the tensor level."""
    steps: ScheduleAttr | None = None
    others: tuple[ScheduleAttr, ...] | None = None


class _Outliner:
    def __init__(self, function: func.FuncOp, names: KernelNames, machine: Machine, ctx: CompilerContext) -> None:
        self._function, self._names, self._machine, self._ctx = function, names, machine, ctx
        self.kernels: list[FuncOp] = []
        self.outlined: list[FuncOp] = []
        """The same at the tensor level."""

    def visit(self, nest: ForOp, least_points: int) -> None:
        """Outline `nest`, or else the nests in it."""
        if not is_plain(nest):
            return
        try:
            if (points := _points(nest)) < least_points:
                raise _Stays(f"its loads run {points} times, and a kernel takes {least_points}")
            self._outline(nest)
        except Refused as reason:
            self._ctx.remark(nest, f"the loop '{nest.dim.data}' stays as it is: {reason}")
            for inner in outermost_loops(nest) if not isinstance(reason, _Stays) else ():
                self.visit(inner, least_points)

    def _outline(self, nest: ForOp) -> None:
        """Put calls of kernels in the place of a nest.

        Raises:
            Refused: results might change, or there is no notation for what it computes.
            _Stays: no kernel has a schedule.
        """
        statements = statements_of(nest)
        kernels = [self._kernel(nest, s, initial) for s, initial in _with_initial_values(statements)]
        if all(kernel.steps is None for kernel in kernels):
            raise _Stays("no schedule template takes it")
        for kernel in kernels:
            loops = _on_loops(kernel)
            place_new_ops(loops, kernel.notation.statement.store.location)
            name = self._names.fresh(kernel.function.sym_name.data)
            for each in (loops, kernel.function):
                each.properties["sym_name"] = replace(each.sym_name, data=name)
                if kernel.steps is not None:
                    each.attributes["schedule"] = kernel.steps
            if kernel.steps is not None:
                self._ctx.rule_schedules[name, kernel.steps] = RuleSchedule(kernel.others)
            self.kernels.append(loops)
            self.outlined.append(kernel.function)
            self._ctx.remark(nest, f"the loop '{nest.dim.data}' becomes the kernel '{name}'")
            call = func.CallOp(name, _buffers(kernel.notation), [])
            call.location = nest.location
            Rewriter.insert_op(call, InsertPoint.before(nest))
        Rewriter.erase_op(nest)

    def _kernel(self, nest: ForOp, statement: Statement, initial: SSAValue | None) -> _Outlined:
        kind = memref_type(statement.store.memref)
        if not isinstance(kind.layout, NoneAttr):
            raise Refused(f"it stores to {kind}")
        notation = IndexNotation(nest, statement, initial)
        function = notation.function("kernel")
        ops = [op for op in function.body.block.ops if isinstance(op, StructuredOp)]
        function.properties["sym_name"] = replace(
            function.sym_name, data="_".join(op.name.split(".", 1)[1] for op in ops)
        )
        place_new_ops(function, nest.location)
        kernel = _Outlined(notation, function)
        is_left = not statement.loads or _copies_rows(ops)
        seen = None if is_left else tensor_kernel(function, self._machine, {}, self._ctx, {})
        if seen is not None:
            steps, kernel.others = choose_steps(seen, self._ctx, estimates=True)
            kernel.steps = ScheduleAttr.of(steps) if steps else None
        return kernel


def _points(nest: ForOp) -> int:
    """How often the busiest of its loads runs, if there is a store."""
    ops = dict.fromkeys(nest.walk())
    if not any(isinstance(op, StoreOp) for op in ops):
        return 0
    around = [[loop for loop in enclosing_loops(op) if loop in ops] for op in ops if isinstance(op, LoadOp)]
    return max((prod(len(loop.range) for loop in loops) for loops in around), default=0)


def _copies_rows(ops: Sequence[StructuredOp]) -> bool:
    """Whether ops only copy elements, of which those side by side stay there: memory is all that this takes."""
    root = ops[-1]
    last = root.num_parallel - 1
    return root.moves and (last < 0 or last in root.index_maps[0].results[-1].used_dims())


def _with_initial_values(statements: Sequence[Statement]) -> list[tuple[Statement, SSAValue | None]]:
    """The statements but for those that fill what the next one reduces into, which has the number as initial value."""
    found: list[tuple[Statement, SSAValue | None]] = []
    initial: SSAValue | None = None
    for number, each in enumerate(statements):
        after = statements[number + 1] if number + 1 < len(statements) else None
        if after is not None and after.reduced and not each.reduced and not each.loads and _is_same_place(each, after):
            initial = each.store.value
        else:
            found.append((each, initial))
            initial = None
    return found


def _is_same_place(a: Statement, b: Statement) -> bool:
    """Whether two stores are to the same elements, in the same order."""
    return (
        a.over == b.over
        and a.store.memref is b.store.memref
        and a.store.map.data == b.store.map.data
        and list(a.store.indices) == list(b.store.indices)
    )


def _buffers(notation: IndexNotation) -> list[SSAValue]:
    """What the kernel takes: all that it reads, and what it stores to."""
    return list(dict.fromkeys((*notation.buffers, notation.statement.store.memref)))


def _on_loops(kernel: _Outlined) -> FuncOp:
    """The kernel at the loop level: a nest for what is computed in no other one; the last one stores the results."""
    function = clone(kernel.function)
    assert isinstance(function, FuncOp)
    block, statement = function.body.block, kernel.notation.statement
    buffers = _buffers(kernel.notation)
    for buffer in buffers[len(block.args) :]:
        block.insert_arg(buffer.type, len(block.args)).name_hint = buffer.name_hint
    arguments: dict[SSAValue, SSAValue] = {}
    for buffer, argument in zip(buffers, list(block.args), strict=True):
        arguments[buffer] = argument = (
            argument if argument.type == buffer.type else Rewriter.replace_value_with_new_type(argument, buffer.type)
        )
    structured = [op for op in block.ops if isinstance(op, StructuredOp)]
    in_place, root = computed_in_place(block), structured[-1]
    last = block.last_op
    assert last is not None
    last.operands = []
    for op in structured:
        if op in in_place:
            continue
        if op is root:
            target, where, order = arguments[statement.store.memref], *_place(statement)
        else:
            kind = MemRefType(op.result.type.element_type, op.result.type.shape)
            block.insert_op_before(own := memref.AllocOp([], [], kind, alignment=IntegerAttr(ALIGNMENT, i64)), last)
            target, where, order = own.memref, None, list(range(op.num_parallel))
        for loop in _nest(op, target, where, order):
            block.insert_op_before(loop, last)
        if op is not root:
            op.result.replace_all_uses_with(target)
    for op in reversed(structured):
        op.detach()
        op.erase()
    function.function_type = FunctionType.from_lists([a.type for a in block.args], [])
    return function


def _place(statement: Statement) -> tuple[AffineMap, list[int]]:
    """The subscripts of the store, and of which of the loops over results its operands are the counters."""
    values, where = rewritten_subscripts(statement.store, counted_from_zero(statement.over))
    counters = [loop.induction_variable for loop in statement.over]
    return where, [counters.index(value) for value in values]


def _nest(op: StructuredOp, target: SSAValue, where: AffineMap | None, order: Sequence[int]) -> list[Operation]:
    """Parallel loops over the points of `op`, which store each of them."""

    def body(counters: list[SSAValue]) -> list[Operation]:
        ops: list[Operation] = []
        value = NestBody(list(counters)).value(op, [AffineExpr.dimension(i) for i in range(len(counters))], ops)
        return [*ops, StoreOp(value, target, [counters[i] for i in order], where)]

    return parallel_nest(list(zip(op.dim_names, op.dim_sizes, strict=True))[: op.num_parallel], body)
