"""A file of ONNX as a model that the compiler takes; what was compiled before is recalled without reading it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from mlc.frontends.frontend import Frontend
from mlc.frontends.onnx import SUFFIX
from mlc.frontends.onnx.opening import open_file
from mlc.support.errors import UserError, raise_found
from mlc.support.model_source import DeclaredInput, ModelSource
from mlc.support.onnx_file import OnnxFile

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from mlc.dialects.onnx.schemas import Message
    from mlc.support.context import CompilerContext


class OnnxFrontend(Frontend):
    """Files of ONNX, their bytes, and messages of the package `onnx`."""

    name = SUFFIX

    def open(self, path: Path) -> OnnxModel:
        return OnnxModel(str(path), path.parent, path)

    def in_memory(self, model: object) -> OnnxModel | None:
        """A ModelProto, or the bytes of a file, as if the file were there.

        Raises:
            UserError: the weights lie in files that nobody names, or are too large for a message.
        """
        if isinstance(model, bytes | bytearray | memoryview):
            data = bytes(cast(Any, model))
        elif type(model).__name__ == "ModelProto":
            data = _message_of(model)
        else:
            return None
        folder = TemporaryDirectory(prefix="mlc-")
        path = Path(folder.name) / "model.onnx"
        path.write_bytes(data)
        return OnnxModel(f"<{type(cast(object, model)).__name__}>", path.parent, path, folder)


def _message_of(model: Any) -> bytes:
    """Raises: UserError if the bytes would not be the whole model."""
    advice = "required: its file, onnx.save(model, 'model.onnx', save_as_external_data=True), and give the path"
    if any(each.data_location == each.EXTERNAL for each in model.graph.initializer):
        raise UserError("found a ModelProto whose weights lie in other files; required: the path of its own file")
    try:
        return model.SerializeToString()
    except Exception as e:  # its kind depends on the version of protobuf
        raise UserError(f"found a ModelProto that cannot be made one message ({e}); {advice}") from None


@dataclass(frozen=True)
class OnnxModel(ModelSource):
    """A model in a file of ONNX."""

    path: Path
    _folder: TemporaryDirectory[str] | None = field(default=None, repr=False, compare=False)
    """The folder that the file lies in, if it goes with this object."""

    @property
    def identity(self) -> str:
        return f"onnx {self._opened.file.digest()}"

    def inputs(self) -> tuple[DeclaredInput, ...]:
        from mlc.frontends.onnx.reader import declared_inputs

        return declared_inputs(self._message, self._opened.mapped)

    def module(self, ctx: CompilerContext) -> ModuleOp:
        module, wrong = self.readable(ctx)
        raise_found(wrong.values())
        return module

    def readable(self, ctx: CompilerContext) -> tuple[ModuleOp, dict[Operation, UserError]]:
        from mlc.frontends.onnx.reader import read_onnx
        from mlc.syntax import verify_module

        wrong: dict[Operation, UserError] = {}
        module = read_onnx(self.path, ctx, self.file, self._opened, wrong, self._message)
        if not wrong:
            verify_module(module)
        return module, wrong

    @cached_property
    def _opened(self) -> OnnxFile:
        return open_file(self.path, self.file)

    @cached_property
    def _message(self) -> Message:
        from mlc.frontends.onnx.reader import parsed

        return parsed(self._opened, self.file)
