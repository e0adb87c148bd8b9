"""Numbers that write IR: operators on a `Number` append the ops of `arith` and `math` that compute the result.

An expansion is a function from numbers to a number and reads like the formula that it implements. It never asks
whether it works on scalars or on vectors: Python numbers become constants of the type of the other operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType, f32, f64, i32, i64
from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove

from mlc.dialects.arith import CmpfOp, CmpiOp, SelectOp, TruncIOp
from mlc.dialects.llvm.intrinsics import LimitOp, ScaleOp
from mlc.support.types import element_type, integer_width, scalar_attribute, vector_type


@dataclass(frozen=True)
class FloatFormat:
    """A binary floating-point format of IEEE 754 and the integers of its size."""

    float_type: Attribute
    int_type: Attribute
    fraction: int
    """How many bits of the significand are stored."""
    bias: int
    """What is added to an exponent to store it."""

    @property
    def shifter(self) -> float:
        """1.5 * 2^fraction: a float of this size has unit spacing, so adding it rounds to an integer (to even)."""
        return 1.5 * 2.0**self.fraction

    @property
    def smallest_normal(self) -> float:
        """The smallest positive number with a full significand."""
        return 2.0 ** (1 - self.bias)

    @property
    def least_curved(self) -> float:
        """Below it, x + x^2 / 2 is x when it is rounded, and so is what else is x + c x^2 with |c| <= 1/2."""
        return 2.0 ** -(self.fraction + 1)

    @property
    def one_bits(self) -> int:
        """The number 1.0 as an integer."""
        return self.bias << self.fraction

    @property
    def infinity_bits(self) -> int:
        """Infinity as an integer."""
        return (2 * self.bias + 1) << self.fraction

    @property
    def exponent_bits(self) -> int:
        """How many bits an exponent takes."""
        return self.bias.bit_length() + 1

    @property
    def sign_bit(self) -> int:
        """The integer whose only bit is that of the sign."""
        return -(1 << (self.fraction + self.exponent_bits))


F32 = FloatFormat(f32, i32, 23, 127)
F64 = FloatFormat(f64, i64, 52, 1023)
_FORMATS = {f32: F32, i32: F32, f64: F64, i64: F64}


def has_format(type: Attribute) -> bool:
    """Whether `type` is f32, f64, i32 or i64, or a vector of one rank of them."""
    vector = vector_type(type)
    return element_type(type) in _FORMATS and (vector is None or vector.get_num_dims() == 1)


@dataclass
class ConstantPool:
    """The constants that were made, so that the expansions of one function share them."""

    _made: dict[tuple[Block, Attribute, float | int, bool], SSAValue] = field(
        default_factory=dict[tuple[Block, Attribute, "float | int", bool], SSAValue]
    )
    _last: dict[Block, Operation] = field(default_factory=dict[Block, Operation])
    """The last constant at the start of each entry block."""
    _entries: dict[Block, Block] = field(default_factory=dict[Block, Block])

    def get(self, value: float, type: Attribute, before: Operation) -> SSAValue:
        """The constant `value`, at the start of the function of `before`, where all of it can use it."""
        block = before.parent
        assert block is not None
        if (entry := self._entries.get(block)) is None:
            entry = self._entries[block] = _entry_block(before)
        key = (entry, type, value, str(value).startswith("-"))  # 0.0 == -0.0
        if key not in self._made:
            op = arith.ConstantOp.create(result_types=[type], properties={"value": _constant(value, type)})
            last = self._last.get(entry)
            Rewriter.insert_op(op, InsertPoint.at_start(entry) if last is None else InsertPoint.after(last))
            self._made[key], self._last[entry] = op.result, op
        return self._made[key]


def _entry_block(op: Operation) -> Block:
    """The first block of what is isolated from above and holds an op: of its function."""
    around = op.parent_op()
    while around is not None and not around.has_trait(IsolatedFromAbove):
        op, around = around, around.parent_op()
    region = op.parent_region()
    assert region is not None and region.first_block is not None
    return region.first_block


def _constant(value: float, type: Attribute) -> Attribute:
    vector = vector_type(type)
    return scalar_attribute(value, type) if vector is None else DenseIntOrFPElementsAttr.from_list(vector, [value])


@dataclass(frozen=True)
class Emitter:
    """Appends ops before the op that is expanded, with its location."""

    op: Operation
    constants: ConstantPool
    avx512: bool = False
    """Whether the target has AVX-512, with the instructions of AVX512DQ."""
    minimum: bool = False
    """Whether the target has one instruction for the smaller of two numbers that is NaN if one of them is."""

    def emit(
        self,
        op_type: type[Operation],
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> Number:
        """One op, as the number that it computes."""
        new = op_type.create(
            operands=operands, result_types=[result], properties=properties or {}, location=self.op.location
        )
        Rewriter.insert_op(new, InsertPoint.before(self.op))
        return Number(self, new.results[0])

    def number(self, value: Number | float, like: Number) -> Number:
        """`value`, or a constant of it that has the type of `like`."""
        if isinstance(value, Number):
            return value
        return Number(self, self.constants.get(value, like.type, self.op))


_FLAGS: dict[str, Attribute] = {"fastmath": arith.FastMathFlagsAttr("none")}
_OVERFLOW: dict[str, Attribute] = {"overflowFlags": arith.IntegerOverflowAttr("none")}


@dataclass(frozen=True)
class Mask:
    """The outcome of a comparison; what `where` chooses by."""

    value: SSAValue


@dataclass(frozen=True)
class Number:
    """A float or an integer, or a vector of them."""

    emitter: Emitter
    value: SSAValue

    @property
    def type(self) -> Attribute:
        """The type of the value in the IR."""
        return self.value.type

    @property
    def format(self) -> FloatFormat:
        """The format of the float, or that of the floats of this integer's size."""
        return _FORMATS[cast(Any, element_type(self.type))]

    @property
    def is_float(self) -> bool:
        """Whether it is a float, not an integer."""
        return element_type(self.type) == self.format.float_type

    def __add__(self, other: Number | float) -> Number:
        return self._arith(arith.AddfOp, arith.AddiOp, other)

    def __sub__(self, other: Number | float) -> Number:
        return self._arith(arith.SubfOp, arith.SubiOp, other)

    def __neg__(self) -> Number:
        return self._unary(arith.NegfOp)

    def __rsub__(self, other: float) -> Number:
        return self.emitter.number(other, self) - self

    def __mul__(self, other: Number | float) -> Number:
        return self._arith(arith.MulfOp, arith.MuliOp, other)

    def __truediv__(self, other: Number) -> Number:
        return self._emit(arith.DivfOp, other, _FLAGS)

    def __rtruediv__(self, other: float) -> Number:
        return self.emitter.number(other, self) / self

    def __and__(self, other: Number | int) -> Number:
        return self._emit(arith.AndIOp, other)

    def __or__(self, other: Number | int) -> Number:
        return self._emit(arith.OrIOp, other)

    def __xor__(self, other: Number | int) -> Number:
        return self._emit(arith.XOrIOp, other)

    def __lshift__(self, places: int) -> Number:
        return self._emit(arith.ShLIOp, places, _OVERFLOW)

    def __rshift__(self, places: int) -> Number:
        """Zeros come in from the left."""
        return self._emit(arith.ShRUIOp, places)

    def __lt__(self, other: Number | float) -> Mask:
        return self._compare("lt", other)

    def __le__(self, other: Number | float) -> Mask:
        return self._compare("le", other)

    def __gt__(self, other: Number | float) -> Mask:
        return self._compare("gt", other)

    def __ge__(self, other: Number | float) -> Mask:
        return self._compare("ge", other)

    def equals(self, other: Number | float) -> Mask:
        """`==`; of floats, false if one is NaN."""
        return self._compare("eq", other)

    def is_zero(self) -> Mask:
        """`== 0` on integers."""
        return self._compare("eq", 0)

    def _compare(self, predicate: str, other: Number | float) -> Mask:
        right = self.emitter.number(other, self).value
        if self.is_float:
            op = CmpfOp(self.value, right, f"o{predicate}")  # false if an operand is NaN
        else:
            op = CmpiOp(self.value, right, predicate if predicate == "eq" else f"s{predicate}")
        op.location = self.emitter.op.location
        Rewriter.insert_op(op, InsertPoint.before(self.emitter.op))
        return Mask(op.result)

    def _arith(self, of_float: type[Operation], of_int: type[Operation], other: Number | float) -> Number:
        return self._emit(of_float, other, _FLAGS) if self.is_float else self._emit(of_int, other, _OVERFLOW)

    def _emit(
        self, op_type: type[Operation], other: Number | float, properties: dict[str, Attribute] | None = None
    ) -> Number:
        right = self.emitter.number(other, self)
        return self.emitter.emit(op_type, [self.value, right.value], self.type, properties)

    def at_most(self, limit: float) -> Number:
        """The smaller of the two; NaN stays. Compilers make one min instruction of it."""
        if self._has_minimum(limit):
            return self._emit(arith.MinimumfOp, limit, _FLAGS)
        return where(self > limit, limit, self)

    def at_least(self, limit: float) -> Number:
        """The larger of the two; NaN stays."""
        if self._has_minimum(limit):
            return self._emit(arith.MaximumfOp, limit, _FLAGS)
        return where(self < limit, limit, self)

    def _has_minimum(self, limit: float) -> bool:
        """Whether a comparison with `limit` and a choice are one instruction: -0 and 0 are equal, but not for that."""
        return self.emitter.minimum and self.is_float and limit != 0

    @property
    def can_be_scaled(self) -> bool:
        """Whether one instruction multiplies a register by a power of two, whatever its exponent."""
        vector = vector_type(self.type)
        lanes = 1 if vector is None else vector.get_shape()[0]
        bits = lanes * (integer_width(self.format.int_type) or 0)
        return self.emitter.avx512 and bits % 512 == 0

    def scaled(self, exponent: Number) -> Number:
        """This times 2^exponent, where it `can_be_scaled`."""
        return self._emit(ScaleOp, exponent, {"fastmathFlags": FastMathAttr(None)})

    def within(self, limit: float) -> Number:
        """This, or ±`limit` if it is further from 0 or NaN, where it `can_be_scaled`."""
        return self._emit(LimitOp, limit, {"fastmathFlags": FastMathAttr(None)})

    def bits(self) -> Number:
        """The float as an integer."""
        return self.cast(arith.BitcastOp, self.format.int_type)

    def as_float(self) -> Number:
        """The integer as the float with the same bits."""
        return self.cast(arith.BitcastOp, self.format.float_type)

    def high_half(self) -> Number:
        """The first half of the significand, 26 bits of an f64: products of two such numbers are exact."""
        low_bits = (1 << (self.format.fraction + 2) // 2) - 1
        return (self.bits() & ~low_bits).as_float()

    def to_f64(self) -> Number:
        """An f32 as an f64."""
        return self.cast(arith.ExtFOp, f64)

    def to_f32(self) -> Number:
        """An f64 as the nearest f32."""
        return self.cast(arith.TruncFOp, f32)

    def to_i32(self) -> Number:
        """The low half of an i64."""
        return self.cast(TruncIOp, i32)

    def cast(self, op_type: type[Operation], element: Attribute) -> Number:
        """The result of a conversion to elements of another type."""
        vector = vector_type(self.type)
        result = element if vector is None else VectorType(element, vector.get_shape())
        return self.emitter.emit(op_type, [self.value], result)

    def _unary(self, op_type: type[Operation]) -> Number:
        return self.emitter.emit(op_type, [self.value], self.type, _FLAGS)

    def __abs__(self) -> Number:
        return self._unary(math.AbsFOp)

    def sqrt(self) -> Number:
        """The square root, correctly rounded."""
        return self._unary(math.SqrtOp)

    def floor(self) -> Number:
        """The largest integer that is not larger."""
        return self._unary(math.FloorOp)

    def trunc(self) -> Number:
        """The nearest integer that is not further from 0."""
        return self._unary(math.TruncOp)

    def rounded(self) -> Number:
        """The nearest integer, the even one of two."""
        return self._unary(math.RoundEvenOp)

    def with_sign_of(self, other: Number) -> Number:
        """This magnitude with the sign of `other`."""
        return self._emit(math.CopySignOp, other, _FLAGS)

    def negated_with(self, other: Number) -> Number:
        """This, negated where the sign bit of `other` is set."""
        return (self.bits() ^ (other.bits() & self.format.sign_bit)).as_float()


def fma(a: Number, b: Number | float, c: Number | float) -> Number:
    """a * b + c, rounded once if the machine can do that in one instruction."""
    operands = [a.value, a.emitter.number(b, a).value, a.emitter.number(c, a).value]
    return a.emitter.emit(math.FmaOp, operands, a.type, _FLAGS)


def where(mask: Mask, on_true: Number | float, on_false: Number | float, like: Number | None = None) -> Number:
    """Element by element, one value or the other; `like` gives the type if both are constants."""
    for choice in (on_true, on_false):
        like = choice if isinstance(choice, Number) else like
    assert like is not None
    chosen = [like.emitter.number(v, like).value for v in (on_true, on_false)]
    return like.emitter.emit(SelectOp, [mask.value, *chosen], like.type)


def polynomial(x: Number, coefficients: Sequence[float]) -> Number:
    """c[0] + c[1] x + c[2] x^2 + …, by Horner's rule in x^2, with coefficients c[0] + c[1] x, c[2] + c[3] x, ….

    That is one multiplication more than by Horner's rule in x, and half as long a chain of operations that wait for
    each other. A processor looks some 100 operations ahead, so it is the chain that limits a loop over vectors.
    """
    pairs = [coefficients[i : i + 2] for i in range(0, len(coefficients), 2)]
    if len(pairs) == 1:
        return fma(x, pairs[0][1], pairs[0][0])
    square = x * x
    *rest, last = pairs
    total: Number | float = fma(x, last[1], last[0]) if len(last) == 2 else last[0]
    for low, high in reversed(rest):
        total = fma(square, total, fma(x, high, low))
    assert isinstance(total, Number)
    return total
