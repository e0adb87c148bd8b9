"""Measuring for real: kernels alone, in the state in which a model leaves the caches, and in the whole model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import mlc as package
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.plugins.arguments import PluginArguments
from mlc.schedules.records.record import TunedMachine
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule, schedule_text
from mlc.support.context import CompilerContext
from mlc.support.dtypes import dtype_named
from mlc.tuning.comparison import Comparison, Surroundings, compare_libraries, shortest_call
from mlc.tuning.examination import Examination, examine
from mlc.tuning.executor import LocalExecutor
from mlc.tuning.isolated import Failure
from mlc.tuning.model_parcel import ModelParcel
from mlc.tuning.start import Searches, tunable_kernels
from mlc.tuning.whole_model import WholeModel
from mlc.tuning.work import Build, Examine, Site, TunedKernel
from mlc.tuning.workbench import Workbench
from mlc.tuning.workplace import Workplace

_OPTIONS = CompileOptions(records="")
_MODEL = """
func.func @main(%x: tensor<32x64xf32>) -> tensor<32x96xf32> {
  %w = graph.constant dense_resource<w> : tensor<64x96xf32>
  %0 = graph.matmul %x, %w : tensor<32x64xf32>, tensor<64x96xf32> -> tensor<32x96xf32>
  %1 = graph.softmax %0 axis 1 : tensor<32x96xf32>
  return %1 : tensor<32x96xf32>
}
"""


def _read() -> tuple[ModuleOp, CompilerContext]:
    ctx = new_context()
    weight = np.random.default_rng(0).standard_normal((64, 96)).astype(np.float32)
    ctx.resources.define("w", weight)
    return parse_verified(_MODEL, "model.mlir", ctx, Path()), ctx


def _lowered() -> Compilation:
    module, ctx = _read()
    compilation = Compilation(module, ctx, _OPTIONS, PassManager(ctx))
    compilation.lower("tensor")
    return compilation


@pytest.mark.slow
def test_a_place_builds_and_measures_kernels(tmp_path: Path) -> None:
    compilation = _lowered()
    kernels, written = tunable_kernels(compilation.module, None, compilation.ctx)
    assert not written
    place = Workplace(compilation.module, kernels, compilation.ctx, _OPTIONS, tmp_path)
    surveyed = {kernel.name: kernel for kernel in place.survey()}
    product = surveyed["matmul"]
    assert product.weights == (("w", "float32", (64, 96)),)
    assert product.seconds > 0 and product.calls == 1 and product.lanes >= 4
    texts = ("tile(m, 4), tile(n, 16), vectorize(ni)", "tile(q, 4)")
    good, bad = place.carry_out(Build("matmul", texts, product.rules))  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]
    assert good is None and isinstance(bad, Failure) and bad.outcome == "refused"
    found = place.carry_out(Examine("matmul", texts[0], product.rules))
    assert isinstance(found, Examination) and found.first is not None and found.first.ratio > 0
    assert place.so_far is None
    assert len(product.candidates) == len(set(product.candidates)) >= 3
    _check_searches(tuple(surveyed.values()))


def _check_searches(kernels: tuple[TunedKernel, ...]) -> None:
    """Places of one kind of machine share searches; others, and such whose rules differ, have their own."""
    machine = TunedMachine.of(_OPTIONS)
    other_rules = (replace(kernels[0], rules="tile(n, 8)"), *kernels[1:])
    sites = [
        Site("a", machine, 1, kernels),
        Site("b", replace(machine, name="a name for people"), 1, kernels),
        Site("c", replace(machine, facts="others"), 1, kernels),
        Site("d", machine, 1, other_rules),
    ]
    searches = Searches(_OPTIONS, (), 0)
    try:
        a, b, c, d = (searches.of(site) for site in sites)
        assert a is b is searches.of(sites[0])
        assert not {id(search) for search in a} & {id(search) for search in (*c, *d)}
        assert len(searches.found) == 3 * len(kernels)
        proposal = a[0].next()
        assert proposal is not None and a[0].refusal(proposal) is None
        assert schedule_text(proposal) in kernels[0].candidates  # first those of the template, then mutations
    finally:
        searches.stop()


def test_an_interrupt_keeps_what_was_measured_of_a_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compilation = _lowered()
    kernels, _ = tunable_kernels(compilation.module, "matmul", compilation.ctx)
    place = Workplace(compilation.module, kernels, compilation.ctx, _OPTIONS, tmp_path)
    executor = LocalExecutor(place, TunedMachine.of(_OPTIONS), 1)
    (site,) = executor.sites()
    compare = Workbench.compare

    def interrupted(self: Workbench, one: Schedule, other: Schedule, thorough: bool = False) -> Comparison | Failure:
        if thorough:
            raise KeyboardInterrupt
        found = compare(self, one, other)
        assert isinstance(found, Comparison)
        return replace(found, ratio=0.5, noise=0.0)  # so that more is measured

    monkeypatch.setattr(Workbench, "compare", interrupted)
    rules = site.kernels[0].rules
    work = Examine("matmul", "tile(n, 16), vectorize(ni)", rules)
    executor.start(site, work)
    with pytest.raises(KeyboardInterrupt):
        executor.wait(1)
    ((_, _, found),) = executor.wait(0)
    assert isinstance(found, Examination) and found.first is not None and found.again is None
    executor.start(site, work)
    assert executor.wait(0) == []


@pytest.mark.slow
def test_a_model_is_measured_with_another_schedule_of_a_kernel(tmp_path: Path) -> None:
    compilation = _lowered()
    model = WholeModel(compilation.module, compilation.ctx, _OPTIONS, tmp_path)
    slow = model.compare("matmul", ())  # scalar loops
    assert isinstance(slow, Comparison) and slow.ratio > 1.5
    failure = model.compare("matmul", parse_schedule("tile(q, 4)", compilation.ctx))
    assert isinstance(failure, Failure) and failure.outcome == "refused"


def test_libraries_are_measured_as_a_model_calls_them(tmp_path: Path) -> None:
    """Between two calls other memory is touched, and inputs are written anew: results stay what they are."""
    text = """
    func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
      %0 = graph.exp %x : tensor<1024xf32>
      return %0 : tensor<1024xf32>
    }
    """
    ctx = new_context()
    module, library = parse_verified(text, "model.mlir", ctx, Path()), tmp_path / "model.so"
    Compilation(module, ctx, _OPTIONS, PassManager(ctx)).build("shared", library)
    around = Surroundings(others=1 << 16)
    once = shortest_call(library, around)
    assert isinstance(once, float) and 0 < once < 0.1
    found = compare_libraries(library, library, library, 1, around, thorough=False)
    assert isinstance(found, Comparison) and 0.2 < found.ratio < 5


@pytest.mark.parametrize(
    ("ratio", "noise", "expected", "helps"),
    [
        (0.90, 0.01, 0.10, True),
        (0.97, 0.01, 0.10, True),  # less than alone, and plainly something
        (0.995, 0.01, 0.10, False),  # nothing, where ten times the noise was expected
        (1.00, 0.01, 0.02, True),  # too little to be seen
        (1.02, 0.01, 0.02, True),
        (1.04, 0.01, 0.02, False),  # slower, beyond the noise
        (1.04, 0.01, 0.10, False),
        (0.96, 0.0, 0.05, True),
        (394.0, 200.0, 0.2, False),  # something else ran in some turns, and it is a loss in most of them
    ],
)
def test_what_helps_in_a_model(ratio: float, noise: float, expected: float, helps: bool) -> None:
    assert Comparison(ratio, 1.0, ratio, noise).helps(expected) is helps


class _Bench:
    """Measures what it is told, in this order."""

    rules: Schedule = ()

    def __init__(self, *ratios: float | Failure) -> None:
        self.ratios = list(ratios)

    def build(self, schedules: object) -> list[Failure | None]:
        raise AssertionError("all is built")

    def compare(self, one: Schedule, other: Schedule, thorough: bool = False) -> Comparison | Failure:
        ratio = self.ratios.pop(0)
        return ratio if isinstance(ratio, Failure) else Comparison(ratio, 1.0, ratio, 0.001)


def _examined(bench: _Bench, in_model: float | Failure = 0.9) -> tuple[Examination, int]:
    """The result, and how often the model was measured."""
    times: list[Schedule] = []

    def check(schedule: Schedule) -> Comparison | Failure:
        times.append(schedule)
        return in_model if isinstance(in_model, Failure) else Comparison(in_model, 1.0, in_model, 0.001)

    candidate = parse_schedule("tile(n, 8)", new_context())
    *_, found = examine(bench, candidate, (), check, 0.5)
    return found, len(times)


def test_a_model_is_measured_only_for_what_compilations_would_use() -> None:
    assert _examined(_Bench(1.2))[1] == 0
    assert _examined(_Bench(0.8, 1.0))[1] == 0  # not won again
    assert _examined(_Bench(0.97, 0.97))[1] == 0  # no compilation takes so little
    found, times = _examined(_Bench(0.8, 0.8))
    assert times == 1 and found.helps and found.model is not None
    found, times = _examined(_Bench(0.8, 0.8), 1.01)
    assert times == 1 and not found.helps
    found, _ = _examined(_Bench(0.8, 0.8), Failure("hang", "no end"))
    assert found.helps and found.model is None and found.failure is None


def test_a_failure_is_kept_with_what_was_measured_before() -> None:
    found, _ = _examined(_Bench(0.8, Failure("crash", "boom")))
    assert found.failure == Failure("crash", "boom") and found.first is not None and found.beside_rules is None


def test_a_parcel_holds_the_model(tmp_path: Path) -> None:
    module, ctx = _read()
    parcel = ModelParcel.of(module, ctx, _OPTIONS, None, PluginArguments())
    assert "dense_resource<w>" in parcel.text and "external_resources" not in parcel.text
    assert parcel.weights["w"].dtype == dtype_named("float32")
    compilation = parcel.compilation(tmp_path)
    kernels, _ = tunable_kernels(compilation.module, None, compilation.ctx)
    assert [kernel.sym_name.data for kernel in kernels] == ["matmul", "softmax"]
    compilation.build("shared", tmp_path / "model.so")
    x = np.random.default_rng(1).standard_normal((32, 64)).astype(np.float32)
    scores = np.exp(x @ parcel.weights["w"])
    found = np.asarray(package.load(tmp_path / "model.so")(x))
    np.testing.assert_allclose(found, scores / scores.sum(1, keepdims=True), rtol=1e-4)


def test_a_parcel_brings_plugins(tmp_path: Path) -> None:
    plugin = tmp_path / "mine.py"
    plugin.write_text("raise RuntimeError('it was run')\n")
    module, ctx = _read()
    parcel = ModelParcel.of(module, ctx, _OPTIONS, None, PluginArguments(load_pass=[str(plugin)]))
    plugin.unlink()
    with pytest.raises(Exception, match="it was run"):
        parcel.compilation(tmp_path)
