"""Random bits, by the generators of the specification (Salmon et al., 2011), and foreign functions."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.random_numbers import Stream
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.stablehlo.symbols import is_assertion
from mlc.frontends.stablehlo.to_graph._assertions import require_asserted
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts
from mlc.frontends.stablehlo.to_graph._error_checks import is_callback
from mlc.frontends.stablehlo.to_graph._lapack import lapack_function
from mlc.frontends.stablehlo.to_graph._windows import dynamic_reduce_window
from mlc.support import dtypes
from mlc.support.dtypes import unsigned

_WORD, _PAIR = unsigned(i32), unsigned(i64)
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


@converts("rng_bit_generator")
def rng_bit_generator(b: HloCall) -> Converted:
    """Threefry, or Philox, which `DEFAULT` is as in XLA on processors. A state is a key and a counter of 64 or 128
    bits."""
    state, algorithm = b[0], b.op.word("rng_algorithm")
    if element_of(state) != _PAIR or shape_of(state) not in ((2,), (3,)):
        raise Unconvertible(f"it draws bits with a state of {state.type}; required: two or three ui64")
    parts = [b.reshape(b.slice(state, 0, i, i + 1), ()) for i in range(shape_of(state)[0])]
    after, bits = (_of_three_fry if algorithm == "THREE_FRY" else _of_philox)(b, parts, prod(b.shape(1)))
    bits = b.cast(bits, unsigned(IntegerType(8 * dtypes.to_numpy(b.element(1)).itemsize)))
    found = b.bitcast(b.reshape(bits, b.shape(1)), b.element(1))
    return [b.concat([b.reshape(part, (1,)) for part in after], 0), found]


def _is_wide(b: HloCall) -> bool:
    return dtypes.to_numpy(b.element(1)).itemsize == 8


def _of_philox(b: HloCall, state: list[SSAValue], count: int) -> tuple[list[SSAValue], SSAValue]:
    """The state after them, and so many elements. A state without an upper half of the counter has the key there."""
    key, low = state[:2]
    high = state[2] if len(state) == 3 else key
    bits = Stream(b, key, low, high).bits((count,), _PAIR if _is_wide(b) else _WORD)
    after = b.add(low, b.constant(np.asarray(-(-count * (1 + _is_wide(b)) // 4), np.uint64), _PAIR))
    if len(state) == 2:
        return [key, after], bits
    return [key, after, b.add(high, b.cast(b.compare("lt", after, low), _PAIR))], bits


def _of_three_fry(b: HloCall, state: list[SSAValue], count: int) -> tuple[list[SSAValue], SSAValue]:
    """The state after them, and so many elements."""
    key, counter = state[:2]
    blocks = -(-count * (1 + _is_wide(b)) // 2)
    counters = b.add(counter, b.constant(np.arange(blocks, dtype=np.uint64), _PAIR))
    one, two = _three_fry(b, _halves(b, key), _halves(b, counters))
    if _is_wide(b):
        high = b(graph.ShlOp, b.cast(two, _PAIR), b.constant(np.asarray(32, np.uint64), _PAIR))
        bits: SSAValue = b(graph.OrOp, high, b.cast(one, _PAIR))
    else:
        bits = b.concat([one, two], 0)
    after = b.add(counter, b.constant(np.asarray(blocks, np.uint64), _PAIR))
    return [key, after, *state[2:]], b.slice(bits, 0, 0, count)


def _halves(b: HloCall, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    return b.cast(x, _WORD), b.cast(b(graph.ShrOp, x, b.number(32, x)), _WORD)


def _three_fry(
    b: HloCall, key: tuple[SSAValue, SSAValue], counter: tuple[SSAValue, SSAValue]
) -> tuple[SSAValue, SSAValue]:
    """Threefry-2x32 with 20 rounds."""
    third = b(graph.XorOp, b(graph.XorOp, key[0], key[1]), b.constant(np.asarray(0x1BD11BDA, np.uint32), _WORD))
    keys = (*key, third)
    one, two = b.add(counter[0], keys[0]), b.add(counter[1], keys[1])
    for i in range(5):
        for rotation in _ROTATIONS[i % 2]:
            one = b.add(one, two)
            left = b(graph.ShlOp, two, b.number(rotation, two))
            right = b(graph.ShrOp, two, b.number(32 - rotation, two))
            two = b(graph.XorOp, b(graph.OrOp, left, right), one)
        one = b.add(one, keys[(i + 1) % 3])
        two = b.add(b.add(two, keys[(i + 2) % 3]), b.number(i + 1, two))
    return one, two


@converts("rng")
def rng(b: HloCall) -> Converted:
    """Random numbers without a state.

    Raises:
        Unconvertible: always.
    """
    raise Unconvertible("it draws random numbers from a hidden state; required: a key, as jax.random has one")


@converts("custom_call", bounded=True)
def custom_call(b: HloCall) -> Converted:
    """A foreign function: one of LAPACK, for which mlc has loops of its own, or what asserts something of shapes.

    Raises:
        Unconvertible: it is another one, or the assertion does not hold for all shapes that callers may pass.
    """
    if is_assertion(b.op):
        require_asserted(b)
        return []
    if b.op.word("call_target_name") == "stablehlo.dynamic_reduce_window":
        return dynamic_reduce_window(b)
    found = lapack_function(b)
    if found is None:
        if is_callback(b.op):
            raise Unconvertible("it calls back into Python, which native code cannot do; required: operations of JAX")
        name = b.op.word("call_target_name")
        raise Unconvertible(f"it calls the foreign function '{name}', which mlc does not have")
    return found
