"""Pictures of modules: places of boxes, names that want to be something else, sizes."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

import mlc
from mlc.support.errors import UserError
from mlc.tools.pictures.dot import to_dot
from mlc.tools.pictures.layered import layered
from mlc.tools.pictures.of_module import draw, pictures_of
from mlc.tools.pictures.picture import NodePicture, PictureEdge, PictureNode
from mlc.tools.pictures.svg import to_svg

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("seed", range(20))
def test_boxes_do_not_overlap_and_stand_below_what_they_read(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randrange(1, 40)
    widths = [rng.uniform(10, 200) for _ in range(count)]
    edges = [(a, b) for a in range(count) for b in range(a + 1, count) if rng.random() < 0.1]
    found = layered(widths, edges)
    for source, target in edges:
        assert found.points[source].layer < found.points[target].layer
    everything = {point for path in found.paths for point in path} | {*found.points}
    assert min(point.x - point.width / 2 for point in everything) == pytest.approx(0)
    for layer in range(found.layers):
        row = sorted((p for p in everything if p.layer == layer), key=lambda p: p.x)
        for left, right in pairwise(row):
            assert left.x + left.width / 2 < right.x - right.width / 2
    for path in found.paths:
        assert [point.layer for point in path] == [*range(path[0].layer, path[-1].layer + 1)]


def test_cycles_have_places() -> None:
    found = layered([10.0] * 3, [(0, 1), (1, 2), (2, 0), (1, 1)])
    assert sorted(point.layer for point in found.points) == [0, 1, 2]
    assert layered([], []).layers == 0


def test_names_stay_text() -> None:
    hostile = '</title><script>alert("1")</script>\\n"];x\x00\x1b[2J\u202e'
    picture = NodePicture(
        hostile, [PictureNode([hostile, "x" * 100]), PictureNode([hostile])], [PictureEdge(0, 1, hostile)]
    )
    root = ElementTree.fromstring(to_svg([picture]))
    assert {element.tag.removeprefix(_SVG) for element in root.iter()} <= {
        *("svg", "title", "style", "defs", "marker", "path", "text", "g", "rect")
    }
    assert any("<script>" in (element.text or "") for element in root.iter(f"{_SVG}text"))
    dot = to_dot([picture])
    assert r"<script>alert(\"1\")</script>\\n\"];x" in dot
    assert not any(each in dot for each in "\x00\x1b\u202e")


def test_a_picture_that_nobody_reads() -> None:
    body = "".join(f"  %{i + 1} = graph.relu %{i} : tensor<1xf32>\n" for i in range(3001))
    text = "func.func @f(%x: tensor<1xf32>) {\n  %0 = graph.relu %x : tensor<1xf32>\n" + body + "  return\n}\n"
    module = mlc.parse(text)
    with pytest.raises(
        UserError, match="the picture of @f has 3,004 nodes; required: at most 3,000; 'mlc explore' shows"
    ):
        pictures_of(module, "ops")
    assert "@f" in draw(module, "dot", "calls")


def test_a_module_without_anything_to_draw() -> None:
    module = mlc.parse("module {}")
    for subject in ("ops", "dominance", "calls"):
        ElementTree.fromstring(draw(module, "svg", subject))
        assert draw(module, "dot", subject).startswith("digraph {\n")


def test_views_have_pictures(tmp_path: Path) -> None:
    view = mlc.view("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n")
    picture = view.picture()
    assert "func.return" in picture.svg
    picture.save(tmp_path / "a.svg")
    picture.save(tmp_path / "a.dot")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == picture.svg
    assert (tmp_path / "a.dot").read_text(encoding="utf-8").startswith("digraph {")
    assert repr(picture).endswith(".save('picture.svg')>")
    with pytest.raises(ValueError, match="there is no picture of 'loops'; it is one of ops, calls, dominance"):
        view.picture("loops")  # pyright: ignore[reportArgumentType]
