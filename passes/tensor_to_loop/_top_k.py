"""`tensor.top_k` finds the greatest of the keys that are wanted, and then all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, MemRefType, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.arith import CmpiOp, ExtSIOp, ExtUIOp, IndexCastOp, SelectOp
from mlc.dialects.tensor import TopKOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._body import NestWriter
from mlc.passes.tensor_to_loop._functions import allocate, destination
from mlc.support.types import integer_width, memref_type, tensor_type


@lowers("convert-tensor-to-loop", TopKOp)
class TopKToBisection(StatelessPattern):
    """The last wanted key is found bit by bit, by counting how many keys are less; then keys are taken up to it.

        for m {
          for bit { trial = last with this bit; if fewer than count of keys[m, :] < trial: last = trial }
          for k { if keys[m, k] < last, or it is one of the first that are equal: wanted[c++] = k }
        }

    Counting is a sum of comparisons, which vectorises, and reads a row that is in cache; so a pass per bit costs less
    than moving keys. There are no branches: a position that is not wanted is overwritten by the next one.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, TopKOp)
        target = destination(rewriter, op.result)
        rows, length = memref_type(op.keys).get_shape()
        count = tensor_type(op.result).get_shape()[1]
        b = NestWriter()

        def select(inside: NestWriter, m: SSAValue) -> None:
            last = _last_wanted(inside, op.keys, m, length, count)
            wanted = _take_up_to(inside, op.keys, m, length, count, last)

            def widen(b: NestWriter, k: SSAValue) -> None:
                b.store(b(ExtSIOp, b.load(wanted, k), i64), target, m, k)

            inside.parallel("k", count, widen)

        if rows and count:
            b.parallel("m", rows, select)
        rewriter.replace(op, b.ops, [target])


def _count_less(b: NestWriter, keys: SSAValue, m: SSAValue, length: int, bound: SSAValue) -> SSAValue:
    """How many keys of row `m` are less than `bound`, as i32."""

    def add(b: NestWriter, k: SSAValue, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
        less = b(CmpiOp, b.load(keys, m, k), bound, "slt")
        return [b(arith.AddiOp, sums[0], b(ExtUIOp, less, i32))]

    return b.serial("k", length, [b.number(0, i32)], add)[0]


def _last_wanted(b: NestWriter, keys: SSAValue, m: SSAValue, length: int, count: int) -> SSAValue:
    """The greatest of the `count` least keys of row `m`.

    From the greatest bit to the least one, with keys as if the sign were the greatest bit of an unsigned number: a bit
    is set if the keys that are less than the number with it are still too few to be all that are wanted.
    """
    width = integer_width(memref_type(keys).element_type)
    assert width is not None
    key = IntegerType(width)
    greatest = 1 << (width - 1)

    def decide(b: NestWriter, step: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        del step
        found, bit = carried
        # For the greatest bit this clears the sign that `found` starts with; all others are not set yet.
        trial = b(arith.XOrIOp, found, bit)
        less = _count_less(b, keys, m, length, trial)
        too_few = b(CmpiOp, less, b.number(count, i32), "slt")
        return [b(SelectOp, too_few, trial, found), b(arith.ShRUIOp, bit, b.number(1, key))]

    return b.serial("bit", width, [b.number(-greatest, key), b.number(-greatest, key)], decide)[0]


def _take_up_to(b: NestWriter, keys: SSAValue, m: SSAValue, length: int, count: int, last: SSAValue) -> SSAValue:
    """A buffer of the positions of all keys below `last` and of as many that are equal to it as make up `count`."""
    buffer: MemRefType[Any] = MemRefType(i32, [count + 1])
    wanted = b(allocate, buffer)
    below = _count_less(b, keys, m, length, last)
    equal_wanted = b(arith.SubiOp, b.number(count, i32), below)

    def take(b: NestWriter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        place, equal_left = carried
        key = b.load(keys, m, k)
        b.store(b(IndexCastOp, k, i32), wanted, b.index(place))
        less = b(CmpiOp, key, last, "slt")
        some_left = b(CmpiOp, equal_left, b.number(0, i32), "sgt")
        is_equal = b(arith.AndIOp, b(CmpiOp, key, last, "eq"), some_left)
        is_wanted = b(arith.OrIOp, less, is_equal)
        return [
            b(arith.AddiOp, place, b(ExtUIOp, is_wanted, i32)),
            b(arith.SubiOp, equal_left, b(ExtUIOp, is_equal, i32)),
        ]

    b.serial("k", length, [b.number(0, i32), equal_wanted], take)
    return wanted
