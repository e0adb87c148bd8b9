"""Random numbers by a counter: ten rounds of two products, at each point."""

from __future__ import annotations

from functools import partial

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.arith import CmpiOp, ExtUIOp, SelectOp, TruncIOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder
from mlc.passes.graph_to_tensor._elementwise import Elementwise
from mlc.passes.graph_to_tensor._points import Points
from mlc.support.dtypes import unsigned

_PAIR, _WORD = unsigned(i64), unsigned(i32)
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10


@lowers("convert-graph-to-tensor", graph.PhiloxOp)
class PhiloxToMap(Elementwise):
    """One map. Words are in lanes of 64 bits, where the product of two has its place."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.PhiloxOp)
        return self.map(op, b, _word if op.result.type.element_type == _WORD else _pair)


def _word(p: Points, place: SSAValue, key: SSAValue, low: SSAValue, high: SSAValue) -> SSAValue:
    """One of four."""
    words = _block(p, _apply(p, arith.ShRUIOp, place, 2), key, low, high)
    first = _choose(p, _apply(p, arith.AndIOp, place, 1), words[1], words[0])
    second = _choose(p, _apply(p, arith.AndIOp, place, 1), words[3], words[2])
    return p(TruncIOp, _choose(p, _apply(p, arith.AndIOp, place, 2), second, first), _WORD)


def _pair(p: Points, place: SSAValue, key: SSAValue, low: SSAValue, high: SSAValue) -> SSAValue:
    """The first two of four, or the others."""
    words = _block(p, _apply(p, arith.ShRUIOp, place, 1), key, low, high)
    odd = _apply(p, arith.AndIOp, place, 1)
    lower, upper = _choose(p, odd, words[2], words[0]), _choose(p, odd, words[3], words[1])
    return p(arith.OrIOp, lower, _apply(p, arith.ShLIOp, upper, 32))


def _block(p: Points, number: SSAValue, key: SSAValue, low: SSAValue, high: SSAValue) -> list[SSAValue]:
    """The four words of a block, which has this number, counted from the one whose counter is given."""
    counter = p(arith.AddiOp, low, number)
    carry = p(ExtUIOp, p(CmpiOp, counter, low, "ult"), _PAIR)
    c0, c1 = _halves(p, counter)
    c2, c3 = _halves(p, p(arith.AddiOp, high, carry))
    k0, k1 = _halves(p, key)
    mask, xor = partial(_apply, p, arith.AndIOp, number=0xFFFFFFFF), partial(p, arith.XOrIOp)
    for _ in range(_ROUNDS):
        first, second = (_apply(p, arith.MuliOp, c, m) for c, m in zip((c0, c2), _MULTIPLIERS, strict=True))
        c0, c1 = xor(xor(_apply(p, arith.ShRUIOp, second, 32), c1), k0), mask(second)
        c2, c3 = xor(xor(_apply(p, arith.ShRUIOp, first, 32), c3), k1), mask(first)
        k0, k1 = (mask(_apply(p, arith.AddiOp, k, w)) for k, w in zip((k0, k1), _WEYL, strict=True))
    return [c0, c1, c2, c3]


def _halves(p: Points, number: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The lower and the upper 32 bits."""
    return _apply(p, arith.AndIOp, number, 0xFFFFFFFF), _apply(p, arith.ShRUIOp, number, 32)


def _apply(p: Points, op: type[Operation], value: SSAValue, number: int) -> SSAValue:
    """`op` of a value and a number."""
    return p(op, value, p.number(number, value.type))


def _choose(p: Points, bit: SSAValue, if_set: SSAValue, if_not: SSAValue) -> SSAValue:
    """One value where a number is not 0, the other where it is."""
    return p(SelectOp, p(CmpiOp, bit, p.number(0, bit.type), "ne"), if_set, if_not)
