"""`mlc diff --inputs`: results of the code of two compilations, compared to the bit."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.tools.explorer.code_results import result_changes, why_not_compared
from mlc.tools.explorer.document import Document
from mlc.tools.explorer.document_values import ModelResult
from mlc.tools.explorer.stored_page import documents_in
from mlc.tools.explorer.value_numbers import numbers_of

if TYPE_CHECKING:
    from tests.conftest import CommandLine

TEXT = """
func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi1>) {
  %c = graph.constant dense<CONSTANT> : tensor<f32>
  %y = graph.mul %x, %c : tensor<3x4xf32>, tensor<f32> -> tensor<3x4xf32>
  %z = graph.compare lt, %y, %x : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xi1>
  return %y, %z : tensor<3x4xf32>, tensor<3x4xi1>
}
"""
X = np.array([[1, 2, 3, 4], [np.nan, np.inf, -np.inf, -0.0], [1e-40, 1e38, 5, 6]], np.float32)


@pytest.fixture
def models(tmp_path: Path) -> Sequence[str]:
    """Two models that double, one that does so by another constant, and inputs."""
    for name, number in (("a", "2.0"), ("b", "2.0"), ("c", "2.0000002")):
        text = TEXT.replace("CONSTANT", number).replace("%y", f"%y_{name}")
        (tmp_path / f"{name}.mlir").write_text(text, encoding="utf-8")
    np.savez(tmp_path / "x.npz", allow_pickle=False, x=X)
    np.savez(tmp_path / "other.npz", allow_pickle=False, x=X + 1)
    return [str(tmp_path / name) for name in ("a.mlir", "b.mlir", "c.mlir", "x.npz", "other.npz")]


def test_results_are_compared_to_the_bit(models: Sequence[str], mlc: CommandLine) -> None:
    a, b, c, x, other = models
    same = mlc("diff", a, b, "--inputs", x)
    assert same.status == 0, same.err
    assert "no difference in what was made" in same.out
    differs = mlc("diff", a, c, "--inputs", x)
    assert differs.status == 1
    expected = X * np.float32(2), X * np.float32(2.0000002)
    count = np.count_nonzero(expected[0].view(np.int32) != expected[1].view(np.int32))
    apart = "at most 2.03e+31 apart: 2e+38 → 2.0000001e+38 at [2, 1]"
    assert f"result y_c: {count} of 12 elements have other bits, {apart}\n" in differs.out
    page = str(Path(a).with_name("a.html"))
    assert mlc("explore", a, "-o", page, "--inputs", x).status == 0
    assert mlc("diff", page, b, "--inputs", x).status == 0
    found = mlc("diff", page, c, "--inputs", x)
    assert found.status == 1
    assert f"{count} of 12 elements" in found.out
    for options, why in (
        (["--inputs", other], f"'{x}' and '{other}' are other inputs"),
        ([], f"'{b}' was compiled without --inputs"),
    ):
        result = mlc("diff", page, b, *options)
        assert (result.status, result.err.strip()) == (0, f"note: results are not compared: {why}")


def test_code_for_another_machine(models: Sequence[str], mlc: CommandLine) -> None:
    a, _, c, x, _ = models
    target = "x86-64-v3" if "aarch64" in mlc("doctor").out.splitlines()[0] else "aarch64"
    result = mlc("diff", a, c, "--inputs", x, f"--target={target}")
    assert f"note: results are not compared: this machine cannot run code for '{target}'" in result.err


def test_inputs_that_are_not_those_of_a_model(models: Sequence[str], tmp_path: Path, mlc: CommandLine) -> None:
    np.savez(tmp_path / "few.npz", allow_pickle=False, x=X[:, 1:])
    result = mlc("diff", models[0], models[1], "--inputs", str(tmp_path / "few.npz"))
    assert result.status == 1
    assert "few.npz" in result.err and "Traceback" not in result.err


def _document(*arrays: NDArray[Any], **fields: Any) -> Document:
    results = [
        ModelResult(
            f"y{number}",
            str(array.dtype),
            array.shape,
            str(hash(array.tobytes())),
            base64.b64encode(array.tobytes()).decode(),
            numbers_of(array),
        )
        for number, array in enumerate(arrays)
    ]
    return replace(Document("m", "1", "native", "machine", inputs="x", results=results), **fields)


def test_what_is_said_of_results() -> None:
    one, two = np.array([0.0, 1.0, np.nan]), np.array([-0.0, 1.0, np.inf])

    def changes(before: Document, after: Document) -> list[str]:
        return list(result_changes(before, after))

    assert changes(_document(one), _document(one)) == []
    assert changes(_document(one), _document(two)) == ["result y0: 2 of 3 elements have other bits: nan → inf at [2]"]
    signs = _document(np.array([0.0])), _document(np.array([-0.0]))
    assert changes(*signs) == ["result y0: 1 of 1 elements have other bits, at most 0 apart: 0.0 → -0.0 at [0]"]
    assert changes(_document(one), _document(one, two)) == ["results: 1 → 2"]
    short = _document(one.astype(np.float32))
    assert changes(_document(one), short) == ["result y0: float64[3] → float32[3]"]
    turned = _document(one[::-1].copy())
    assert changes(_document(one[:2]), _document(one[1::-1].copy())) == [
        "result y0: 2 of 2 elements have other bits: the numbers are in another order"
    ]
    assert changes(_document(one), turned) != []
    empty = np.zeros((0, 3))
    assert changes(_document(empty), _document(empty)) == []


@pytest.mark.parametrize("elements", ["", "!", "AAAA", "AAAAAAAAAAA="])
def test_elements_that_a_page_does_not_have(elements: str) -> None:
    """Large results have none, and a page may have been changed."""
    before, after = _document(np.array([1.0, 2.0])), _document(np.array([1.0, 3.0]))
    after.results = [replace(after.results[0], elements=elements)]
    assert list(result_changes(before, after)) == ["result y0: other bits"]
    after.results = [replace(after.results[0], dtype="object")]
    assert len(list(result_changes(before, after))) == 1


def test_without_inputs_nothing_is_said() -> None:
    document = Document("m", "1", "native", "machine")
    assert why_not_compared(document, document) == ""
    assert list(result_changes(document, document)) == []


def test_a_result_of_many_elements_and_another_nan(tmp_path: Path, mlc: CommandLine) -> None:
    """A page has the elements of small results alone; which NaN a result is, is not compared."""
    text = """
func.func @main(%x: tensor<300x100xf32>) -> tensor<300x100xf32> {
  %y = graph.neg %x : tensor<300x100xf32>
  return %y : tensor<300x100xf32>
}
"""
    (tmp_path / "m.mlir").write_text(text, encoding="utf-8")
    x = np.full((300, 100), np.nan, np.float32)
    np.savez(tmp_path / "one.npz", allow_pickle=False, x=x)
    np.savez(tmp_path / "two.npz", allow_pickle=False, x=-x)
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    for page in pages:
        options = ["-o", str(page), "--inputs", str(page.with_suffix(".npz"))]
        assert mlc("explore", str(tmp_path / "m.mlir"), *options).status == 0
    documents = [documents_in(page.read_text(encoding="utf-8"), "")[0] for page in pages]
    assert [each.results[0].elements for each in documents] == ["", ""]
    assert documents[0].results[0].digest == documents[1].results[0].digest
    assert documents[0].results[0].numbers.nans == 30_000
    assert mlc("diff", *map(str, pages)).status == 0
