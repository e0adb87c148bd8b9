"""Reading and editing ELF64 little-endian object files, as far as a build needs it.

Layouts: System V ABI, chapters 4 and 5 (https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.support.errors import CompilerBug

_SECTION = np.dtype(
    [
        ("name", "<u4"),
        ("type", "<u4"),
        ("flags", "<u8"),
        ("address", "<u8"),
        ("offset", "<u8"),
        ("size", "<u8"),
        ("link", "<u4"),
        ("info", "<u4"),
        ("alignment", "<u8"),
        ("entry_size", "<u8"),
    ]
)
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)
_RELA = np.dtype([("offset", "<u8"), ("type", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])

_SYMTAB, _RELA_TYPE, _GROUP = 2, 4, 17
_HIDDEN, _WEAK = 2, 2


class _Object:
    """Views of a mapped file; writing to them writes the file.

    Raises:
        CompilerBug: it is not a whole object, whatever made it.
    """

    def __init__(self, path: Path, mode: Any) -> None:
        try:
            self._map(path, mode)
        except (IndexError, ValueError):
            size = path.stat().st_size
            raise CompilerBug(f"the object that clang wrote is damaged ({size} bytes)", "clang") from None

    def _map(self, path: Path, mode: Any) -> None:
        self.data: Any = np.memmap(path, np.uint8, mode)
        offset = int(self.data[0x28:0x30].view("<u8")[0])
        count = int(self.data[0x3C:0x3E].view("<u2")[0])
        self.sections: NDArray[Any] = self.data[offset : offset + count * _SECTION.itemsize].view(_SECTION)
        self.symtab = int(np.flatnonzero(self.sections["type"] == _SYMTAB)[0])
        self.symbols = self.contents(self.symtab, _SYMBOL)

    def contents(self, section: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        start, size = int(self.sections["offset"][section]), int(self.sections["size"][section])
        if start + size > len(self.data):
            raise ValueError("behind the end of the file")
        return self.data[start : start + size].view(dtype)

    def symbol_names(self, chosen: NDArray[np.bool_]) -> set[str]:
        strings = self.contents(int(self.sections["link"][self.symtab]), np.dtype(np.uint8)).tobytes()
        return {strings[n : strings.index(b"\0", n)].decode() for n in self.symbols["name"][chosen].tolist()}


def undefined_symbols(path: Path) -> set[str]:
    """The names that an object refers to, does not define and cannot do without: weak ones may stay undefined."""
    elf = _Object(path, "r")
    undefined = (elf.symbols["section"] == 0) & (elf.symbols["info"] >> 4 != _WEAK)
    undefined[0] = False  # the table's null entry
    return elf.symbol_names(undefined)


def defined_symbols(path: Path) -> set[str]:
    """The names that an object defines for others."""
    elf = _Object(path, "r")
    return elf.symbol_names((elf.symbols["section"] != 0) & (elf.symbols["info"] >> 4 != 0))


def localize_hidden(path: Path) -> None:
    """Make all hidden symbols of a relocatable object local, in place.

    So two models whose kernels or weights happen to share names link into one program without meeting.
    """
    elf = _Object(path, "r+")
    symbols = elf.symbols
    hidden = (symbols["other"] & 3 == _HIDDEN) & (symbols["section"] != 0)
    symbols["info"][hidden] &= 0xF
    symbols["other"][hidden] = 0
    # Locals precede globals in a symbol table; whatever names symbols by index has to follow the new order.
    is_global = symbols["info"] >> 4 != 0
    order = np.argsort(is_global, kind="stable")
    symbols[:] = symbols[order]
    new_index = np.empty(len(order), np.uint32)
    new_index[order] = np.arange(len(order), dtype=np.uint32)
    sections = elf.sections
    sections["info"][elf.symtab] = np.count_nonzero(~is_global)
    for index in np.flatnonzero(sections["link"] == elf.symtab).tolist():
        if sections["type"][index] == _RELA_TYPE:
            relocations = elf.contents(index, _RELA)
            relocations["symbol"] = new_index[relocations["symbol"]]
        elif sections["type"][index] == _GROUP:
            sections["info"][index] = new_index[sections["info"][index]]
