"""Steps of schedules: what a class has to be, and what its values may be."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from mlc.compiler.compilation import new_context, parse_verified
from mlc.dialects.loop import ForOp, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import load_step, make_step, plugin_steps, step_names
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.plugins.files import load_pass
from mlc.schedules.steps.base import LoopStep
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.vectorize import Vectorize
from mlc.support.additions import plugin_scope
from mlc.support.blame import plugin_files
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, SourceLocation, UserError
from mlc.syntax import parse_module

_NEST = """func.func @f(%x: memref<8x8xf32>) {
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 8 {
      %0 = loop.load %x[%m, %n] : memref<8x8xf32>
      loop.store %0, %x[%m, %n] : memref<8x8xf32>
    }
  }
  return
}"""


def test_what_is_written_is_what_is_read() -> None:
    for step in (Tile("n", 64), Interchange.around("n", "m", "k"), Vectorize("n"), Vectorize("n", 8)):
        name, _, arguments = step.spelling.rstrip(")").partition("(")
        assert make_step(name, [int(a) if a.isdigit() else a for a in arguments.split(", ")]) == step


@pytest.mark.parametrize(
    ("arguments", "required"),
    [
        (("n", "8"), "size='8', required a number"),
        ((3, 8), "loop=3, required a name"),
        ((None, 8), "loop=None, required a name"),
    ],
)
def test_a_program_gives_arguments_of_the_types_of_the_fields(arguments: tuple[object, ...], required: str) -> None:
    with pytest.raises(TypeError, match=f"schedule step 'tile': found {required}"):
        Tile(*arguments)  # pyright: ignore
    with pytest.raises(TypeError, match=r"schedule step 'interchange': found .*, required a tuple of names"):
        Interchange("n", "m", ("k", 3))  # pyright: ignore


def test_sizes_are_told_as_they_were_found() -> None:
    with pytest.raises(UserError, match="'tile' takes a positive number, got -3"):
        make_step("tile", ["n", -3])
    with pytest.raises(UserError, match=r"'tile' takes a number up to \d+, got 9{20}"):
        make_step("tile", ["n", 99999999999999999999])


@pytest.mark.parametrize(
    ("step", "arguments", "message"),
    [
        ("degree", [5], "takes 1 function name, got none; it is written as in 'degree(exp, 5)'"),
        ("pack", ["w"], "takes 1 argument name and 1 loop name, got 1 name (w); it is written as in 'pack(w, n)'"),
        ("partition", [], "takes 1 or more loop names, got none"),
        ("prefetch_next", ["k"], "takes 2 loop names, got 1"),
        ("clang", ["n", 2], "takes no name, got 1 name (n); it is written as in 'clang(2)'"),
        ("llvm_unroll", ["k", 0], "takes a positive number, got 0"),
        ("degree", ["exp"], "takes one number, got none; it is written as in 'degree(exp, 5)'"),
        ("unroll", ["n", 3], "takes no number, got 1 number (3)"),
    ],
)
def test_what_is_wrong_is_called_what_it_is(step: str, arguments: list[str | int], message: str) -> None:
    with pytest.raises(UserError, match=re.escape(f"schedule step '{step}' {message}")):
        make_step(step, arguments)


@pytest.mark.parametrize("name", step_names())
def test_every_step_says_what_it_is(name: str) -> None:
    kind = load_step(name)
    assert issubclass(kind, LoopStep) and kind.example.startswith(f"{name}(") and len(kind.summary()) > 20
    loops = [op for op in parse_module(_NEST, "nest.mlir", new_context()).walk() if isinstance(op, ForOp)]
    step = kind.drawn(Random(1), loops[0])
    assert step == make_step(
        name, [int(a) if a.isdigit() else a for a in step.spelling[len(name) + 1 : -1].split(", ")]
    )
    assert step.words(LoopPlan())


def test_values_are_checked_where_they_are_made() -> None:
    with pytest.raises(UserError, match="'tile' takes a positive number"):
        Tile("n", 0)
    with pytest.raises(UserError, match=r"'interchange\(n, n\)' names 'n' twice"):
        Interchange.around("n", "n")


def test_an_argument_may_be_called_as_a_loop_is() -> None:
    """A kernel of the arguments `a`, `b`, `c` and the loops `b`, `m`, `n`: text like any other."""
    assert make_step("pack", ["b", "b"]).spelling == "pack(b, b)"


_CLASS = """
from dataclasses import dataclass
from mlc.dialects.loop import ForOp, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import ArgumentName, LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.support.context import CompilerContext

@dataclass(frozen=True)
class Mine(LoopStep):
    '''does nothing at all to a loop'''

    name = "mine"
    example = "mine(n)"

    loop: LoopName
    # more

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        pass

    def words(self, plan: LoopPlan) -> str:
        return "nothing"
"""
_WORDS = """    def words(self, plan: LoopPlan) -> str:
        return "nothing"
"""
_REWRITE = """    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        pass
"""
_MISTAKES = [
    ('name = "mine"', "pass", "has no `name`; required: small letters"),
    ('name = "mine"', 'name = "mi-ne"', "has the name 'mi-ne'; required: small letters"),
    ('example = "mine(n)"', "pass", "has no `example` of how it is written; required: a text such as 'mine(n)'"),
    ('example = "mine(n)"', 'example = "other(n)"', "has no `example` of how it is written"),
    ("@dataclass(frozen=True)", "", "is not a frozen dataclass"),
    ("'''does nothing at all to a loop'''", "", "has no docstring"),
    (_WORDS, "", "has no `words(self, plan)`"),
    (_REWRITE, "", "has no `rewrite(self, loop, ctx)`"),
    ("# more", "factor: float", "has a field of type <class 'float'>; they are LoopName"),
    ("# more", "size: int\n    other: LoopName", "has its fields in another order than the text"),
    ("# more", "others: tuple[LoopName, ...]\n    other: LoopName", "has its fields in another order"),
    ("# more", "loops: tuple[LoopName, ...]", "has a field 'loops', which means something else"),
    ("loop: LoopName", "size: int", "names no loop; required: a field of the type LoopName"),
]


@pytest.mark.parametrize(("old", "new", "message"), _MISTAKES)
def test_a_class_that_is_no_step_is_refused_where_it_stands(old: str, new: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(_CLASS.replace(old, new, 1))
    with plugin_scope(), pytest.raises(UserError, match=re.escape(f"the schedule step 'Mine' {message}")) as raised:
        load_pass(file)
    assert raised.value.location is not None and raised.value.location.line in (9, 10)


_OF_KERNEL = (
    _CLASS.replace("LoopStep", "KernelStep").replace("    loop: LoopName\n", "    size: int\n").replace("(n)", "(2)")
)
_SET = "    def set(self, function, scheduling) -> None:\n        pass\n"


def test_a_step_of_a_kernel_names_no_loop_and_is_carried_out(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(_OF_KERNEL)
    with plugin_scope(), pytest.raises(UserError, match=r"'Mine' has no `set\(self, function, scheduling\)`"):
        load_pass(file)
    file.write_text(_OF_KERNEL.replace(_REWRITE, _SET))
    with plugin_scope():
        load_pass(file)
        assert make_step("mine", [2]).spelling == "mine(2)" and make_step("mine", [2]).loops == ()


def test_two_steps_of_one_name_in_a_file_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"{_CLASS}\n@dataclass(frozen=True)\nclass Other(Mine):\n    name = 'mine'\n")
    wrong = f"'Mine' and 'Other' of '{file}' are both schedule steps named 'mine'; rename one"
    with plugin_scope(), pytest.raises(UserError, match=re.escape(wrong)):
        load_pass(file)


_FAILING = """
func.func @main(%a: memref<8xf32>) attributes {schedule = #loop.schedule<[mine(n)]>} {
  loop.for parallel "n" %n = 0 to 8 {
    %0 = loop.load %a[%n] : memref<8xf32>
    loop.store %0, %a[%n] : memref<8xf32>
  }
  return
}
"""


def test_a_file_is_forgotten_with_what_it_added(tmp_path: Path) -> None:
    file, before = tmp_path / "mine.py", set(plugin_files)
    file.write_text(_CLASS)
    for _ in range(2):
        with plugin_scope():
            load_pass(file)
            assert plugin_files - before == {str(file)}
        assert plugin_files == before


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("loop.wrong()", 20, "fails on 'main' with AttributeError: 'ForOp' object has no attribute 'wrong'"),
        ("loop.detach_region(loop.body)", 9, "leaves invalid IR in 'main': 'loop.for': Expected 1 region, but got 0"),
        ("loop.attributes['far'] = 2", 9, "TypeError: the attribute 'far' of 'loop.for' is the int 2; required"),
        ("loop.properties['step'] = 2", 9, "leaves invalid IR in 'main': "),
        ("loop.body.block.erase_op(loop.body.block.last_op)", 9, "required: IR that verifies after each step"),
    ],
)
def test_a_step_that_goes_wrong_is_a_mistake_of_its_file(body: str, line: int, message: str, tmp_path: Path) -> None:
    file, ctx = tmp_path / "mine.py", new_context()
    file.write_text(_CLASS.replace(_REWRITE, _REWRITE.replace("pass", body)))
    with plugin_scope():
        load_pass(file)
        module = parse_verified(_FAILING, "model.mlir", ctx, tmp_path)
        with pytest.raises(UserError, match=re.escape(message)) as raised:
            PassManager(ctx).run(module, parse_passes("apply-schedule"))
    assert raised.value.message.startswith(f"schedule step 'mine(n)' of '{file}' ")
    assert raised.value.location == SourceLocation(str(file), line)


def test_what_was_wrong_before_is_no_mistake_of_a_step(tmp_path: Path) -> None:
    file, ctx = tmp_path / "mine.py", new_context()
    file.write_text(_CLASS)
    with plugin_scope():
        load_pass(file)
        module = parse_verified(_FAILING, "model.mlir", ctx, tmp_path)
        loop = next(op for op in module.walk() if isinstance(op, ForOp))
        loop.body.block.erase_op(next(op for op in module.walk() if isinstance(op, YieldOp)))
        with pytest.raises(CompilerBug, match="the IR does not verify after pass 'apply-schedule'"):
            PassManager(ctx).run(module, parse_passes("apply-schedule"))


def test_a_step_of_mlc_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Tile, loop: ForOp, ctx: CompilerContext) -> None:
        raise IndexError("none left")

    monkeypatch.setattr(Tile, "rewrite", fail)
    ctx = new_context()
    module = parse_verified(_FAILING.replace("mine(n)", "tile(n, 4)"), "model.mlir", ctx, tmp_path)
    message = "failed in the schedule step 'tile(n, 4)' of 'main' with IndexError: none left"
    with pytest.raises(CompilerBug, match=re.escape(message)):
        PassManager(ctx).run(module, parse_passes("apply-schedule"))


def test_a_step_of_two_numbers_is_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(_CLASS.replace("# more", "first: int\n    second: int | None = None"))
    with plugin_scope():
        load_pass(file)
        assert make_step("mine", ["n", 1, 2]).spelling == "mine(n, 1, 2)"
        assert make_step("mine", ["n", 1]).spelling == "mine(n, 1)"
        with pytest.raises(UserError, match="'mine' takes at most 2 numbers, got 3 numbers"):
            make_step("mine", ["n", 1, 2, 3])


def test_two_steps_of_one_name_are_refused() -> None:
    with (
        plugin_scope(),
        pytest.raises(UserError, match=r"two schedule steps are named 'tile': one of mlc, one of 'x\.py'"),
    ):
        plugin_steps.add("tile", lambda: Tile, "'x.py'")
    with plugin_scope():
        plugin_steps.add("wrong", lambda: Tile, "'x.py'")
        with pytest.raises(UserError, match=r"'x\.py' promises a schedule step 'wrong', found <class"):
            load_step("wrong")
