"""What the language server says of texts while they are written: signatures, loops of schedules, weights, costs."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.completion import candidates
from mlc.tools.language_server.cost_hints import CostHints
from mlc.tools.language_server.kernel_costs import kernel_costs
from mlc.tools.language_server.signatures import signature
from mlc.tools.language_server.tool_runs import ToolRun, ToolRuns
from mlc.tools.language_server.weights import statistics, weight_at
from tests.unit.tools.language_client import session

lsp = pytest.importorskip("lsprotocol.types", reason="needs pygls (pip install 'mlc[lsp]')")
pytest.importorskip("pygls.lsp.client", reason="needs pygls (pip install 'mlc[lsp]')")

HERE = "/*here*/"
TEXT = f"""\
// RUN: mlc-opt %s --fuse
func.func private @k(%x: tensor<6x20xf32>) -> tensor<6x20xf32> attributes {{schedule = #loop.schedule<[STEPS]>}} {{
  %0 = tensor.map %x[m, n] over (m: 6, n: 20) : tensor<6x20xf32> -> tensor<6x20xf32> {{
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    tensor.yield %b : f32
  }}
  return %0 : tensor<6x20xf32>
}}
func.func @main(%first: tensor<6x20xf32>) -> tensor<6x20xf32> {{
  %0 = func.call @k(%first) : (tensor<6x20xf32>) -> tensor<6x20xf32>
{HERE}
  return %0 : tensor<6x20xf32>
}}
"""
KERNEL = TEXT.replace("STEPS", "vectorize(n, 4)").replace(f"{HERE}\n", "")


def _at_line(line: str) -> tuple[AnalysedText, int]:
    """A text with a line that is being written, and the end of that."""
    text = TEXT.replace("STEPS", "unroll(m)").replace(HERE, line)
    return AnalysedText(text, "text.mlir", Path()), text.index(f"{line}\n  return %0 : tensor<6x20xf32>\n}}\n") + len(
        line
    )


def _in_steps(steps: str) -> tuple[AnalysedText, int]:
    text = TEXT.replace("STEPS", steps).replace(f"{HERE}\n", "")
    return AnalysedText(text, "text.mlir", Path()), text.index(steps) + len(steps)


def _signature(text: AnalysedText, position: int) -> tuple[str, str | None] | None:
    found = signature(text, position)
    if found is None:
        return None
    return found.label, None if found.active is None else found.label[slice(*found.parts[found.active])]


_MATMUL = "graph.matmul $lhs, $rhs attr-dict : type($lhs), type($rhs) -> type($result)"


@pytest.mark.parametrize(
    ("line", "label", "active"),
    [
        ("  %1 = graph.matmul ", _MATMUL, "$lhs"),
        ("  %1 = graph.matmul %a, ", _MATMUL, "$rhs"),
        ("  %1 = graph.matmul %a, %b : tensor<4x3xf32, #e<1, 2>>, ", _MATMUL, "type($rhs)"),
        ("  %1 = graph.matmul %a, %b : tensor<4xf32>, tensor<3xf32> -> ", _MATMUL, "type($result)"),
        ("  %1 = graph.matmul %a, %b : tensor<4xf32>,\n    ten", _MATMUL, "type($rhs)"),
        ("  %1 = func.call @k(", "@k(%x: tensor<6x20xf32>) -> (tensor<6x20xf32>)", "%x: tensor<6x20xf32>"),
        ("  %1 = func.call @k(%0, ", "@k(%x: tensor<6x20xf32>) -> (tensor<6x20xf32>)", None),
        (
            "  // RUN: mlc-opt --fuse=max-ops=",
            "--fuse max-ops=<int> (32) attention=<bool> (true)",
            "max-ops=<int> (32)",
        ),
    ],
)
def test_what_is_written_next(line: str, label: str, active: str | None) -> None:
    assert _signature(*_at_line(line)) == (label, active)


def test_an_op_that_is_parsed_by_hand_has_its_example() -> None:
    found = _signature(*_at_line("  %1 = tensor.contract "))
    assert found is not None
    assert "= tensor.contract %x[m, k], %w[k, n] over" in found[0]
    assert found[1] is None


@pytest.mark.parametrize(
    "line", ["", "  ", "  %1 = ", "  // a comment (", "  // RUN: mlc-opt --no-such-pass=", "  return "]
)
def test_nothing_with_a_signature(line: str) -> None:
    assert _signature(*_at_line(line)) is None


@pytest.mark.parametrize(
    ("steps", "label", "active"),
    [
        ("tile(", "tile(loop: loop, size: number)", "loop: loop"),
        ("tile(m, 2), tile(mi, ", "tile(loop: loop, size: number)", "size: number"),
        ("interchange(m, n, k, ", "interchange(outer: loop, inner: loop, others: loop …)", "others: loop …"),
        ("tile(m, 2, ", "tile(loop: loop, size: number)", None),
    ],
)
def test_steps_of_schedules(steps: str, label: str, active: str | None) -> None:
    assert _signature(*_in_steps(steps)) == (label, active)


def test_a_step_that_there_is_not() -> None:
    assert _signature(*_in_steps("nothing(")) is None
    assert _signature(*_in_steps("tile(m, 2), ")) is None


@pytest.mark.parametrize(
    ("steps", "offered"),
    [
        ("tile(", {"m": "6 iterations", "n": "20 iterations"}),
        ("tile(n, 8), nothing(m), unroll(", {"m": "6 iterations", "n": "2 iterations", "ni": "8 iterations"}),
        ("tile(n, 8), tile(ni, 4), unroll(n", {"ni": "2 iterations", "nii": "4 iterations"}),
    ],
)
def test_loops_that_a_step_may_name(steps: str, offered: dict[str, str]) -> None:
    assert {each.text: each.detail for each in candidates(*_in_steps(steps))} == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("  // RUN: mlc-opt --print-ir-aft", ["print-ir-after", "print-ir-after-all", "print-ir-after-change"]),
        ("  // RUN: mlc-opt %s --fuse=max-ops=3 att", ["attention="]),
        ('  // RUN: mlc-opt %s --pass-pipeline="canonicalize,fuse{max', ["max-ops="]),
        ('  // RUN: mlc-opt %s --pass-pipeline="fuse{max-ops=3},convert-graph', ["convert-graph-to-tensor"]),
    ],
)
def test_options_of_run_lines(line: str, offered: list[str]) -> None:
    found = [each.text for each in candidates(*_at_line(line))]
    assert set(offered) <= set(found)


# -- weights

_WEIGHTS = """\
func.func @f() {
  %0 = arith.constant dense<[1.0, 0x7FC00000, -0.0, 0x7F800000]> : tensor<4xf32>
  %1 = arith.constant dense_resource<in_text> : tensor<2xf32>
  %2 = arith.constant dense_resource<in_file> : tensor<2x3xi8>
  %3 = arith.constant dense_resource<nowhere> : tensor<2xf32>
  %4 = arith.constant dense<> : tensor<0xf32>
  %5 = arith.constant 1.0 : f32
  %6 = arith.constant dense<7> : tensor<5000x5000xi8>
  return
}
{-#
  external_resources: { mlc: { a: "../outside.safetensors", b: "/dev/zero", c: "weights.safetensors", d: "x.onnx" } },
  dialect_resources: { builtin: { in_text: "0x040000000000803F00000040" } }
#-}
"""


def _statistics(folder: Path, at: str) -> str | None:
    text = AnalysedText(_WEIGHTS, str(folder / "text.mlir"), folder)
    assert text.errors == []
    weight = weight_at(text, _WEIGHTS.index(at) + 1)
    return None if weight is None else statistics(weight)


def test_the_elements_of_a_constant_in_the_text(tmp_path: Path) -> None:
    said = _statistics(tmp_path, "%0 =")
    assert said is not None
    assert said.startswith("4 elements, 16 B.\n\nFrom -0 to 1, mean 0.5.")
    assert "1 NaN, 1 infinite, 1 zero." in said
    assert said.endswith("First: `1.0, nan, -0.0, inf`")
    said = _statistics(tmp_path, "%1 =")
    assert said is not None and said.startswith("2 elements, 8 B, in the text.\n\nFrom 1 to 2, mean 1.5.")
    assert _statistics(tmp_path, "%5 =") is None
    assert _statistics(tmp_path, "%4 =") == ""
    assert _statistics(tmp_path, "%6 =") == "25,000,000 elements, too many to look at here."


def test_the_elements_of_a_weight_in_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    save_file({"in_file": np.arange(6, dtype=np.int8).reshape(2, 3)}, folder / "weights.safetensors")
    for place in ("%2 =", "in_file>"):
        said = _statistics(folder, place)
        assert said is not None
        assert said.startswith("6 elements, 6 B, in `weights.safetensors`.\n\nFrom 0 to 5, mean 2.5.")
    save_file({"in_file": np.zeros((3, 2), np.int8)}, folder / "weights.safetensors")
    assert _statistics(folder, "%2 =") == "It has the shape [3, 2], in `weights.safetensors`."
    (folder / "weights.safetensors").write_bytes(b"no weights")
    said = _statistics(folder, "%2 =")
    assert said is not None and said.startswith(
        "Its elements are not known: 'weights.safetensors' is not a safetensors"
    )


def test_files_elsewhere_are_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    save_file({"in_file": np.zeros((2, 3), np.int8), "nowhere": np.zeros(2, "f")}, tmp_path / "outside.safetensors")
    (folder / "x.onnx").write_bytes(b"")
    expected = (
        "Its elements are not known: 'nowhere' is in no file that is read here; '../outside.safetensors' is outside of "
        "the folder of the text, '/dev/zero' is outside of the folder of the text, 'weights.safetensors' {}, 'x.onnx' "
        "is not a .safetensors file."
    )
    assert _statistics(folder, "%3 =") == expected.format("is not there")
    (folder / "weights.safetensors").symlink_to(tmp_path / "outside.safetensors")
    assert _statistics(folder, "%3 =") == expected.format("is outside of the folder of the text")


# -- costs


def test_kernels_have_estimates() -> None:
    (name, cost), *others = kernel_costs(AnalysedText(KERNEL, "text.mlir", Path())).items()
    assert (name, others) == ("k", [])
    assert 0 < cost.seconds < 1e-3
    assert cost.is_scheduled
    plain = kernel_costs(AnalysedText(KERNEL.replace("attributes {schedule", "attributes {other"), "x", Path()))["k"]
    assert not plain.is_scheduled
    assert kernel_costs(AnalysedText(KERNEL.replace("arith.addf", "arith.subtract"), "x", Path())) == {}
    assert kernel_costs(AnalysedText(KERNEL.replace("arith.addf %", "arith.addf % %"), "x", Path())) == {}


@pytest.mark.parametrize("body", ["return", "%0 = nothing.known\n  return", "%0 = graph.relu %x\n  return"])
def test_errors_elsewhere_leave_the_estimates(body: str) -> None:
    other = f"func.func @f() -> i32 {{\n  {body}\n}}"
    for text in (f"{KERNEL}\n{other}", f"{other}\n{KERNEL}"):
        read = AnalysedText(text, "x", Path())
        assert read.errors and [*kernel_costs(read)] == ["k"], text


def test_an_empty_text_has_no_estimates() -> None:
    assert kernel_costs(AnalysedText("", "x", Path())) == {}


def test_estimates_are_those_of_what_kernels_name_now() -> None:
    """A kernel stays as it is, and its schedule, which is an alias, does not; nor does a dropped document come back."""
    schedule = KERNEL[KERNEL.index("#loop.schedule") : KERNEL.index(">", KERNEL.index("#loop.schedule")) + 1]
    text = f"#s = {schedule}\n" + KERNEL.replace(schedule, "#s")
    closes = False

    class Runs(ToolRuns):
        async def run(self, *_: Any, **__: Any) -> ToolRun:
            if closes:
                hints.forget("u")
            return ToolRun(0, json.dumps({"k": (1e-6, "arithmetic", "a machine", True)}), "")

    hints = CostHints(Runs(list))
    hints.is_asked_for = True

    def shown(source: str) -> int:
        return len(list(hints.hints("u", AnalysedText(source, "text.mlir", Path()), 0, len(source))))

    def update(source: str) -> bool:
        return asyncio.run(hints.update("u", AnalysedText(source, "text.mlir", Path()), Path("text.mlir")))

    assert update(text)
    assert shown(text) == shown(f"// said\n{text}\n") == 1
    assert not update(f"// said\n{text}\n")
    changed = text.replace("vectorize(n, 4)", "unroll(n)", 1)
    assert changed != text
    assert shown(changed) == 0
    assert update(changed)
    assert shown(changed) == 1
    closes = True
    assert not update(text)
    assert shown(text) == 0


def test_an_editor_shows_signatures_weights_and_costs(tmp_path: Path) -> None:
    path = tmp_path / "text.mlir"
    path.write_text(KERNEL, encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        document = lsp.TextDocumentIdentifier(uri)
        assert list((await client.next_told()).diagnostics) == []
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(30, 0))

        async def costs() -> list[Any]:
            hints = await client.text_document_inlay_hint_async(lsp.InlayHintParams(document, whole))
            return [each for each in hints if each.label.startswith("≈")]

        assert await costs() == []
        await asyncio.wait_for(client.refreshed.get(), 60)
        (hint,) = await costs()
        assert (hint.position.line, hint.position.character) == (1, len("func.func private @k"))
        assert "by its schedule" in hint.tooltip

        changed = KERNEL.replace("vectorize(n, 4)", "tile(n, ")
        version = lsp.VersionedTextDocumentIdentifier(2, uri)
        edit = lsp.DidChangeTextDocumentParams(version, [lsp.TextDocumentContentChangeWholeDocument(changed)])
        client.text_document_did_change(edit)
        at = lsp.Position(1, changed.splitlines()[1].index("tile(n, ") + len("tile(n, "))
        said = await client.text_document_signature_help_async(lsp.SignatureHelpParams(document, at))
        (shown,) = said.signatures
        assert (shown.label, said.active_parameter) == ("tile(loop: loop, size: number)", 1)
        assert shown.parameters[1].label == (17, 29)
        assert await costs() == []

    session(use, path)


def test_an_editor_shows_a_weight(tmp_path: Path) -> None:
    digits = Path(__file__).parents[3] / "examples" / "digits"
    for name in ("mlp.mlir", "mlp.safetensors"):
        shutil.copy(digits / name, tmp_path)
    line = (tmp_path / "mlp.mlir").read_text(encoding="utf-8").splitlines()[2]

    async def use(client: Any, uri: str) -> None:
        await client.next_told()
        for name in ("w1", "fc1.weight"):
            at = lsp.Position(2, line.index(name) + 1)
            said = await client.text_document_hover_async(lsp.HoverParams(lsp.TextDocumentIdentifier(uri), at))
            assert "12,800 elements, 51.2 kB, in `mlp.safetensors`." in said.contents.value

    session(use, tmp_path / "mlp.mlir")
