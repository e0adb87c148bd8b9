"""First factors of products as integers of i8, with a scale for each row, or for each row and group of columns."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import f32, i8
from xdsl.ir import SSAValue

from mlc.dialects.graph import DequantizeOp, QuantizeOp, ReshapeOp, SliceOp
from mlc.dialects.graph.types import element_of, ints, is_static, shape_of
from mlc.dialects.loop.dot import ui8
from mlc.passes.graph._integer_factors import known_array, quantize_to
from mlc.support.resources import Resources


@dataclass(frozen=True)
class QuantizedRows:
    """A tensor `[…, k]` whose rows are dequantised, whole or in groups of columns, of which the last may be cut off.

    Groups are `[…, groups, group]`, of i8, or of ui8 with the zero point 128; scales are `[…, groups, 1]` of f32. Whole
    rows are `[…, k]`, with scales `[…, 1]`, and may have zero points of i8, `[…, 1]`.
    """

    source: DequantizeOp
    are_whole: bool
    """Whether rows have one scale each."""
    has_zero: bool
    """Whether something is to be subtracted from integers of i8."""

    @property
    def quantized(self) -> SSAValue:
        """The integers."""
        return self.source.input

    @property
    def scale(self) -> SSAValue:
        """Their scales."""
        return self.source.scale

    @property
    def zero(self) -> SSAValue:
        """What is subtracted from integers, if they have zero points."""
        return self.source.zero_point

    @property
    def group(self) -> int | None:
        """How many columns have a scale of their own; None if that are all of a row."""
        return None if self.are_whole else shape_of(self.quantized)[-1]

    def make_signed(self, resources: Resources) -> bool:
        """Let integers be those of i8; False if who quantises them cannot do that."""
        owner = self.quantized.owner
        if element_of(self.quantized) != i8 and isinstance(owner, QuantizeOp):
            quantize_to(owner, i8, resources)
        return element_of(self.quantized) == i8


def quantized_rows(value: SSAValue, resources: Resources) -> QuantizedRows | None:
    """What a value is, if it is dequantised with a scale for each row, or each group of its last dim; None for others.

    Proof: reshapes keep the order of elements. So, where a last dim is as wide as all groups together, rows are rows of
    groups, one after the other; a slice shortens rows of this width, and reshapes of the result keep its own.
    """
    width, is_cut = shape_of(value)[-1], False
    while isinstance(owner := value.owner, ReshapeOp | SliceOp) and is_static(owner.input.type):
        if isinstance(owner, SliceOp):
            if is_cut or shape_of(value)[-1] != width or not _shortens_rows(owner):
                return None
            width, is_cut = shape_of(owner.input)[-1], True
        value = owner.input
    if not isinstance(owner, DequantizeOp) or element_of(owner.scale) != f32:
        return None
    shape, zero = shape_of(owner.input), known_array(owner.zero_point, resources)
    if len(shape) < 2 or element_of(owner.input) not in (i8, ui8):
        return None
    by_row = (*shape[:-1], 1)
    if shape_of(owner.scale) != by_row or shape_of(owner.result) != shape:
        return None
    has_zero = zero is None or bool((zero != (0 if element_of(owner.input) == i8 else 128)).any())
    are_whole = shape[-1] == width
    if has_zero and not (are_whole and element_of(owner.input) == i8 and shape_of(owner.zero_point) == by_row):
        return None
    return QuantizedRows(owner, are_whole, has_zero) if are_whole or shape[-1] * shape[-2] == width else None


def _shortens_rows(op: SliceOp) -> bool:
    """Whether a slice takes the first columns of all rows."""
    shape, ends = shape_of(op.input), ints(op.ends)
    starts_at_first = not any(ints(op.starts)) and all(stride == 1 for stride in ints(op.strides))
    return starts_at_first and tuple(ends[:-1]) == shape[:-1]
