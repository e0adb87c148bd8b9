"""Results of a model whose extents depend on data: these extents are results, too."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, StringAttr, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.knowledge import Knowledge
from mlc.support.functions import EXTENTS, NAME, extents_in, marks_of, name_for_callers, range_in
from mlc.support.locations import error_at


def open_dims_at_calls(function: func.FuncOp, knowledge: Knowledge) -> None:
    """Note which dims of inputs end at the extents that other inputs hold (`mlc.extents`).

    Raises:
        UserError: an attribute names another number of dims, or an input that is not one i64.
    """
    marks = marks_of(function.args, function.arg_attrs)
    for argument, own in zip(function.args, marks, strict=True):
        places = extents_in(own)
        rank = len(shape_of(argument)) if places else 0
        held = TensorType(i64, [])
        if len(places) != rank or any(p >= len(marks) or function.args[p].type != held for p in places if p >= 0):
            required = f"{rank} numbers, each of an input of type {held}, or -1"
            raise error_at(
                function, f"'{EXTENTS}' of argument {argument.index} is {list(places)}; required: {required}"
            )
        for axis, place in enumerate(places):
            if place >= 0:
                most = shape_of(argument)[axis]
                knowledge.open_dim(argument, axis, function.args[place], range_in(marks[place]) or range(most + 1))


def add_extents(function: func.FuncOp, knowledge: Knowledge) -> None:
    """Return each extent that depends on data behind the results, which `mlc.extents` points to."""
    returned = function.body.block.last_op
    assert isinstance(returned, Operation)
    results = list(returned.operands)
    if not any(value in knowledge.extents for value in results):
        return
    marks = [dict(each) for each in marks_of(results, function.res_attrs)]
    numbers: dict[SSAValue, int] = {}
    added: list[dict[str, Attribute]] = []
    for value, own in zip(results, marks, strict=True):
        extents = knowledge.extents.get(value, {})
        for axis, extent in extents.items():
            if extent not in numbers:
                numbers[extent] = len(results) + len(numbers)
                added.append({NAME: StringAttr(f"{name_for_callers(value, own, 'out')}.extent{axis}")})
        if extents:
            places = [numbers[extents[axis]] if axis in extents else -1 for axis in range(len(shape_of(value)))]
            own[EXTENTS] = DenseArrayBase.from_list(i64, places)
    returned.operands = [*results, *numbers]
    function.res_attrs = ArrayAttr([DictionaryAttr(each) for each in (*marks, *added)])
