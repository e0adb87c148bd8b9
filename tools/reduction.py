"""Making a module smaller while something about it stays true: delta debugging over its ops, results and arguments.

Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002: leave out large parts
first, then smaller ones, and keep whatever can be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnregisteredOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from mlc.analysis.nests import add_argument
from mlc.pass_manager.manager import verify
from mlc.support.functions import EXTENTS

_T = TypeVar("_T")
_OP_NAME = "op_name__"
"""Where xDSL keeps the name of an unregistered op."""
_Edit = Callable[[ModuleOp], bool]
"""Makes a module smaller in place; False if there is nothing to do."""


@dataclass
class Reducer:
    """Looks for a small module that is still interesting.

    Attributes:
        module: the smallest one so far; it verifies.
        is_interesting: says so of a module, which it may change.
        attempts: how many modules were tried.
    """

    module: ModuleOp
    is_interesting: Callable[[ModuleOp], bool]
    most_attempts: int = 1000
    attempts: int = 0

    def reduce(self) -> None:
        """Leave out ops, results and arguments of functions, and attributes, until nothing can be left out."""
        smallest = None
        while smallest is not self.module:  # without a result, what it was computed of can be left out
            smallest = self.module
            self._drop_ops()
            self._drop_one_by_one(_drop_result)
            self._drop_one_by_one(_drop_argument)
            self._drop_one_by_one(_drop_attribute)
            self._drop_one_by_one(_return_earlier)

    def _drop_ops(self) -> None:
        """Blocks of ops, from the last to the first, of half the size each time."""
        size = _size(self.module)
        while size:
            end = _size(self.module)
            while end > 0:
                start = max(0, end - size)
                # What is looked for may depend on one operand of `a - b` alone, or not show if both are one value.
                choices = _choices(self.module, start) if size == 1 else 1
                for choice in range(choices):
                    if self._try(lambda m, first=start, last=end, n=choice: _erase(m, first, last, n)):
                        break
                end = min(start, _size(self.module))
            size //= 2

    def _drop_one_by_one(self, drop: Callable[[ModuleOp, int], bool | None]) -> None:
        """Let `drop` leave out the thing of each number; it returns None when there is no such number."""
        number, more = 0, True

        def edit(module: ModuleOp) -> bool:
            nonlocal more
            done = drop(module, number)
            more = done is not None
            return bool(done)

        while more and self.attempts < self.most_attempts:
            if not self._try(edit):
                number += 1

    def _try(self, edit: _Edit) -> bool:
        """Keep what `edit` makes of the module if that verifies and is interesting."""
        if self.attempts >= self.most_attempts:
            return False
        smaller = self.module.clone()
        unused = {op for op in smaller.walk() if _is_unused(op)}
        if not edit(smaller):
            return False
        _erase_unused(smaller, unused)
        self.attempts += 1
        try:
            verify(smaller)
        except Exception:  # whatever a verifier raises: this is not a module to go on with
            return False
        if not self.is_interesting(smaller.clone()):
            return False
        self.module = smaller
        return True


def _is_unused(op: Operation) -> bool:
    return bool(op.results) and all(result.first_use is None for result in op.results) and is_trivially_dead(op)


def _erase_unused(module: ModuleOp, stay: Container[Operation]) -> None:
    """Erase the ops whose results nobody uses, without those that `stay`: a pipeline that cleans up before the pass
    that is looked for would erase them, too, and find nothing wrong."""
    for op in reversed([*module.walk()]):
        if op not in stay and _is_unused(op):
            op.detach()
            op.erase()


def _size(module: ModuleOp) -> int:
    return len(_ops(module))


def _ops(module: ModuleOp) -> list[Operation]:
    """The ops that may be left out, in program order."""
    return [
        op for op in module.walk() if op is not module and not op.has_trait(IsTerminator, value_if_unregistered=False)
    ]


def _erase(module: ModuleOp, first: int, last: int, choice: int) -> bool:
    """Erase some of `_ops`; what reads their results reads the substitute of the given number, or the last one."""
    for op in reversed(_ops(module)[first:last]):
        for result in op.results:
            if result.first_use is not None:
                substitutes, function = _substitutes(op, result), _function_around(op)
                if choice < len(substitutes):
                    result.replace_all_uses_with(substitutes[choice])
                elif function is not None:
                    result.replace_all_uses_with(add_argument(function, result.type))
                else:
                    return False
        op.detach()
        op.erase(safe_erase=False)
    return True


def _choices(module: ModuleOp, number: int) -> int:
    """How many ways there are to erase one of `_ops`: a substitute each, and an argument of its own."""
    op = _ops(module)[number]
    return 1 + max((len(_substitutes(op, result)) for result in op.results if result.first_use is not None), default=0)


def _substitutes(op: Operation, result: SSAValue) -> list[SSAValue]:
    """What is there in place of a result: operands of `op` of its type, and such an argument of its function."""
    function = _function_around(op)
    arguments = function.body.block.args if function is not None and function.body.blocks else ()
    operands = [v for v in op.operands if v.type == result.type]
    return list(dict.fromkeys([*operands, *[v for v in arguments if v.type == result.type][:1]]))


def _function_around(op: Operation) -> FuncOp | None:
    function = op.parent_op()
    while function is not None and not isinstance(function, FuncOp):
        function = function.parent_op()
    return function


def _functions(module: ModuleOp) -> list[FuncOp]:
    return [op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks]


def _numbered(module: ModuleOp, count: Callable[[FuncOp], int], number: int) -> tuple[FuncOp, int] | None:
    """The function that holds a thing, and its number there, where each function holds `count` things."""
    for function in _functions(module):
        if number < (here := count(function)):
            return function, number
        number -= here
    return None


def _drop_result(module: ModuleOp, number: int) -> bool | None:
    found = _numbered(module, lambda f: len(f.function_type.outputs), number)
    if found is None:
        return None
    function, index = found
    for block in function.body.blocks:
        if isinstance(end := block.last_op, ReturnOp):
            end.operands = _without(end.operands, index)
    if function.res_attrs is not None:
        kept = [d.data for d in _without(function.res_attrs.data, index)]
        # Results are numbered anew, which those do not know that say where their extents are.
        function.res_attrs = ArrayAttr(
            [DictionaryAttr({name: value for name, value in each.items() if name != EXTENTS}) for each in kept]
        )
    function.update_function_type()
    return True


def _return_earlier(module: ModuleOp, number: int) -> bool | None:
    """Return a value that is computed earlier in place of a result, of another type perhaps."""

    def earlier(function: FuncOp) -> list[tuple[ReturnOp, int, SSAValue]]:
        block = function.body.blocks[0]
        values = [value for op in block.ops for value in op.results]
        if not isinstance(end := block.last_op, ReturnOp):
            return []
        places: dict[SSAValue, int] = {value: place for place, value in enumerate(values)}
        return [(end, i, v) for i, old in enumerate(end.operands) for v in values[: places.get(old, 0)]]

    found = _numbered(module, lambda f: len(earlier(f)), number)
    if found is None:
        return None
    function, index = found
    end, result, value = earlier(function)[index]
    end.operands[result] = value
    if function.res_attrs is not None:
        attributes = [dict(each.data) for each in function.res_attrs.data]
        attributes[result].pop(EXTENTS, None)
        function.res_attrs = ArrayAttr(map(DictionaryAttr, attributes))
    function.update_function_type()
    return True


def _drop_argument(module: ModuleOp, number: int) -> bool | None:
    found = _numbered(module, lambda f: len(f.body.blocks[0].args), number)
    if found is None:
        return None
    function, index = found
    argument = function.body.blocks[0].args[index]
    if argument.first_use is not None:
        return False
    function.body.blocks[0].erase_arg(argument)
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr(_without(function.arg_attrs.data, index))
    function.update_function_type()
    return True


def _drop_attribute(module: ModuleOp, number: int) -> bool | None:
    """An attribute that an op has beyond its properties; the name of an unregistered op is none."""
    for op in module.walk():
        present = [name for name in op.attributes if not (isinstance(op, UnregisteredOp) and name == _OP_NAME)]
        if number < len(present):
            del op.attributes[present[number]]
            return True
        number -= len(present)
    return None


def _without(sequence: Sequence[_T], index: int) -> list[_T]:
    return [*sequence[:index], *sequence[index + 1 :]]
