"""A weight that two kernels want in different orders, such as a table of embeddings that is also the matrix of the last
product, is stored once: who reads little of it reads it from the panels of the other one. Bytes of panels may be those
of the table and a number, where products take them without a sign: who reads them subtracts it.

A row of such a table lies in one panel, so that its elements are a line or two of memory apart. In a matrix that is
only transposed each is in a page of its own, and to read 512 of them took a fifth of the time of the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import DenseResourceAttr, IntegerAttr, MemRefType, ModuleOp, TensorType, i8, i64
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import set_subscripts
from mlc.analysis.loop_constants import constant_behind, resource_of, runs_of, users_of_buffer
from mlc.analysis.nests import functions_with_loops, update_type
from mlc.dialects.loop import ConstantOp, LoadOp
from mlc.schedules.buffer_layouts import Panels, WordLayout
from mlc.schedules.steps.pack import Packer
from mlc.support import dtypes
from mlc.support.types import memref_type, vector_type

Array = NDArray[Any]
_SMALL = 1 << 16
"""Weights of up to this number of bytes may be there twice."""
_COLUMN = 1
"""The dim of panels that the columns of a matrix with whole rows are."""
_RARELY = 100
"""Who reads so many times less than others reads their panels: an element in a line of its own takes longer."""


@dataclass(frozen=True)
class _KernelReading:
    """A function that reads a constant, in all its calls the same one."""

    argument: BlockArgument
    calls: Sequence[CallOp]

    @property
    def users(self) -> list[Operation]:
        """What uses the argument, under whatever shape."""
        return list(users_of_buffer(self.argument))

    def count(self) -> int:
        """How many elements it loads, in all calls together."""
        each = sum(runs_of(op) * _length(op) for op in self.users if isinstance(op, LoadOp))
        return each * sum(runs_of(call) for call in self.calls)

    def reads_rows(self, shape: tuple[int, ...]) -> bool:
        """Whether it loads elements of a matrix, seen as one, or several of a row, and does nothing else with it."""
        return all(
            isinstance(op, LoadOp)
            and (_length(op) == 1 or _is_along_row(op))
            and tuple(e for e in memref_type(op.memref).get_shape() if e != 1) == shape
            for op in self.users
        )

    @property
    def reads_vectors(self) -> bool:
        """Whether it loads several elements at a time."""
        return any(isinstance(op, LoadOp) and vector_type(op.result.type) is not None for op in self.users)


@dataclass(frozen=True)
class _InPanels:
    """How the elements of a matrix lie in a constant that is made of panels, perhaps of words."""

    constant: DenseResourceAttr
    panels: Panels
    words: int
    """How many numbers that follow each other along axis 0 of what the panels are of are one word."""
    transposed: bool

    def excess(self, matrix: Array, stored: Array) -> int | None:
        """What `stored` is more than `matrix` in this order, the same for all elements: 0, or any number
        modulo 256 of bytes; None if they differ otherwise."""
        wanted = matrix.T if self.transposed else matrix
        axis, width = self.panels.axis, self.panels.width
        if self.words > 1:
            if stored.dtype.itemsize != self.words * matrix.dtype.itemsize:
                return None
            rows = wanted.reshape(-1, self.words, wanted.shape[1]).swapaxes(1, 2)
            stored = self.elements(stored, matrix.dtype)
        else:
            rows = np.moveaxis(wanted, axis, -1)
        more = np.uint8(0)
        if matrix.dtype.kind in "iu" and matrix.dtype.itemsize == stored.dtype.itemsize == 1:
            rows, stored = rows.view(np.uint8), stored.view(np.uint8)
            more = np.subtract(stored.reshape(-1)[0], rows.reshape(-1)[0])
        blocks = (rows[:, start : start + width] for start in range(0, wanted.shape[axis], width))
        pairs = ((panel[:, : block.shape[1]], block) for panel, block in zip(stored, blocks, strict=True))
        same = all(_equal(panel, block + more if more else block) for panel, block in pairs)
        return int(more) if same else None

    def elements(self, stored: Array, dtype: np.dtype[Any]) -> Array:
        """The numbers of the panels, those of a word in a dim of their own: the same bytes."""
        return stored if self.words == 1 else stored[..., None].view(dtype)

    @property
    def has_whole_rows(self) -> bool:
        """Whether the elements of a row are in one panel, equally far apart."""
        return self.panels.axis == (1 if self.transposed else 0) and self.words == 1

    def subscripts(self, row: AffineExpr, column: AffineExpr) -> tuple[AffineExpr, ...]:
        """Where the element at these places of the matrix is."""
        places = [column, row] if self.transposed else [row, column]
        inside = [places[0] % self.words] if self.words > 1 else []
        places[0] = places[0] // self.words if self.words > 1 else places[0]
        along = places.pop(self.panels.axis)
        return (along // self.panels.width, *places, along % self.panels.width, *inside)


def store_once(module: ModuleOp, packer: Packer) -> None:
    """Let functions that read little of a matrix read it in the order in which others have it."""
    constants = _constants(module)
    orders = _orders(constants, packer)
    if not orders:
        return
    readers = _readers(module, packer)
    counts = {name: sum(r.count() for r in of) for name, of in readers.items()}
    passed = {name: sum(len(r.calls) for r in of) for name, of in readers.items()}
    for name, of in readers.items():
        matrix = packer.ctx.resources.array(name)
        shape = tuple(extent for extent in matrix.shape if extent != 1)
        if len(shape) != 2 or matrix.nbytes <= _SMALL or passed[name] != _use_count(constants[name]):
            continue
        if not all(reader.reads_rows(shape) for reader in of):
            continue
        for order in orders.get(shape, ()):
            if not order.has_whole_rows and any(reader.reads_vectors for reader in of):
                continue
            other = order.constant.resource_handle.data
            rarely = counts[name] * _RARELY <= counts.get(other, 0) * order.words
            stored = packer.ctx.resources.array(other)
            if rarely and (more := order.excess(matrix.reshape(shape), stored)) is not None:
                for reader in of:
                    _reorder(reader, order, more, packer)
                break


def _readers(module: ModuleOp, packer: Packer) -> dict[str, list[_KernelReading]]:
    """The functions that are given the same constant in all their calls, by the names of the data."""
    found: dict[str, list[_KernelReading]] = {}
    for function in functions_with_loops(module):
        calls = packer.calls_of(function)
        for argument in function.body.block.args if calls else ():
            names = {_name_behind(call.operands[argument.index]) for call in calls}
            if len(names) == 1 and (name := names.pop()) is not None:
                found.setdefault(name, []).append(_KernelReading(argument, calls))
    return found


def _constants(module: ModuleOp) -> dict[str, list[ConstantOp]]:
    """The constants of a module by the names of their data."""
    found: dict[str, list[ConstantOp]] = {}
    for op in module.walk():
        if isinstance(op, ConstantOp) and (name := resource_of(op)):
            found.setdefault(name, []).append(op)
    return found


def _use_count(constants: Sequence[ConstantOp]) -> int:
    """How many uses there are of constants."""
    return sum(len(list(users_of_buffer(op.result))) for op in constants)


def _orders(constants: dict[str, list[ConstantOp]], packer: Packer) -> dict[tuple[int, ...], list[_InPanels]]:
    """By the shape of a matrix, the panels that may hold one."""
    found: dict[tuple[int, ...], list[_InPanels]] = {}
    for constant, (panels, layout) in packer.panels_of_constants().items():
        held = tuple(len(r) for r in panels.part)
        if constant.resource_handle.data not in constants:
            continue
        words = 1
        if layout is not None:
            if type(layout) is not WordLayout or (layout.axis, panels.axis) != (0, 1) or len(held) != 2:
                continue
            words, held = layout.count, (held[0] * layout.count, held[1])
        found.setdefault(held, []).append(_InPanels(constant, panels, words, transposed=False))
        found.setdefault(held[::-1], []).append(_InPanels(constant, panels, words, transposed=True))
    return found


def _reorder(reader: _KernelReading, order: _InPanels, more: int, packer: Packer) -> None:
    """Let a function, and its calls, have a matrix in another order, and subtract what elements are more there."""
    argument = reader.argument
    for op in reader.users:
        assert isinstance(op, LoadOp)
        extents = memref_type(op.memref).get_shape()
        row, column = (e for e, extent in zip(op.map.data.results, extents, strict=True) if extent != 1)
        view = op.memref
        affine = AffineMap(len(op.indices), 0, order.subscripts(row, column))
        op.operands[0] = argument
        set_subscripts(op, list(op.indices), affine)
        if vector_type(op.result.type) is not None:
            op.properties["along"] = IntegerAttr(_COLUMN, i64)
        if more:
            _subtract(op, more)
        _erase_views(view)
    constant = _of_elements(order, memref_type(argument).element_type, packer)
    kind = MemRefType(memref_type(argument).element_type, _shape_of(constant))
    Rewriter.replace_value_with_new_type(argument, kind)
    function = argument.owner.parent_op()
    assert isinstance(function, FuncOp)
    update_type(function)
    for call in reader.calls:
        packer.pass_constant(call, argument.index, constant)


def _subtract(op: LoadOp, number: int) -> None:
    """Take a number of a byte from what is loaded, modulo 256."""
    new: list[Operation] = [arith.ConstantOp(IntegerAttr(number - 256 if number > 127 else number, i8))]
    if (lanes := vector_type(op.result.type)) is not None:
        new.append(vector.BroadcastOp(new[0].results[0], lanes))
    less = arith.SubiOp(op.result, new[-1].results[0])
    op.result.replace_uses_with_if(less.result, lambda use: use.operation is not less)
    for each in (*new, less):
        each.location = op.location
    Rewriter.insert_op([*new, less], InsertPoint.after(op))


def _of_elements(order: _InPanels, element: Attribute, packer: Packer) -> DenseResourceAttr:
    """The constant as numbers in place of words: the artifact stores equal bytes once."""
    if order.words == 1:
        return order.constant
    resources, name = packer.ctx.resources, order.constant.resource_handle.data
    numbers = order.elements(resources.array(name), dtypes.to_numpy(element))
    added = resources.add(numbers, f"{name}.numbers")
    return DenseResourceAttr.from_params(added, TensorType(element, numbers.shape))


def _shape_of(constant: DenseResourceAttr) -> tuple[int, ...]:
    """The shape of a constant."""
    return tuple(cast("TensorType[Any]", constant.type).get_shape())


def _erase_views(value: SSAValue) -> None:
    while isinstance(op := value.owner, memref.ReinterpretCastOp) and not value.uses:
        value = op.source
        Rewriter.erase_op(op)


def _name_behind(value: SSAValue) -> str | None:
    constant = constant_behind(value)
    return None if constant is None else resource_of(constant) or None


def _length(op: LoadOp) -> int:
    vector = vector_type(op.result.type)
    return 1 if vector is None else prod(vector.get_shape())


def _is_along_row(op: LoadOp) -> bool:
    """Whether a load is of a part of a row, where the last dim is not all of one element."""
    last = memref_type(op.memref).get_num_dims() - 1
    return op.lanes.along in (None, last) and op.lanes.rows is None and memref_type(op.memref).get_shape()[last] != 1


def _equal(a: Array, b: Array) -> bool:
    """Whether two matrices have the same bits."""
    bits = f"u{a.dtype.itemsize}"
    return a.dtype == b.dtype and np.array_equal(a.view(bits), b.view(bits))
