"""What stands around the ops of a model: its inputs and outputs, and the notes of frameworks on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, ComplexType, DictionaryAttr, IntegerAttr, ModuleOp, TensorType, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.passes.shared.graph_builder import GraphBuilder
from mlc.passes.shared.to_graph import finish_function
from mlc.passes.stablehlo_to_graph._calls import DIALECTS, HloConversion, Pair
from mlc.support.functions import marks_of

COMPLEX = "mlc.complex"
"""The mark of an input or an output whose last dim holds the real and the imaginary parts of complex numbers."""
_OURS = "mlc."
_COUNTS = ("mhlo.num_replicas", "mhlo.num_partitions")
"""How many devices a module is for is the product of these; 1 for one that is left out."""


def prepare(function: FuncOp, run: HloConversion) -> None:
    """Make two tensors of each complex input, and drop what frameworks say of devices and layouts."""
    module = function.parent_op()
    if isinstance(module, ModuleOp):
        for op in list(module.ops):
            if op.dialect_name() == "sdy":
                Rewriter.erase_op(op)
        said = [module.attributes.pop(name, None) for name in _COUNTS]
        run.devices *= prod(each.value.data for each in said if isinstance(each, IntegerAttr))
        module.attributes = {n: a for n, a in module.attributes.items() if not n.startswith(("mhlo.", "sdy."))}
    function.attributes = {n: a for n, a in function.attributes.items() if not n.startswith(("mhlo.", "jax.", "sdy."))}
    block = function.body.block
    marks = [_ours(each) for each in marks_of(list(block.args), function.arg_attrs)]
    first = block.first_op
    assert first is not None
    for argument, own in zip(list(block.args), marks, strict=True):
        kind = argument.type
        if not isinstance(kind, TensorType) or not isinstance(cast(Any, kind).element_type, ComplexType):
            continue
        tensor = cast("TensorType[Any]", kind)
        shape = tuple(tensor.get_shape())
        wide = block.insert_arg(TensorType(tensor.element_type.element_type, (*shape, 2)), argument.index)
        wide.name_hint = argument.name_hint
        b = GraphBuilder(first, run.knowledge, argument.name_hint or "input")
        rank = len(shape)
        parts = [b.reshape(b.slice(wide, rank, i, i + 1), shape) for i in (0, 1)]
        # A stand-in keeps the type that the ops were verified with.
        stand_in = _stand_in(first, argument.type)
        argument.replace_all_uses_with(stand_in.results[0])
        block.erase_arg(argument)
        run.pairs[stand_in.results[0]] = Pair(*parts)
        run.replaced.append(stand_in)
        own[COMPLEX] = UnitAttr()
    function.arg_attrs = _attributes(marks)
    for op in list(function.walk()):
        if op.name == "sdy.sharding_constraint":
            op.results[0].replace_all_uses_with(op.operands[0])
            Rewriter.erase_op(op)


def _stand_in(before: Operation, kind: Attribute) -> Operation:
    from mlc.dialects.stablehlo import hlo

    op = hlo("create_token").create(result_types=[kind])
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op


def finish(function: FuncOp, run: HloConversion) -> None:
    """Return what complex results have become, and drop what nobody reads."""
    returned = function.body.block.last_op
    assert returned is not None
    marks = [_ours(each) for each in marks_of(list(returned.operands), function.res_attrs)]
    for index, value in enumerate(returned.operands):
        if isinstance(pair := run.number(value), Pair):
            b = GraphBuilder(returned, run.knowledge, "output")
            shape = shape_of(pair.re)
            wide: list[SSAValue] = [b.reshape(part, (*shape, 1)) for part in (pair.re, pair.im)]
            returned.operands[index] = b(graph.ConcatOp, wide, len(shape))
            marks[index][COMPLEX] = UnitAttr()
    function.res_attrs = _attributes(marks)
    finish_function(function, lambda op: op.dialect_name() in DIALECTS)


def _ours(marks: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {name: mark for name, mark in marks.items() if name.startswith(_OURS)}


def _attributes(marks: Sequence[Mapping[str, Attribute]]) -> ArrayAttr[DictionaryAttr] | None:
    return ArrayAttr([DictionaryAttr(dict(each)) for each in marks]) if any(marks) else None
