"""Elementwise ops become `tensor.map`: a table from each op to its scalar body."""

from __future__ import annotations

import math as numbers
from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects import graph
from mlc.dialects.arith import (
    Arith,
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    RemFOp,
    SelectOp,
    TruncIOp,
)
from mlc.dialects.loop import LookupOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Access, Builder, d
from mlc.passes.graph_to_tensor._iteration import points_like
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Body, Points, is_integer
from mlc.support.dtypes import ENTRIES, is_unsigned, most_of
from mlc.support.types import Tensor, element_type, integer_width, repeated_number, scalar_attribute, tensor_type


def _relu(p: Points, x: SSAValue) -> SSAValue:
    if is_unsigned(x.type):
        return x
    zero = p.number(0, x.type)
    if is_integer(x):
        return p(arith.MaxSIOp, x, zero)
    # NaN is not less than zero and stays; x86 has this selection as one instruction, and maximumf takes three.
    return p(SelectOp, p(CmpfOp, x, zero, "olt"), zero, x)


def _neg(p: Points, x: SSAValue) -> SSAValue:
    return p.sub(p.number(0, x.type), x) if is_integer(x) else p(arith.NegfOp, x)


def _abs(p: Points, x: SSAValue) -> SSAValue:
    return x if is_unsigned(x.type) else p.typed(math.AbsFOp, math.AbsIOp, x)


def _not(p: Points, x: SSAValue) -> SSAValue:
    return p(arith.XOrIOp, x, p.number(most_of(x.type) if is_unsigned(x.type) else -1, x.type))


def _sigmoid(p: Points, x: SSAValue) -> SSAValue:
    """1 / (1 + exp(-x))"""
    one = p.number(1, x.type)
    return p.div(one, p.add(one, p(math.ExpOp, p(arith.NegfOp, x))))


def _silu(p: Points, x: SSAValue) -> SSAValue:
    """x / (1 + exp(-x))"""
    return p.div(x, p.add(p.number(1, x.type), p(math.ExpOp, p(arith.NegfOp, x))))


def _gelu(p: Points, x: SSAValue) -> SSAValue:
    """x / 2 (1 + erf(x / sqrt 2))"""
    erf = p(math.ErfOp, p.mul(x, p.number(numbers.sqrt(0.5), x.type)))
    return p.mul(p.mul(x, p.number(0.5, x.type)), p.add(p.number(1, x.type), erf))


def _gelu_tanh(p: Points, x: SSAValue) -> SSAValue:
    """x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))"""
    cubic = p.mul(p.mul(p.mul(x, x), x), p.number(0.044715, x.type))
    inner = p.mul(p.add(x, cubic), p.number(numbers.sqrt(2 / numbers.pi), x.type))
    return p.mul(p.mul(x, p.number(0.5, x.type)), p.add(p.number(1, x.type), p(math.TanhOp, inner)))


def _div(p: Points, a: SSAValue, b: SSAValue) -> SSAValue:
    """a / b. Integers: x / 0 is 0 and the quotient that does not fit wraps, where the machine's division would trap."""
    if not is_integer(a):
        return p.div(a, b)
    width = integer_width(a.type)
    assert width is not None
    zero, one = p.number(0, b.type), p.number(1, b.type)
    by_zero = p(CmpiOp, b, zero, "eq")
    if is_unsigned(a.type):
        return p(SelectOp, by_zero, zero, p.div(a, p(SelectOp, by_zero, one, b)))
    least = p(CmpiOp, a, p.number(-(1 << (width - 1)), a.type), "eq")
    overflows = p(arith.AndIOp, least, p(CmpiOp, b, p.number(-1, b.type), "eq"))
    divisor = p(SelectOp, p(arith.OrIOp, by_zero, overflows), one, b)
    return p(SelectOp, by_zero, zero, p.div(a, divisor))


def _sign(p: Points, x: SSAValue) -> SSAValue:
    """1 or -1 where x is positive or negative, else x: a zero or NaN."""
    if is_unsigned(x.type):
        return p(arith.MinUIOp, x, p.number(1, x.type))
    zero, one, minus_one = (p.number(n, x.type) for n in (0, 1, -1))
    above, below = ("sgt", "slt") if is_integer(x) else ("ogt", "olt")
    compare = CmpiOp if is_integer(x) else CmpfOp
    return p(SelectOp, p(compare, x, zero, above), one, p(SelectOp, p(compare, x, zero, below), minus_one, x))


def _mod(p: Points, a: SSAValue, b: SSAValue) -> SSAValue:
    """r = a rem b; r + b where r is not 0 and r and b have different signs. A float has the sign of b in any case."""
    if is_unsigned(a.type):
        return p(arith.RemUIOp, a, b)
    zero, r = p.number(0, a.type), p.typed(RemFOp, arith.RemSIOp, a, b)
    if is_integer(a):
        differ = p(CmpiOp, p(arith.XOrIOp, r, b), zero, "slt")
        wrong = p(arith.AndIOp, p(CmpiOp, r, zero, "ne"), differ)
    else:
        differ = p(arith.XOrIOp, p(CmpfOp, r, zero, "olt"), p(CmpfOp, b, zero, "olt"))
        wrong = p(arith.AndIOp, p(CmpfOp, r, zero, "one"), differ)
    result = p(SelectOp, wrong, p.add(r, b), r)
    return result if is_integer(a) else p(math.CopySignOp, result, b)


def _power(p: Points, a: SSAValue, b: SSAValue) -> SSAValue:
    """a^b. Narrow integers are those bits of the power in 32 bits, as products wrap."""
    width = integer_width(a.type)
    if width is None:
        return p(math.PowFOp, a, b)
    if is_unsigned(a.type) and width >= 32:
        return _unsigned_power(p, a, b)
    if width >= 32:
        return p(math.IPowIOp, a, b)
    widened = ExtUIOp if is_unsigned(a.type) else ExtSIOp
    return p(TruncIOp, p(math.IPowIOp, p(widened, a, i32), p(widened, b, i32)), a.type)


def _unsigned_power(p: Points, a: SSAValue, b: SSAValue) -> SSAValue:
    """a^b by a power that reads b as signed.

    An exponent of 2^63 or more loses its highest bit and gets the one below it. That leaves 0 for an even a, and for an
    odd one, whose power of 2^62 is 1, the same.
    """
    if integer_width(a.type) == 32:
        return p(TruncIOp, p(math.IPowIOp, p(ExtUIOp, a, i64), p(ExtUIOp, b, i64)), a.type)
    bits, highest = p.number((1 << 62) - 1, b.type), p.number(1 << 62, b.type)
    smaller = p(arith.OrIOp, p(arith.AndIOp, b, bits), highest)
    return p(math.IPowIOp, a, p(SelectOp, p(CmpiOp, b, p.number(0, b.type), "slt"), smaller, b))


def _point(names: Sequence[str]) -> Body:
    """The body that is one op: the same for all types, or one for floats, one for integers, one for unsigned ones."""
    of_float, of_int, of_unsigned = [_SCALAR_OPS[name] for name in names] * (3 // len(names))

    def body(p: Points, *operands: SSAValue) -> SSAValue:
        return p.typed(of_float, of_int, *operands, of_unsigned=of_unsigned)

    return body


_SCALAR_OPS = {op.name: op for dialect in (Arith, math.Math) for op in dialect.operations}
BODIES: dict[type[Operation], Body] = {
    graph.NegOp: _neg,
    graph.AbsOp: _abs,
    graph.ReluOp: _relu,
    graph.SigmoidOp: _sigmoid,
    graph.SiluOp: _silu,
    graph.SignOp: _sign,
    graph.NotOp: _not,
    graph.AddOp: Points.add,
    graph.SubOp: Points.sub,
    graph.MulOp: Points.mul,
    graph.DivOp: _div,
    graph.ModOp: _mod,
    graph.PowOp: _power,
}
"""The scalar bodies that are more than one op, which `ElementwiseOp.POINT` names."""

_FLOAT_PREDICATES = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_INTEGER_PREDICATES = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_UNSIGNED_PREDICATES = {"eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"}
"""Those of i1, too: true is greater than false; read as a signed integer, its one bit would be -1."""


class Elementwise(ToTensor):
    """A pattern for ops that compute each point of the result from one point of each operand."""

    def map(self, op: Operation, b: Builder, body: Body, operands: Sequence[SSAValue] | None = None) -> SSAValue:
        """`body` over all points of the result; operands that are one number become that number.

        `operands` are those of the op, unless it is computed from others.
        """
        (kind,) = self.types(op.results[0].type)
        operands = [self.part(each) for each in (op.operands if operands is None else operands)]
        assert isinstance(kind, TensorType)
        result = cast(Tensor, kind)
        points = points_like(operands, result.get_shape())
        accesses: list[Access] = []
        scalars: dict[int, IntegerAttr[IntegerType] | FloatAttr] = {}
        for position, operand in enumerate(operands):
            number = scalar_constant(operand)
            if number is not None:
                scalars[position] = number
            else:
                accesses.append(points.access(operand, broadcast(operand, result.get_shape())))

        def with_scalars(p: Points, *loaded: SSAValue) -> SSAValue:
            values = iter(loaded)
            numbers = [p(arith.ConstantOp, scalars[i]) if i in scalars else next(values) for i in range(len(operands))]
            result = body(p, *numbers)
            p.drop_unused(numbers[i] for i in scalars if numbers[i] is not result)
            return result

        return b.reshape(b.map(accesses, points.dims, result.element_type, with_scalars), result.get_shape())


def broadcast(operand: SSAValue, shape: Sequence[int]) -> list[AffineExpr]:
    """Where an operand is read for a point of `shape`."""
    return broadcast_subscripts(tensor_type(operand).get_shape(), shape)


def broadcast_subscripts(own: Sequence[int], shape: Sequence[int]) -> list[AffineExpr]:
    """Subscripts aligned at the right, as NumPy broadcasts: an extent of 1 that stretches is read at 0."""
    offset = len(shape) - len(own)
    return [d(offset + i) if size == shape[offset + i] else AffineExpr.constant(0) for i, size in enumerate(own)]


def scalar_constant(operand: SSAValue) -> IntegerAttr[IntegerType] | FloatAttr | None:
    """The number that a constant tensor holds, if all of its elements are the same one."""
    constant = operand.owner
    if not isinstance(constant, arith.ConstantOp) or not isinstance(constant.value, DenseIntOrFPElementsAttr):
        return None
    number = repeated_number(constant.value)
    return None if number is None else scalar_attribute(number, constant.value.get_element_type())


def scalar_number(operand: SSAValue) -> int | float | None:
    """The number that all elements of a constant tensor are, with the sign that its type says; None if they differ."""
    constant = scalar_constant(operand)
    if constant is None:
        return None
    element, value = element_type(operand.type), constant.value.data
    width = integer_width(element)
    return value % (1 << width) if width is not None and is_unsigned(element) else value


_OF_POINTS = [op for op in graph.Graph.operations if issubclass(op, graph.ElementwiseOp) and (op.POINT or op in BODIES)]


@lowers("convert-graph-to-tensor", graph.ElementwiseOp, *_OF_POINTS)
class ElementwiseToMap(Elementwise):
    """One map; the op says which op computes a point, or the table has its body."""

    def build(self, op: Operation, b: Builder) -> SSAValue | None:
        assert isinstance(op, graph.ElementwiseOp)
        body = _point(op.POINT) if op.POINT else BODIES.get(type(op))
        return None if body is None else self.map(op, b, body)


@lowers("convert-graph-to-tensor", graph.GeluOp)
class GeluToMap(Elementwise):
    """Either form of gelu."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.GeluOp)
        return self.map(op, b, _gelu_tanh if op.approximate.data == "tanh" else _gelu)


@lowers("convert-graph-to-tensor", graph.CompareOp)
class CompareToMap(Elementwise):
    """Ordered comparisons, except that `ne` holds for NaN."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.CompareOp)
        predicate = op.predicate.data.value

        def body(p: Points, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
            if is_integer(lhs):
                unsigned = lhs.type == i1 or is_unsigned(lhs.type)
                predicates = _UNSIGNED_PREDICATES if unsigned else _INTEGER_PREDICATES
                return p(CmpiOp, lhs, rhs, predicates[predicate])
            return p(CmpfOp, lhs, rhs, _FLOAT_PREDICATES[predicate])

        return self.map(op, b, body)


@lowers("convert-graph-to-tensor", graph.LookupOp)
class LookupToMap(Elementwise):
    """The same table, whose bytes have no sign."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.LookupOp)
        numbers = [n if n < 1 << 7 else n - (1 << 8) for n in cast(Sequence[int], op.table.get_values())]
        table = DenseIntOrFPElementsAttr.from_list(TensorType(i8, [ENTRIES]), numbers)
        element = op.table.type.get_element_type()

        def body(p: Points, x: SSAValue) -> SSAValue:
            return p(LookupOp, x, table, element)

        return self.map(op, b, body)
