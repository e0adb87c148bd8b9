"""A format of somebody else: a text of layers, of which each multiplies by a number, or is an activation.

input 4
scale 2.5
relu
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from mlc.frontends.frontend import Frontend
from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation, UserError
from mlc.support.model_source import ModelSource
from mlc.syntax import parse_module


class LayersFrontend(Frontend):
    """Files whose names end in `.layers`."""

    name = "layers"

    def open(self, path: Path) -> ModelSource:
        return LayersModel(str(path), path.parent, path)

    def in_memory(self, model: object) -> ModelSource | None:
        return None


@dataclass(frozen=True)
class LayersModel(ModelSource):
    """A file of layers."""

    path: Path

    @property
    def identity(self) -> str:
        return f"layers {hashlib.sha256(self._text().encode()).hexdigest()}"

    def module(self, ctx: CompilerContext) -> ModuleOp:
        kind, body, value = "", list[str](), "%x"
        for number, line in enumerate(self._text().splitlines(), 1):
            match line.split():
                case ["input", extent]:
                    kind = f"tensor<{int(extent)}xf32>"
                case ["scale", factor]:
                    body.append(f"%c{number} = graph.constant dense<{float(factor)}> : tensor<f32>")
                    body.append(f"%{number} = graph.mul {value}, %c{number} : {kind}, tensor<f32> -> {kind}")
                    value = f"%{number}"
                case ["relu"]:
                    body.append(f"%{number} = graph.relu {value} : {kind}")
                    value = f"%{number}"
                case _:
                    place = SourceLocation(self.file, number)
                    raise UserError(f"found '{line}'; required: 'input N', 'scale F' or 'relu'", place)
        text = f"func.func @main(%x: {kind}) -> {kind} {{\n" + "\n".join(body) + f"\nreturn {value} : {kind}\n}}\n"
        return parse_module(text, self.file, ctx)

    def _text(self) -> str:
        try:
            return self.path.read_text()
        except OSError as e:
            raise UserError(f"cannot read model '{self.file}': {e.strerror}") from None
