"""The pass manager: order, verification, observers, and what happens when a pass is wrong."""

from __future__ import annotations

import gc
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import PassFailedException

from mlc.compiler.compilation import new_context
from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import CheckEach, Timing
from mlc.pass_manager.ir_printing import PrintIR
from mlc.pass_manager.late_checking import LateChecker
from mlc.pass_manager.manager import PassManager, collector_at_rest
from mlc.pass_manager.options import parse_passes
from mlc.pass_manager.reproducer import reproducer_arguments
from mlc.pass_manager.wrong_value import WrongValue
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError
from mlc.support.rounding import Rounding
from mlc.syntax import parse_module


@dataclass(frozen=True)
class Does(Pass):
    """Does whatever a test wants."""

    name: ClassVar[str] = "does"
    what: Callable[[ModuleOp], object] = field(default=lambda module: None)

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        """Do it."""
        self.what(module)

    def spec(self, *, include_default: bool = False):
        """Without the function, which has no spelling."""
        from xdsl.utils.arg_spec import ArgSpec

        return ArgSpec(self.name, {})


def _add_function(module: ModuleOp) -> None:
    module.body.block.add_op(FuncOp("f", ((), ()), Region(Block([ReturnOp()]))))


def _break(module: ModuleOp) -> None:
    """A function that returns nothing although its type says i32."""
    module.body.block.add_op(FuncOp("f", ((), (i32,)), Region(Block([ReturnOp()]))))


def _raise(error: Exception) -> Does:
    def throw(module: ModuleOp) -> None:
        raise error

    return Does(throw)


@pytest.fixture(autouse=True)
def _reproducers_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.chdir(tmp_path)


def _manager(verify_each: bool = False) -> PassManager:
    return PassManager(new_context(), source=lambda: "builtin.module {}\n", verify_each=verify_each)


def test_passes_run_in_order() -> None:
    seen: list[int] = []
    _manager().run(ModuleOp([]), [Does(lambda m: seen.append(1)), Does(lambda m: seen.append(2))])
    assert seen == [1, 2]


@pytest.mark.parametrize("verify_each", [True, False])
def test_broken_ir_is_a_bug_of_the_pass(verify_each: bool, tmp_path: Path) -> None:
    with pytest.raises(CompilerBug, match="the IR does not verify after pass 'does'") as e:
        _manager(verify_each=verify_each).run(ModuleOp([]), [Does(_break)])
    assert e.value.stage == "does"
    (reproducer,) = (tmp_path / "mlc-reproducers").glob("*.mlir")
    assert e.value.reproducer is not None and e.value.reproducer.samefile(reproducer)
    text = reproducer.read_text()
    assert text.endswith("builtin.module {}\n")
    assert reproducer_arguments(text) == ["--target=native", "--verify-each", "--pass-pipeline=does"]


def test_what_is_left_outside_of_the_module_does_not_use_its_values() -> None:
    number = arith.ConstantOp.from_int_and_width(1, 32)
    left = arith.AddiOp(number, number)
    module = ModuleOp([number])
    with pytest.raises(CompilerBug, match=r"a value of 'arith[.]constant' is used by 'arith[.]addi', which is outside"):
        _manager().run(module, [Does()])
    left.erase()
    _manager().run(module, [Does()])


def test_without_verify_each_the_pipeline_is_named() -> None:
    with pytest.raises(CompilerBug, match="after the pass pipeline") as e:
        _manager().run(ModuleOp([]), [Does(_break), Does()])
    assert e.value.stage == "pipeline"


def test_verify_each_names_the_first_wrong_pass() -> None:
    ran: list[int] = []
    with pytest.raises(CompilerBug):
        _manager(verify_each=True).run(ModuleOp([]), [Does(_break), Does(lambda m: ran.append(1))])
    assert not ran


def test_a_crash_is_a_bug(tmp_path: Path) -> None:
    with pytest.raises(CompilerBug, match="pass 'does' failed with KeyError: 'x'"):
        _manager().run(ModuleOp([]), [_raise(KeyError("x"))])
    (reproducer,) = (tmp_path / "mlc-reproducers").glob("*.mlir")
    assert "// KeyError: 'x'" in reproducer.read_text()


def test_a_bug_without_a_writable_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError

    monkeypatch.setattr(Path, "write_text", refuse)
    with pytest.raises(CompilerBug) as e:
        _manager().run(ModuleOp([]), [_raise(KeyError("x"))])
    assert e.value.reproducer is None


@pytest.mark.parametrize("error", [UserError("no"), PassFailedException("no")])
def test_user_errors_pass_through(error: Exception, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no"):
        _manager().run(ModuleOp([]), [_raise(error)])
    assert not list(tmp_path.iterdir())


def test_weight_files_of_a_reproducer_have_absolute_paths(tmp_path: Path) -> None:
    manager = PassManager(new_context(), source=lambda: 'uses "w.safetensors"')
    manager.ctx.resources.spellings["weights"] = "w.safetensors"
    manager.ctx.resources.files["weights"] = tmp_path / "w.safetensors"
    with pytest.raises(CompilerBug):
        manager.run(ModuleOp([]), [_raise(KeyError("x"))])
    (reproducer,) = (tmp_path / "mlc-reproducers").glob("*.mlir")
    assert f'uses "{tmp_path / "w.safetensors"}"' in reproducer.read_text()


def test_timing_table() -> None:
    stream = io.StringIO()
    timing = Timing(stream)
    PassManager(new_context(), [timing]).run(ModuleOp([]), [Does(_add_function)])
    timing.phase("parse", 0.001)
    timing.report()
    header, row, phase, total = stream.getvalue().splitlines()
    assert header.split() == ["pass", "ms", "%", "ops", "before", "ops", "after"]
    assert row.split()[0] == "does"
    assert row.split()[3:] == ["1", "3"]
    assert phase.split()[:2] == ["(parse)", "1.00"]
    assert total.split()[0] == "total"


@pytest.mark.parametrize(("names", "count"), [(None, 1), (["does"], 1), (["other"], 0)])
def test_print_after(names: list[str] | None, count: int) -> None:
    stream = io.StringIO()
    printer = PrintIR(stream, lambda module, s: print("THE IR", file=s), passes_after=names)
    PassManager(new_context(), [printer]).run(ModuleOp([]), [Does()])
    assert stream.getvalue() == "// -----// IR after does //----- //\nTHE IR\n" * count


def test_the_collector_is_as_before() -> None:
    before = gc.get_threshold()
    during: list[tuple[int, int, int]] = []
    _manager().run(ModuleOp([]), [Does(lambda m: during.append(gc.get_threshold()))])
    assert during == [(100_000, 50, 50)]
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


@dataclass
class _CountingChecker:
    """Notes when it is called, and finds the second pass wrong."""

    calls: list[str] = field(default_factory=list[str])
    seed: int = 5

    def start(self, module: ModuleOp) -> None:
        self.calls.append("start")

    def settle(self, native: Mapping[str, CompilerBug | None]) -> None:
        self.calls.append("settle")

    @property
    def compared(self) -> int:
        return 0

    def coverage(self) -> list[str]:
        return ["compared nothing"]

    def check(self, pass_name: str, module: ModuleOp, rounding: Rounding | None) -> None:
        assert rounding is None
        self.calls.append(pass_name)
        if len(self.calls) > 2:
            raise CompilerBug("it computes something else", pass_name)


def _swap(module: ModuleOp) -> None:
    for op in module.walk():
        if op.name == "graph.sub":
            op.operands = list(reversed(op.operands))


def test_the_reproducer_of_what_is_found_at_the_end() -> None:
    """The last pass that ran is another one than the one that is wrong."""
    ctx = new_context()
    module = parse_module(
        "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = graph.sub %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}",
        "m.mlir",
        ctx,
    )
    manager = PassManager(ctx, [CheckEach(LateChecker(ctx, most=(0, 0)), io.StringIO())], source=lambda: "the input")
    manager.run(module, [*parse_passes("cse,dce"), Does(_swap), *parse_passes("cse,lower-to-loops")])
    with pytest.raises(WrongValue, match="after 'does', 'main' computes something else") as e:
        manager.finish(module)
    assert e.value.form is not None and e.value.form.number == 3
    assert e.value.reproducer is not None
    text = e.value.reproducer.read_text()
    first, second, *_ = text.splitlines()
    assert first.endswith(" --pass-pipeline=does") and second == "// fails in: does"
    assert "graph.sub %x, %y" in text and "the input" not in text


def test_check_each(tmp_path: Path) -> None:
    checker, stream = _CountingChecker(), io.StringIO()
    watching = CheckEach(checker, stream)
    manager = PassManager(new_context(), [watching], source=lambda: "text")
    with pytest.raises(CompilerBug, match="something else") as e:
        manager.run(ModuleOp([]), [Does(), Does(), Does()])
    assert checker.calls == ["start", "does", "does"]
    (reproducer,) = (tmp_path / "mlc-reproducers").glob("*.mlir")
    assert "--verify-each --check-each --seed=5 --pass-pipeline=does,does" in reproducer.read_text()
    assert e.value.reproducer is not None and e.value.reproducer.samefile(reproducer)
    watching.report()
    assert stream.getvalue() == "note: --check-each compared nothing\n"


def test_the_collector_rests_until_the_last_thread_has_ended() -> None:
    """Each of two threads would find what the other one has set, and leave that."""
    before = gc.get_threshold()
    first, second = collector_at_rest(), collector_at_rest()
    first.__enter__()
    second.__enter__()
    assert gc.get_threshold() != before
    first.__exit__(None, None, None)
    assert gc.get_threshold() != before
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before
