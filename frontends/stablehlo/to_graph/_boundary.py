"""What stands around the ops of a model: its inputs and outputs, and the notes of frameworks on them."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.rewriter import Rewriter

from mlc.frontends.operators.complex_values import attributes_of, join_results, parts_of_arguments
from mlc.frontends.operators.to_graph import finish_function
from mlc.frontends.stablehlo.to_graph._calls import DIALECTS, HloConversion
from mlc.frontends.stablehlo.to_graph._quantized import store_quantized
from mlc.support.functions import marks_of

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
    function.arg_attrs = attributes_of(map(_ours, marks_of(function.body.block.args, function.arg_attrs)))
    store_quantized(function, run)
    parts_of_arguments(function, run)
    for op in list(function.walk()):
        if op.name == "sdy.sharding_constraint":
            op.results[0].replace_all_uses_with(op.operands[0])
            Rewriter.erase_op(op)


def finish(function: FuncOp, run: HloConversion) -> None:
    """Return what complex results have become, and drop what nobody reads."""
    returned = function.body.block.last_op
    assert returned is not None
    function.res_attrs = attributes_of(map(_ours, marks_of(returned.operands, function.res_attrs)))
    join_results(function, run)
    finish_function(function, lambda op: op.dialect_name() in DIALECTS)


def _ours(marks: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {name: mark for name, mark in marks.items() if name.startswith(_OURS)}
