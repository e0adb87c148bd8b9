"""A model with hostile names for the tests of `mlc explore`, and what its page holds."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

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
