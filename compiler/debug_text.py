"""The text of loops that debuggers step through: each op has its place there instead of the one in the model."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from mlc.support.cache_folder import cache_folder
from mlc.support.errors import UserError
from mlc.targets.output import staged_output

_FOLDER = "debug"


def place_in_text(module: ModuleOp) -> Path:
    """Write a module to a file in the cache that is named after its contents, and let all ops stand there.

    Returns:
        The file.

    Raises:
        UserError: there is no cache that can be written.
    """
    printer = _PrinterOfLines(stream := io.StringIO())
    printer.print_op(module)
    text = f"{stream.getvalue()}\n"
    folder = cache_folder()
    if folder is None:
        raise UserError("found -g loops without a folder for the text of loops; required: a cache (mlc doctor)")
    path = folder / _FOLDER / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.mlir"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with staged_output(path) as staged:
        staged.write_text(text, encoding="utf-8")
    for op, (line, column) in printer.places.items():
        op.location = FileLineColLoc(StringAttr(str(path)), IntAttr(line), IntAttr(column))
    return path


class _PrinterOfLines(Printer):
    """Notes at which line and column each op begins; data of constants are left out."""

    def __init__(self, stream: io.StringIO) -> None:
        super().__init__(stream)
        self.places: dict[Operation, tuple[int, int]] = {}

    def print_op(self, op: Operation) -> None:
        self.places[op] = self._current_line + 1, self._current_column + 1
        super().print_op(op)

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            self.print_string("dense<…> : ")
            attribute = attribute.get_type()
        super().print_attribute(attribute)
