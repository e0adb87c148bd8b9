"""`mlc diff`, and pages that compare: what differs, by structure; pages that were written before."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

from mlc.support.errors import UserError
from mlc.tools.explorer.changed_steps import SpelledStep, changed_steps
from mlc.tools.explorer.compare import compare
from mlc.tools.explorer.document import (
    FORMAT,
    Costs,
    Document,
    GraphNode,
    KernelPage,
    KernelTime,
    StoredText,
    WeightSize,
)
from mlc.tools.explorer.document_code import MachineCode
from mlc.tools.explorer.page import page_of
from mlc.tools.explorer.stored_page import documents_in

from .explored import MODEL, save_hostile_model

if TYPE_CHECKING:
    from tests.conftest import CommandLine


def _step(spelling: str) -> SpelledStep:
    return SpelledStep(re.sub(r"\d", "", spelling), spelling)


def _kernel(name: str, definition: int) -> KernelPage:
    return KernelPage(name, (), 1, 0, 0, definition, "", "", -1, (), None, (), None)


def _document(*kernels: tuple[str, str, str]) -> Document:
    """A document of kernels: their names, their text, their assembly."""
    texts = [StoredText(text) for _, *both in kernels for text in both]
    return Document(
        "m",
        "1",
        "native",
        "machine",
        texts=texts,
        kernels=[_kernel(name, 2 * number) for number, (name, _, _) in enumerate(kernels)],
        code=[MachineCode(name, f"sym_{name}", -1, 2 * number + 1) for number, (name, _, _) in enumerate(kernels)],
    )


def test_names_count_for_nothing() -> None:
    before = _document(("first", "@first(%a, %b) %c = mul %a, %b", "sym_first: mov"), ("second", "@second add", "add"))
    after = _document(("plus", "@plus add", "add"), ("times", "@times(%0, %1) %2 = mul %0, %1", "sym_times: mov"))
    comparison = compare(before, after)
    assert comparison.is_equal
    assert [(each.before, each.after) for each in comparison.kernels] == [("first", "times"), ("second", "plus")]


def test_what_differs_is_told() -> None:
    before = _document(("a", "@a mul", "mov"), ("b", "@b(%x, %y) sub %x, %y", "sub"), ("c", "@c div", "div"))
    after = _document(("a", "@a mul", "lea"), ("b", "@b(%x, %y) sub %y, %x", "sub"), ("d", "@d exp", "exp"))
    comparison = compare(before, after)
    found = {(each.before, each.after): list(each.changes) for each in comparison.kernels}
    assert found == {
        ("a", "a"): ["other machine code"],
        ("b", "b"): ["other index notation: shapes, layouts or ops"],
        ("c", ""): ["only in the first"],
        ("", "d"): ["only in the second"],
    }
    assert not comparison.is_equal


def test_measured_times_are_told_of_kernels_that_differ() -> None:
    def timed(document: Document, whole: float, *seconds: float, spread: float = 0.0) -> Document:
        times = [
            replace(page, measured=KernelTime(each, each, each + spread, False))
            for page, each in zip(document.kernels, seconds, strict=True)
        ]
        return replace(document, kernels=times, measured_seconds=whole)

    before = timed(_document(("a", "@a mul", "mov"), ("b", "@b sub", "sub")), 2.0, 1.0, 1.0)
    after = timed(_document(("a", "@a mul", "lea"), ("b", "@b sub", "sub")), 3.0, 1.21, 1.5)
    comparison = compare(before, after)
    assert [list(each.changes) for each in comparison.kernels] == [["other machine code", "+21.0% measured"], []]
    assert comparison.measured == (2.0, 3.0)
    assert [each.measured for each in comparison.kernels] == [(1.0, 1.21), (1.0, 1.5)]
    assert [each.is_noise for each in comparison.kernels] == [False, False]
    assert compare(before, timed(before, 9.0, 9.0, 9.0)).is_equal
    noisy = compare(before, timed(after, 3.0, 1.21, 1.5, spread=0.3)).kernels
    assert [each.is_noise for each in noisy] == [True, False]
    slow = timed(after, 30.0, 2.1, 1.5, spread=3.0)
    assert [each.is_noise for each in compare(before, slow).kernels] == [False, True]
    assert noisy[0].changes[-1] == "+21.0% measured, less than measurements of one of them differ"


def test_what_decided_about_schedules_is_told_of_both() -> None:
    costs = Costs(8.0, 2.0, "arithmetic", {}, {}, {}, 0)
    before, after = _document(("a", "@a mul", "mov"), ("b", "@b", "b")), _document(("a", "@a mul", "mov"))
    before.kernels = [replace(before.kernels[0], origin="the default", costs=costs), before.kernels[1]]
    after.kernels = [replace(after.kernels[0], origin="a record", costs=replace(costs, decided_by="L2"))]
    decided = [each.decided for each in compare(before, after).kernels]
    assert decided == [("the default; arithmetic", "a record; L2"), ("", "")]


def test_bits_of_weights_are_compared_whatever_their_names_are() -> None:
    def weights(*given: tuple[str, str]) -> Document:
        return replace(_document(), weights=[WeightSize(name, "4 float32", 16, digest) for name, digest in given])

    before = weights(("a", "1"), ("b", "2"), ("c", "2"))
    assert compare(before, weights(("x", "2"), ("y", "1"), ("z", "2"))).is_equal
    assert compare(before, weights(("a", "1"), ("b", "3"), ("c", "4"))).model == [
        "weights: 2 of 3 are stored with other bits or in another layout"
    ]
    assert compare(before, weights(("a", "1"), ("b", "2"), ("c", "1"))).model == [
        "weights: 1 of 3 are stored with other bits or in another layout"
    ]


def test_one_bit_of_a_weight(tmp_path: Path, mlc: CommandLine) -> None:
    text = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = graph.constant dense_resource<w> : tensor<3xf32>
  %y = graph.mul %x, %w : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}
"""
    for name, number in (("a", 0.0), ("b", -0.0), ("c", 0.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.mlir").write_text(text, encoding="utf-8")
        save_file({"w": np.array([1, 2, number], np.float32)}, tmp_path / name / "w.safetensors")
    a, b, c = (str(tmp_path / name / "m.mlir") for name in "abc")
    found = mlc("diff", a, b, "--target=x86-64-v3")
    assert found.status == 1
    assert "weights: 1 of 1 are stored with other bits or in another layout" in found.out
    assert mlc("diff", a, c, "--target=x86-64-v3").status == 0


def test_graphs_are_compared_by_their_ops() -> None:
    def node(kind: str, *inputs: int) -> GraphNode:
        return GraphNode("", kind, "tensor<4xf32>", -1, (), inputs, ())

    empty = _document()
    before = replace(empty, graph=[node("input"), node("graph.relu", 0), node("graph.relu", 1), node("graph.exp", 2)])
    after = replace(empty, graph=[node("input"), node("graph.exp", 0), node("graph.tanh", 1)])
    assert compare(before, after).model == ["graph: without 2 graph.relu, with graph.tanh"]
    crossed = replace(empty, graph=[*before.graph[:2], node("graph.relu", 0), node("graph.exp", 2)])
    assert compare(before, crossed).model == ["graph: ops read other values"]
    assert compare(before, replace(before)).model == []


def test_steps_of_one_kind_correspond() -> None:
    before = [_step(each) for each in ("tile(n, 48)", "pack(w, n)", "tile(m, 4)", "vectorize(ni, 8)")]
    after = [_step(each) for each in ("tile(n, 64)", "tile(m, 4)", "vectorize(ni, 16)", "unroll(k)")]
    expected = [
        "tile(n, 48) → tile(n, 64)",
        "without pack(w, n)",
        "vectorize(ni, 8) → vectorize(ni, 16)",
        "with unroll(k)",
    ]
    assert changed_steps(before, after) == expected
    assert changed_steps(before, before) == []


@pytest.mark.slow
def test_two_targets(tmp_path: Path, mlc: CommandLine) -> None:
    """A page that was written before is compared with a model, in a terminal and in a page."""
    model = str(save_hostile_model(tmp_path))
    narrow, both = (str(tmp_path / f"{name}.html") for name in ("narrow", "both"))
    assert mlc("explore", model, "-o", narrow, "--target=x86-64-v2").status == 0
    result = mlc("diff", narrow, model, "--target=x86-64-v3")
    assert (result.status, result.err) == (1, "")
    assert "target: x86-64-v2 → x86-64-v3\n" in result.out
    assert re.search(
        r"^softmax: .*vectorize\(nii, 4\) → vectorize\(nii, 8\), -.*% estimated$", result.out, re.MULTILINE
    )
    assert re.search(r"2 of 2 kernels differ; all together .* → .* estimated, -\d", result.out)
    result = mlc("diff", narrow, model, "--target=x86-64-v3", "-O1")
    assert "options: --target x86-64-v2 → --target x86-64-v3 -O 1\n" in result.out
    result = mlc("diff", narrow, narrow, "--measure")
    assert f"found --measure with {narrow} and {narrow}; required: a model" in result.err
    result = mlc("diff", narrow, narrow)
    assert (result.status, result.out) == (0, "no difference in what was made\n")
    assert mlc("explore", narrow, model, "-o", both, "--target=x86-64-v3").status == 0
    page = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert [each.target for each in documents_in(page, "both")] == ["x86-64-v2", "x86-64-v3"]
    (data,) = re.findall(r'class="comparison">([\w+/=]+)<', page)
    comparison = json.loads(gzip.decompress(base64.b64decode(data)))
    assert [each["before"] for each in comparison["kernels"]] == ["linear_relu", "softmax"]
    result = mlc("diff", both, narrow)
    assert result.status == 1
    assert f"'{both}' compares 2 compilations; required: the page of one" in result.err


def test_machines_with_other_numbers_of_cores(tmp_path: Path, mlc: CommandLine) -> None:
    """The machine is a setting: it is told, also if it made no difference, which the status says."""
    few = replace(_document(("a", MODEL, "mov")), machine="x86_64 znver3, 4 cores")
    many = replace(few, machine="x86_64 znver3, 8 cores")
    shared = replace(many, texts=[StoredText(MODEL), StoredText("call")])
    pages = [str(tmp_path / f"{number}.html") for number in range(3)]
    for page, document in zip(pages, (few, many, shared), strict=True):
        Path(page).write_text(page_of([document]), encoding="utf-8")
    machines = "machine: x86_64 znver3, 4 cores → x86_64 znver3, 8 cores\n"
    result = mlc("diff", *pages[:2])
    assert (result.status, result.out) == (0, f"{machines}no difference in what was made\n")
    result = mlc("diff", pages[0], pages[2])
    assert (result.status, result.out) == (1, f"{machines}a: other machine code\n1 of 1 kernels differ\n")
    result = mlc("diff", *pages[1:])
    assert result.status == 1 and "cores" not in result.out


@pytest.mark.slow
def test_code_for_hosts_with_other_numbers_of_cores(
    tmp_path: Path, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is made for several threads hangs on the cores that there are."""
    model, pages = str(save_hostile_model(tmp_path)), [str(tmp_path / f"{cores}.html") for cores in (4, 8)]
    for cores, page in zip((4, 8), pages, strict=True):
        monkeypatch.setenv("MLC_HOST", f"cpu=znver3 cores={cores}")
        assert mlc("explore", model, "-o", page, "--threads=8").status == 0
    result = mlc("diff", *pages)
    assert result.out.startswith("machine: x86_64 znver3, 4 cores → x86_64 znver3, 8 cores\n"), result.err
    assert result.status == int("no difference in what was made" not in result.out)


def test_pages_are_read_as_they_were_written() -> None:
    document = _document(("a", MODEL, "mov"), ("b", "x", "y"))
    assert documents_in(page_of([document]), "p.html") == documents_in(
        page_of(documents_in(page_of([document]), "")), ""
    )
    (again,) = documents_in(page_of([document]), "p.html")
    assert [each.text for each in again.texts] == [MODEL, "mov", "x", "y"]
    assert again.kernels[0] == document.kernels[0]


def _packed(data: object) -> str:
    return base64.b64encode(gzip.compress(json.dumps(data).encode())).decode()


def _with_document(page: str, document: object) -> str:
    return re.sub(r'(class="document">)[^<]*', rf"\g<1>{_packed(document)}", page)


_PAGE = page_of([_document(("a", "b", "c"))])


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("<p>something else</p>", "'p.html' is not a page of mlc explore; required: one that"),
        (_PAGE.replace("H4sI", "AAAA"), "'p.html' is a damaged page of mlc explore"),
        (_with_document(_PAGE, {"format": 99}), f"is a page of format 99; required: format {FORMAT}"),
        (_with_document(_PAGE, {"format": FORMAT}), "is a damaged page"),
        (_with_document(_PAGE, [1]), "is a damaged page"),
    ],
)
def test_what_is_no_page_is_told(page: str, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        documents_in(page, "p.html")
