"""The text of loops that debuggers step through: each op has its place there instead of the one in the model, and each
value its name."""

from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.printer import Printer

from mlc.support.cache_folder import cache_folder
from mlc.support.errors import SourceLocation, UserError
from mlc.support.locations import location_of
from mlc.targets.output import staged_output

_FOLDER = "debug"
_NUMBERED = re.compile(r"_(\d+)$")


def place_in_text(module: ModuleOp) -> Path:
    """Write a module to a file in the cache that is named after its contents, and let all ops stand there. Values are
    called as they are in the text, but `v4` for `%4` and `m$1` for `%m_1`: variables have no names like the first, and
    hints no ends like the second.

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
    for value, name in printer.names.items():
        value.name_hint = f"v{name}" if name.isdecimal() else _NUMBERED.sub(r"$\1", name)
    return path


class _PrinterOfLines(Printer):
    """Notes at which line and column each op begins, and what values are called. Comments say where ops are from, and
    data of constants are left out."""

    def __init__(self, stream: io.StringIO) -> None:
        super().__init__(stream)
        self.places: dict[Operation, tuple[int, int]] = {}
        self.names: dict[SSAValue, str] = {}
        self._told: SourceLocation | None = None

    def print_op(self, op: Operation) -> None:
        # What shows the lines of an instruction then shows where in the model it is from.
        if (place := location_of(op)) is not None and place != self._told:
            self._told = place
            self.print_string(f"// {' '.join(str(place).split())}")
            self._print_new_line()
        self.places[op] = self._current_line + 1, self._current_column + 1
        super().print_op(op)

    def print_ssa_value(self, value: SSAValue) -> str:
        self.names[value] = name = super().print_ssa_value(value)
        return name

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            self.print_string("dense<…> : ")
            attribute = attribute.get_type()
        super().print_attribute(attribute)
