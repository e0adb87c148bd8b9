"""The result that says whether torch would have raised an exception."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from mlc.dialects.aten.effects import CHECKED, WRONG
from mlc.frontends.operators.graph_builder import GraphBuilder, Knowledge
from mlc.support.functions import NAME, marks_of


def add_count(function: FuncOp, counts: Sequence[SSAValue], knowledge: Knowledge) -> None:
    """Let a function return, after its results, the sum of counts, each an i64, if there are any."""
    del function.attributes[CHECKED]
    if not counts:
        return
    end = function.body.block.last_op
    assert end is not None
    b = GraphBuilder(end, knowledge, WRONG)
    total = counts[0]
    for each in counts[1:]:
        total = b.add(total, each)
    marks = [DictionaryAttr(dict(each)) for each in marks_of(end.operands, function.res_attrs)]
    end.operands = [*end.operands, total]
    function.properties["res_attrs"] = ArrayAttr([*marks, DictionaryAttr({NAME: StringAttr(WRONG)})])
