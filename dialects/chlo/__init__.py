"""The chlo dialect: functions that StableHLO leaves to its clients, in the forms in which jaxlib prints them.

```mlir
%0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
%values, %indices = chlo.top_k(%x, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
%1 = chlo.broadcast_add %x, %y : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
```
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Dialect, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import BaseAttr, irdl_attr_definition, param_def

from mlc.dialects.chlo.scan import ScanForm, scan_is_right
from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.attributes import Ints, NamedParts
from mlc.dialects.stablehlo.base import ANY, ARRAY, BOOL, I64, I64S, HloOp, Requirement, declare, operations
from mlc.dialects.stablehlo.enums import ComparisonDirection, ComparisonType, Precision
from mlc.dialects.stablehlo.rules import element, require, shape, words


@irdl_attr_definition
class ChloComparisonDirectionAttr(EnumAttribute[ComparisonDirection], SpacedOpaqueSyntaxAttribute):
    """A direction of comparison as an attribute."""

    name = "chlo.comparison_direction"


@irdl_attr_definition
class ChloComparisonTypeAttr(EnumAttribute[ComparisonType], SpacedOpaqueSyntaxAttribute):
    """A type of comparison as an attribute."""

    name = "chlo.comparison_type"


@irdl_attr_definition
class ChloPrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    """A precision as an attribute."""

    name = "chlo.precision"


@irdl_attr_definition
class RaggedDotAttr(NamedParts):
    """Which dims of two tensors are paired, and which one is in groups of different sizes."""

    name = "chlo.ragged_dot"
    LISTS: ClassVar[tuple[str, ...]] = (
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
        "lhs_ragged_dimensions",
        "rhs_group_dimensions",
    )
    lhs_batching_dimensions: Ints = param_def()
    rhs_batching_dimensions: Ints = param_def()
    lhs_contracting_dimensions: Ints = param_def()
    rhs_contracting_dimensions: Ints = param_def()
    lhs_ragged_dimensions: Ints = param_def()
    rhs_group_dimensions: Ints = param_def()


def _op(mnemonic: str, form: str = "", rules_: tuple[Requirement, ...] = (), **parts: object) -> None:
    declare(mnemonic, form, rules=(rules.tensors, *rules_), dialect="chlo", **parts)  # pyright: ignore[reportArgumentType]


def _truth(op: HloOp) -> None:
    found = op.results[0].type
    require(op, "o1", element(op.results[0]) == i1, f"the result has elements of type i1; found {found}")


_UNARY_FORM = "$operand attr-dict `:` type($operand) `->` type($result)"
for _name in [
    "_asin_acos_kernel",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "conj",
    "cosh",
    "sinh",
    "tan",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "lgamma",
    "square",
]:
    _op(_name, _UNARY_FORM, (rules.same_types(1),), POINTWISE=True)
for _name in ["is_inf", "is_neg_inf", "is_pos_inf"]:
    _op(_name, _UNARY_FORM, (rules.floats, rules.same_shapes(1), _truth), POINTWISE=True)
for _name, _operands in (("next_after", "x y"), ("polygamma", "n x"), ("zeta", "x q"), ("mulhi", "lhs rhs")):
    _one, _two = _operands.split()
    _op(
        _name,
        f"${_one} `,` ${_two} attr-dict `:` type(${_one}) `,` type(${_two}) `->` type($result)",
        (rules.same_types(1),),
        operands=_operands,
        POINTWISE=True,
    )


def _broadcast(op: HloOp) -> None:
    """c1: both shapes fit the result, aligned at the last dims, or by the dims that are named for the shorter one."""
    result = shape(op.results[0])
    dims = op.ints("broadcast_dimensions")
    ranks = [len(shape(o)) for o in op.operands]
    for value in op.operands:
        sizes = shape(value)
        own = dims if dims and len(sizes) == min(ranks) and min(ranks) != max(ranks) else ()
        at = own or tuple(range(len(result) - len(sizes), len(result)))
        holds = len(at) == len(sizes) and all(
            0 <= d < len(result) and (n in (1, -1, result[d]) or result[d] == -1)
            for n, d in zip(sizes, at, strict=True)
        )
        require(op, 1, holds, f"{words(sizes)} cannot be broadcast to {words(result)}")


for _name in [
    "add",
    "and",
    "atan2",
    "complex",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "next_after",
    "or",
    "polygamma",
    "power",
    "remainder",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "subtract",
    "xor",
    "zeta",
]:
    _op(
        f"broadcast_{_name}",
        "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type(results)",
        (_broadcast,),
        operands="lhs rhs",
        optional={"broadcast_dimensions": I64S},
    )
_op(
    "broadcast_compare",
    "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type(results)",
    (_broadcast, _truth),
    operands="lhs rhs",
    properties={"comparison_direction": BaseAttr(ChloComparisonDirectionAttr)},
    optional={"broadcast_dimensions": I64S, "compare_type": BaseAttr(ChloComparisonTypeAttr)},
)
_op(
    "broadcast_select",
    "$pred `,` $on_true `,` $on_false attr-dict `:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` "
    "type(results)",
    (_broadcast,),
    operands="pred on_true on_false",
)
_op("constant_like", operands="operand", properties={"value": ANY})


def _top_k(op: HloOp) -> None:
    """c1: there are k elements in the last dim; c2: both results have k there."""
    operand, k = shape(op.operands[0]), op.number("k")
    require(
        op, 1, len(operand) > 0 and k >= 0 and (operand[-1] == -1 or k <= operand[-1]), f"k is {k} of {words(operand)}"
    )
    for result in op.results:
        found = shape(result)
        holds = rules.fits(found, (*operand[:-1], k))
        require(op, 2, holds, f"the result is {words(found)}; it has to be {words((*operand[:-1], k))}")


_op(
    "top_k",
    "`(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict `:` type($operand) `->` `(` "
    "type($values) `,` type($indices) `)`",
    (_top_k,),
    results="values indices",
    properties={"k": I64},
    optional={"is_stable": BOOL},
)
_op(
    "ragged_dot",
    operands="lhs rhs group_sizes",
    properties={"ragged_dot_dimension_numbers": BaseAttr(RaggedDotAttr)},
    optional={"precision_config": ARRAY},
)
_op(
    "scan",
    rules_=(scan_is_right,),
    operands="*values",
    results="*outcomes",
    properties={"dimension": I64, "operandSegmentSizes": ANY, "resultSegmentSizes": ANY},
    optional={"scan_dim_size": I64, "is_reverse": BOOL, "is_associative": BOOL},
    regions="body_region",
    base=ScanForm,
)

Chlo = Dialect(
    "chlo", operations("chlo"), [ChloComparisonDirectionAttr, ChloComparisonTypeAttr, ChloPrecisionAttr, RaggedDotAttr]
)

__all__ = ["Chlo", "ChloComparisonDirectionAttr", "ChloComparisonTypeAttr", "ChloPrecisionAttr", "RaggedDotAttr"]
