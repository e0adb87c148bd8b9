"""Rows of which a call has fewer than code was made for: a proof that they do not mix with those after them.

The function gets one more argument, how many rows there are, and the rules of extents say what each op makes of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, TensorType, i64

from mlc.dialects.graph import ConstantOp, GraphOp
from mlc.frontends.operators.extents import result_extents
from mlc.frontends.operators.graph_builder import GraphBuilder, Knowledge
from mlc.frontends.operators.refusal import Unconvertible
from mlc.reference.constants import constant_data
from mlc.support.functions import NAME
from mlc.support.resources import Resources


def count_rows(function: func.FuncOp, arguments: Collection[int], results: Sequence[int], resources: Resources) -> None:
    """Let a function of graph ops take the number of rows as its last argument, an i64. Of the arguments with the
    numbers `arguments` so many elements of the first dim are data; of each result as many times so many as `results`
    says, all if that is 0.

    Raises:
        Unconvertible: an op would take other rows for data, or a result has others.
    """
    block = function.body.block
    knowledge = Knowledge(resources, result_extents)
    ops = list(block.ops)
    rows = block.insert_arg(TensorType(i64, []), len(block.args))
    rows.name_hint = "rows"
    for number in arguments:
        knowledge.extents[block.args[number]] = {0: rows}
    for op in ops:
        extents = [knowledge.extents.get(v, {}) for v in op.operands]
        if isinstance(op, func.ReturnOp):
            found = [knowledge.multiples.get(each[0], (each[0], 1)) if 0 in each else (rows, 0) for each in extents]
            if found != [(rows, times) for times in results] or any(axis for each in extents for axis in each):
                raise Unconvertible("a result has other rows than the arguments")
        elif any(extents):
            if not isinstance(op, GraphOp) or len(op.results) != 1:
                raise Unconvertible(f"'{op.name}' may mix rows")
            knowledge.extents[op.result] = result_extents(op, extents, GraphBuilder(op, knowledge))
    marks = [*(function.arg_attrs or [DictionaryAttr({})] * rows.index), DictionaryAttr({NAME: StringAttr("rows")})]
    function.properties["arg_attrs"] = ArrayAttr(marks)
    function.function_type = FunctionType.from_lists(block.arg_types, list(function.function_type.outputs))


def same_numbers(first: ModuleOp, second: ModuleOp, resources: Sequence[Resources]) -> bool:
    """Whether two modules, made of one model for different numbers of rows, are the same ops with the same constants:
    then no number in them depends on how many rows there are."""
    ops, others = list(first.walk()), list(second.walk())
    return len(ops) == len(others) and all(
        type(a) is type(b) and (not isinstance(a, ConstantOp) or _same(a, cast(ConstantOp, b), resources))
        for a, b in zip(ops, others, strict=True)
    )


def _same(a: ConstantOp, b: ConstantOp, resources: Sequence[Resources]) -> bool:
    own, other = (constant_data(op.value, held) for op, held in zip((a, b), resources, strict=True))
    return own.dtype == other.dtype and own.shape == other.shape and own.tobytes() == other.tobytes()
