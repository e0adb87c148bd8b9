"""First factors of products as integers of i8, with a scale for each row and each group of columns."""

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
    """A tensor `[…, k]` whose rows are dequantised in groups of columns, of which the last may be cut off.

    It is `[…, groups, group]`, of i8, or of ui8 with the zero point 128; scales are `[…, groups, 1]` of f32.
    """

    source: DequantizeOp

    @property
    def quantized(self) -> SSAValue:
        """The integers."""
        return self.source.input

    @property
    def scale(self) -> SSAValue:
        """Their scales."""
        return self.source.scale

    @property
    def group(self) -> int:
        """How many columns share a scale."""
        return shape_of(self.quantized)[-1]

    @property
    def width(self) -> int:
        """How many columns all groups have."""
        return self.group * shape_of(self.quantized)[-2]

    def make_signed(self, resources: Resources) -> bool:
        """Let integers be those of i8; False if who quantises them cannot do that."""
        owner = self.quantized.owner
        if element_of(self.quantized) != i8 and isinstance(owner, QuantizeOp):
            quantize_to(owner, i8, resources)
        return element_of(self.quantized) == i8


def quantized_rows(value: SSAValue, resources: Resources) -> QuantizedRows | None:
    """What a value is, if it is dequantised with a scale for each group of its last dim; None for others.

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
    is_by_group = len(shape) > 1 and shape_of(owner.scale) == (*shape[:-1], 1) and shape_of(owner.result) == shape
    if element_of(owner.input) not in (i8, ui8) or not is_by_group or zero is None:
        return None
    if (zero != (0 if element_of(owner.input) == i8 else 128)).any():
        return None
    found = QuantizedRows(owner)
    return found if found.width == width else None


def _shortens_rows(op: SliceOp) -> bool:
    """Whether a slice takes the first columns of all rows."""
    shape, ends = shape_of(op.input), ints(op.ends)
    starts_at_first = not any(ints(op.starts)) and all(stride == 1 for stride in ints(op.strides))
    return starts_at_first and tuple(ends[:-1]) == shape[:-1]
