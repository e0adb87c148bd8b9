"""`unify-dims`: one name for the dims of a kernel that run over the same thing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import SSAValue

from mlc.dialects.loop.limits import names_dims
from mlc.dialects.tensor import StructuredOp
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.disjoint_sets import DisjointSets
from mlc.support.functions import is_private
from mlc.support.linear import plain_dim
from mlc.support.types import tensor_type

_Dim = tuple[StructuredOp, int]


@dataclass(frozen=True)
class UnifyDimsPass(Pass):
    """Name the dims of each kernel so that a schedule step that names a loop means the same in every nest.

    Dims are the same if they run along one axis of one value. They get one name where they are parallel; where they are
    reduced they get another, because a loop that adds up is shaped in another way than one whose iterations are
    independent; and so do the reductions of contractions. Dims that are not the same never share a name.

        %s = tensor.contract %q[b, m, k], %x[b, n, k] over (b: 12, m: 128, n: 64) reduce (k: 32) : …
        %g = tensor.reduce max %s[m, n, k] over (m: 12, n: 128) reduce (k: 64) : …
        %y = tensor.contract %s[b, m, k], %v[b, k, n] over (b: 12, m: 128, n: 32) reduce (k: 64) : …
    ->
        %s = tensor.contract %q[b, m, k], %x[b, n, k] over (b: 12, m: 128, n: 64) reduce (k: 32) : …
        %g = tensor.reduce max %s[b, m, k1] over (b: 12, m: 128) reduce (k1: 64) : …
        %y = tensor.contract %s[b, m, k2], %v[b, k2, n1] over (b: 12, m: 128, n1: 32) reduce (k2: 64) : …

    The first op keeps its names. Kernels that have a schedule or limits are left alone: these name their dims.
    """

    name = "unify-dims"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        for function in module.ops:
            if isinstance(function, func.FuncOp) and is_private(function) and not names_dims(function):
                for block in function.body.blocks:
                    ops = [op for op in block.ops if isinstance(op, StructuredOp)]
                    if len(ops) > 1:
                        _rename(ops, _classes(ops))


@dataclass
class _Classes:
    """Disjoint sets of dims, no two of which are dims of one op."""

    _sets: DisjointSets[_Dim] = field(default_factory=DisjointSets[_Dim])
    _ops: dict[_Dim, set[StructuredOp]] = field(default_factory=dict[_Dim, set[StructuredOp]])

    def find(self, dim: _Dim) -> _Dim:
        """The dim that stands for the class of `dim`."""
        return self._sets.find(dim)

    def unite(self, a: _Dim, b: _Dim) -> None:
        """Join two classes, unless an op has a dim in each."""
        a, b = self.find(a), self.find(b)
        ops, others = (self._ops.setdefault(c, {c[0]}) for c in (a, b))
        if a == b or not ops.isdisjoint(others):
            return
        if len(ops) < len(others):
            a, b, ops, others = b, a, others, ops
        self._sets.unite(a, b)
        ops |= others


def _classes(ops: Sequence[StructuredOp]) -> _Classes:
    """Which dims are the same: those that run along one axis of one value, alone and over all of it.

    An op that computes a value has the first say about its axes, then ops that read it, in program order.
    """
    classes = _Classes()
    along: dict[tuple[SSAValue, int], _Dim] = {}
    for op in ops:
        for axis in range(op.num_parallel):
            along[op.result, axis] = (op, axis)
        for value, affine in zip(op.inputs, op.index_maps, strict=True):
            for axis, subscript in enumerate(affine.results):
                dim = plain_dim(subscript)
                if dim is not None and op.dim_sizes[dim] == tensor_type(value).get_shape()[axis]:
                    classes.unite(along.setdefault((value, axis), (op, dim)), (op, dim))
    return classes


def _rename(ops: Sequence[StructuredOp], classes: _Classes) -> None:
    """Give each class one name per role that it plays."""
    taken: set[str] = set()
    names: dict[tuple[_Dim, str], str] = {}
    for op in ops:
        renamed: list[str] = []
        for position, old in enumerate(op.dim_names):
            key = (classes.find((op, position)), _role(op, position))
            if key not in names:
                names[key] = next(name for name in _candidates(old) if name not in taken)
                taken.add(names[key])
            renamed.append(names[key])
        if tuple(renamed) != op.dim_names:
            op.dims = ArrayAttr(StringAttr(name) for name in renamed)


def _role(op: StructuredOp, position: int) -> str:
    if position < op.num_parallel:
        return "parallel"
    return "contracted" if op.contracts else "reduced"


def _candidates(name: str) -> Iterator[str]:
    """`k`, `k1`, `k2`, …"""
    yield name
    number = 0
    while True:
        number += 1
        yield f"{name}{number}"
