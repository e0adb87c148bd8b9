"""A file of ONNX as a model that the compiler takes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc.frontends.onnx.reader import declared_inputs, open_file, read_onnx
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError, raise_found
from mlc.support.model_source import DeclaredInput, ModelSource
from mlc.support.onnx_file import OnnxFile


def open_source(path: Path) -> OnnxModel:
    """The model in the file `path`."""
    return OnnxModel(str(path), path.parent, path)


@dataclass(frozen=True)
class OnnxModel(ModelSource):
    """A model in a file of ONNX."""

    path: Path

    @property
    def identity(self) -> str:
        return f"onnx {hashlib.sha256(self._opened.skeleton).hexdigest()}"

    def inputs(self) -> tuple[DeclaredInput, ...]:
        return declared_inputs(self._opened, self.file)

    def module(self, ctx: CompilerContext) -> ModuleOp:
        module, wrong = self.readable(ctx)
        raise_found(wrong.values())
        return module

    def readable(self, ctx: CompilerContext) -> tuple[ModuleOp, dict[Operation, UserError]]:
        from mlc.syntax import verify_module

        wrong: dict[Operation, UserError] = {}
        module = read_onnx(self.path, ctx, self.file, self._opened, wrong)
        if not wrong:
            verify_module(module)
        return module, wrong

    @cached_property
    def _opened(self) -> OnnxFile:
        return open_file(self.path, self.file)
