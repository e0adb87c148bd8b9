"""A model with hostile names for the tests of `mlc explore`, and what its page holds."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

if TYPE_CHECKING:
    from tests.conftest import CommandLine

HOSTILE = "</script><img src=x onerror=document.title='changed'>"
"""What a page that makes HTML of names would run."""
FILE = "model<b>&.mlir"
MODEL = """\
func.func @main(%x: tensor<6x50xf32>) -> tensor<6x200xf32> {
  %w = graph.constant dense_resource<"HOSTILE"> : tensor<50x200xf32>
  %b = graph.constant dense<0.5> : tensor<200xf32>
  %0 = graph.matmul %x, %w : tensor<6x50xf32>, tensor<50x200xf32> -> tensor<6x200xf32>
  %1 = graph.add %0, %b : tensor<6x200xf32>, tensor<200xf32> -> tensor<6x200xf32>
  %2 = graph.relu %1 : tensor<6x200xf32>
  %3 = graph.softmax %2 axis 1 : tensor<6x200xf32>
  return %3 : tensor<6x200xf32>
}

{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}
""".replace("HOSTILE", HOSTILE)


def save_hostile_model(folder: Path) -> Path:
    """The model and its weights as files in a folder."""
    weights = np.random.default_rng(7).standard_normal((50, 200), np.float32)
    save_file({HOSTILE: weights}, folder / "w.safetensors")
    (folder / FILE).write_text(MODEL, encoding="utf-8")
    return folder / FILE


def document_in(page: str) -> dict[str, Any]:
    """The document of a page, with all its texts."""
    (document,) = (_unpacked(data) for data in _elements(page, "document"))
    return document | {"texts": [text for data in _elements(page, "texts") for text in _unpacked(data)]}


def _elements(page: str, kind: str) -> list[str]:
    return re.findall(rf'<script type="application/gzip" class="{kind}">([\w+/=]+)</script>', page)


def _unpacked(data: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(data)))


@dataclass(frozen=True)
class Explored:
    """A page, and the document in it."""

    page: str
    document: dict[str, Any]

    def text(self, number: int) -> str:
        """A text by its number."""
        return self.document["texts"][number]["text"]

    def pass_run(self, name: str) -> dict[str, Any]:
        """The first run of a pass."""
        return next(each for each in self.document["passes"] if each["name"] == name)

    def kernel(self, name: str) -> dict[str, Any]:
        """All about a kernel."""
        return next(each for each in self.document["kernels"] if each["name"] == name)

    def places_of(self, text: int) -> list[str]:
        """The place of each line, in words."""
        runs, places = self.document["texts"][text]["places"], self.document["places"]
        pairs = zip(runs[::2], runs[1::2], strict=True)
        return [places[place]["words"] if place >= 0 else "" for count, place in pairs for _ in range(count)]


def explore(mlc: CommandLine, model: Path, *options: str) -> Explored:
    """The page that `mlc explore` writes about a model."""
    output = model.parent / "report.html"
    result = mlc("explore", str(model), "-o", str(output), "--target=x86-64-v3", *options)
    assert (result.status, result.err) == (0, "")
    page = output.read_text(encoding="utf-8")
    return Explored(page, document_in(page))
