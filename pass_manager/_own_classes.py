"""Ops of xDSL's own classes become ops of the classes that mlc has in their place.

Plugins, and programs that build IR, may take `xdsl.dialects.arith.CmpfOp`. What mlc knows of `arith.cmpf`, such as its
lowering and its meaning, it knows of the class that its dialect has, which parsing would make.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from mlc.dialects.registry import registered_class


def take_own_classes(module: ModuleOp) -> None:
    """Replace each op whose class is not that of its name in mlc's dialects, with operands, regions and all else."""
    for op in [op for op in module.walk() if _is_foreign(type(op))]:
        made = registered_class(type(op)).create(
            operands=op.operands,
            result_types=op.result_types,
            properties=op.properties,
            attributes=op.attributes,
            successors=op.successors,
            regions=[op.detach_region(region) for region in list(op.regions)],
            location=op.location,
        )
        Rewriter.replace_op(op, made)


def _is_foreign(op_type: type[Operation]) -> bool:
    """Whether mlc has a class of its own for the ops of a class.

    One that is derived from xDSL's only has another syntax: passes ask for xDSL's.
    """
    return not issubclass(registered_class(op_type), op_type)
