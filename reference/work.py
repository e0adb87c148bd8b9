"""How much work a run of a function is, from the sizes in its IR: some runs are not worth their time."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Operation

from mlc.dialects.linalg import LinalgOp
from mlc.dialects.loop import ForOp
from mlc.dialects.scan import ScanLike
from mlc.dialects.tensor import StructuredOp
from mlc.reference.loop import ONE_AT_A_TIME

_ELEMENTS_PER_OP = 300
"""What it takes to start an op of NumPy, in elements."""


class Work(NamedTuple):
    """What a run computes."""

    ops: int
    """How many ops it runs."""
    elements: int
    """How many elements they compute."""

    @property
    def total(self) -> int:
        """In elements, about 10 ns each."""
        return self.ops * _ELEMENTS_PER_OP + self.elements


def work_of(module: ModuleOp, name: str, in_lockstep: bool = True) -> Work:
    """The work of function `name`, calls included; each iteration of a parallel loop is one unless `in_lockstep`.

    Those with branches, views or loops of their own are (`ONE_AT_A_TIME`).
    """
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    known: dict[str, Work] = {}

    def of_regions(op: Operation) -> Work:
        inside = [of_op(inner) for region in op.regions for block in region.blocks for inner in block.ops]
        return Work(sum(w.ops for w in inside), sum(w.elements for w in inside))

    def of_op(op: Operation) -> Work:
        if isinstance(op, CallOp):
            return of_function(op.callee.string_value())
        ops, elements = of_regions(op)
        if isinstance(op, ForOp):
            count = len(op.range)
            at_once = in_lockstep and op.is_parallel and not any(isinstance(o, ONE_AT_A_TIME) for o in op.walk())
            return Work(1 + ops * (1 if at_once else count), elements * count)
        if isinstance(op, ScanLike):
            return Work(1 + ops * op.steps, elements * op.steps)
        if isinstance(op, StructuredOp):
            return Work(1 + ops, (1 + elements) * prod(op.dim_sizes))
        if isinstance(op, LinalgOp):
            points = [size or 1 for size in op.sizes()]
            steps = prod(n for n, kind in zip(points, op.iterators, strict=True) if kind is IteratorType.REDUCTION)
            return Work(1 + ops * steps, (1 + elements) * prod(points))
        own = sum(max(1, prod(getattr(r.type, "get_shape", tuple[int, ...])())) for r in op.results)
        return Work(1 + ops, own + elements)

    def of_function(callee: str) -> Work:
        if callee not in known:
            known[callee] = Work(0, 0)  # what a recursive call counts as
            known[callee] = of_regions(functions[callee]) if callee in functions else Work(0, 0)
        return known[callee]

    return of_function(name)
