"""The pass `use-lookup-tables`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.dialects.graph import (
    AbsOp,
    AddOp,
    CastOp,
    CompareOp,
    ConstantOp,
    DequantizeOp,
    GraphOp,
    LookupOp,
    MaxOp,
    MinOp,
    MulOp,
    NegOp,
    QuantizeOp,
    ReluOp,
    SubOp,
    WhereOp,
    splat_of,
)
from mlc.dialects.graph.lookup import CODE_TYPES
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import constant_array
from mlc.reference import graph as reference
from mlc.reference.fixed_order import fixed_order
from mlc.support.context import CompilerContext
from mlc.support.dtypes import ENTRIES, to_numpy
from mlc.support.ir import erase_unused
from mlc.support.semantics import UndefinedBehavior
from mlc.targets.machine import resolve_target

Array = NDArray[Any]


@dataclass(frozen=True)
class UseLookupTablesPass(Pass):
    """Look up what is computed from one quantised number and becomes another one, where that is faster.

    ```mlir
    %x = graph.dequantize %q, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
    %y = graph.sigmoid %x : tensor<4x8xf32>
    %r = graph.quantize %y, %t, %n : tensor<4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x8xui8>
    // after
    %r = graph.lookup %q in dense<"0x…"> : tensor<256xui8> : tensor<4x8xui8> -> tensor<4x8xui8>
    ```

    Proof: 8 bits hold 256 numbers. Where an elementwise op reads but one tensor of them, and constants that are one
    number each, its results are a function of the number that it is for. The table holds what the reference computes
    for each, so results are the same, bit for bit, and on all targets.
    """

    name = "use-lookup-tables"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        functions = _Functions(ctx)
        ops = [op for op in module.walk() if isinstance(op, GraphOp)]
        for op in ops:
            functions.visit(op)
        least: int | None = None
        for op in reversed(ops):
            function = functions.of.get(op.result)
            if op.parent is None or function is None or element_of(op.result) not in CODE_TYPES:
                continue
            if least is None:
                machine = resolve_target(ctx.target)
                least = machine.lookup_instructions(machine.vector_bits // 8)
            if op.result.first_use is not None and function.instructions > least:
                _replace(op, function, ctx)


class _Function(NamedTuple):
    """What a value is, as a function of quantised numbers."""

    source: SSAValue
    """Those, of the value's shape."""
    results: Array
    """For each of them."""
    instructions: int = 0
    """How many instructions compute as many results as a vector has bytes, at most `_MANY`; what is read twice counts
    twice."""


@dataclass
class _Functions:
    """The values that depend on one tensor of quantised numbers alone."""

    ctx: CompilerContext
    of: dict[SSAValue, _Function] = field(default_factory=dict[SSAValue, _Function])

    def visit(self, op: GraphOp) -> None:
        """Note the result of an op, whose operands have been visited.

        The source is as far away as it can be: if two values depend on one tensor alone, their sources are the same.
        """
        if not is_static(op.result.type):
            return
        function = self._computed(op) if op.MAPS and op.operands else None
        if function is not None:
            self.of[op.result] = function

    def _computed(self, op: GraphOp) -> _Function | None:
        read: list[_Function] = []
        arrays: list[Array] = []
        for operand in op.operands:
            if splat_of(operand) is not None:
                constant = cast(ConstantOp, operand.owner)
                data = constant_array(constant, self.ctx.resources)
                assert data is not None
                arrays.append(data.reshape(-1)[:1].reshape(()))
                continue
            function = self.of.get(operand) or _identity(operand)
            if function is None or shape_of(operand) != shape_of(op.result):
                return None
            if read and function.source is not read[0].source:
                return None
            read.append(function)
            arrays.append(function.results)
        if not read:
            return None
        try:
            with fixed_order(), np.errstate(all="ignore"):
                (results,) = reference.evaluate(op, arrays)
        except UndefinedBehavior:
            return None
        if results.shape != (ENTRIES,):
            return None
        distinct = {id(f): f for f in read}.values()
        own = _INSTRUCTIONS.get(type(op), _OF_A_FUNCTION) * results.itemsize
        return _Function(
            read[0].source,
            results,
            min(own + sum(f.instructions for f in distinct), _MANY),
        )


def _identity(value: SSAValue) -> _Function | None:
    """A tensor of quantised numbers as a function of itself."""
    if not is_static(value.type) or (element := element_of(value)) not in CODE_TYPES:
        return None
    return _Function(value, np.arange(ENTRIES).astype(np.uint8).view(to_numpy(element)))


_INSTRUCTIONS: dict[type[Operation], int] = {
    **dict.fromkeys((AddOp, SubOp, MulOp, MaxOp, MinOp, NegOp, AbsOp, ReluOp, CastOp, CompareOp, WhereOp), 1),
    DequantizeOp: 3,
    QuantizeOp: 6,
    LookupOp: 3,
}
"""Instructions on one vector of ops that take few."""
_OF_A_FUNCTION = 12
"""Of those that are polynomials or divide, at least."""
_MANY = 1 << 20
"""More instructions than any lookup takes."""


def _replace(op: GraphOp, function: _Function, ctx: CompilerContext) -> None:
    kind = tensor((ENTRIES,), element_of(op.result))
    table = DenseIntOrFPElementsAttr.from_list(cast(Any, kind), function.results.tolist())
    new = LookupOp(function.source, table)
    new.location = op.location
    new.result.name_hint = op.result.name_hint
    operands = list(op.operands)
    Rewriter.replace_op(op, new)
    for operand in operands:
        erase_unused(operand)
    ctx.remark(new, "a function of a number of 8 bits became a table of its results")
