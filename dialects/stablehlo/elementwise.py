"""Ops that compute element by element.

```mlir
%0 = stablehlo.add %x, %y : tensor<4xf32>
%1 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
%2 = stablehlo.select %1, %0, %x : tensor<4xi1>, tensor<4xf32>
%3 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xi32>
```
"""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.irdl import BaseAttr

from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.base import ANY, I32, HloOp, declare
from mlc.dialects.stablehlo.enums import ComparisonDirectionAttr, ComparisonTypeAttr
from mlc.dialects.stablehlo.rules import element, real_part, require, shape

_SAME = "custom<SameTypes>(type(operands), type(results))"

_UNARY = {
    rules.floats_or_complex: (
        "cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh"
    ),
    rules.floats: "ceil floor round_nearest_afz round_nearest_even",
    rules.integers: "count_leading_zeros popcnt",
    rules.integers_or_bools: "not",
    rules.numbers: "negate sign",
}
for _rule, _names in _UNARY.items():
    for _name in _names.split():
        declare(
            _name,
            f"$operand attr-dict `:` {_SAME}",
            optional={"result_accuracy": ANY},
            rules=(rules.tensors, _rule, rules.same_types(1)),
            POINTWISE=True,
        )

_BINARY = {
    None: "add maximum minimum multiply",
    rules.numbers: "divide power remainder subtract",
    rules.floats_or_complex: "atan2",
    rules.integers: "shift_left shift_right_arithmetic shift_right_logical",
    rules.integers_or_bools: "and or xor",
}
_COMMUTATIVE = ["add", "maximum", "minimum", "multiply", "and", "or", "xor"]
for _rule, _names in _BINARY.items():
    for _name in _names.split():
        declare(
            _name,
            f"$lhs `,` $rhs attr-dict `:` {_SAME}",
            operands="lhs rhs",
            rules=(rules.tensors, *((_rule,) if _rule else ()), rules.same_types(1)),
            POINTWISE=True,
            COMMUTATIVE=_name in _COMMUTATIVE,
        )


def _parts(op: HloOp) -> None:
    """c2: the result has the type of the parts."""
    needed, found = real_part(element(op.operands[0])), element(op.results[0])
    require(op, 2, found == needed, lambda: f"the result has elements of type {needed}; found {found}")


declare(
    "abs",
    f"$operand attr-dict `:` {_SAME}",
    rules=(rules.tensors, rules.signed, rules.same_shapes(1), _parts),
    POINTWISE=True,
)
for _name in ("real", "imag"):
    declare(
        _name,
        f"$operand attr-dict `:` {_SAME}",
        rules=(rules.tensors, rules.floats_or_complex, rules.same_shapes(1), _parts),
        POINTWISE=True,
    )


def _complex(op: HloOp) -> None:
    """c1 and c3: real and imaginary parts have one type, that of the parts of the result."""
    lhs, rhs = op.operands
    require(op, 1, lhs.type == rhs.type, lambda: f"both parts have one type; found {lhs.type} and {rhs.type}")
    found = element(op.results[0])
    holds = rules.is_complex(found) and real_part(found) == element(lhs)
    require(op, 3, holds, lambda: f"the result has elements of type complex<{element(lhs)}>; found {found}")


declare(
    "complex",
    "$lhs `,` $rhs attr-dict `:` custom<ComplexTypes>(type(operands), type(results))",
    operands="lhs rhs",
    rules=(rules.tensors, rules.floats, rules.same_shapes(2), _complex),
    POINTWISE=True,
)


def _truth(op: HloOp) -> None:
    """o1: the result has truth values."""
    require(
        op,
        "o1",
        element(op.results[0]) == i1,
        lambda: f"the result has elements of type i1; found {op.results[0].type}",
    )


declare(
    "is_finite",
    "$x attr-dict `:` functional-type(operands, results)",
    operands="x",
    results="y",
    rules=(rules.tensors, rules.floats, rules.same_shapes(1), _truth),
    POINTWISE=True,
)


def _compare(op: HloOp) -> None:
    """c1: both operands have one element type; c3: the type of comparison is one for it."""
    lhs, rhs = op.operands
    require(
        op,
        1,
        element(lhs) == element(rhs),
        lambda: f"both operands have one element type; found {element(lhs)} and {element(rhs)}",
    )
    kind, found = element(lhs), op.word("compare_type", "NOTYPE")
    if found == "NOTYPE" or rules.is_foreign(kind):
        return
    if rules.is_float(kind):
        allowed = ("FLOAT", "TOTALORDER")
    elif rules.is_complex(kind):
        allowed = ("FLOAT",)
    else:
        allowed = ("UNSIGNED",) if kind == i1 or str(kind).startswith("ui") else ("SIGNED",)
    require(op, 3, found in allowed, lambda: f"{kind} is compared as {' or '.join(allowed)}; found {found}")


declare(
    "compare",
    "$comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)",
    operands="lhs rhs",
    properties={"comparison_direction": BaseAttr(ComparisonDirectionAttr)},
    optional={"compare_type": BaseAttr(ComparisonTypeAttr)},
    rules=(rules.tensors, _compare, rules.same_shapes(2), _truth),
    POINTWISE=True,
)


def _select(op: HloOp) -> None:
    """c1: the condition is one for all elements or one for each; c2: both values and the result have one type."""
    pred, one, two = op.operands
    require(op, "i1", element(pred) == i1, lambda: f"the condition has elements of type i1; found {pred.type}")
    fits = not shape(pred) or rules.fits(shape(pred), shape(one))
    require(op, 1, fits, lambda: f"the condition is a scalar or has the shape of the values; found {pred.type}")
    for other in (two, op.results[0]):
        same = element(one) == element(other) and rules.fits(shape(one), shape(other))
        require(op, 2, same, lambda o=other: f"both values and the result have one type; found {one.type} and {o.type}")


declare(
    "select",
    "$pred `,` $on_true `,` $on_false attr-dict `:` custom<SelectTypes>(type(operands), type(results))",
    operands="pred on_true on_false",
    rules=(rules.tensors, _select),
    POINTWISE=True,
)


def _clamp(op: HloOp) -> None:
    """c1 to c4: bounds are scalars or have the operand's shape; all have one element type."""
    low, operand, high = op.operands
    for number, bound in ((1, low), (2, high)):
        holds = not shape(bound) or rules.fits(shape(bound), shape(operand))
        require(op, number, holds, lambda b=bound: f"a bound is a scalar or of the operand's shape; found {b.type}")
        same = element(bound) == element(operand)
        require(op, 3, same, lambda b=bound: f"bounds have the operand's element type; found {b.type}")
    same = element(operand) == element(op.results[0]) and rules.fits(shape(operand), shape(op.results[0]))
    require(op, 4, same, lambda: f"the result has the operand's type; found {op.results[0].type}")


declare(
    "clamp",
    f"$min `,` $operand `,` $max attr-dict `:` {_SAME}",
    operands="min operand max",
    rules=(rules.tensors, _clamp),
    POINTWISE=True,
)
for _name in ("convert", "uniform_quantize", "uniform_dequantize"):
    declare(
        _name,
        f"$operand attr-dict `:` {_SAME}",
        rules=(rules.tensors, rules.same_shapes(1)),
        POINTWISE=True,
    )


def _bits(op: HloOp) -> None:
    """c2: there are bits of exponents; c3: the number of those of mantissas is not negative."""
    exponent, mantissa = op.number("exponent_bits"), op.number("mantissa_bits")
    require(op, 2, exponent >= 1, f"exponents have at least 1 bit; found {exponent}")
    require(op, 3, mantissa >= 0, f"mantissas have no fewer than 0 bits; found {mantissa}")


declare(
    "reduce_precision",
    f"$operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict `:` {_SAME}",
    results="output",
    properties={"exponent_bits": I32, "mantissa_bits": I32},
    rules=(rules.tensors, rules.floats, rules.same_types(1), _bits),
    POINTWISE=True,
)
