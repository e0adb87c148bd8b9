"""Writing graph ops, of which those that depend on constants only are computed at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from mlc.dialects import graph
from mlc.dialects.graph import ConstantOp
from mlc.dialects.graph.placement import IndexedOp
from mlc.dialects.graph.types import element_of, shape_of, tensor
from mlc.frontends.operators.floor_sizes import floored
from mlc.frontends.operators.knowledge import Extents, Knowledge
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.size_rules import as_sizes, sizes_of
from mlc.frontends.operators.sizes import AnySize, SymbolicSize, bounds, written
from mlc.reference.execution import UndefinedBehavior
from mlc.reference.folding import LARGE_SPLAT, computed, gives_splat, is_splat, stored_bytes
from mlc.support import dtypes
from mlc.support.former_names import warn_of_name
from mlc.support.requirements import Violation
from mlc.support.resources import Resources
from mlc.support.types import MOST_ELEMENTS

Array = NDArray[Any]
_SPELLED = 64
"""Constants of up to this number of elements are spelled out in the IR."""
_MOST = 1 << 20
"""Results of up to this number of bytes are computed now; `fold-constants` decides on larger ones, such as weights."""
MOST_COUNTED = 1 << 27
"""How long a row of numbers 0, 1, 2, … that patterns make may be."""
_MOST_WIDENED = 1 << 14
"""How many integers of 8 bits become floats now; more may be weights, which `use-short-weights` leaves short."""
_MOST_EXPANDED = 1 << 24
"""And no operands that stand for so many bytes more than they take."""


@dataclass
class GraphBuilder:
    """Puts graph ops before an op of another dialect; every method returns the result of what it adds.

    Raises `Unconvertible` where the shapes or types of operands do not fit.
    """

    before: Operation
    knowledge: Knowledge
    hint: str = "constant"

    # ---- adding

    def __call__(self, op_type: type[graph.GraphOp], *arguments: Any, **options: Any) -> SSAValue:
        """A graph op; its value if that is known now."""
        try:
            op = cast(Any, op_type)(*arguments, **options)
            op.verify()
        except VerifyException as e:
            elements = [element_of(cast(SSAValue, a)) for a in arguments if isinstance(a, SSAValue)]
            if stored := [element for element in elements if element in dtypes.ONLY_STORED]:
                words = f"elements of type {stored[0]} are only stored, not computed with; convert them to i8 first"
            else:
                words = e.reason if isinstance(e, Violation) else str(e)
            raise Unconvertible(words, of_operands=True) from None
        for result in op.results:
            if not dtypes.is_supported(element := element_of(result)):
                raise Unconvertible(f"it makes elements of type {element}, with which mlc does not compute")
        return self.insert(op)

    def insert(self, op: graph.GraphOp) -> SSAValue:
        """A graph op that exists already."""
        for result in op.results:
            _require_addressable(shape_of(result))
        known = [self.knowledge.array(v) for v in op.operands]
        indices = self.knowledge.array(op.indices) if isinstance(op, IndexedOp) else None
        if isinstance(op, IndexedOp) and indices is not None and (wrong := op.out_of_range(indices)) is not None:
            raise Unconvertible(wrong)
        arrays = [a for a in known if a is not None]
        if len(arrays) == len(known) and self._is_computed_now(op, arrays):
            try:
                result = computed(op, arrays)
            except UndefinedBehavior as e:
                raise Unconvertible(str(e)) from None
            op.erase()
            return self.constant(result, op.result.type.element_type)
        sizes = sizes_of(op, [self.knowledge.sizes.get(v) for v in op.operands], known)
        sizes = floored(op, self.knowledge) if sizes is None and isinstance(op, graph.WhereOp) else sizes
        extents = [self.knowledge.extents.get(v, {}) for v in op.operands]
        is_known = sizes is not None and not any(isinstance(size, SymbolicSize) for size in sizes.flat)
        if sizes is not None and not (is_known and any(extents)):  # how many numbers there are may still be open
            if is_known:
                element = op.result.type.element_type
                op.erase()
                return self.constant(sizes.astype(dtypes.to_numpy(element)), element)
            self.knowledge.sizes[op.result] = sizes
        if any(extents):
            assert self.knowledge.hand_on is not None
            try:
                self.bounded(op.result, self.knowledge.hand_on(op, extents, self))
            except Unconvertible:
                op.erase()  # some callers have another form
                raise
        self._insert(op)
        return op.result

    def bounded(self, value: SSAValue, extents: Extents) -> SSAValue:
        """Note that some dims of a value are as long as a `tensor<i64>` says, which is not longer than its shape."""
        found: dict[int, SSAValue] = {}
        for axis, extent in extents.items():
            if not shape_of(value)[axis]:
                continue
            if (size := self.size_of(extent)) is not None:
                known = self.knowledge.written.get(size)
                if known is None or not self.knowledge.is_seen(known, self.before):
                    known = self.knowledge.written[size] = extent
                extent = known
            found[axis] = extent
        if found:
            self.knowledge.extents[value] = found
        return value

    # ---- sizes that are known at the call

    def size_of(self, value: SSAValue) -> AnySize | None:
        """The size that a `tensor<i64>` holds; None if it depends on data."""
        sizes = self.knowledge.sizes.get(value)
        return None if sizes is None else sizes.item()

    def axis_size(self, value: SSAValue, axis: int) -> AnySize | None:
        """How long a dim is; None if that depends on data."""
        extent = self.knowledge.extents.get(value, {}).get(axis)
        return shape_of(value)[axis] if extent is None else self.size_of(extent)

    def extent(self, size: AnySize) -> SSAValue:
        """The `tensor<i64>` that holds a size, the same for equal ones."""
        known = self.knowledge.written.get(size)
        if known is None or not self.knowledge.is_seen(known, self.before):
            known = written(size, self, lambda number: self.constant(np.asarray(number, np.int64)))
            self.knowledge.sizes[known] = as_sizes(np.asarray(size, object))
            self.knowledge.written[size] = known
        return known

    def sized(self, value: SSAValue, sizes: Mapping[int, AnySize]) -> SSAValue:
        """The value, of which some dims end at these sizes. Raises: Unconvertible if they may be longer than it is."""
        ends: dict[int, SSAValue] = {}
        for axis, size in sizes.items():
            low, high = bounds(size)
            if low < 0 or high > shape_of(value)[axis]:
                raise Unconvertible(f"an extent from {low} to {high} is asked for, of {shape_of(value)[axis]} elements")
            if size != shape_of(value)[axis]:
                ends[axis] = self.extent(size)
        if not ends:
            return value
        whole = {**self.knowledge.extents.get(value, {}), **ends}
        return self.bounded(self.viewed(value, shape_of(value), {}), whole)  # others use the whole of the value

    def viewed(self, value: SSAValue, shape: Sequence[int], sizes: Mapping[int, AnySize]) -> SSAValue:
        """All of a value in memory under another shape, also what lies after the data; some dims end at `sizes`."""
        view = graph.ReshapeOp(value, tuple(shape))
        self._insert(view)
        return self.bounded(view.result, {axis: self.extent(size) for axis, size in sizes.items()})

    def _is_computed_now(self, op: graph.GraphOp, arrays: Sequence[Array]) -> bool:
        type = op.result.type
        if not dtypes.is_supported(type.element_type) or len(op.results) != 1:
            return False
        if isinstance(op, graph.DequantizeOp):
            return False  # products of integers need them
        if isinstance(op, graph.CastOp) and arrays[0].dtype.itemsize == 1 and is_float(op.result):
            return prod(type.get_shape()) <= _MOST_WIDENED  # and those of short weights
        if gives_splat(op, arrays):
            return True
        size = prod(type.get_shape()) * dtypes.to_numpy(type.element_type).itemsize
        return size <= _MOST and sum(a.nbytes - stored_bytes(a) for a in arrays) <= _MOST_EXPANDED

    def _insert(self, op: Operation) -> None:
        op.location = self.before.location
        Rewriter.insert_op(op, InsertPoint.before(self.before))

    # ---- constants

    def constant(self, data: Any, element: Attribute | None = None) -> SSAValue:
        """A constant with these numbers; of i64 or f32 unless an element type or an array says otherwise."""
        array = np.asarray(data)
        if element is None:
            if not isinstance(data, np.ndarray):
                array = array.astype(np.float32 if array.dtype.kind == "f" else np.int64)
            element = dtypes.from_numpy(array.dtype)
        array = array.astype(dtypes.to_numpy(element), copy=False)
        if is_splat(array) and array.nbytes > LARGE_SPLAT:
            op = graph.BroadcastOp(self.constant(array[(0,) * array.ndim], element), array.shape)
            self._insert(op)
            self.knowledge.arrays[op.result] = array
            return op.result
        op = constant_of_array(array, element, self.knowledge.resources, self.hint)
        self.knowledge.arrays[op.result] = array
        return self.insert_constant(op)

    def insert_constant(self, op: ConstantOp) -> SSAValue:
        """A constant that exists already; it goes if nobody uses it in the end."""
        self._insert(op)
        self.knowledge.made[op] = None
        return op.result

    def splat(self, number: float, shape: Sequence[int], element: Attribute) -> SSAValue:
        """A constant of one number everywhere, of which no array is kept."""
        _require_addressable(shape)
        return self.constant(np.broadcast_to(np.asarray(number, dtypes.to_numpy(element)), tuple(shape)), element)

    def number(self, number: float, like: SSAValue) -> SSAValue:
        """A constant of rank 0 with the element type of `like`."""
        return self.constant(np.asarray(number), element_of(like))

    # ---- what patterns write often

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a + b`."""
        return self(graph.AddOp, a, b)

    def plus(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """What `add` was called before."""
        warn_of_name("'plus' of a builder of graph ops is called 'add' now; use the new name")
        return self.add(a, b)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a - b`."""
        return self(graph.SubOp, a, b)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a * b`."""
        return self(graph.MulOp, a, b)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a / b`, of integers towards zero."""
        return self(graph.DivOp, a, b)

    def minus(self, value: SSAValue) -> SSAValue:
        """`-x`; of unsigned integers what is missing to the next power of two."""
        if dtypes.is_unsigned(element_of(value)):
            return self.sub(self.splat(0, shape_of(value), element_of(value)), value)
        return self(graph.NegOp, value)

    def squared(self, value: SSAValue) -> SSAValue:
        """`x * x`."""
        return self.mul(value, value)

    def scaled(self, value: SSAValue, factor: float) -> SSAValue:
        """The product with a number; the value itself if that is 1."""
        return value if factor == 1 else self.mul(value, self.number(factor, value))

    def maximum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The larger one; NaN if either is."""
        return self(graph.MaxOp, a, b)

    def minimum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The smaller one; NaN if either is."""
        return self(graph.MinOp, a, b)

    def to_bool(self, value: SSAValue) -> SSAValue:
        """Whether elements are not 0 (NaN is not)."""
        return value if element_of(value) == i1 else self.compare("ne", value, self.number(0, value))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`eq`, `ne`, `lt`, `le`, `gt` or `ge`, of i1."""
        return self(graph.CompareOp, predicate, a, b)

    def where(self, condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
        """`on_true` where the condition holds, else `on_false`."""
        return self(graph.WhereOp, condition, on_true, on_false)

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The elements converted; the value itself if they have the type."""
        return value if element_of(value) == element else self(graph.CastOp, value, element)

    def widened(self, value: SSAValue) -> SSAValue:
        """The elements in the type that they are computed with in: sums of halves are f32."""
        return self.cast(value, dtypes.computing_type(element_of(value)))

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """The elements under another shape; the value itself if it has that shape."""
        return value if shape_of(value) == tuple(shape) else self(graph.ReshapeOp, value, tuple(shape))

    def unsqueeze(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Dims of extent 1 put in, which are these axes of the result."""
        rank = len(shape_of(value)) + len(axes)
        kept = [axis for axis in range(rank) if axis not in axes]
        extents = dict(zip(kept, shape_of(value), strict=True))
        return self._renumbered(value, [extents.get(axis, 1) for axis in range(rank)], dict(enumerate(kept)))

    def squeeze(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Dims of extent 1 taken out."""
        for axis in axes:
            if (extent := self.knowledge.extents.get(value, {}).get(axis)) is not None:
                cause = self.knowledge.cause_of(extent)
                raise Unconvertible(f"the extent of dim {axis}, which is taken out of {value.type}, {cause}")
        kept = [axis for axis in range(len(shape_of(value))) if axis not in axes]
        return self._renumbered(value, [shape_of(value)[axis] for axis in kept], {a: i for i, a in enumerate(kept)})

    def _renumbered(self, value: SSAValue, shape: Sequence[int], axes: Mapping[int, int]) -> SSAValue:
        """A reshape of which it is known which axis becomes which."""
        extents = self.knowledge.extents.get(value, {})
        if not extents or shape_of(value) == tuple(shape):
            return self.reshape(value, shape)
        op = graph.ReshapeOp(value, tuple(shape))
        self._insert(op)
        return self.bounded(op.result, {axes[axis]: extent for axis, extent in extents.items()})

    def transpose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """The dims permuted; the value itself if they stay."""
        if list(permutation) == list(range(len(permutation))):
            return value
        return self(graph.TransposeOp, value, tuple(permutation))

    def untranspose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """The dims back where `transpose` took them from."""
        order = list(permutation)
        return self.transpose(value, [order.index(i) for i in range(len(order))])

    def axis_first(self, value: SSAValue, axis: int) -> SSAValue:
        """An axis moved to the front."""
        return self.transpose(value, _axis_first(value, axis))

    def first_to_axis(self, value: SSAValue, axis: int) -> SSAValue:
        """The first axis moved to a place: the inverse of `axis_first`."""
        return self.untranspose(value, _axis_first(value, axis))

    def broadcast(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """The elements repeated to a shape; the value itself if it has that shape."""
        return value if shape_of(value) == tuple(shape) else self(graph.BroadcastOp, value, tuple(shape))

    def concat(self, values: Sequence[SSAValue], axis: int) -> SSAValue:
        """One after the other along an axis."""
        return values[0] if len(values) == 1 else self(graph.ConcatOp, list(values), axis)

    def slice(self, value: SSAValue, axis: int, start: int, end: int, stride: int = 1) -> SSAValue:
        """The elements of one axis from `start` up to, not including, `end`."""
        shape = shape_of(value)
        starts, ends, strides = [0] * len(shape), list(shape), [1] * len(shape)
        starts[axis], ends[axis], strides[axis] = start, end, stride
        if (start, end, stride) == (0, shape[axis], 1):
            return value
        return self(graph.SliceOp, value, starts, ends, strides)

    def reduce(self, kind: str, value: SSAValue, axes: Sequence[int], keepdims: bool = False) -> SSAValue:
        """`sum`, `mean`, `max`, `min` or `prod` along axes, in any order."""
        extents = self.knowledge.extents.get(value, {})
        if kind == "mean" and any(axis in extents for axis in axes):
            fixed = prod(shape_of(value)[axis] for axis in axes if axis not in extents)
            counts = [self.cast(extents[axis], element_of(value)) for axis in axes if axis in extents]
            count = reduce(self.mul, counts, self.number(fixed, value))
            return self.div(self.reduce("sum", value, axes, keepdims), count)
        return self(graph.ReduceOp, kind, value, sorted(axes), keepdims)

    def matmul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The product of matrices, or of stacks of them."""
        return self(graph.MatmulOp, a, b)


def constant_of_array(array: Array, element: Attribute, resources: Resources, hint: str) -> ConstantOp:
    """A constant with the numbers of an array of the data type of `element`: spelled out if they are few or the same
    everywhere, else a resource under a name derived from `hint`.
    """
    kind = tensor(array.shape, element)
    if 0 < array.size <= _SPELLED or is_splat(array):
        numbers = (array.reshape(-1) if array.size <= _SPELLED else array.flat[:1]).tolist()
        return ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, kind), numbers))
    return ConstantOp(DenseResourceAttr.from_params(resources.add(array, hint), kind))


def _axis_first(value: SSAValue, axis: int) -> list[int]:
    return [axis, *(i for i in range(len(shape_of(value))) if i != axis)]


def _require_addressable(shape: Sequence[int]) -> None:
    """Raises: Unconvertible if no machine has memory for so many elements."""
    if prod(shape) > MOST_ELEMENTS:
        size = "x".join(map(str, shape))
        raise Unconvertible(f"it makes a tensor of {size} elements: that is more than any memory holds")


def is_float(value: SSAValue) -> bool:
    """Whether the elements are floating-point numbers."""
    return not isinstance(element_of(value), IntegerType)
