"""What a function sums: how many terms into one, and whether the order of the terms is left open.

Above the loop level a sum has no order, so the reference takes the one that NumPy or its BLAS has for these shapes, and
a pass that changes shapes alone changes it. A loop says in which order it sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.linalg import LinalgOp
from mlc.dialects.loop import ForOp
from mlc.dialects.scan import ScanLike
from mlc.dialects.tensor import StructuredOp
from mlc.support.types import element_type

_GRAPH_SUMS = (
    graph.AvgPoolOp,
    graph.ConvOp,
    graph.ConvTransposeOp,
    graph.GroupNormOp,
    graph.LayerNormOp,
    graph.MatmulOp,
    graph.ReduceOp,
    graph.RmsNormOp,
    graph.SoftmaxOp,
)


@dataclass(frozen=True)
class Sums:
    """What is known about the sums (and products) of floats in a function and those that it calls."""

    terms: int = 1
    """An upper bound of how many numbers are combined into one; 1 if there is no sum."""
    in_any_order: bool = False
    """Whether the order of the terms is left open for some of them."""
    with_zeros: bool = False
    """Whether it is left open which products with zeros are among the terms: those between the pixels of an image, or
    after a limit."""

    def __or__(self, other: Sums) -> Sums:
        return Sums(
            max(self.terms, other.terms), self.in_any_order or other.in_any_order, self.with_zeros or other.with_zeros
        )


def sums_of(module: ModuleOp, name: str) -> Sums:
    """The sums in function `name` and in all that it calls."""
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    found, reached, work = Sums(), {name}, [name]
    while work:
        function = functions.get(work.pop())
        for op in () if function is None else function.walk():
            found |= _sums(op)
            if isinstance(op, CallOp) and (callee := op.callee.string_value()) not in reached:
                reached.add(callee)
                work.append(callee)
    return found


def _sums(op: Operation) -> Sums:
    if isinstance(op, ScanLike):
        return Sums(max(1, op.steps)) if any(map(_is_float, op.initial)) else Sums()
    if isinstance(op, ForOp):
        return Sums(max(1, len(op.range)), False, op.limit is not None) if any(map(_is_float, op.iter_args)) else Sums()
    if isinstance(op, _GRAPH_SUMS):
        zeros = isinstance(op, graph.ConvTransposeOp)
        return Sums(max(_elements(v) for v in op.operands), True, zeros) if _is_float(op.results[0]) else Sums()
    if isinstance(op, LinalgOp) and any(map(_is_float, op.outs)):
        reduced = [n or 1 for n, kind in zip(op.sizes(), op.iterators, strict=True) if kind is IteratorType.REDUCTION]
        return Sums(prod(reduced), True) if reduced else Sums()
    if isinstance(op, StructuredOp) and _is_float(op.result) and op.reduction in ("add", "mul"):
        return Sums(prod(op.dim_sizes[op.num_parallel :]), True)
    return Sums()


def _elements(value: SSAValue) -> int:
    shape = getattr(value.type, "get_shape", tuple[int, ...])()
    return max(1, prod(shape))


def _is_float(value: SSAValue) -> bool:
    return isinstance(element_type(value.type), AnyFloat)
