"""How long what a plugin adds is known: not after its scope, not to other threads, and not less than that."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.pass_manager.registry import plugin_passes
from mlc.support.additions import plugin_scope

_MODEL = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
_PASS = '''
import threading
from dataclasses import dataclass
from typing import ClassVar

from mlc.dialects.graph import ExpOp, NegOp
from mlc.pass_manager.base import Pass, PipelinePlace
from xdsl.pattern_rewriter import PatternRewriter

runs, may_end = threading.Event(), threading.Event()


@dataclass(frozen=True)
class ExpForNegPass(Pass):
    """Computes something else, and takes its time."""

    name: ClassVar[str] = "exp-for-neg"
    place: ClassVar[PipelinePlace | None] = PipelinePlace(before="convert-graph-to-tensor")

    def run(self, module, ctx):
        runs.set()
        may_end.wait(30)
        for op in list(module.walk()):
            if isinstance(op, NegOp):
                PatternRewriter(op).replace(op, ExpOp(op.operands[0]))
'''
X = np.array([-1, 0, 1, 2], np.float32)


@pytest.fixture
def slow_pass(tmp_path: Path) -> Path:
    """A plugin that runs unasked, and waits in its pass."""
    (file := tmp_path / "slow.py").write_text(_PASS)
    return file


def _events(file: Path) -> tuple[threading.Event, threading.Event]:
    """That the pass of a plugin runs, and that it may go on."""
    with plugin_scope():
        mlc.load_pass(file)
        module = __import__(file.stem)
        return module.runs, module.may_end


def test_a_scope_that_nobody_left_ends_nothing(tmp_path: Path) -> None:
    (file := tmp_path / "p.py").write_text(_PASS)
    with plugin_scope():
        forgotten = ExitStack()
        forgotten.enter_context(plugin_scope())
        mlc.load_pass(file)
        del forgotten
        gc.collect()
        assert plugin_passes.names() == ["exp-for-neg"]
    assert plugin_passes.names() == []


@pytest.mark.parametrize("has_plugin", [False, True])
def test_other_threads_wait(has_plugin: bool, slow_pass: Path) -> None:
    """A pass that another thread has asked for takes no part, and none that this one needs is gone."""
    runs, may_end = _events(slow_pass)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: mlc.compile(_MODEL, plugins=[slow_pass]))
        assert runs.wait(30)
        other: Future[mlc.Model] = pool.submit(lambda: mlc.compile(_MODEL, plugins=[slow_pass] if has_plugin else []))
        with pytest.raises(TimeoutError):
            other.result(0.3)
        may_end.set()
        np.testing.assert_allclose(first.result()(X), np.exp(X), rtol=1e-6)
        np.testing.assert_allclose(other.result()(X), np.exp(X) if has_plugin else -X, rtol=1e-6)


def test_compilations_without_plugins_run_side_by_side(slow_pass: Path) -> None:
    """A plugin that the whole process has loaded keeps nobody waiting."""
    _, may_end = _events(slow_pass)
    with plugin_scope(), ThreadPoolExecutor(3) as pool:
        mlc.load_pass(slow_pass)
        both = threading.Barrier(2, timeout=30)
        may_end.wait = lambda timeout=None: bool(both.wait()) or True  # pyright: ignore[reportAttributeAccessIssue]
        models = [pool.submit(lambda: mlc.compile(_MODEL)) for _ in range(2)]
        for each in models:
            np.testing.assert_allclose(each.result()(X), np.exp(X), rtol=1e-6)


def test_a_pass_may_compile(tmp_path: Path) -> None:
    """Within its turn a thread waits for nobody, not for itself either. The pass runs in both compilations."""
    inner, other = _MODEL.replace("neg", "abs"), tmp_path / "other.py"
    compiles = f"'graph.neg' in str(module) and __import__('mlc').compile({inner!r}, plugins=[{str(other)!r}])"
    (file := tmp_path / "inner.py").write_text(_PASS.replace("may_end.wait(30)", compiles))
    other.write_text(_PASS.replace("exp-for-neg", "other-pass").replace("may_end.wait(30)", "pass"))
    np.testing.assert_allclose(mlc.compile(_MODEL, plugins=[file])(X), np.exp(X), rtol=1e-6)
