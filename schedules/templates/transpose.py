"""Choosing the loops of kernels that transpose: what they write along one dim they read along another.

Such a kernel works on blocks that are whole cache lines on both sides. The lanes run along the result; the copies of an
unrolled loop are neighbours in the operand, so that `transpose-loads` turns their loads into rows and shuffles. Lines
are whole because rows of a power of two of bytes are in each other's way in the caches: what is left of a line for
later is gone by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import i1

from mlc.analysis.in_place import is_one_nest
from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.support.affine import split_terms
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type

BYTES_TURNED = 16
"""How many rows and columns of bytes are turned at a time: what shuffles of x86 and of NEON work on."""


class Transpositions(ScheduleTemplate):
    """One nest that reads an operand across its last dim: blocks of whole cache lines, turned in registers.

    y[m, n] = f(x[n, m])   ->   for blocks of m: for blocks of n: 16 loads along n, f, 16 stores along n
    """

    name = "transpose"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        *others, root = ops = kernel.ops
        if any(op.reduction is not None for op in ops) or not is_one_nest(ops):
            return
        names = list(root.dim_names)
        if len(names) < 2 or any(not set(op.dim_names) <= set(names) for op in others):
            return
        across = [_across(op, names[-1]) for op in ops]
        m = next((found for found in across if found), None)
        if m is None or None in across:
            return
        bytes_of = max(to_numpy(element_type(v.type)).itemsize for op in ops for v in (*op.inputs, op.result))
        line, lanes = kernel.machine.memory.line_bytes // max(bytes_of, 4), kernel.lanes
        if bytes_of == 1:
            lanes = BYTES_TURNED
        size = root.dim_sizes[-1]
        yield Candidate(tuple(_steps(names, m, size, lanes, max(line, lanes))))
        if line < lanes:
            return
        for lines in (2, 4):
            steps = tuple(_steps(names, m, size, lanes, lines * line))
            yield Candidate(steps, f"blocks of {lines} cache lines", is_only_shown=True)


def _steps(names: Sequence[str], m: str, size: int, lanes: int, block: int) -> list[Step]:
    """Blocks of `block` x `block` elements of the last dim of `names` and of `m`, along which the operand lies.

    Where the last dim, of `size`, has a rest that fills no block, its loops are not a perfect nest, and stay in order:
    `unroll` puts the copies into them all the same.
    """
    *around, n = names
    is_nest = _is_whole(size, block) and _is_whole(min(size, block), lanes)
    steps: list[Step] = [Tile(m, block), Tile(n, block)]
    if lanes < block:
        order = [Interchange.around(*around, n, f"{n}i", f"{m}i", f"{n}ii")] if is_nest else []
        return [*steps, Tile(f"{n}i", lanes), *order, Vectorize(f"{n}ii", lanes), Unroll(f"{m}i"), Unroll(f"{n}i")]
    order = [Interchange.around(*around, n, f"{m}i", f"{n}i")] if is_nest else []
    return [*steps, *order, Vectorize(f"{n}i", lanes), Unroll(f"{m}i")]


def _is_whole(size: int, block: int) -> bool:
    """Whether blocks leave nothing behind: several whole ones, or one that is all there is."""
    return size <= block or size % block == 0


def _across(op: StructuredOp, name: str) -> str | None:
    """The dim along which an operand lies that is read across the dim `name`; "" if there is no such operand.

    None if `name` cannot become lanes at all.
    """
    dims = op.dim_names
    found = ""
    if name not in dims:
        return found
    dim = dims.index(name)
    for operand, affine in zip(op.inputs, op.index_maps, strict=True):
        moving = [e for e in affine.results if dim in e.used_dims()]
        if not moving:
            continue
        if len(moving) > 1 or (split_terms(moving[0])[dim] or 0) < 1:
            return None
        if moving[0] is affine.results[-1]:
            continue
        ahead = [d for d, factor in split_terms(affine.results[-1]).items() if factor == 1]
        elsewhere = set[int]().union(*(e.used_dims() for e in affine.results[:-1]))
        element = element_type(operand.type)
        turned = [d for d in ahead if d not in elsewhere and element != i1]
        if to_numpy(element).itemsize == 1:  # blocks of a few bytes are mostly empty
            turned = [d for d in turned if min(op.dim_sizes[d], op.dim_sizes[dim]) >= BYTES_TURNED]
        found = found or next((dims[d] for d in turned), "")
    return found
