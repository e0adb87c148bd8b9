"""`pack`: store an operand in the order in which the blocks of a loop read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from numpy.typing import NDArray
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DenseResourceAttr, IntegerAttr, MemRefType, ModuleOp, TensorType, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import counter_bounds, loop_of, set_subscripts
from mlc.analysis.argument_names import argument_name
from mlc.analysis.legality import note_if_refused
from mlc.analysis.loop_constants import constant_behind, resource_of
from mlc.analysis.nests import erase_unused_buffer, update_type
from mlc.dialects.loop import ConstantOp, ForOp, LoadOp, StoreOp
from mlc.dialects.loop.nests import parallel_nest
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import ArgumentName, LoopName
from mlc.reference.constants import constant_data
from mlc.schedules.buffer_layouts import BufferLayout, Panels, WordLayout
from mlc.schedules.steps.base import LoopStep, Scheduling, function_of
from mlc.support.affine import simplify_sum, split_terms
from mlc.support.context import CompilerContext, Remark
from mlc.support.errors import Refused
from mlc.support.ir import zero_of
from mlc.support.locations import error_at
from mlc.support.types import MemRef, memref_type

Array = NDArray[Any]


class NoSuchArgument(Refused):
    """The function has no argument of that name."""


@dataclass
class Packer:
    """Packs operands of the functions of one module.

    What a kernel is called with is packed where it is known: a constant when the program is compiled, once for all
    kernels that want the same panels. Other operands are packed by the kernel itself, before it starts.
    """

    ctx: CompilerContext
    _calls: dict[str, list[func.CallOp]] = field(default_factory=dict[str, list[func.CallOp]])
    _constants: dict[tuple[Any, ...], DenseResourceAttr] = field(default_factory=dict[Any, DenseResourceAttr])
    _uses: Counter[str] = field(default_factory=Counter[str])
    """How many constants of the module have a resource."""

    @classmethod
    def of(cls, module: ModuleOp, ctx: CompilerContext) -> Self:
        """A packer that knows who calls whom in `module`."""
        packer = cls(ctx)
        for op in module.walk():
            if isinstance(op, func.CallOp):
                packer._calls.setdefault(op.callee.root_reference.data, []).append(op)
            elif isinstance(op, ConstantOp) and (name := resource_of(op)):
                packer._uses[name] += 1
        return packer

    def calls_of(self, function: func.FuncOp) -> Sequence[func.CallOp]:
        """The calls of a function of the module."""
        return self._calls.get(function.sym_name.data, [])

    def pack(self, argument: BlockArgument, loops: Sequence[ForOp]) -> None:
        """Store an argument of a function as panels, one for each block of the tiled `loops`.

        Raises:
            Refused: not every access goes through one of the loops in this way; nothing has been changed.
        """
        function = function_of(loops[0])
        accesses, panels = _find_panels(argument, loops)
        target = self.relay(argument, panels) if self.knows(argument) else _pack_here(function, argument, panels)
        for op, counter in accesses:
            _read_panel(op, counter, panels, target)

    def relay(self, argument: BlockArgument, layout: BufferLayout) -> SSAValue:
        """Lay out an argument of a function otherwise, where all its calls pass a constant.

        The caller changes the loads from it.

        Raises:
            Refused: some call passes something else, or there is none; nothing has been changed.
        """
        if (absent := self.ctx.absent_callers) is not None and argument.index in absent.constants:
            absent.relaid.append((argument.index, layout))
            return self._change_signature(argument, layout)
        sources = self._constants_of(argument)
        if not sources:
            raise Refused(f"'{argument_name(argument)}' is not known when the program is compiled")
        target = self._change_signature(argument, layout)
        for call, _ in sources:
            self.pass_relaid(call, argument.index, layout)
        return target

    def knows(self, argument: BlockArgument) -> bool:
        """Whether all calls of a function pass a constant as this argument."""
        if (absent := self.ctx.absent_callers) is not None:
            return argument.index in absent.constants
        return bool(self._constants_of(argument))

    def hold(self, argument: BlockArgument, condition: Callable[[Array], bool]) -> bool:
        """Whether all calls of a function pass constants as this argument of which a condition holds."""
        if (absent := self.ctx.absent_callers) is not None:
            return absent.know_more()
        sources = {source.value for _, source in self._constants_of(argument)}
        shape = tuple(memref_type(argument).get_shape())
        arrays = (constant_data(value, self.ctx.resources).reshape(shape) for value in sources)
        return bool(sources) and all(map(condition, arrays))

    def _constants_of(self, argument: BlockArgument) -> list[tuple[func.CallOp, ConstantOp]]:
        """The calls of a function, each with the constant that it passes; none if one passes something else."""
        calls = self.calls_of(_function_of(argument))
        found = [(call, source) for call in calls if (source := constant_behind(call.operands[argument.index]))]
        return found if len(found) == len(calls) else []

    @staticmethod
    def _change_signature(argument: BlockArgument, layout: BufferLayout) -> SSAValue:
        packed = Rewriter.replace_value_with_new_type(argument, _packed_type(argument, layout))
        update_type(_function_of(argument))
        return packed

    def pass_relaid(self, call: func.CallOp, position: int, panels: BufferLayout) -> None:
        """Let `call` pass a constant in another layout; it is erased if nobody else reads it."""
        source = constant_behind(call.operands[position])
        assert source is not None
        kind = memref_type(call.operands[position])
        key = (source.value, tuple(kind.get_shape()), panels)
        packed = self._constants.get(key)
        if packed is None or packed.resource_handle.data not in self.ctx.resources:  # never made, or dropped since
            packed = self._constants[key] = self._packed(source, kind, panels)
        self.pass_constant(call, position, packed)

    def pass_constant(self, call: func.CallOp, position: int, value: DenseResourceAttr) -> None:
        """Let `call` pass another constant in place of one, which is erased if nobody else reads it."""
        old = call.operands[position]
        source = constant_behind(old)
        assert source is not None
        constant = ConstantOp(value)
        constant.location, constant.result.name_hint = source.location, old.name_hint
        Rewriter.insert_op(constant, InsertPoint.before(call))
        call.operands[position] = constant.result
        self._uses[value.resource_handle.data] += 1
        erase_unused_buffer(old)
        if source.parent is None:
            self._forget(source)

    def panels_of_constants(self) -> dict[DenseResourceAttr, tuple[Panels, WordLayout | None]]:
        """The constants that were packed, each with the panels that it is made of, and how what is in them is laid out
        in words, if it is."""
        words = {packed: layout for (_, _, layout), packed in self._constants.items() if isinstance(layout, WordLayout)}
        return {
            packed: (layout, words.get(source))
            for (source, _, layout), packed in self._constants.items()
            if isinstance(layout, Panels)
        }

    def _forget(self, constant: ConstantOp) -> None:
        """A constant has gone: its data, too, if nobody else has it, or all weights would be in memory twice."""
        name = resource_of(constant)
        self._uses[name] -= 1
        if name and not self._uses[name] and self.ctx.shared_panels is None:
            self.ctx.resources.drop(name)

    def _packed(self, source: ConstantOp, kind: MemRef, panels: BufferLayout) -> DenseResourceAttr:
        """The panels of a constant of the type `kind`; those of another variant of the model, if it has the same."""
        shared, resources, value = self.ctx.shared_panels, self.ctx.resources, source.value
        shape = tuple(kind.get_shape())
        key: tuple[Any, ...] = ()
        if shared is not None and isinstance(value, DenseResourceAttr):
            identity = shared.identity(value.resource_handle.data, resources)
            if isinstance(panels, Panels):
                shared.widths.setdefault(identity, panels.width)
            key = (identity, kind.element_type, shape, panels)
            if key in shared.packed:
                return shared.packed[key]
        name = resource_of(source) or "constant"
        data = constant_data(value, resources).reshape(shape)
        name = resources.add(panels.of(data), f"{name}.{panels.suffix}")
        packed = DenseResourceAttr.from_params(name, TensorType(panels.element(kind.element_type), panels.shape))
        if shared is not None and key:
            shared.packed[key] = packed
        return packed


def argument_of(function: func.FuncOp, name: str) -> BlockArgument:
    """The argument that a step calls `name`: by its own name, or `arg1` for the second one.

    Raises:
        NoSuchArgument: there is none.
    """
    arguments = function.body.blocks[0].args
    found = next((a for a in arguments if argument_name(a) == name), None)
    if found is None and name.startswith("arg") and name[3:].isdigit() and int(name[3:]) < len(arguments):
        return arguments[int(name[3:])]
    if found is None:
        names = ", ".join(map(argument_name, arguments))
        raise NoSuchArgument(f"'{function.sym_name.data}' has no argument '{name}'; its arguments are {names}")
    return found


def argument_of_step(step: LoopStep, name: str, function: func.FuncOp) -> BlockArgument:
    """The argument that a step names.

    Raises:
        UserError: there is none.
    """
    try:
        return argument_of(function, name)
    except NoSuchArgument as e:
        raise error_at(function, f"schedule step '{step.spelling}': {e}") from None


def _find_panels(argument: BlockArgument, loops: Sequence[ForOp]) -> tuple[list[tuple[LoadOp, SSAValue]], Panels]:
    """All loads from `argument`, each with the counter of the block loop around it, and the panels that suit them."""
    counters = {loop.induction_variable: loop for loop in loops}
    accesses: list[tuple[LoadOp, SSAValue]] = []
    axes = set[int]()
    for use in argument.uses:
        op = use.operation
        if not isinstance(op, LoadOp) or op.result.type != memref_type(op.memref).element_type:
            raise Refused(f"'{op.name}' uses the whole buffer, or vectors of it")
        counter = next((v for v in op.indices if v in counters), None)
        if counter is None:
            raise Refused("a load does not go through the loop")
        dim = list(op.indices).index(counter)
        axes.update(axis for axis, e in enumerate(op.map.data.results) if dim in e.used_dims())
        accesses.append((op, counter))
    if len(axes) != 1:
        raise Refused("the loop does not run along one axis of it")
    part = tuple(_part_read(accesses, axis) for axis in range(len(memref_type(argument).get_shape())))
    panels = Panels(axes.pop(), max(loop.step.value.data for loop in loops), part)
    for op, counter in accesses:
        _check_block(op, counter, counters[counter], panels)
    return accesses, panels


def _part_read(accesses: Sequence[tuple[LoadOp, SSAValue]], axis: int) -> range:
    """The subscripts that occur along an axis."""
    try:
        bounds = [counter_bounds(op.map.data.results[axis], op.indices) for op, _ in accesses]
    except ValueError as e:
        raise Refused(str(e)) from None
    size = memref_type(accesses[0][0].memref).get_shape()[axis]
    return range(max(0, min(low for low, _ in bounds)), min(size, max(high for _, high in bounds) + 1))


def _check_block(op: LoadOp, counter: SSAValue, loop: ForOp, panels: Panels) -> None:
    """An access has to stay in the block that the counter of the block loop stands for."""
    starts_block = loop.range.start % panels.width == 0 and (
        len(loop.range) == 1 or loop.step.value.data == panels.width
    )
    block, inside = _block_and_place(op, counter, panels)
    low, high = counter_bounds(inside, op.indices)
    if block is None or not starts_block or low < 0 or high >= panels.width:
        raise Refused(f"a load leaves the blocks of {panels.width} that the loop '{loop.dim.data}' is tiled into")


def _block_and_place(op: LoadOp, counter: SSAValue, panels: Panels) -> tuple[AffineExpr | None, AffineExpr]:
    """The subscript along the axis of the panels, as a number of a block, if there is one, and a place in it.

    The first comes from the counter of the block loop, and from counters that step over whole blocks: heads, blocks.
    """
    subscript, dim = op.map.data.results[panels.axis], list(op.indices).index(counter)
    factors = split_terms(subscript)
    if factors.pop(dim, None) != 1:
        return None, subscript
    blocks = {dim: AffineExpr.dimension(dim) // panels.width}
    for i, factor in factors.items():
        if factor and factor % panels.width == 0:
            blocks[i] = AffineExpr.dimension(i) * (factor // panels.width)
        elif factor == 1 and _is_multiple(op.indices[i], panels.width):
            blocks[i] = AffineExpr.dimension(i) // panels.width
    kept = [AffineExpr.constant(0) if i in blocks else AffineExpr.dimension(i) for i in range(len(op.indices))]
    place = subscript.replace_dims_and_symbols(kept, []) - panels.part[panels.axis].start
    first, *others = blocks.values()
    return sum(others, start=first), simplify_sum(place)


def _is_multiple(counter: SSAValue, width: int) -> bool:
    """Whether the counter of a loop is always a multiple of a width."""
    loop = loop_of(counter)
    return loop is not None and loop.range.start % width == 0 == loop.range.step % width


def _read_panel(op: LoadOp, counter: SSAValue, panels: Panels, target: SSAValue) -> None:
    block, place = _block_and_place(op, counter, panels)
    assert block is not None
    others = [simplify_sum(e - r.start) for e, r in zip(op.map.data.results, panels.part, strict=True)]
    del others[panels.axis]
    op.operands[0] = target
    set_subscripts(op, list(op.indices), AffineMap(len(op.indices), 0, (block, *others, place)))


def _function_of(argument: BlockArgument) -> func.FuncOp:
    function = argument.block.parent_op()
    assert isinstance(function, func.FuncOp)
    return function


def _packed_type(value: SSAValue, layout: BufferLayout) -> MemRef:
    return MemRefType(layout.element(memref_type(value).element_type), layout.shape)


def _pack_here(function: func.FuncOp, argument: BlockArgument, panels: Panels) -> SSAValue:
    """Nests at the start of `function` that copy `argument` into panels: whole blocks, a shorter one, its padding.

    The loops are named after the argument: `w_block`, `w_0`, …, `w_lane`.
    """
    name = argument_name(argument)
    others = [len(r) for r in panels.part]
    read = others.pop(panels.axis)
    buffer = memref.AllocOp([], [], _packed_type(argument, panels), alignment=IntegerAttr(64, i64))
    buffer.memref.name_hint = f"{name}_panels"
    blocks, rest = divmod(read, panels.width)
    ops: list[Operation] = [buffer]

    def nest(first: int, blocks: int, lane: int, lanes: int, copy: bool) -> list[Operation]:
        dims = [(f"{name}_block", blocks), *((f"{name}_{i}", s) for i, s in enumerate(others)), (f"{name}_lane", lanes)]

        def body(counters: list[SSAValue]) -> list[Operation]:
            block, *middle, at = (AffineExpr.dimension(i) for i in range(len(counters)))
            block, at = block + first, at + lane
            to = AffineMap(len(counters), 0, (block, *middle, at))
            if not copy:
                zero = zero_of(memref_type(argument).element_type)
                return [zero, StoreOp(zero.result, buffer.memref, counters, to)]
            middle.insert(panels.axis, simplify_sum(block * panels.width + at))
            places = [simplify_sum(e + r.start) for e, r in zip(middle, panels.part, strict=True)]
            load = LoadOp(argument, counters, AffineMap(len(counters), 0, tuple(places)))
            return [load, StoreOp(load.result, buffer.memref, counters, to)]

        return parallel_nest(dims, body)

    if blocks:
        ops += nest(0, blocks, 0, panels.width, copy=True)
    if rest:
        ops += nest(blocks, 1, 0, rest, copy=True)
        ops += nest(blocks, 1, rest, panels.width - rest, copy=False)
    Rewriter.insert_op(ops, InsertPoint.at_start(function.body.blocks[0]))
    return buffer.memref


@dataclass(frozen=True)
class Pack(LoopStep):
    """the argument `w` is stored as panels, one for each block of the tiled loop `n`"""

    name = "pack"
    example = "pack(w, n)"

    argument: ArgumentName
    loop: LoopName

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        """Store the argument as panels.

        Raises:
            UserError: the function has no argument of that name.
        """
        function = function_of(loops[0])
        argument = argument_of_step(self, self.argument, function)
        refusals: list[Remark] = []
        with note_if_refused(refusals, function, f"'{self.argument}' not packed"):
            try:
                scheduling.shared(Packer).pack(argument, loops)
            except Refused:
                scheduling.refuse(function, self)
                raise
        return refusals

    def makes(self, loop: str) -> bool:
        return loop.startswith(f"{self.argument}_")

    def words(self, plan: LoopPlan) -> str:
        who = "the compiler stores" if plan.is_constant(self.argument) else "the kernel first copies"
        return f"{who} {self.argument} as panels, one for each block of {self.loop}, so that it is read front to back"

    def follow(self, plan: LoopPlan) -> None:
        if width := plan.blocks.get(self.loop):
            plan.trips[f"{self.argument}_lane"] = width

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.step.value.data > 1

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        names = [a.name_hint for a in function_of(loop).body.block.args if a.name_hint]
        return cls(rng.choice(names), loop.dim.data)
