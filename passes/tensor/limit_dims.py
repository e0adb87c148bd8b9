"""`limit-dims`: kernels whose dims are longer than the data let their loops run over the data alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.calls import calls_of_functions
from mlc.analysis.nests import add_argument
from mlc.dialects.loop import LIMITS, Limit, LimitsAttr
from mlc.dialects.tensor import ScanOp, StructuredOp
from mlc.dialects.tensor.places import PlacedOp
from mlc.pass_manager.base import Pass
from mlc.passes.tensor._kernel_needs import Ends, KernelNeeds, dims_of_blocks
from mlc.passes.tensor._known_scalars import Extent
from mlc.passes.tensor._needs import Needs, Readers, before_reshape, same_axes
from mlc.passes.tensor._scan_rows import ends_of_rows
from mlc.passes.tensor._tails import Tails, unreshaped
from mlc.support.context import CompilerContext
from mlc.support.functions import extents_in, is_private, marks_of, models_of
from mlc.support.ir import RESHAPES
from mlc.support.kernel_names import KernelNames
from mlc.support.resources import Resources
from mlc.support.rounding import Rounding
from mlc.targets.machine import resolve_target

_MOST_COPIES = 4
"""How many copies of a kernel end in ways of their own."""


@dataclass(frozen=True)
class LimitDimsPass(Pass):
    """Tell each kernel how much of its dims is data, where an integer that the model computes or is given says so.

        %in = call @compare(%places, %n)                               // places before %n
        %y = call @attention(%q, %k, %in, %v)                          // a softmax of -inf where they are not
    ->
        %y = call @attention(%q, %k, %in, %v, %n)
        func.func private @attention(…, %n: tensor<i64>) attributes {limits = #loop.limits<k: argument 4 by 16>}

    Elements from `n` on are not needed if no one reads them: where all readers choose another number there, where a
    reduction would combine what changes nothing, or where a result of the model is marked `mlc.extents`. What makes
    them need not compute them either, and so on to the arguments. So attention over a cache of 4,096 places that holds
    100 costs what 100 cost, and what `NonZero` finds is all that is computed with.

    A kernel whose calls let its loops end in several ways, at `n`, at `2 * n` and nowhere, is copied: up to four ways.

    Where a mask leaves out the elements before an integer as well, as attention that sees a window of the last places,
    loops begin there.

    Extents of dims that loops may have lanes along, or sum over in blocks, are rounded up to vectors of the target, so
    that no loop tests each element: dims that are the last subscript of an access, and reductions.
    """

    name = "limit-dims"
    rounding = Rounding(4, "a reduction of padding is left out", skips_zeros=True)

    target: str = ""
    """The machine whose vectors count; the target of the compilation if empty."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        lanes = resolve_target(self.target or ctx.target).vector_bits // 32
        calls = calls_of_functions(module)
        ends, starts = (ends_of_dims(module, calls, ctx.resources, lanes, each) for each in (False, True))
        for kernel in dict.fromkeys((*ends, *starts)):
            if LIMITS not in kernel.attributes:
                mine = calls[kernel.sym_name.data]
                limits = [*_limits(kernel, mine, ends, lanes), *_limits(kernel, mine, starts, lanes)]
                kernel.attributes[LIMITS] = LimitsAttr.of(limits)


def ends_of_dims(
    module: ModuleOp,
    calls: dict[str, list[func.CallOp]],
    resources: Resources,
    lanes: int = 1,
    of_starts: bool = False,
) -> dict[func.FuncOp, list[Ends]]:
    """Where the data of dims ends, or starts, of the kernels whose dims are longer, for each of the `calls` of each.

    Loops of a kernel end in one way. One whose calls let it end in several is copied, one for each of these, and
    `calls` has the copies.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration}
    found: dict[func.FuncOp, list[Ends]] = {}
    names = KernelNames(module)
    for model in models_of(module):
        if len(model.body.blocks) > 1:
            continue
        kernels = [
            _CalledKernel(function, list(calls[name]))
            for name, function in functions.items()
            if is_private(function) and len(function.body.blocks) == 1 and calls.get(name)
            if all(call.parent is model.body.block for call in calls[name])
        ]
        tails = Tails(resources, model.body.block)
        readers = Readers.of(model, tails.shares, lanes, of_starts)
        limited = _Model(model, kernels, tails, readers, functions).limits()
        for kernel, ends in limited:
            if len(kernel.calls) < len(calls[kernel.function.sym_name.data]):
                kernel.take_apart(calls, names)
            found[kernel.function] = ends
    return found


@dataclass(eq=False)
class _CalledKernel:
    """A kernel, as those of its calls see it that let its loops end in one way."""

    function: func.FuncOp
    calls: list[func.CallOp]
    without: set[str] = field(default_factory=set[str])
    """Dims whose loops do not end anywhere else, as calls do not agree."""

    def take_apart(self, calls: dict[str, list[func.CallOp]], names: KernelNames) -> None:
        """Let the calls call a copy."""
        name = self.function.sym_name.data
        copy = self.function.clone()
        copy.properties["sym_name"] = StringAttr(names.fresh(name))
        Rewriter.insert_op(copy, InsertPoint.after(self.function))
        self.function = copy
        for call in self.calls:
            call.properties["callee"] = SymbolRefAttr(copy.sym_name.data)
        calls[name] = [call for call in calls[name] if call not in self.calls]
        calls[copy.sym_name.data] = self.calls


@dataclass
class _Model:
    """One public function, and the kernels that it alone calls."""

    function: func.FuncOp
    kernels: list[_CalledKernel]
    tails: Tails
    readers: Readers
    functions: Mapping[str, func.FuncOp]
    """Those of the module, by name."""
    _contexts: dict[func.CallOp, Tails] = field(default_factory=dict[func.CallOp, Tails])
    """What is known in a kernel where a call calls it."""
    _row_ends: dict[ScanOp, dict[SSAValue, SSAValue]] = field(default_factory=dict[ScanOp, dict[SSAValue, SSAValue]])
    """Where the rows of scans end that matter, by what the bodies call them."""
    _needed: dict[SSAValue, Needs] = field(default_factory=dict[SSAValue, "Needs"])
    _ends: dict[func.CallOp, Ends] = field(default_factory=dict[func.CallOp, Ends])
    _order: dict[Operation, int] = field(default_factory=dict[Operation, int])

    def limits(self) -> list[tuple[_CalledKernel, list[Ends]]]:
        """Where the loops of kernels end, or start, for each of their calls; not those of kernels that run over all."""
        ops = list(self.function.body.block.ops)
        values = (*self.function.args, *(result for op in ops for result in op.results))
        if not any(isinstance(value.type, TensorType) and self.tails.symbol(value) for value in values):
            return []
        if not self._has_ends():
            return []
        self._order = {op: number for number, op in enumerate(ops)}
        called = {call: kernel.function for kernel in self.kernels for call in kernel.calls}
        for op in ops:
            self._learn(op, called)
        while True:
            self._needed, self._ends = {}, {}
            by_call = {call: kernel for kernel in self.kernels for call in kernel.calls}
            for op in reversed(ops):
                self._go_back(op, by_call)
            # What is needed of the last ones decides what is needed of those before them.
            self.kernels.sort(key=lambda kernel: -self._order[kernel.calls[-1]])
            found = [(kernel, [self._ends[call] for call in kernel.calls]) for kernel in self.kernels]
            if all(self._agree(kernel, ends) for kernel, ends in found):
                return [(kernel, ends) for kernel, ends in found if ends[0]]

    def _has_ends(self) -> bool:
        """Whether elements may end at an integer: a result is said to, or something counts, which a mask compares."""
        last = self.function.body.block.last_op
        assert last is not None
        if any(axis >= 0 for marks in marks_of(last.operands, self.function.res_attrs) for axis in extents_in(marks)):
            return True
        functions = [self.function, *dict.fromkeys(kernel.function for kernel in self.kernels)]
        constants = (op for function in functions for op in function.walk() if isinstance(op, arith.ConstantOp))
        return any(
            isinstance(op.result.type, TensorType) and self.tails.count_axis(op.result) is not None for op in constants
        )

    def _agree(self, kernel: _CalledKernel, ends: Sequence[Ends]) -> bool:
        """Whether all calls of a kernel let a dim end at an extent of one form. If not, those of other forms are taken
        apart, or where there are many forms the dim does not end there. Calls that add less than another one, or round
        up to less, end later."""
        forms = [frozenset((dim, _form(end)) for dim, end in each.items()) for each in ends]
        if len(set(forms)) > 1 and self._may_be_copied(kernel.function):
            mine = [call for call, form in zip(kernel.calls, forms, strict=True) if form == forms[0]]
            others = [call for call in kernel.calls if call not in mine]
            kernel.calls = mine
            self.kernels.append(_CalledKernel(kernel.function, others, set(kernel.without)))
            return False
        wrong: set[str] = set()
        for dim in {dim for each in ends for dim in each}:
            more = {each[dim].plus for each in ends if dim in each}
            plus = min(more) if self.readers.of_starts else max(more)
            of_dim = {_form(end) if (end := each.get(dim)) else None for each in ends}
            if len(of_dim) > 1 or (len(more) > 1 and dim in _dims_that_count(kernel.function)):
                wrong.add(dim)
                continue
            multiple = max(each[dim].multiple for each in ends)
            for each in ends:
                each[dim] = replace(each[dim], plus=plus, multiple=multiple)
        kernel.without |= wrong
        return not wrong

    def _may_be_copied(self, function: func.FuncOp) -> bool:
        copies = sum(1 for each in self.kernels if each.function is function)
        return copies < _MOST_COPIES and not self.readers.of_starts and LIMITS not in function.attributes

    def _learn(self, op: Operation, called: Mapping[func.CallOp, func.FuncOp]) -> None:
        if isinstance(op, RESHAPES):
            (result,), root = op.results, unreshaped(op.operands[0])
            found = self.tails.tails[result] = {}
            for before, after, factor in same_axes(root, result):
                for (axis, extent), tail in self.tails.tails.get(root, {}).items():
                    if axis == before:
                        found[after, extent.times(factor)] = tail
            if (symbol := self.tails.symbol(root)) is not None:
                self.tails.symbols[result] = symbol
        elif isinstance(op, func.CallOp) and (kernel := called.get(op)) is not None:
            inside = self._contexts[op] = Tails(self.tails.resources, self.tails.home)
            for value, argument in zip(op.operands, kernel.args, strict=True):
                inside.hand_on(self.tails, value, argument)
            for inner in kernel.body.block.ops:
                if isinstance(inner, StructuredOp):
                    inside.learn(inner)
            for result, value in zip(op.results, _returned(kernel), strict=True):
                self.tails.hand_on(inside, value, result)
        elif isinstance(op, ScanOp):
            self._row_ends[op] = ends_of_rows(op, self.functions, self.tails)

    def _go_back(self, op: Operation, called: Mapping[func.CallOp, _CalledKernel]) -> None:
        match op:
            case func.ReturnOp():
                for value, needs in zip(op.operands, self._needs_of_callers(op), strict=True):
                    self.readers.join(self._needed, value, needs)
            case func.CallOp() if (kernel := called.get(op)) is not None:
                results = [self._seen_from(op, self._needed.get(result)) for result in op.results]
                self._ends[op], arguments = KernelNeeds(
                    kernel.function, self._contexts[op], results, set(kernel.without), self.readers
                ).find()
                for value, needs in zip(op.operands, arguments, strict=True):
                    self.readers.join(self._needed, value, needs)
            case _ if isinstance(op, RESHAPES):
                (result,), root = op.results, unreshaped(op.operands[0])
                if (needs := self._needed.get(result)) is not None:
                    self.readers.join(self._needed, root, before_reshape(root, result, needs))
            case ScanOp() if not self.readers.of_starts:
                ends = {row: self.tails.symbol(end) for row, end in self._row_ends[op].items()}
                for argument, value in zip(op.body.block.args, op.operands, strict=True):
                    end = ends.get(argument)
                    self.readers.join(self._needed, value, {} if end is None else {0: end})
            case _:
                for inner in op.walk():
                    for value in inner.operands:
                        self.readers.join(self._needed, value, {})

    def _seen_from(self, call: func.CallOp, needs: Needs | None) -> Needs | None:
        """The needs of a result, by extents that are known before the call: one that is computed later by those that it
        is computed of."""
        if needs is None:
            return None
        found: dict[int, Extent | int] = {}
        for axis, end in needs.items():
            if isinstance(end, Extent) and not (end.is_start or self._is_before(end.symbol, call)):
                end = self.readers.of_inputs(end)
            if isinstance(end, int) or self._is_before(end.symbol, call):
                found[axis] = end
        return found

    def _is_before(self, value: SSAValue, call: func.CallOp) -> bool:
        """Whether a value of the model is there when a call runs."""
        return isinstance(value.owner, Block) or self._order[value.owner] < self._order[call]

    def _needs_of_callers(self, op: func.ReturnOp) -> list[Needs]:
        found: list[Needs] = []
        if self.readers.of_starts:
            return [{} for _ in op.operands]
        for marks in marks_of(op.operands, self.function.res_attrs):
            symbols = {
                axis: self.tails.symbol(op.operands[place])
                for axis, place in enumerate(extents_in(marks))
                if 0 <= place < len(op.operands)
            }
            found.append({axis: symbol for axis, symbol in symbols.items() if symbol is not None})
        return found


def _form(end: Extent) -> tuple[int, int, Attribute]:
    """What calls of a kernel have in common; the integer itself is an argument."""
    return end.factor, end.over, end.symbol.type


def _limits(
    kernel: func.FuncOp, calls: Sequence[func.CallOp], ends: Mapping[func.FuncOp, Sequence[Ends]], lanes: int
) -> list[Limit]:
    """Where the loops of a kernel end, or start, for each call at an integer that it passes."""
    limits: list[Limit] = []
    blocks, of_calls = dims_of_blocks(kernel), ends.get(kernel, [{}])
    for dim, extent in of_calls[0].items():
        argument = _argument(kernel, calls, [each[dim].symbol for each in of_calls])
        multiple = lanes if dim in blocks else extent.multiple
        limits.append(Limit(dim, argument, extent.plus, multiple, extent.factor, extent.over, extent.is_start))
    return limits


def _dims_that_count(kernel: func.FuncOp) -> set[str]:
    """The dims that are summed over, or along which elements are read at places that other tensors hold."""
    found: set[str] = set()
    for op in kernel.body.block.ops:
        if isinstance(op, StructuredOp | PlacedOp):
            found |= set(op.dim_names[op.num_parallel if isinstance(op, StructuredOp) else 0 :])
    return found


def _argument(kernel: func.FuncOp, calls: Sequence[func.CallOp], symbols: Sequence[SSAValue]) -> int:
    """The number of the argument that calls pass these integers as, a new one if there is none."""
    for number in range(len(kernel.args)):
        if all(call.operands[number] is symbol for call, symbol in zip(calls, symbols, strict=True)):
            return number
    argument = add_argument(kernel, symbols[0].type)
    argument.name_hint = symbols[0].name_hint
    for call, symbol in zip(calls, symbols, strict=True):
        call.operands = [*call.operands, symbol]
    return argument.index


def _returned(function: func.FuncOp) -> Sequence[SSAValue]:
    last = function.body.block.last_op
    assert isinstance(last, func.ReturnOp)
    return last.operands
