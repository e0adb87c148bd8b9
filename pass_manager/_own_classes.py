"""Ops of xDSL's own classes become ops of the classes that mlc has in their place.

Plugins, and programs that build IR, may take `xdsl.dialects.arith.CmpfOp`. What mlc knows of `arith.cmpf`, such as its
lowering and its meaning, it knows of the class that its dialect has, which parsing would make.
"""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from mlc.dialects.registry import dialect_names, load_dialect


def take_own_classes(module: ModuleOp) -> None:
    """Replace each op whose class is not that of its name in mlc's dialects, with operands, regions and all else."""
    for op in [op for op in module.walk() if _own_class(type(op)) is not None]:
        own = _own_class(type(op))
        assert own is not None
        made = own.create(
            operands=op.operands,
            result_types=op.result_types,
            properties=op.properties,
            attributes=op.attributes,
            successors=op.successors,
            regions=[op.detach_region(region) for region in list(op.regions)],
            location=op.location,
        )
        Rewriter.replace_op(op, made)


@cache
def _own_class(op_type: type[Operation]) -> type[Operation] | None:
    """The class that mlc has instead of one of xDSL's; None for all other classes.

    One that is derived from xDSL's only has another syntax: passes ask for xDSL's.
    """
    dialect = op_type.name.partition(".")[0]
    if not op_type.__module__.startswith("xdsl.") or dialect not in dialect_names():
        return None
    own = next((op for op in load_dialect(dialect).operations if op.name == op_type.name), op_type)
    return None if issubclass(own, op_type) else own
