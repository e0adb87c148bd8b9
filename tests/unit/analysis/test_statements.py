"""Loop nests taken apart into statements."""

from __future__ import annotations

import pytest

from mlc.analysis.statements import is_plain, statements_of
from mlc.compiler.compilation import new_context
from mlc.dialects.loop import ForOp
from mlc.support.errors import Refused
from mlc.syntax import parse_module


def _nest(body: str) -> ForOp:
    text = f"func.func @main(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %s: memref<8xf32>) {{\n{body}\nreturn\n}}\n"
    module = parse_module(text, "nest.mlir", new_context())
    return next(op for op in module.walk() if isinstance(op, ForOp))


def _loops(inner: str) -> ForOp:
    return _nest(f'loop.for serial "i" %i = 0 to 8 {{\nloop.for serial "j" %j = 0 to 8 {{\n{inner}\n}}\n}}')


def test_loops_are_in_the_order_of_the_axes_that_they_subscript() -> None:
    (statement,) = statements_of(
        _loops("%v = loop.load %x[%i, %j] : memref<8x8xf32>\nloop.store %v, %y[%j, %i] : memref<8x8xf32>")
    )
    assert [loop.dim.data for loop in statement.over] == ["j", "i"]
    assert (statement.reduced, len(statement.loads)) == ((), 1)


def test_what_subscripts_no_store_reduces() -> None:
    (statement,) = statements_of(
        _loops(
            "%v = loop.load %x[%i, %j] : memref<8x8xf32>\n%a = loop.load %s[%j] : memref<8xf32>\n"
            "%t = arith.addf %a, %v : f32\nloop.store %t, %s[%j] : memref<8xf32>"
        )
    )
    assert [loop.dim.data for loop in statement.over] == ["j"]
    assert [loop.dim.data for loop in statement.reduced] == ["i"]


@pytest.mark.parametrize(
    ("inner", "reason"),
    [
        (
            "%v = loop.load %y[%j, %i] : memref<8x8xf32>\nloop.store %v, %y[%i, %j] : memref<8x8xf32>",
            "an iteration of 'i' stores an element that another one of 'i' touches",
        ),
        (
            "%v = loop.load %y[%i, %j] : memref<8x8xf32>\nloop.store %v, %s[%j] : memref<8xf32>\n"
            "loop.store %v, %y[7, %j] : memref<8x8xf32>",
            "what is reduced reads other elements of the result",
        ),
        (
            "%v = loop.load %s[%i] : memref<8xf32>\n%w = loop.load %s[%j] : memref<8xf32>\n"
            "%t = arith.addf %v, %w : f32\nloop.store %t, %s[%i] : memref<8xf32>",
            "an iteration of 'i' stores an element that another one of 'i' touches",
        ),
        (
            "func.call @main(%x, %y, %s) : (memref<8x8xf32>, memref<8x8xf32>, memref<8xf32>) -> ()",
            "'func.call' is in it",
        ),
    ],
)
def test_what_is_not_proved_is_refused(inner: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        statements_of(_loops(inner))


def test_what_somebody_has_shaped_is_not_plain() -> None:
    store = "%v = loop.load %x[%i, 0] : memref<8x8xf32>\nloop.store %v, %s[%i] : memref<8xf32>"
    assert is_plain(_nest(f'loop.for serial "i" %i = 0 to 8 {{\n{store}\n}}'))
    assert not is_plain(_nest(f'loop.for threads "i" %i = 0 to 8 {{\n{store}\n}}'))
