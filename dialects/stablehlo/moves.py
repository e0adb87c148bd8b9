"""Ops that make tensors, or move elements to places that the text says.

```mlir
%c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
%0 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
%1 = stablehlo.slice %0 [0:3:2, 0:1] : (tensor<3x2xf32>) -> tensor<2x1xf32>
%2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x1xf32>) -> tensor<1x2xf32>
```
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure

from mlc.dialects.quant.uniform import uniform_of
from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.base import I64, I64S, HloOp, Requirement, declare
from mlc.dialects.stablehlo.rules import element, in_range, is_unique, require, shape, size, words
from mlc.support.types import integer_width

_FUNCTION = "attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class ConstantOp(HloOp):
    """Data.

    ```mlir
    %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```

    Required:

    - `constant_c1`: the result has the type of the data, or a quantized one that is stored as the data is
    """

    name = "stablehlo.constant"
    value = prop_def()
    output = result_def()
    traits = traits_def(Pure(), ConstantLike())
    POINTWISE: ClassVar[bool] = True

    def __init__(self, value: Attribute) -> None:
        super().__init__(properties={"value": value}, result_types=[cast(Any, value).get_type()])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        if parser.parse_optional_punctuation("("):
            return cls._parse_rest_of_generic_form(parser)
        attributes = parser.parse_optional_attr_dict()
        start = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            parser.raise_error(f"expected dense data, got {value}", start, parser.pos)
        op = cls(cast(Attribute, value))
        op.attributes |= attributes
        return op

    @classmethod
    def _parse_rest_of_generic_form(cls, parser: Parser) -> Self:
        """`() <{value = …}> : () -> type`, of a constant whose type is not that of its data."""
        parser.parse_punctuation(")")
        properties = parser.parse_optional_dictionary_attr_dict() if parser.parse_optional_punctuation("<") else {}
        parser.parse_punctuation(">")
        attributes = parser.parse_optional_attr_dict()
        for word in (":", "(", ")", "->"):
            parser.parse_punctuation(cast(Any, word))
        return cls.create(properties=dict(properties), attributes=attributes, result_types=[parser.parse_type()])

    def print(self, printer: Printer) -> None:
        if self.output.type != cast(Any, self.value).get_type():
            printer.print_string("() <{value = ")
            printer.print_attribute(self.value)
            printer.print_string("}>")
            printer.print_op_attributes(self.attributes)
            printer.print_string(" : () -> ")
            printer.print_attribute(self.output.type)
            return
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)

    def verify_(self) -> None:
        require(self, 1, hasattr(self.value, "get_type"), lambda: f"the value is {self.value}; it has to be dense data")
        found, needed = cast(Any, self.value).get_type(), self.output.type
        is_right = found == needed or _stores(found, needed)
        require(self, 1, is_right, lambda: f"the data is of type {found}; the result is of type {needed}")


def _stores(data: Attribute, quantized: Attribute) -> bool:
    """Whether data of a type are the integers of tensors of a quantized type."""
    if not isinstance(data, TensorType) or not isinstance(quantized, TensorType):
        return False
    found, needed = cast("TensorType[Attribute]", data), cast("TensorType[Attribute]", quantized)
    if (kind := uniform_of(needed.element_type)) is None or found.get_shape() != needed.get_shape():
        return False
    return integer_width(found.element_type) == kind.width


def _iota(op: HloOp) -> None:
    """c1: it counts along a dim of the result."""
    dim, rank = op.number("iota_dimension"), len(shape(op.results[0]))
    require(op, 1, 0 <= dim < rank, f"the dim is {dim}; the result has {rank} dims")


declare(
    "iota",
    "`dim` `=` $iota_dimension attr-dict `:` type($output)",
    operands="",
    results="output",
    properties={"iota_dimension": I64},
    rules=(rules.tensors, rules.numbers, _iota),
)


def same_elements(constraint: int) -> Requirement:
    """All tensors have one element type."""

    def rule(op: HloOp) -> None:
        first, *others = (*op.operands, *op.results)
        for other in others:
            holds = element(first) == element(other)
            require(
                op,
                constraint,
                holds,
                lambda o=other: f"all have one element type; found {element(first)} and {element(o)}",
            )

    return rule


def _reshape(op: HloOp) -> None:
    """c2: as many elements as before."""
    found, needed = size(shape(op.results[0])), size(shape(op.operands[0]))
    require(op, 2, DYNAMIC_INDEX in (found, needed) or found == needed, f"{needed} elements cannot be {found}")


declare("reshape", f"$operand {_FUNCTION}", rules=(rules.tensors, same_elements(1), _reshape))


def broadcast_dims(op: HloOp) -> None:
    """c2 to c5: each dim of the operand has one of the result, of its extent or of any if its own is 1."""
    dims, found, result = op.ints("broadcast_dimensions"), shape(op.operands[0]), shape(op.results[0])
    require(op, 2, len(dims) == len(found), f"dims are {list(dims)}; the operand has {len(found)} dims")
    require(op, 3, in_range(dims, len(result)), f"dims are {list(dims)}; the result has {len(result)} dims")
    require(op, 4, is_unique(dims), f"dims are {list(dims)}; each may be there once")
    for d, at in zip(found, dims, strict=True):
        holds = d in (1, DYNAMIC_INDEX, result[at]) or result[at] == DYNAMIC_INDEX
        require(op, 5, holds, f"a dim of extent {d} becomes one of {result[at]}; only those of extent 1 are repeated")


declare(
    "broadcast_in_dim",
    f"$operand `,` `dims` `=` $broadcast_dimensions {_FUNCTION}",
    properties={"broadcast_dimensions": I64S},
    rules=(rules.tensors, same_elements(1), broadcast_dims),
)


def _broadcast(op: HloOp) -> None:
    """c1: the new dims stand in front."""
    needed = (*op.ints("broadcast_sizes"), *shape(op.operands[0]))
    found = shape(op.results[0])
    require(op, 1, rules.fits(found, needed), f"the result is {words(found)}; it has to be {words(needed)}")


declare(
    "broadcast",
    f"$operand `,` `sizes` `=` $broadcast_sizes {_FUNCTION}",
    properties={"broadcast_sizes": I64S},
    rules=(rules.tensors, same_elements(1), _broadcast),
)


def _transpose(op: HloOp) -> None:
    """c2: each dim is there once; c3: the result has the operand's extents in this order."""
    order, found, result = op.ints("permutation"), shape(op.operands[0]), shape(op.results[0])
    holds = sorted(order) == list(range(len(found)))
    require(op, 2, holds, f"dims are {list(order)}; each of the operand's {len(found)} has to be there once")
    needed = tuple(found[d] for d in order)
    require(op, 3, rules.fits(result, needed), f"the result is {words(result)}; it has to be {words(needed)}")


declare(
    "transpose",
    f"$operand `,` `dims` `=` $permutation {_FUNCTION}",
    properties={"permutation": I64S},
    rules=(rules.tensors, same_elements(1), _transpose),
)


def _reverse(op: HloOp) -> None:
    """c2: no dim twice; c3: they are dims of the operand."""
    dims, rank = op.ints("dimensions"), len(shape(op.operands[0]))
    require(op, 2, is_unique(dims), f"dims are {list(dims)}; each may be there once")
    require(op, 3, in_range(dims, rank), f"dims are {list(dims)}; the operand has {rank} dims")


declare(
    "reverse",
    "$operand `,` `dims` `=` $dimensions attr-dict `:` custom<SameTypes>(type(operands), type(results))",
    properties={"dimensions": I64S},
    rules=(rules.tensors, rules.same_types(1), _reverse),
)


def _slice(op: HloOp) -> None:
    """c2 to c5: ranges inside of the operand, steps of at least 1, and a result of as many elements."""
    starts, limits, strides = (op.ints(n) for n in ("start_indices", "limit_indices", "strides"))
    sizes, result = shape(op.operands[0]), shape(op.results[0])
    counts = {len(starts), len(limits), len(strides), len(sizes)}
    require(op, 2, len(counts) == 1, lambda: f"found {len(starts)} ranges; the operand has {len(sizes)} dims")
    for d, (a, b, n) in enumerate(zip(starts, limits, sizes, strict=True)):
        holds = 0 <= a <= b and (n == DYNAMIC_INDEX or b <= n)
        require(op, 3, holds, f"the range {a}:{b} is not in dim {d}, which has extent {n}")
    require(op, 4, all(s > 0 for s in strides), f"strides are {list(strides)}; they have to be greater than 0")
    needed = tuple(-(-(b - a) // s) for a, b, s in zip(starts, limits, strides, strict=True))
    require(op, 5, rules.fits(result, needed), f"the result is {words(result)}; it has to be {words(needed)}")


declare(
    "slice",
    f"$operand custom<SliceRanges>($start_indices, $limit_indices, $strides) {_FUNCTION}",
    properties={"start_indices": I64S, "limit_indices": I64S, "strides": I64S},
    rules=(rules.tensors, same_elements(1), _slice),
)


def _pad(op: HloOp) -> None:
    """c2: a number per dim; c3: nothing is taken away between elements; c4: the extents of the result."""
    low, high, inner = (op.ints(n) for n in ("edge_padding_low", "edge_padding_high", "interior_padding"))
    sizes, result = shape(op.operands[0]), shape(op.results[0])
    holds = len(low) == len(high) == len(inner) == len(sizes)
    require(op, 2, holds, f"found padding of {len(low)} dims; the operand has {len(sizes)}")
    require(op, 3, all(i >= 0 for i in inner), f"interior padding is {list(inner)}; it has to be 0 or more")
    needed = tuple(
        n if n == DYNAMIC_INDEX else a + n + max(n - 1, 0) * i + b
        for n, a, b, i in zip(sizes, low, high, inner, strict=True)
    )
    require(op, 4, rules.fits(result, needed), f"the result is {words(result)}; it has to be {words(needed)}")


declare(
    "pad",
    "$operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,` `interior` `=` "
    f"$interior_padding {_FUNCTION}",
    operands="operand padding_value",
    properties={"edge_padding_low": I64S, "edge_padding_high": I64S, "interior_padding": I64S},
    rules=(rules.tensors, same_elements(1), _pad),
)


def _concatenate(op: HloOp) -> None:
    """c2 to c6: tensors that differ in one dim only, which is the sum of theirs in the result."""
    require(op, 3, len(op.operands) > 0, "there is nothing to concatenate")
    at, first = op.number("dimension"), shape(op.operands[0])
    require(op, 4, 0 <= at < len(first), f"the dim is {at}; operands have {len(first)} dims")
    extents = [shape(o)[at] if len(shape(o)) == len(first) else 0 for o in op.operands]
    for other in op.operands:
        found = shape(other)
        holds = len(found) == len(first) and rules.fits(
            (*first[:at], *first[at + 1 :]), (*found[:at], *found[at + 1 :])
        )
        require(op, 2, holds, f"operands differ in dim {at} only; found {words(first)} and {words(found)}")
    needed = (*first[:at], DYNAMIC_INDEX if DYNAMIC_INDEX in extents else sum(extents), *first[at + 1 :])
    found = shape(op.results[0])
    require(op, 6, rules.fits(found, needed), f"the result is {words(found)}; it has to be {words(needed)}")


declare(
    "concatenate",
    f"custom<OperandsFirst>($inputs) `dim` `=` $dimension {_FUNCTION}",
    operands="*inputs",
    properties={"dimension": I64},
    rules=(rules.tensors, same_elements(1), _concatenate),
)


def starts(op: HloOp, first: int, counted: int, alike: int) -> None:
    """As many start indices as dims, all of one type.

    Raises:
        VerifyException: they are not.
    """
    found, rank = op.operands[first:], len(shape(op.operands[0]))
    require(op, counted, len(found) == rank, f"found {len(found)} start indices; the operand has {rank} dims")
    types = {v.type for v in found}
    require(op, alike, len(types) <= 1, f"start indices are of types {', '.join(map(str, types))}; they have to be one")


def _dynamic_slice(op: HloOp) -> None:
    """c2 to c5: sizes of a part of the operand."""
    sizes, operand, result = op.ints("slice_sizes"), shape(op.operands[0]), shape(op.results[0])
    require(op, 1, element(op.operands[0]) == element(op.results[0]), "operand and result have one element type")
    require(op, 2, len(sizes) == len(operand), f"found {len(sizes)} sizes; the operand has {len(operand)} dims")
    starts(op, 1, 2, 3)
    holds = all(s >= 0 and (n == DYNAMIC_INDEX or s <= n) for s, n in zip(sizes, operand, strict=True))
    require(op, 4, holds, f"sizes are {words(sizes)}; the operand is {words(operand)}")
    require(op, 5, rules.fits(result, sizes), f"the result is {words(result)}; it has to be {words(sizes)}")


declare(
    "dynamic_slice",
    f"$operand `,` custom<OperandsFirst>($start_indices) `sizes` `=` $slice_sizes {_FUNCTION}",
    operands="operand *start_indices",
    properties={"slice_sizes": I64S},
    rules=(rules.tensors, _dynamic_slice),
)


def _dynamic_update_slice(op: HloOp) -> None:
    """c1 to c6: the update is a part of the operand, which the result looks like."""
    operand, update, *_ = op.operands
    same = element(operand) == element(op.results[0]) and rules.fits(shape(operand), shape(op.results[0]))
    require(op, 1, same, f"the result has the operand's type; found {op.results[0].type}")
    require(
        op, 2, element(update) == element(operand), f"the update has the operand's element type; found {update.type}"
    )
    rank = len(shape(operand))
    require(op, 3, len(shape(update)) == rank, f"the update has {len(shape(update))} dims; the operand has {rank}")
    starts(op, 2, 4, 5)
    holds = all(s <= n or DYNAMIC_INDEX in (s, n) for s, n in zip(shape(update), shape(operand), strict=True))
    require(op, 6, holds, f"the update is {words(shape(update))}; the operand is {words(shape(operand))}")


declare(
    "dynamic_update_slice",
    f"operands {_FUNCTION}",
    operands="operand update *start_indices",
    rules=(rules.tensors, _dynamic_update_slice),
)


def _bitcast(op: HloOp) -> None:
    """c1: elements of other widths make or use up the last dim; c2: complex numbers become complex ones only."""
    kinds = element(op.operands[0]), element(op.results[0])
    if any(map(rules.is_foreign, kinds)):
        return
    require(op, 2, len({rules.is_complex(k) for k in kinds}) == 1, f"{kinds[0]} cannot become {kinds[1]}")
    before, after = (cast(Any, rules.real_part(k)).bitwidth for k in kinds)
    found, result = shape(op.operands[0]), shape(op.results[0])
    if before == after:
        holds = rules.fits(result, found)
    elif after < before:
        holds = rules.fits(result, (*found, before // after)) and before % after == 0
    else:
        holds = rules.fits(found, (*result, after // before)) and after % before == 0
    require(op, 1, holds, f"{op.operands[0].type} cannot become {op.results[0].type}: the bits are not as many")


declare("bitcast_convert", f"operands {_FUNCTION}", rules=(rules.tensors, _bitcast))


def dimension(op: HloOp) -> None:
    """c1: it is a dim of the operand."""
    dim, rank = op.number("dimension"), len(shape(op.operands[0]))
    require(op, 1, 0 <= dim < rank, f"the dim is {dim}; the operand has {rank} dims")


declare(
    "get_dimension_size",
    f"$operand `,` `dim` `=` $dimension {_FUNCTION}",
    properties={"dimension": I64},
    rules=(rules.tensors, dimension),
)
declare(
    "set_dimension_size",
    f"$operand `,` $size `,` `dim` `=` $dimension {_FUNCTION}",
    operands="operand size",
    properties={"dimension": I64},
    rules=(rules.tensors, dimension),
)
declare(
    "torch_index_select", operands="operand index", properties={"dim": I64, "batch_dims": I64}, rules=(rules.tensors,)
)
