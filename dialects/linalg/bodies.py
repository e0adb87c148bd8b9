"""The scalar computations of named ops, as upstream builds them: operands are converted to the type of the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import math
from xdsl.dialects.arith import (
    AddfOp,
    AddiOp,
    AndIOp,
    ConstantOp,
    DivfOp,
    DivSIOp,
    DivUIOp,
    ExtFOp,
    MaximumfOp,
    MaxSIOp,
    MaxUIOp,
    MinimumfOp,
    MinSIOp,
    MinUIOp,
    MulfOp,
    MuliOp,
    NegfOp,
    OrIOp,
    SubfOp,
    SubiOp,
    TruncFOp,
)
from xdsl.dialects.builtin import AnyFloat, i1
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc.dialects.arith import ExtSIOp, ExtUIOp, FPToSIOp, FPToUIOp, SelectOp, SIToFPOp, TruncIOp, UIToFPOp
from mlc.support.types import element_type, integer_width, scalar_attribute

_Binary = Callable[[SSAValue, SSAValue], Operation]

BINARY_FUNCTIONS: dict[str, tuple[_Binary | None, _Binary | None, _Binary | None]] = {
    "add": (AddfOp, AddiOp, OrIOp),
    "sub": (SubfOp, SubiOp, None),
    "mul": (MulfOp, MuliOp, AndIOp),
    "div": (DivfOp, DivSIOp, None),
    "div_unsigned": (None, DivUIOp, None),
    "max": (MaximumfOp, MaxSIOp, OrIOp),
    "min": (MinimumfOp, MinSIOp, AndIOp),
    "max_unsigned": (MaximumfOp, MaxUIOp, OrIOp),
    "min_unsigned": (MinimumfOp, MinUIOp, AndIOp),
    "powf": (math.PowFOp, None, None),
}
"""For each function of two numbers, the op of floats, of integers, and of booleans."""

UNARY_FUNCTIONS: dict[str, Callable[[SSAValue], Operation]] = {
    "abs": math.AbsFOp,
    "ceil": math.CeilOp,
    "erf": math.ErfOp,
    "exp": math.ExpOp,
    "floor": math.FloorOp,
    "log": math.LogOp,
    "negf": NegfOp,
    "reciprocal": lambda x: DivfOp(_one(x.type), x),
    "round": math.RoundOp,
    "rsqrt": math.RsqrtOp,
    "sqrt": math.SqrtOp,
    "square": lambda x: MulfOp(x, x),
    "tanh": math.TanhOp,
}
"""Functions of one float."""

OF_UNSIGNED = ("div_unsigned", "max_unsigned", "min_unsigned")


def _one(kind: Attribute) -> SSAValue:
    return ConstantOp(scalar_attribute(1.0, kind)).result


class Undefined(Exception):
    """Upstream has no such function of elements of this type."""


def body_of(function: str, elements: Sequence[Attribute], unsigned: bool = False) -> Region:
    """The region of a named op.

    Args:
        function: a name of `BINARY_FUNCTIONS` or `UNARY_FUNCTIONS`; `copy`, `select`; `multiply` and `quantized`,
            which add the product to what is there; `reduce <name>`, which combines with what is there by a function
            of `BINARY_FUNCTIONS`.
        elements: the types of an element of each operand, the result last.
        unsigned: whether integers are converted as unsigned ones.

    Raises:
        Undefined: there is no such function of these elements.
    """
    block = Block(arg_types=elements)
    *inputs, there = block.args
    target = there.type

    def to(value: SSAValue) -> SSAValue:
        return converted(value, target, unsigned)

    verb, _, rest = function.partition(" ")
    match verb:
        case "copy":
            result = to(inputs[0])
        case "select":
            result = SelectOp(*inputs).result
        case "multiply":
            result = _binary("add", there, _binary("mul", to(inputs[0]), to(inputs[1])))
        case "quantized":
            left = _binary("sub", to(inputs[0]), to(inputs[2]))
            result = _binary("add", there, _binary("mul", left, _binary("sub", to(inputs[1]), to(inputs[3]))))
        case "reduce":
            result = _binary(rest, there, to(inputs[0]))
        case _ if verb in UNARY_FUNCTIONS:
            if not isinstance(target, AnyFloat):
                raise Undefined(f"found {verb} of {target}; it is a function of floats")
            result = UNARY_FUNCTIONS[verb](to(inputs[0])).results[0]
        case _:
            result = _binary(verb, to(inputs[0]), to(inputs[1]))
    _add_all(block, result)
    block.add_op(YieldOp(result))
    return Region(block)


def _add_all(block: Block, value: SSAValue) -> None:
    """Put the op that makes a value into a block, after those that it needs."""
    op = value.owner
    if isinstance(op, Operation) and op.parent is None:
        for operand in op.operands:
            _add_all(block, operand)
        block.add_op(op)


def _binary(name: str, left: SSAValue, right: SSAValue) -> SSAValue:
    of_floats, of_integers, of_booleans = BINARY_FUNCTIONS[name]
    element = element_type(left.type)
    make = of_floats if integer_width(element) is None else of_booleans if element == i1 else of_integers
    if make is None:
        raise Undefined(f"found {name} of {element}; upstream has none")
    return make(left, right).results[0]


def converted(value: SSAValue, target: Attribute, unsigned: bool) -> SSAValue:
    """A number as one of another type."""
    source = element_type(value.type)
    if source == target:
        return value
    before, after = integer_width(source), integer_width(target)
    if before is not None and after is not None:
        make = (ExtUIOp if unsigned else ExtSIOp) if before < after else TruncIOp
    elif before is not None and isinstance(target, AnyFloat):
        make = UIToFPOp if unsigned else SIToFPOp
    elif after is not None and isinstance(source, AnyFloat):
        make = FPToUIOp if unsigned else FPToSIOp
    elif isinstance(source, AnyFloat) and isinstance(target, AnyFloat):
        make = ExtFOp if source.bitwidth < target.bitwidth else TruncFOp
    else:
        raise Undefined(f"found a conversion of {source} to {target}; numbers are required")
    return make(value, target).results[0]
