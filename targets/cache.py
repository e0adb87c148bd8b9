"""The on-disk cache of compiled things, shared by all processes of a user.

    ??/<key>        entries: objects, artifacts, versions of tools
    run/<name>      artifacts that `mlc run` made, under names for people
    grammar/<key>   tables of grammars (syntax/cache.py)

An entry is one file: its SHA-256 digest, then its bytes. It is written to a temporary file and renamed, so readers
see all of it or nothing. An entry whose digest does not match (a failing disk) is dropped and made again. A cache that
cannot be written is no error: everything works, uncached.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mlc.support.cache_folder import cache_folder

_CHUNK = 1 << 20
_DIGEST_BYTES = hashlib.sha256().digest_size
_KINDS = {
    "compiled": ("[0-9a-f][0-9a-f]", re.compile(r"[0-9a-f]{64}|\.new-\w+")),
    "artifacts of mlc run": ("run", re.compile(r".+-O\d-threads\d+-[0-9a-f]{8}(\.so)?")),
    "grammars": ("grammar", re.compile(r"[0-9a-f]{32,}|tmp\w{8}")),
}
"""Per kind of file its folder, as a pattern, and its name: the cache may lie in a folder that has other files too."""
_ABANDONED = "run/.mlc-*"
"""Folders of builds under way; those of a process that was killed stay."""
_DAY = 86_400.0
DEFAULT_LIMIT = 8 << 30
"""The size in bytes at which the least recently used files go."""


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
        """The user's cache; one that keeps nothing where there is no home to put it in."""
        return Cache(cache_folder() or Path(os.devnull) / "mlc")

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
        """How many files there are, and their size in bytes."""
        kinds = self.sizes().values()
        return sum(count for count, _ in kinds), sum(size for _, size in kinds)

    def sizes(self) -> dict[str, tuple[int, int]]:
        """For each kind of file, how many there are, and their size in bytes."""
        found: dict[str, tuple[int, int]] = dict.fromkeys(_KINDS, (0, 0))
        for kind, _, status in self._files():
            count, size = found[kind]
            found[kind] = count + 1, size + status.st_size
        return found

    def trim(self, limit: int | None = None) -> tuple[int, int]:
        """Drop the least recently used files until the cache is below a limit in bytes, by default its own.

        Returns how many went, and their size in bytes.
        """
        self._drop_abandoned()
        files = sorted(self._files(), key=lambda f: f[2].st_mtime)
        excess = sum(status.st_size for _, _, status in files) - (self.limit if limit is None else limit)
        count = size = 0
        for _, path, status in files:
            if size >= excess:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                count, size = count + 1, size + status.st_size
        return count, size

    def problem(self) -> str | None:
        """Why nothing can be kept; None if it can."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder) as file:
                file.write(bytes(_CHUNK))
        except OSError as e:
            return e.strerror or str(e)
        return None

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _files(self) -> Iterator[tuple[str, Path, os.stat_result]]:
        for kind, (folder, name) in _KINDS.items():
            for path in self.folder.glob(f"{folder}/*"):
                if name.fullmatch(path.name):
                    with contextlib.suppress(OSError):
                        yield kind, path, path.stat()

    def _drop_abandoned(self) -> None:
        for folder in self.folder.glob(_ABANDONED):
            with contextlib.suppress(OSError):
                if time.time() - folder.stat().st_mtime > _DAY:
                    shutil.rmtree(folder, ignore_errors=True)

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
