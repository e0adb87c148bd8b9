"""Where the loops of a kernel end, or start, and what it needs of its arguments, given the needs of its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.tensor import ConcatOp, PadOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.tensor import StructuredOp
from mlc.dialects.tensor.places import PlacedOp
from mlc.dialects.tensor.put import PutOp
from mlc.passes.tensor._known_scalars import Extent
from mlc.passes.tensor._needs import Needs, Readers, before_reshape, subscripted
from mlc.passes.tensor._tails import Tails, axis_along, unreshaped
from mlc.support.ir import RESHAPES
from mlc.support.linear import plain_dim
from mlc.support.types import tensor_type

Ends = dict[str, Extent]
"""Where the loops over dims end, or start."""
_MOST_ROUNDS = 8
"""As often it is found out where loops end that run further for others; then they run to the end."""


@dataclass
class KernelNeeds:
    """What a kernel needs, given what is needed of its results: None for those that nobody reads."""

    kernel: func.FuncOp
    tails: Tails
    results: Sequence[Needs | None]
    without: set[str]
    """Dims whose loops do not end anywhere else; more are found."""
    readers: Readers
    running: Ends = field(default_factory=dict[str, Extent])
    """Where loops end, as far as that is known by now."""
    blocks: set[str] = field(default_factory=set[str])
    """Dims whose extents are rounded up."""

    def find(self) -> tuple[Ends, list[Needs]]:
        """Where loops over dims end, and what is needed of the arguments.

        A dim of several ops, whose loops schedules shape alike, ends where the last of them does, or nowhere. What
        reductions combine, and the places that elements are read from, are needed as far as loops really run; other
        elements that are computed without need may be of anything.
        """
        ops = list(self.kernel.body.block.ops)
        if not all(isinstance(op, (StructuredOp, PlacedOp, PadOp, ConcatOp, func.ReturnOp, *RESHAPES)) for op in ops):
            return {}, [{} for _ in self.kernel.args]
        self.blocks = dims_of_blocks(self.kernel)
        rounds = 0
        while True:
            needed: dict[SSAValue, Needs] = {}
            ends: dict[str, Extent | None] = {}
            for op in reversed(ops):
                for dim, extent in self._visit(op, needed):
                    known = ends.setdefault(dim, extent)
                    ends[dim] = self.readers.joint(known, extent) if known and extent else None
            wrong = {dim for dim, extent in ends.items() if extent is None} - self.without
            found = {dim: extent for dim, extent in ends.items() if extent is not None}
            if not wrong and found == self.running:
                return found, [needed.get(argument, {}) for argument in self.kernel.args]
            rounds += 1
            if rounds > _MOST_ROUNDS:
                wrong |= {dim for dim, extent in found.items() if extent != self.running.get(dim)}
            self.without |= wrong
            self.running = {} if wrong else found

    def _run_to(self, op: StructuredOp | PlacedOp, dim: int, end: Extent) -> Extent:
        """Where loops over a dim end that is needed up to an extent: rounded up, and as far as other ops need it."""
        name = op.dim_names[dim]
        end = self.readers.joint(end, self.running.get(name, end)) or end
        return replace(end, multiple=self.readers.lanes) if name in self.blocks else end

    def _visit(self, op: Operation, needed: dict[SSAValue, Needs]) -> list[tuple[str, Extent | None]]:
        """Note what an op needs of its operands; where the loops over its dims end."""
        if isinstance(op, func.ReturnOp):
            for value, needs in zip(op.operands, self.results, strict=True):
                if needs is not None:
                    self.readers.join(needed, value, needs)
            return []
        if isinstance(op, RESHAPES):
            if (needs := needed.get(op.results[0])) is not None:
                root = unreshaped(op.operands[0])
                self.readers.join(needed, root, before_reshape(root, op.results[0], needs))
            return []
        if isinstance(op, PadOp):
            low = cast("Sequence[int]", op.static_low.get_values())
            ends = needed.get(op.results[0], {})
            before = {axis: end.beyond(-low[axis]) for axis, end in ends.items() if isinstance(end, Extent)}
            self.readers.join(needed, op.source, {} if op.low else before)
            return []
        if isinstance(op, ConcatOp):
            self._visit_concat(op, needed)
            return []
        if isinstance(op, PutOp):
            return self._visit_put(op, needed)
        assert isinstance(op, StructuredOp | PlacedOp)
        limits = {
            dim: end
            for dim, end in needed.get(op.result, {}).items()
            if isinstance(end, Extent) and op.dim_names[dim] not in self.without
        }
        if isinstance(op, PlacedOp):
            return self._visit_placed(op, limits, needed)
        for dim in range(op.num_parallel, len(op.dims)):
            if op.dim_names[dim] not in self.without and (end := self._end_of_reduction(op, dim)) is not None:
                limits[dim] = end
        reached = {dim: self._run_to(op, dim, end) if dim >= op.num_parallel else end for dim, end in limits.items()}
        for number, (value, affine) in enumerate(zip(op.inputs, op.index_maps, strict=True)):
            needs = subscripted(affine.results, reached, op.dim_sizes)
            if op.reduction is None:
                needs |= self._masked(op, number, affine.results, limits)
            self.readers.join(needed, value, needs)
        return [(name, limits.get(dim)) for dim, name in enumerate(op.dim_names)]

    def _visit_placed(
        self, op: PlacedOp, limits: Mapping[int, Extent], needed: dict[SSAValue, Needs]
    ) -> list[tuple[str, Extent | None]]:
        places: dict[int, Extent] = {}
        reached = {dim: self._run_to(op, dim, end) for dim, end in limits.items()}
        for number, (value, affine) in enumerate(zip(op.indices, op.index_maps, strict=True), len(op.dim_names)):
            self.readers.join(needed, value, subscripted(affine.results, reached, op.dim_sizes))
            table = self.tails.table(value)
            dim = None if table is None else plain_dim(affine.results[table.axis])
            if table is not None and dim is not None and dim in limits and not self.readers.of_starts:
                places[number] = limits[dim].times(Fraction(1, table.per)).beyond(table.more)
        subscripts = op.place.data.results
        needs = subscripted(subscripts, limits, op.dim_sizes)
        needs |= {axis: places[d] for axis, e in enumerate(subscripts) if (d := plain_dim(e)) in places}
        self.readers.join(needed, op.data, needs)
        return [(name, limits.get(dim)) for dim, name in enumerate(op.dim_names)]

    def _visit_put(self, op: PutOp, needed: dict[SSAValue, Needs]) -> list[tuple[str, Extent | None]]:
        """Points are left out that only reach elements which are not needed: those of dims that are subscripts of the
        data. To where coordinates reach is not known."""
        ends, limits = needed.get(op.result, {}), dict[int, Extent]()
        for axis, subscript in enumerate(op.place.data.results):
            dim, end = plain_dim(subscript), ends.get(axis)
            if dim is not None and dim < len(op.dims) and isinstance(end, Extent):
                limits |= {dim: end} if op.dim_names[dim] not in self.without else {}
        reached = {dim: self._run_to(op, dim, end) for dim, end in limits.items()}
        for value, affine in zip(op.indices, op.index_maps, strict=True):
            self.readers.join(needed, value, subscripted(affine.results, reached, op.dim_sizes))
        self.readers.join(needed, op.updates, reached)
        self.readers.join(needed, op.data, ends)
        return [(name, limits.get(dim)) for dim, name in enumerate(op.dim_names)]

    def _visit_concat(self, op: ConcatOp, needed: dict[SSAValue, Needs]) -> None:
        start, along = 0, op.dim.value.data
        ends = {axis: end for axis, end in needed.get(op.result, {}).items() if isinstance(end, Extent)}
        for value in op.inputs:
            self.readers.join(needed, value, {a: end.beyond(-start) if a == along else end for a, end in ends.items()})
            start += tensor_type(value).get_shape()[along]

    def _end_of_reduction(self, op: StructuredOp, dim: int) -> Extent | None:
        """An extent beyond which there is nothing to combine."""
        for extent in self._extents_along(op, dim):
            tail = self.tails.point(op, dim, extent)
            if tail is not None and self.tails.is_neutral(op, tail):
                return extent
        return None

    def _extents_along(self, op: StructuredOp, dim: int) -> list[Extent]:
        return [each for each in self.tails.extents_along(op, dim) if each.is_start == self.readers.of_starts]

    def _masked(
        self, op: StructuredOp, number: int, subscripts: Sequence[AffineExpr], limits: Mapping[int, Extent]
    ) -> dict[int, Extent]:
        """The axes of an operand of which a map does not use the elements beyond an extent."""
        found: dict[int, Extent] = {}
        for dim in range(op.num_parallel):
            axis = axis_along(subscripts, dim)
            if axis is None:
                continue
            for extent in self._extents_along(op, dim):
                needed = limits.get(dim)
                is_later = needed is not None and self.readers.joint(needed, extent) == extent
                if not is_later and self.tails.point(op, dim, extent, unknown=number) is not None:
                    found[axis] = extent
                    break
        return found


def dims_of_blocks(kernel: func.FuncOp) -> set[str]:
    """The dims along which elements lie side by side in some tensor, and those that are summed over. A row of a number
    for each point of another dim, as a mask of the rows of an image, is read one by one."""
    found: set[str] = set()
    for op in kernel.body.block.ops:
        if isinstance(op, StructuredOp | PlacedOp):
            parallel = op.num_parallel if isinstance(op, StructuredOp) else len(op.dim_names)
            found |= {*op.dim_names[parallel:], *op.dim_names[parallel - 1 : parallel]}
            last = [affine.results[-1].used_dims() for affine in op.index_maps if len(affine.results) > 1]
            found |= {op.dim_names[dim] for dims in last for dim in dims}
    return found
