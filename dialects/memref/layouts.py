"""What upstream requires of the types of views, whose classes are xDSL's: sizes, strides and offsets that follow from
the operands.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir import SSAValue
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.memref.globals import GlobalOp
from mlc.dialects.reshaping import check_groups, is_reduced
from mlc.support.requirements import requires
from mlc.support.types import memref_type

_Strides = Sequence[int | None]
"""Distances of neighbours in elements; None where a program computes them."""


@requires(memref.SubviewOp)
def subview_is_where_it_says(op: memref.SubviewOp) -> None:
    """The result has the inferred sizes, strides and offset; dims of size 1 may be left out."""
    source, result = memref_type(op.source), memref_type(op.result)
    offsets, sizes, strides = (
        _mixed(numbers.get_values(), values)
        for numbers, values in (
            (op.static_offsets, op.offsets),
            (op.static_sizes, op.sizes),
            (op.static_strides, op.strides),
        )
    )
    for noun, entries in (("offsets", offsets), ("sizes", sizes), ("strides", strides)):
        if len(entries) != source.get_num_dims():
            raise VerifyException(f"{op.name}: {len(entries)} {noun} for {source}")
    negative = [n for n in (*offsets, *sizes) if isinstance(n, int) and n < 0]
    if negative:
        raise VerifyException(f"{op.name}: {negative[0]} is negative; offsets and sizes count from 0")
    if result.element_type != source.element_type or result.memory_space != source.memory_space:
        raise VerifyException(f"{op.name}: {result} has other elements or another memory space than {source}")
    if isinstance(source.layout, AffineMapAttr) or isinstance(result.layout, AffineMapAttr):
        return  # which may be strides in other words
    try:
        expected = memref.SubviewOp.infer_result_type(source, offsets, sizes, strides)
    except ValueError as e:
        raise VerifyException(f"{op.name}: {e}") from None
    found, wanted = result.get_strides(), expected.get_strides()
    fits = found is not None and wanted is not None and result.get_offset() == expected.get_offset()
    if not fits or not is_reduced(
        list(zip(expected.get_shape(), wanted or (), strict=True)),
        list(zip(result.get_shape(), found or (), strict=True)),
    ):
        raise VerifyException(f"{op.name}: the result type is {result}, required: {expected}, or one without dims of 1")


def _mixed(numbers: Sequence[int], values: Sequence[SSAValue]) -> list[SSAValue | int]:
    rest = iter(values)
    return [next(rest) if n == DYNAMIC_INDEX else n for n in numbers]


@requires(memref.ReinterpretCastOp)
def cast_says_what_it_does(op: memref.ReinterpretCastOp) -> None:
    """The result has the given strides and offset."""
    source, result = memref_type(op.source), memref_type(op.result)
    if len(op.static_offsets) != 1:
        raise VerifyException(f"{op.name}: {len(op.static_offsets)} offsets, there is one")
    if result.element_type != source.element_type or result.memory_space != source.memory_space:
        raise VerifyException(f"{op.name}: {result} has other elements or another memory space than {source}")
    found = result.get_strides()
    if found is None:
        raise VerifyException(f"{op.name}: {result} has no strides; required is a strided layout")
    given = [
        None if n == DYNAMIC_INDEX else n for n in (*op.static_strides.get_values(), *op.static_offsets.get_values())
    ]
    if not all(a is None or b is None or a == b for a, b in zip((*found, result.get_offset()), given, strict=False)):
        raise VerifyException(f"{op.name}: {result} has other strides or another offset than are given")


@requires(memref.ExpandShapeOp)
def expanded_sizes_fit(op: memref.ExpandShapeOp) -> None:
    """Each dim of the source is a group of dims of the result with as many elements."""
    result = memref_type(op.result)
    shape, given = result.get_shape(), op.static_output_shape.get_values()
    if len(given) != len(shape):
        raise VerifyException(f"{op.name}: {len(given)} sizes are given, {result} has {len(shape)}")
    if list(given) != list(shape):
        raise VerifyException(f"{op.name}: the given sizes and those of {result} differ")
    check_groups(op.name, memref_type(op.src), result, op.reassociation)


@requires(memref.CollapseShapeOp)
def collapsed_sizes_fit(op: memref.CollapseShapeOp) -> None:
    """Each dim of the result is a group of dims of the source with as many elements."""
    check_groups(op.name, memref_type(op.result), memref_type(op.src), op.reassociation)


@requires(memref.GetGlobalOp)
def global_is_there(op: memref.GetGlobalOp) -> None:
    """The symbol is a global of the type of the result."""
    if (outer := op.parent_op()) is None:
        return
    name = op.name_
    found = SymbolTable.lookup_symbol(outer, name)
    if not isinstance(found, GlobalOp):
        raise VerifyException(f"{op.name}: '@{name.string_value()}' is not a memref.global")
    if found.type != op.memref.type:
        raise VerifyException(f"{op.name}: '@{name.string_value()}' has type {found.type}, not {op.memref.type}")


@requires(memref.DimOp)
def dims_are_there(op: memref.DimOp) -> None:
    """A buffer without dims has no sizes to ask for."""
    if isinstance(op.source.type, MemRefType) and not memref_type(op.source).get_num_dims():
        raise VerifyException(f"{op.name}: {memref_type(op.source)} has no dims")


@requires(memref.AllocOp, memref.AllocaOp)
def symbols_of_layouts_are_given(op: memref.AllocOp | memref.AllocaOp) -> None:
    """There is a value for each symbol of the layout."""
    layout = memref_type(op.memref).layout
    match layout:
        case AffineMapAttr():
            symbols = layout.data.num_symbols
        case StridedLayoutAttr():
            symbols = [*layout.strides.data, layout.offset].count(NoneAttr())
        case _:
            symbols = 0
    if len(op.symbol_operands) != symbols:
        raise VerifyException(f"{op.name}: {len(op.symbol_operands)} symbols are given, the layout has {symbols}")
