"""Writing static libraries: `ar` archives with a table of symbols, as linkers on Linux read them.

    "!<arch>\\n"
    header, big-endian table: count, offsets of the members that define them, names
    header, long names (if there are any)
    header, member …

Layout: System V Release 4's ar(5), with GNU's `/` for the end of a name and `//` for the table of long ones.
"""

from __future__ import annotations

import struct
from pathlib import Path

from mlc.targets.elf import defined_symbols

_MAGIC = b"!<arch>\n"
_HEADER_BYTES = 60
_SHORT = 15
"""The most characters of a name that a header has room for."""


def write_archive(archive: Path, name: str, member: Path) -> None:
    """Make the static library `archive` of one object, the file `member`, which is called `name` in it.

    The result depends on nothing but the two: no times, no owners.

    Raises:
        OSError: a file cannot be read or written.
    """
    symbols = sorted(defined_symbols(member))
    strings = b"".join(symbol.encode() + b"\0" for symbol in symbols)
    long_names = b"" if len(name) <= _SHORT else f"{name}/\n".encode()
    before = [_part("//", long_names)] if long_names else []
    table_bytes = 4 + 4 * len(symbols) + len(strings)
    offset = len(_MAGIC) + _size(table_bytes) + sum(map(len, before))
    table = struct.pack(f">{1 + len(symbols)}I", len(symbols), *(offset for _ in symbols)) + strings
    parts = [_part("/", table), *before, _part("/0" if long_names else f"{name}/", member.read_bytes())]
    archive.write_bytes(_MAGIC + b"".join(parts))


def _part(name: str, content: bytes) -> bytes:
    """One file of the archive; each starts at an even offset."""
    header = f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(content):<10}`\n".encode()
    assert len(header) == _HEADER_BYTES
    return header + content + b"\n" * (len(content) % 2)


def _size(content_bytes: int) -> int:
    return _HEADER_BYTES + content_bytes + content_bytes % 2
