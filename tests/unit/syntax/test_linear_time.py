"""The work per operation is the same in large texts as in small ones, in parsing, verifying and reporting errors.

Work is counted in calls of Python functions, which no busy machine changes: four times the text may take at most five
times the calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from mlc.support.errors import UserError, UserErrors

from .conftest import Syntax

SMALL = 60
FACTOR = 4
ALLOWED = 5


def lines(pattern: str, count: int) -> str:
    """The pattern with `<0>` and `<1>` replaced by each number and the one behind it."""
    return "".join(pattern.replace("<0>", str(i)).replace("<1>", str(i + 1)) for i in range(count))


def function(body: str, count: int, arguments: str = "") -> str:
    """A function around a body."""
    return f"func.func @main({arguments}) {{\n{lines(body, count)}  return\n}}\n"


def blocks(body: str, count: int) -> str:
    """A function of many blocks, each of which goes on to the next; `^end` is the last one."""
    head = "func.func @main(%c: i1) {\n  cf.br ^b0\n"
    return f"{head}{lines(body, count)}^b{count}:\n  cf.br ^end\n^end:\n  return\n}}"


def pack(count: int) -> str:
    """A pack of values that is used in front of its definition, each value once."""
    types = ", ".join(["i32"] * count)
    uses = "".join(f'"test.op"(%p#{i}) : (i32) -> ()\n' for i in range(count))
    return f'{uses}%p:{count} = "test.op"() : () -> ({types})\n'


VALID: dict[str, Callable[[int], str]] = {
    "operations": lambda n: function("  %x<0> = arith.addi %a, %a : i32\n", n, "%a: i32"),
    "blocks": lambda n: blocks("^b<0>:\n  cf.br ^b<1>\n", n),
    "blocks that share an exit": lambda n: blocks("^b<0>:\n  cf.cond_br %c, ^b<1>, ^end\n", n),
    "loops in loops": lambda n: blocks("^b<0>:\n  cf.cond_br %c, ^b<1>, ^b0\n", n),
    "calls": lambda n: lines("func.func private @f<0>()\n", n) + function("  call @f<0>() : () -> ()\n", n),
    "calls in llvm": lambda n: (
        lines("llvm.func @f<0>()\n", n)
        + "llvm.func @main() {\n"
        + lines("  llvm.call @f<0>() : () -> ()\n", n)
        + "  llvm.return\n}"
    ),
    "globals": lambda n: (
        lines('"memref.global"() <{sym_name = "g<0>", type = memref<4xi32>, initial_value}> : () -> ()\n', n)
        + function("  %g<0> = memref.get_global @g<0> : memref<4xi32>\n", n)
    ),
    "functions": lambda n: lines("func.func @f<0>() {\n  return\n}\n", n),
    "regions": lambda n: function("  scf.if %c {\n  }\n", n, "%c: i1"),
    "uses in front of definitions": lambda n: (
        lines('%v<0> = "test.op"(%v<1>) : (i32) -> i32\n', n) + (f'%v{n} = "test.op"() : () -> i32')
    ),
    "a pack in front of its definition": pack,
    "aliases": lambda n: lines("#a<0> = <0> : i32\n", n) + lines('"test.op"() {x = #a<0>} : () -> ()\n', n),
}

WRONG: dict[str, Callable[[int], str]] = {
    "undefined names": lambda n: function('  "test.op"(%v<0>) : (i32) -> ()\n', n),
    "undefined names that resemble others": lambda n: function('  %name<0> = "test.op"(%nam<0>) : (i32) -> i32\n', n),
    "undefined names in functions": lambda n: lines(
        'func.func @f<0>() {\n  "test.op"(%v) : (i32) -> ()\n  return\n}\n', n
    ),
    "undefined blocks": lambda n: blocks("^b<0>:\n  cf.br ^c<0>\n", n),
    "wrong types": lambda n: function("  %x<0> = arith.addi %a, %a : f32\n", n, "%a: f32"),
    "uses without dominance": lambda n: function(
        '  "test.op"(%v<0>) : (i32) -> ()\n  %v<0> = "test.op"() : () -> i32\n', n
    ),
    "wrong branches": lambda n: blocks("^b<0>:\n  cf.br ^b<1>(%c : i1)\n", n),
    "syntax errors": lambda n: function('  "test.op"( : () -> ()\n', n),
}


def calls_in(work: Callable[[], object]) -> int:
    """How many functions are called, generators resumed, and builtins called, while `work` runs."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def errors_in(text: str) -> int:
    """How many errors there are in a text that is wrong."""
    with pytest.raises(UserError) as caught:
        Syntax().parse(text)
    return len(caught.value.errors) if isinstance(caught.value, UserErrors) else 1


@pytest.mark.slow
@pytest.mark.parametrize("case", VALID)
def test_valid_text(case: str) -> None:
    def work(count: int) -> None:
        syntax = Syntax()
        syntax.print(syntax.parse(VALID[case](count)))

    work(2)  # grammars and formats are made when they are first used
    assert calls_in(lambda: work(FACTOR * SMALL)) <= ALLOWED * calls_in(lambda: work(SMALL))


@pytest.mark.parametrize("case", WRONG)
def test_wrong_text(case: str) -> None:
    make = WRONG[case]
    errors_in(make(2))
    assert calls_in(lambda: errors_in(make(FACTOR * SMALL))) <= ALLOWED * calls_in(lambda: errors_in(make(SMALL)))
    assert errors_in(make(FACTOR * SMALL)) == 20
