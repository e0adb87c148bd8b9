"""The on-disk cache of compiled things, shared by all processes of a user.

An entry is one file: its SHA-256 digest, then its bytes. It is written to a temporary file and renamed, so readers
see all of it or nothing. An entry whose digest does not match (a failing disk) is dropped and made again. A cache that
cannot be written is no error: everything works, uncached.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1 << 20
_DIGEST_BYTES = hashlib.sha256().digest_size
_ENTRY_NAME = re.compile(r"[0-9a-f]{64}|\.new-\w+")
DEFAULT_LIMIT = 8 << 30
"""The size in bytes at which the least recently used entries go."""


def digest(*parts: str | bytes) -> str:
    """A key made from `parts`; different lists of parts have different keys."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(len(data).to_bytes(8, "little"))
        sha.update(data)
    return sha.hexdigest()


@dataclass(frozen=True)
class Cache:
    """A folder of entries by key."""

    folder: Path
    limit: int = DEFAULT_LIMIT

    @staticmethod
    def default() -> Cache:
        """The cache at `$MLC_CACHE_DIR`, `$XDG_CACHE_HOME/mlc` or `~/.cache/mlc`, the first that is set."""
        if named := os.environ.get("MLC_CACHE_DIR"):
            return Cache(Path(named))
        if xdg := os.environ.get("XDG_CACHE_HOME"):
            return Cache(Path(xdg) / "mlc")
        return Cache(Path("~/.cache/mlc").expanduser())

    def fetch(self, key: str, destination: Path) -> bool:
        """Copy the entry `key` to the file `destination`; False, and no file, if there is no intact one.

        Raises:
            OSError: `destination` cannot be written.
        """
        with contextlib.ExitStack() as files:
            try:
                source = files.enter_context(self._path(key).open("rb"))
                expected = source.read(_DIGEST_BYTES)
            except OSError:
                return False
            with destination.open("wb") as target:
                intact = _copy(source, target) == expected
        if not intact:
            destination.unlink()
            with contextlib.suppress(OSError):
                self._path(key).unlink()
            return False
        with contextlib.suppress(OSError):
            os.utime(self._path(key))
        return True

    def store(self, key: str, source: Path) -> None:
        """Remember the bytes of the file `source`; does nothing if the cache cannot be written."""
        with contextlib.suppress(OSError), source.open("rb") as data, self._entry(key) as entry:
            entry.write(bytes(_DIGEST_BYTES))
            found = _copy(data, entry)
            entry.seek(0)
            entry.write(found)

    def read(self, key: str) -> bytes | None:
        """The bytes of a small entry, or None if there is no intact one."""
        try:
            data = self._path(key).read_bytes()
        except OSError:
            return None
        expected, payload = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
        return payload if hashlib.sha256(payload).digest() == expected else None

    def write(self, key: str, payload: bytes) -> None:
        """Remember a small entry; does nothing if the cache cannot be written."""
        with contextlib.suppress(OSError), self._entry(key) as entry:
            entry.write(hashlib.sha256(payload).digest() + payload)

    def size(self) -> tuple[int, int]:
        """How many entries there are, and their size in bytes."""
        sizes = [status.st_size for _, status in self._entries()]
        return len(sizes), sum(sizes)

    def trim(self) -> None:
        """Drop the least recently used entries until the cache is below its limit."""
        entries = sorted(self._entries(), key=lambda e: e[1].st_mtime)
        excess = sum(status.st_size for _, status in entries) - self.limit
        for path, status in entries:
            if excess <= 0:
                break
            with contextlib.suppress(OSError):
                path.unlink()
            excess -= status.st_size

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _entries(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self.folder.glob("??/*"):
            # The folder may have been set to one that holds other files too.
            if _ENTRY_NAME.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    yield path, path.stat()

    @contextlib.contextmanager
    def _entry(self, key: str) -> Generator[BinaryIO, None, None]:
        """A file that becomes the entry `key` if the block ends well."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w+b") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise


def _copy(source: BinaryIO, target: BinaryIO) -> bytes:
    """Copy a file's rest and return the SHA-256 digest of what was copied."""
    sha = hashlib.sha256()
    while chunk := source.read(_CHUNK):
        sha.update(chunk)
        target.write(chunk)
    return sha.digest()
