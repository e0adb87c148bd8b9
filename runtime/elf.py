"""Looking into a shared library before the dynamic linker maps it.

The linker trusts what it maps: reading beyond the end of a file that was cut off kills the process. So everything that
a library's headers point at has to lie inside the file, and only then is it opened.

Layouts: System V ABI, chapters 4 and 5 (https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")

ELF_MAGIC = b"\x7fELF"
ARCHIVE_MAGIC = b"!<arch>\n"
_CLASS_64, _LITTLE_ENDIAN = 2, 1
_LIBRARY = 3
_LOAD, _DYNAMIC = 1, 2
_SYMBOLS, _NO_BITS, _DYNAMIC_SYMBOLS = 2, 8, 11
_LOADED = 2
"""The flag of a section that is mapped."""
_SPECIAL = 0xFF00
"""The least number that stands for no section, but for something else."""


class NotALibrary(ValueError):
    """A file is of another kind; the message says of which, as in "it is ..."."""


class Damaged(ValueError):
    """A file is a library, but not all of it; the message says what is missing."""


@dataclass(frozen=True)
class SharedLibrary:
    """What the headers of a shared library say."""

    machine: int
    """ELF's e_machine, the architecture."""
    symbols: frozenset[str]
    """The names that it defines for others."""


def read_library(path: Path) -> SharedLibrary:
    """Check that the file `path` is a whole shared library.

    Raises:
        OSError: it cannot be read.
        NotALibrary: it is not a shared library for 64-bit little-endian machines.
        Damaged: its headers point beyond its end, or at nothing that could be loaded.
    """
    with path.open("rb") as file:
        return _File(file, os.fstat(file.fileno()).st_size).library()


@dataclass(frozen=True)
class SymbolSize:
    """A function, or data that has a name."""

    name: str
    bytes: int


@dataclass(frozen=True)
class SectionSize:
    """A part of a library."""

    name: str
    bytes: int
    """How much of the file it takes, or for zeros how much memory."""
    is_stored: bool
    """Whether it is in the file: zeros are not."""
    is_loaded: bool
    """Whether a process maps it."""
    symbols: tuple[SymbolSize, ...]
    """Those that have a size, in the order of the table of symbols."""


def section_sizes(path: Path) -> list[SectionSize]:
    """The sections of the shared library `path`, in order.

    Raises:
        OSError, NotALibrary, Damaged: as `read_library`.
    """
    with path.open("rb") as file:
        return _File(file, os.fstat(file.fileno()).st_size).section_sizes()


@dataclass(frozen=True)
class _Section:
    name: int
    kind: int
    flags: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True)
class _Header:
    machine: int
    sections: int
    """Where their table is."""
    section_count: int
    names: int
    """The number of the section with the names of sections."""


@dataclass(frozen=True)
class _File:
    stream: BinaryIO
    size: int

    def library(self) -> SharedLibrary:
        header = self._header()
        return SharedLibrary(header.machine, frozenset(self._symbols(self._sections(header))))

    def section_sizes(self) -> list[SectionSize]:
        header = self._header()
        sections = self._sections(header)
        if header.names >= len(sections):
            raise Damaged("its sections have no names")
        names = self._strings(sections[header.names])
        symbols: dict[int, list[SymbolSize]] = {}
        for table in (each for each in sections if each.kind == _SYMBOLS):
            for name, home, size in self._entries(table, sections):
                if size and 0 < home < _SPECIAL:
                    symbols.setdefault(home, []).append(SymbolSize(name, size))
        return [
            SectionSize(
                _name_at(names, each.name),
                each.size,
                each.kind != _NO_BITS,
                bool(each.flags & _LOADED),
                tuple(symbols.get(number, ())),
            )
            for number, each in enumerate(sections)
            if number
        ]

    def _header(self) -> _Header:
        start = self.stream.read(_HEADER.size)
        if start.startswith(ARCHIVE_MAGIC):
            raise NotALibrary("a static library")
        if start[:4] != ELF_MAGIC:
            raise NotALibrary("not an ELF file")
        if len(start) < _HEADER.size:
            raise Damaged(self._beyond("ELF header", _HEADER.size))
        ident, kind, machine, _, _, segments, sections, _, _, segment_size, segment_count, section_size, *rest = (
            _HEADER.unpack(start)
        )
        if (ident[4], ident[5]) != (_CLASS_64, _LITTLE_ENDIAN):
            raise NotALibrary("for a machine that is not 64-bit and little-endian")
        if kind != _LIBRARY:
            raise NotALibrary("an object file or a program")
        if segment_size != _SEGMENT.size or section_size != _SECTION.size:
            raise Damaged("the sizes in its ELF header are wrong")
        self._check_segments(segments, segment_count)
        return _Header(machine, sections, *rest)

    def _check_segments(self, offset: int, count: int) -> None:
        """The parts of the file that are mapped: all inside, and one of them with what the linker reads first."""
        loaded: list[range] = []
        dynamic: list[range] = []
        table = self._read("table of segments", offset, count * _SEGMENT.size)
        for kind, _, start, _, _, size, memory, _ in _SEGMENT.iter_unpack(table):
            self._check("segment", start, size)
            if kind == _LOAD and size > memory:
                raise Damaged("a segment is larger in the file than in memory")
            if kind in (_LOAD, _DYNAMIC):
                (loaded if kind == _LOAD else dynamic).append(range(start, start + size))
        if not any(d and d[0] in part and d[-1] in part for d in dynamic for part in loaded):
            raise Damaged("it has nothing for the dynamic linker")

    def _sections(self, header: _Header) -> list[_Section]:
        if header.sections == 0:
            raise Damaged("its table of sections is missing")
        table = self._read("table of sections", header.sections, header.section_count * _SECTION.size)
        sections = [_Section(f[0], f[1], f[2], f[4], f[5], f[6]) for f in _SECTION.iter_unpack(table)]
        for section in sections:
            if section.kind != _NO_BITS:
                self._check("section", section.offset, section.size)
        return sections

    def _symbols(self, sections: list[_Section]) -> Iterator[str]:
        """The defined names of the dynamic symbol table, whose place only the sections tell."""
        for section in sections:
            if section.kind == _DYNAMIC_SYMBOLS:
                yield from (name for name, home, _ in self._entries(section, sections) if home)

    def _entries(self, section: _Section, sections: list[_Section]) -> Iterator[tuple[str, int, int]]:
        """What a table of symbols has: names, the numbers of their sections, sizes."""
        if section.size % _SYMBOL.size or section.link >= len(sections):
            raise Damaged("its table of symbols is wrong")
        strings = self._strings(sections[section.link])
        table = self._read("table of symbols", section.offset, section.size)
        for name, _, _, home, _, size in _SYMBOL.iter_unpack(table):
            yield _name_at(strings, name), home, size

    def _strings(self, section: _Section) -> bytes:
        return self._read("table of names", section.offset, section.size)

    def _read(self, what: str, offset: int, size: int) -> bytes:
        self._check(what, offset, size)
        self.stream.seek(offset)
        data = self.stream.read(size)
        if len(data) < size:  # it was cut off just now
            raise Damaged(self._beyond(what, offset + size))
        return data

    def _check(self, what: str, offset: int, size: int) -> None:
        if offset + size > self.size:
            raise Damaged(self._beyond(what, offset + size))

    def _beyond(self, what: str, end: int) -> str:
        article = "an" if what[0] in "aeiouE" else "a"
        return f"it has {self.size} bytes, and {article} {what} ends at byte {end}"


def _name_at(strings: bytes, place: int) -> str:
    end = strings.find(b"\0", place)
    if end < 0:
        raise Damaged("a symbol has no name")
    return strings[place:end].decode("utf-8", "replace")
