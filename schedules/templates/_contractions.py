"""What the schedule of a contraction asks of it: its rows, its lanes, its groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeGuard

from xdsl.dialects import func
from xdsl.dialects.tensor import ConcatOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr, AffineMap

from mlc.dialects.tensor import StructuredOp
from mlc.support.affine import split_terms
from mlc.support.dtypes import bytes_of, to_numpy
from mlc.support.types import tensor_type


@dataclass(frozen=True)
class Contraction:
    """A contraction as its schedule sees it."""

    op: StructuredOp
    root: StructuredOp
    """The op that stores the kernel's result; its dims name the loops."""
    per_dot: int = 1
    """How many steps of the innermost reduction one dot product takes; 1 where products are added one by one."""

    @property
    def kernel(self) -> func.FuncOp:
        """The function around it."""
        kernel = self.op.parent_op()
        assert isinstance(kernel, func.FuncOp)
        return kernel

    @property
    def kernel_name(self) -> str:
        """The name of the function around it."""
        return self.kernel.sym_name.data

    @property
    def reduced_sizes(self) -> tuple[int, ...]:
        """The trips of the loops that reduce, innermost last."""
        *outer, last = self.op.dim_sizes[self.op.num_parallel :]
        return (*outer, last // self.per_dot)

    @property
    def step_bytes(self) -> int:
        """The size of what one step of the reductions reads of an operand: a number, or a word of short ones."""
        return to_numpy(tensor_type(self.op.inputs[0]).element_type).itemsize * self.per_dot

    @property
    def word_bits(self) -> int:
        """The width of the words that dot products take; 0 where products are added one by one."""
        return 8 * self.step_bytes if self.per_dot > 1 else 0

    @property
    def lane_dim(self) -> int:
        """The dim that becomes vectors: the last one of the result."""
        return self.op.num_parallel - 1

    @property
    def row_dim(self) -> int | None:
        """The dim next to it that has more than one iteration; one that shares what is read in vectors, if there is."""
        rows = [i for i in range(self.lane_dim) if self.op.dim_sizes[i] > 1]
        return max(rows, key=lambda i: (i not in self.unshared_dims, i), default=None)

    @property
    def unshared_dims(self) -> list[int]:
        """The dims for each of which the one operand in vectors is another: phases of a transposed convolution."""
        operands = self.operands_with_lanes()
        if len(operands) != 1:
            return []
        used = {i for e in operands[0][1].results for i in e.used_dims()}
        return [i for i in range(self.lane_dim) if i in used]

    @property
    def columns(self) -> int:
        """How many lanes may stand side by side: all of the lane dim, or those of one group of a convolution."""
        groups = [g for m in self.op.index_maps if (g := _group(m, self.lane_dim))]
        return min(groups, default=self.op.dim_sizes[self.lane_dim])

    @property
    def is_grouped(self) -> bool:
        """Whether there are several groups of lanes."""
        return self.columns < self.op.dim_sizes[self.lane_dim]

    @property
    def bytes_of_rows(self) -> int:
        """The size of the operands that are the same for all lanes."""
        of_panels = [value for value, _ in self.operands_with_lanes()]
        return sum(bytes_of(value) for value in self.op.inputs if value not in of_panels)

    def operands_with_lanes(self) -> list[tuple[SSAValue, AffineMap]]:
        """The operands that differ from lane to lane."""
        pairs = zip(self.op.inputs, self.op.index_maps, strict=True)
        lane = self.lane_dim
        return [(v, m) for v, m in pairs if any(lane in e.used_dims() for e in m.results) and not _group(m, lane)]


def _group(affine: AffineMap, dim: int) -> int | None:
    """How many neighbours along a dim read the same elements, as the channels of a group do; None for other dims."""
    sizes = set[int]()
    for part in (p for e in affine.results for p in e.dfs()):
        if isinstance(part, AffineBinaryOpExpr) and part.lhs == AffineExpr.dimension(dim):
            if part.kind is not AffineBinaryOpKind.FloorDiv or not isinstance(part.rhs, AffineConstantExpr):
                return None
            sizes.add(part.rhs.value)
        elif isinstance(part, AffineBinaryOpExpr) and part.rhs == AffineExpr.dimension(dim):
            return None
    return sizes.pop() if len(sizes) == 1 and AffineExpr.dimension(dim) not in affine.results else None


def contractions_of(ops: Sequence[StructuredOp]) -> list[Contraction]:
    """The contractions of a kernel that is one with elementwise ops after it, or several that are put side by side.

    None for other kernels.
    """
    contractions = [op for op in ops if op.contracts]
    reduces = any(op.reduction is not None and not op.contracts for op in ops)
    if not contractions or reduces or not all(op.num_parallel for op in ops):
        return []
    if len(contractions) > 1:
        apart = all(isinstance(use.operation, ConcatOp) for op in contractions for use in op.result.uses)
        lanes = {op.dim_names[op.num_parallel - 1] for op in contractions}
        return [Contraction(op, op) for op in contractions] if apart and len(lanes) == 1 else []
    op, root = contractions[0], ops[-1]
    dims, stored = (list(zip(o.dim_names, o.dim_sizes, strict=True))[: o.num_parallel] for o in (op, root))
    # A result that is stored in another order is computed in the order of the contraction.
    return [Contraction(op, root)] if dims[-1] == stored[-1] and sorted(dims) == sorted(stored) else []


def runs_along_memory(affine: AffineMap, dim: int) -> bool:
    """Whether an operand is read one element at a time along a dim."""
    *outer, last = affine.results
    return split_terms(last).get(dim) == 1 and not any(dim in e.used_dims() for e in outer)


def can_be_packed(operand: SSAValue) -> TypeGuard[BlockArgument]:
    """Whether an operand is an argument of the kernel that is read in one way."""
    return isinstance(operand, BlockArgument) and operand.has_one_use()


def bytes_apart(operand: SSAValue, affine: AffineMap, dim: int) -> int:
    """How many bytes of an operand lie between two neighbours along a dim; 0 if it does not depend on that."""
    shape, bytes = tensor_type(operand).get_shape(), to_numpy(tensor_type(operand).element_type).itemsize
    terms = enumerate(map(split_terms, affine.results))
    return sum((factors.get(dim, 0) or 0) * prod(shape[axis + 1 :]) for axis, factors in terms) * bytes
