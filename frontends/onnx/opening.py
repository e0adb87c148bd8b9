"""Opening a file of ONNX: where its weights lie is found out, and nothing of it is understood yet."""

from __future__ import annotations

from pathlib import Path

from mlc.support.errors import UserError
from mlc.support.mapped_file import MappedFile
from mlc.support.onnx_file import OnnxFile, open_onnx


def open_file(path: Path, file: str) -> OnnxFile:
    """What lies where in the file `path`, which messages call `file`.

    Raises:
        UserError: the file cannot be read.
    """
    try:
        return open_onnx(MappedFile(path))
    except FileNotFoundError:
        raise UserError(f"model '{file}' not found") from None
    except OSError as e:
        raise UserError(f"cannot read model '{file}': {e.strerror or e}") from None
    except ValueError as e:
        hint = "; it is text, which is read from files of other names, such as model.mlir" if _is_text(path) else ""
        raise UserError(f"model '{file}' cannot be read as ONNX: {e}{hint}") from None


def _is_text(path: Path) -> bool:
    """Whether a file begins with characters that people write, and is not a protobuf message for that reason."""
    with path.open("rb") as stream:
        start = stream.read(256)
    return bool(start) and all(byte in b"\t\r\n" or 32 <= byte < 127 for byte in start)
