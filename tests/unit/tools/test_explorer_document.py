"""The document of `mlc explore`: passes with what they changed, kernels on all levels, the graph, memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mlc.targets.machine import resolve_target
from mlc.tools import kernel_numbers
from mlc.tools.compile_arguments import CompileArguments, read_model, start_compilation
from mlc.tools.explain_table import inlined_kernels
from mlc.tools.explorer.collect import document_of
from mlc.tools.explorer.document import KernelTime
from mlc.tools.explorer.kernel_pages import losers
from mlc.tools.explorer.stored_page import documents_in
from mlc.tools.roofline import planned

from .explored import HOSTILE, Explored, document_in, explore, save_hostile_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

    from mlc.compiler.options import CompileOptions
    from mlc.support.context import CompilerContext
    from tests.conftest import CommandLine

SCAN = """\
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.scan 5 carry (%s = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = graph.neg %s : tensor<4xf32>
    %2 = graph.abs %1 : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  %3 = graph.relu %0 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
"""


@pytest.fixture
def explored(tmp_path: Path, mlc: CommandLine) -> Explored:
    return explore(mlc, save_hostile_model(tmp_path))


def test_document(explored: Explored) -> None:
    """One compilation serves all assertions: it takes seconds."""
    _check_passes(explored)
    _check_kernels(explored)
    _check_places(explored)
    _check_graph(explored)
    _check_memory(explored)
    _check_limits(explored)
    _check_artifact(explored)


def _check_passes(explored: Explored) -> None:
    fuse = explored.pass_run("fuse")
    assert (fuse["level"], fuse["reason"][:10]) == ("graph", "each group")
    (change,) = fuse["changes"]
    assert change["function"] == "main"
    assert "graph.fusion" not in explored.text(change["before"])
    assert "graph.fusion" in explored.text(change["after"])
    assert explored.pass_run("fold-moves")["changes"] == []
    made = {each["function"]: each for each in explored.pass_run("convert-graph-to-tensor")["changes"]}
    assert made["linear_relu"]["before"] == -1
    assert fuse["ops"][0] == explored.pass_run("hoist-padding")["ops"][1]
    # What a pass starts from is what the last one that changed it left.
    for name in made.keys() | {"main"}:
        changes = [c for each in explored.document["passes"] for c in each["changes"] if c["function"] == name]
        assert len(changes) > 3
        assert [c["before"] for c in changes[1:]] == [c["after"] for c in changes[:-1]]
    # Two runs of one pass have the reasons of their own stages.
    assert len({each["reason"] for each in explored.document["passes"] if each["name"] == "cse"}) == 2


def _check_kernels(explored: Explored) -> None:
    kernel = explored.kernel("linear_relu")
    assert kernel["calls"] == 1
    assert kernel["flops"] == 2 * 6 * 50 * 200 + 3 * 6 * 200, "a relu compares and selects"
    assert "tensor.contract" in explored.text(kernel["definition"])
    assert "schedule" not in explored.text(kernel["definition"])
    spellings = [step["spelling"] for step in kernel["steps"]]
    assert f"[{', '.join(spellings)}]" in kernel["schedule"]
    assert any(each.startswith("vectorize(") for each in spellings)
    texts = [kernel["loops"], *(step["text"] for step in kernel["steps"])]
    assert len(set(texts)) == len(texts), "each step of this schedule changes loops"
    assert "vector<8xf32>" not in explored.text(texts[0])
    assert "vector<8xf32>" in explored.text(texts[-1])
    assert kernel["costs"]["cycles"] > 0
    assert kernel["costs"]["decided_by"] in kernel["costs"]["parts"] | kernel["costs"]["brought"]
    assert all(each["costs"]["cycles"] > 0 and each["words"] and each["why"] for each in kernel["candidates"])
    assert sum(kernel["costs"]["spent"].values()) == pytest.approx(kernel["costs"]["cycles"])
    assert kernel["origin"] == "the default of its template"
    assert 0 < len(kernel["neighbours"]) <= 5
    assert {each["why"] for each in kernel["neighbours"]} <= {
        "estimated to take longer",
        "its template does not propose it; mlc tune measures such schedules",
    }
    assert kernel["reason"]["words"].startswith("A call is estimated to take ")
    assert sum(time for _, time in kernel["reason"]["parts"]) == pytest.approx(kernel["costs"]["seconds"], rel=0.05)
    code = {each["function"]: each for each in explored.document["code"]}
    assert code.keys() == {"mlc_main", *(each["name"] for each in explored.document["kernels"])}
    assert f"@{code['linear_relu']['symbol']}(" in explored.text(code["linear_relu"]["llvm_ir"])
    assert "ymm" in explored.text(code["linear_relu"]["assembly"])
    loop = code["linear_relu"]["loops"][0]
    lines = explored.text(loop["text"]).splitlines()
    assert loop["counts"]["multiply-adds"] == sum(line.startswith("vfmadd") for line in lines) > 0
    assert len(lines) == loop["instructions"]
    assert 0 < loop["vector_registers"] <= explored.document["vector_registers"] == 16
    assert (loop["simulation"] is None) == bool(explored.document["no_simulator"])
    assert code["mlc_main"]["loops"] == []


def _check_places(explored: Explored) -> None:
    """Lines of each level lead back to the line of the model: the product stands in line 4, the relu in line 6."""
    kernel = explored.kernel("linear_relu")
    changes = explored.pass_run("sink")["changes"]
    loops = next(each["after"] for each in changes if each["function"] == "linear_relu")
    code = next(each for each in explored.document["code"] if each["function"] == "linear_relu")
    for text, product, relu in (
        (kernel["definition"], "tensor.contract", "arith.cmpf"),
        (loops, "math.fma", "arith.cmpf"),
        (code["llvm_ir"], "call <8 x float> @llvm.fmuladd", "fcmp"),
        (code["assembly"], "vfmadd", "vmaxps"),
    ):
        lines = explored.text(text).split("\n")
        places = explored.places_of(text)
        assert len(lines) == len(places)
        assert {place.split(":")[1] for line, place in zip(lines, places, strict=True) if product in line} == {"4"}
        assert {place.split(":")[1] for line, place in zip(lines, places, strict=True) if relu in line} == {"6"}
    places = [explored.document["places"][each]["line"] for each in kernel["places"]]
    assert sorted(places) == [4, 5, 6], "a constant is computed by nobody, also where it stands in the kernel"


def _check_graph(explored: Explored) -> None:
    graph, calls = explored.document["graph"], explored.document["calls"]
    kinds = [node["kind"] for node in graph]
    assert kinds == ["input", "graph.matmul", "graph.add", "graph.relu", "graph.softmax", "output"]
    assert [node["inputs"] for node in graph] == [[], [0], [1], [2], [3], [4]]
    assert graph[1]["constants"] == [f"{HOSTILE}: tensor<50x200xf32>"]
    computed_by = [[calls[call]["kernel"] for call in node["calls"]] for node in graph]
    assert computed_by == [[], ["linear_relu"], ["linear_relu"], ["linear_relu"], ["softmax"], []]


def _check_memory(explored: Explored) -> None:
    (arena,) = explored.document["arenas"]
    assert arena["function"] == "main"
    assert all(each["offset"] + each["size"] <= arena["size"] for each in arena["buffers"])
    between = next(each for each in arena["buffers"] if each["size"] == 6 * 200 * 4)
    assert between["name"] == "result of linear_relu: memref<6x200xf32>", "it has no name in the model"
    assert [arena["ops"][between[end]] for end in ("first", "last")] == ["linear_relu", "softmax"]
    assert sum(each["bytes"] for each in explored.document["weights"]) >= 50 * 200 * 4
    assert len(explored.page) < 400_000, "weights are not in the page"


def _check_limits(explored: Explored) -> None:
    """They are those of the facts of the machine, in seconds, and bounds of kernels rest on them."""
    machine, limits = resolve_target("x86-64-v3"), explored.document["limits"]
    frequency = machine.frequency_mhz * 1e6
    assert limits["peak"] == pytest.approx(2 * machine.issue.fma_units * 8 * frequency)
    assert [roof["level"] for roof in limits["roofs"]] == ["L1", "L2", "L3", "memory"]
    assert limits["roofs"][1]["rate"] == pytest.approx(machine.memory.l2_read * frequency)
    assert [limits["roofs"][n]["holds"] for n in (0, -1)] == [machine.l1_bytes, None]
    assert limits["source"] == f"{machine.sources['fma_units']}; the frequency {machine.sources['frequency_mhz']}"
    roofline = planned(machine)
    for name in ("linear_relu", "softmax"):
        kernel = explored.kernel(name)
        bound = kernel["bound"]
        assert bound["limit"] in ("compute", "L1", "L2")
        assert bound["transfer"] * limits["roofs"][0]["rate"] <= kernel["bytes"] * roofline.bandwidth("L1")
        assert max(bound["arithmetic"], bound["transfer"]) <= kernel["costs"]["seconds"]
    product = 2 * 6 * 50 * 200
    assert explored.kernel("linear_relu")["bound"]["arithmetic"] >= product / limits["peak"]


def _check_artifact(explored: Explored) -> None:
    artifact = explored.document["artifact"]
    assert artifact["reason"] == ""
    sections = {each["name"]: each for each in artifact["sections"]}
    assert {".text", ".rodata", ".dynsym"} <= sections.keys()
    assert sum(each["bytes"] for each in artifact["sections"] if each["is_stored"]) <= artifact["bytes"]
    code = {each["function"]: each["bytes"] for each in sections[".text"]["symbols"] if each["kind"] == "kernel"}
    assert code.keys() == {"linear_relu", "softmax"} and min(code.values()) > 50
    weights = [each for each in sections[".rodata"]["symbols"] if each["kind"] == "weight"]
    assert [each["bytes"] for each in weights] == sorted((each["bytes"] for each in weights), reverse=True)
    assert {each["name"]: each["bytes"] for each in weights} == {
        each["name"]: each["bytes"] for each in explored.document["weights"]
    }
    assert any(each["name"] == "mlc_main" and each["kind"] == "other" for each in sections[".text"]["symbols"])


def test_a_level_without_schedules_has_no_estimates(tmp_path: Path, mlc: CommandLine) -> None:
    explored = explore(mlc, save_hostile_model(tmp_path), "-O1")
    assert explored.document["kernels"]
    assert all(each["costs"] is None and each["loops"] == -1 for each in explored.document["kernels"])
    assert explored.document["options"] == ["--target x86-64-v3", "-O 1"]


@pytest.mark.slow
def test_ops_of_plugins_are_shown_as_all_others(tmp_path: Path, mlc: CommandLine) -> None:
    plugin = Path(__file__).parents[2] / "lit" / "plugins" / "Inputs" / "sinc.py"
    pytest.importorskip("torch")
    text = """func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = graph.relu %x : tensor<4x8xf32>
      %1 = signal.sinc %0 : tensor<4x8xf32>
      return %1 : tensor<4x8xf32>
    }"""
    (tmp_path / "model.mlir").write_text(text, encoding="utf-8")
    explored = explore(mlc, tmp_path / "model.mlir", "--load-dialect", str(plugin))
    node = next(each for each in explored.document["graph"] if each["kind"] == "signal.sinc")
    (call,) = node["calls"]
    kernel = explored.kernel(explored.document["calls"][call]["kernel"])
    assert node["place"] in kernel["places"]
    assert "math.sin" in explored.text(kernel["definition"])


@pytest.mark.slow
def test_watching_changes_nothing(tmp_path: Path, mlc: CommandLine) -> None:
    """Each function has the LLVM IR that `mlc compile` makes."""
    model = save_hostile_model(tmp_path)
    explored = explore(mlc, model)
    program = mlc("compile", str(model), "-o", "-", "--emit=llvm-ir", "--target=x86-64-v3").out
    kernels = [each for each in explored.document["code"] if each["function"] != "mlc_main"]
    library = tmp_path / "model.so"
    assert mlc("compile", str(model), "-o", str(library), "--target=x86-64-v3").status == 0
    assert explored.document["artifact"]["bytes"] == library.stat().st_size
    bodies = [explored.text(each["llvm_ir"]).partition("{\n")[2].partition("\n}\n")[0] for each in kernels]
    assert len(bodies) == 2
    assert all(body in program for body in bodies)


@pytest.mark.slow
def test_kernels_are_measured_if_that_is_asked_for(tmp_path: Path, mlc: CommandLine) -> None:
    output = tmp_path / "report.html"
    result = mlc("explore", str(save_hostile_model(tmp_path)), "-o", str(output), "--measure")
    assert (result.status, result.err) == (0, "")
    document = document_in(output.read_text(encoding="utf-8"))
    measured = {each["name"]: each["measured"] for each in document["kernels"]}
    assert measured.keys() == {"linear_relu", "softmax"}
    assert all(1e-9 < each["seconds"] < 1e-2 and not each["is_inlined"] for each in measured.values())
    assert measured["softmax"]["seconds"] < document["measured_seconds"] < 1e-1
    assert document["limits"]["source"] == "measured on this machine, the best of several runs"
    assert all(each["bound"]["arithmetic"] < each["measured"]["seconds"] for each in document["kernels"])
    (again,) = documents_in(output.read_text(encoding="utf-8"), "report.html")
    assert again.measured_seconds == document["measured_seconds"]
    assert [each.measured for each in again.kernels] == [KernelTime(**each) for each in measured.values()]


@pytest.mark.slow
def test_measuring_shows_progress_and_knows_what_loops_took_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that its loop takes in is none of the model's calls, and kernels are outlined once."""
    (tmp_path / "m.mlir").write_text(SCAN)
    outlined: list[ModuleOp] = []
    outline = kernel_numbers.outlined_kernels

    def counted(module: ModuleOp, ctx: CompilerContext, options: CompileOptions) -> tuple[Sequence[FuncOp], ModuleOp]:
        outlined.append(module)
        return outline(module, ctx, options)

    monkeypatch.setattr(kernel_numbers, "outlined_kernels", counted)
    arguments = CompileArguments()
    told: list[tuple[str, int, int]] = []

    def tell(stage: str, done: int, total: int) -> None:
        told.append((stage, done, total))

    model = read_model(str(tmp_path / "m.mlir"), arguments)
    document = document_of(model, arguments, tell, measure=True)
    assert len(outlined) == 1
    inlined = {each.name for each in document.kernels if each.measured and each.measured.is_inlined}
    timed = start_compilation(model, arguments).compilation
    timed.lower("tensor")
    assert inlined == inlined_kernels(kernel_numbers.ModelNumbers.about(timed)) != set()
    measuring = [(done, total) for stage, done, total in told if stage == "measuring"]
    total = 4 * (len(document.kernels) + 1)
    assert measuring == [(done, total) for done in range(1, total + 1)]
    stages = list(dict.fromkeys(stage for stage, _, _ in told))
    assert stages[:4] == ["passes", "measuring", "kernels", "estimates"]
    assert ("estimates", 0, len(document.kernels)) in told
    assert stages[4:5] == ["schedules one step away"], "which take as long as all before"
    passes = [(done, total) for stage, done, total in told if stage == "passes"]
    assert [done for done, _ in passes] == list(range(len(passes)))
    assert told[0] == ("passes", 0, passes[0][1]), "all that takes long is told"
    assert all(done < total for done, total in passes)
    assert len(document.passes) == len(passes)


@pytest.mark.parametrize(
    ("lost", "whole", "expected"),
    [
        ([0.001] * 8, 1.0, [*range(8)]),  # few lose a hundredth, the largest losers are shown
        ([0.02, *[0.03] * 8, 0.0], 1.0, [*range(9)]),
        ([0.001, *[0.03] * 8], 1.0, [*range(1, 9)]),
        ([0.0, 0.5], 1.0, [1]),
        ([], 0.0, []),
    ],
)
def test_kernels_that_lose_much(lost: Sequence[float], whole: float, expected: Sequence[int]) -> None:
    """The eight that lose most, and all that lose a hundredth of the time of the model; none that loses nothing."""
    assert losers(lost, whole) == expected


def test_nothing_is_measured_unless_it_is_asked_for(explored: Explored) -> None:
    assert explored.document["measured_seconds"] is None
    assert [each["measured"] for each in explored.document["kernels"]] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target=OTHER"], "found --measure with target 'OTHER', whose code this machine cannot run; required: a"),
        ([], "found --measure with PAGE; required: a model, as pages that were written before are shown as they are"),
    ],
)
def test_what_cannot_be_measured(arguments: list[str], message: str, tmp_path: Path, mlc: CommandLine) -> None:
    other = "aarch64" if resolve_target("native").arch == resolve_target("x86-64-v3").arch else "x86-64-v3"
    model = save_hostile_model(tmp_path) if arguments else tmp_path / "before.html"
    arguments = [each.replace("OTHER", other) for each in arguments]
    result = mlc("explore", str(model), "--measure", "-o", str(tmp_path / "report.html"), *arguments)
    assert result.status == 1
    assert message.replace("OTHER", other).replace("PAGE", str(model)) in result.err


def test_the_page_that_was_written_is_named_with_its_size(tmp_path: Path, mlc: CommandLine) -> None:
    model = str(save_hostile_model(tmp_path))
    page = tmp_path / "report.html"
    result = mlc("explore", model, "-o", str(page), "--target=x86-64-v3")
    assert (result.status, result.err) == (0, "")
    assert result.out == f"wrote {page}: {page.stat().st_size / 1e3:,.0f} kB\n"
    printed = mlc("explore", model, "-o", "-", "--target=x86-64-v3").out
    assert printed.startswith("<!doctype html>") and printed.endswith("</html>\n")


def test_errors(tmp_path: Path, mlc: CommandLine) -> None:
    model = str(save_hostile_model(tmp_path))
    result = mlc("explore", model, "-o", str(tmp_path / "report.pdf"))
    assert result.status == 1
    assert "required: a file that browsers open, such as report.html" in result.err
