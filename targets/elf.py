"""Reading, editing and writing ELF64 little-endian object files, as far as a build needs it.

Layouts: System V ABI, chapters 4 and 5 (https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.architectures.architecture import InstructionSet
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

_HEADER = np.dtype(
    [
        ("magic", "S4"),
        ("bits", "u1"),
        ("order", "u1"),
        ("ident_version", "u1"),
        ("system", "u1", 9),
        ("type", "<u2"),
        ("machine", "<u2"),
        ("version", "<u4"),
        ("entry", "<u8"),
        ("segments", "<u8"),
        ("sections", "<u8"),
        ("flags", "<u4"),
        ("header_size", "<u2"),
        ("segment_size", "<u2"),
        ("segment_count", "<u2"),
        ("section_size", "<u2"),
        ("section_count", "<u2"),
        ("names", "<u2"),
    ]
)

_PROGBITS, _SYMTAB, _STRTAB, _RELA_TYPE, _GROUP = 1, 2, 3, 4, 17
_HIDDEN, _WEAK = 2, 2
_ALLOCATED, _DATA, _RELOCATABLE = 2, 1, 1


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
            raise ValueError("after the end of the file")
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


@dataclass(frozen=True)
class NamedBytes:
    """Read-only bytes under one or more names, which are hidden, and weak: another object may have them too."""

    symbols: Sequence[str]
    data: memoryview


def write_data_object(path: Path, architecture: InstructionSet, blobs: Sequence[NamedBytes], alignment: int) -> None:
    """Write a relocatable object that holds the blobs in `.rodata`, each at a multiple of `alignment` bytes.

    Raises:
        OSError: the file cannot be written.
    """
    strings, symbols = bytearray(b"\0"), [(0, 0, 0, 0, 0, 0)]
    with path.open("wb") as file:
        start = _HEADER.itemsize
        file.write(bytes(start))
        for blob in blobs:
            file.write(bytes(-(file.tell() - start) % alignment))
            for symbol in blob.symbols:
                symbols.append((len(strings), _WEAK << 4 | _DATA, _HIDDEN, 1, file.tell() - start, blob.data.nbytes))
                strings += symbol.encode() + b"\0"
            file.write(blob.data)
        file.write(bytes(alignment))  # a blob without bytes still needs an address inside the section
        names = b"\0.rodata\0.symtab\0.strtab\0.shstrtab\0.note.GNU-stack\0"
        sections = np.zeros(6, _SECTION)
        sections[1] = (1, _PROGBITS, _ALLOCATED, 0, start, file.tell() - start, 0, 0, alignment, 0)
        file.write(bytes(-file.tell() % 8))
        for index, (kind, contents, link, info, entry) in enumerate(
            (
                (_SYMTAB, np.array(symbols, _SYMBOL).tobytes(), 3, 1, _SYMBOL.itemsize),
                (_STRTAB, bytes(strings), 0, 0, 0),
                (_STRTAB, names, 0, 0, 0),
                (_PROGBITS, b"", 0, 0, 0),  # says that code here needs no executable stack
            ),
            2,
        ):
            sections[index] = (0, kind, 0, 0, file.tell(), len(contents), link, info, 8 if entry else 1, entry)
            file.write(contents)
        sections["name"][1:] = [i + 1 for i, byte in enumerate(names[:-1]) if byte == 0]
        file.write(bytes(-file.tell() % 8))
        header = np.zeros(1, _HEADER)
        header[0] = (
            *(b"\x7fELF", 2, 1, 1, 0, _RELOCATABLE, architecture.elf_machine, 1, 0, 0, file.tell()),
            *(architecture.elf_flags, _HEADER.itemsize),
            *(0, 0, _SECTION.itemsize, len(sections), 4),
        )
        file.write(sections.tobytes())
        file.seek(0)
        file.write(header.tobytes())
