"""The on-disk cache of compiled things, shared by all processes of a user.

    ??/<key>-<sum>  entries: objects, artifacts, versions of tools
    run/<name>      artifacts that `mlc run` made, under names for people
    grammar/<key>   tables of grammars (syntax/cache.py)

An entry is one file, called `<key>-<digest of its bytes>`. It appears whole: written to a temporary file and renamed,
or a second name of the artifact itself. An entry whose digest does not match (somebody changed the artifact in place, a
failing disk, a crash before it was on the disk) is dropped and made again. A cache that cannot be written is not an
error: everything works, uncached.
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
from typing import IO

from mlc.support.cache_folder import cache_folder, make_folder
from mlc.support.file_digest import file_digest

_PROBE_BYTES = 1 << 20
_KINDS = {
    "compiled": ("[0-9a-f][0-9a-f]", re.compile(r"[0-9a-f]{64}(-[0-9a-f]{64})?|\.new-\w+")),
    "artifacts of mlc run": ("run", re.compile(r".+-O\d-threads\d+-[0-9a-f]{8}(\.so)?")),
    "grammars": ("grammar", re.compile(r"[0-9a-f]{32,}|tmp\w{8}")),
}
"""Per kind of file its folder, as a pattern, and its name: the cache may lie in a folder that has other files too."""
_ABANDONED = "run/.mlc-*"
"""Folders of builds under way; those of a process that was killed stay."""
_MINUTE, _DAY = 60.0, 86_400.0
_due: dict[Path, float] = {}
"""When this process may trim a cache again, by its folder."""
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
    links: bool = False
    """Whether what is fetched may be a second name of the entry: for files that are private, and never changed."""

    @staticmethod
    def default() -> Cache:
        """The user's cache; one that keeps nothing where there is no home to put it in.

        Raises:
            UserError: others may write there.
        """
        return Cache(cache_folder() or Path(os.devnull) / "mlc")

    def fetch(self, key: str, destination: Path) -> bool:
        """Make the file `destination` with the bytes of the entry `key`; False, and no file, if there is no intact one.

        Raises:
            OSError: `destination` cannot be written.
        """
        for entry, expected in self._entries(key):
            try:
                source = entry.open("rb")
            except OSError:
                continue
            with source:
                if self.links and _link(entry, destination):
                    found = file_digest(source.fileno())
                else:
                    with destination.open("wb") as target:
                        found = file_digest(source.fileno(), target.fileno())
                if found == expected:
                    with contextlib.suppress(OSError):
                        os.utime(entry)
                    return True
                destination.unlink()
                with contextlib.suppress(OSError):
                    entry.unlink()
        return False

    def store(self, key: str, source: Path) -> None:
        """Remember the bytes of the file `source`; does nothing if the cache cannot be written."""
        with contextlib.suppress(OSError), source.open("rb") as data:
            entry = self._path(key, file_digest(data.fileno()))
            make_folder(self.folder, key[:2])
            if _link(source, entry):
                return
            with self._new(key) as file:
                shutil.copyfileobj(data, file)
                file.flush()
                Path(file.name).replace(entry)

    def read(self, key: str) -> bytes | None:
        """The bytes of a small entry, or None if there is no intact one."""
        for entry, expected in self._entries(key):
            with contextlib.suppress(OSError), entry.open("rb") as file:
                if file_digest(file.fileno()) == expected:
                    return file.read()
        return None

    def write(self, key: str, payload: bytes) -> None:
        """Remember a small entry, instead of what it was before; does nothing if the cache cannot be written."""
        with contextlib.suppress(OSError), self._new(key) as file:
            file.write(payload)
            file.flush()
            entry = self._path(key, file_digest(file.fileno()))
            Path(file.name).replace(entry)
            for other, _ in self._entries(key):
                if other != entry:
                    other.unlink()

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

    def trim_if_due(self) -> None:
        """`trim`, unless this process did so within a minute: a look at tens of thousands of files takes a second."""
        now = time.monotonic()
        if now >= _due.get(self.folder, now):
            _due[self.folder] = now + _MINUTE
            self.trim()

    def problem(self) -> str | None:
        """Why nothing can be kept; None if it can."""
        try:
            make_folder(self.folder, ".")
            with tempfile.TemporaryFile(dir=self.folder) as file:
                file.write(bytes(_PROBE_BYTES))
        except OSError as e:
            return e.strerror or str(e)
        return None

    def _path(self, key: str, found: str) -> Path:
        return self.folder / key[:2] / f"{key}-{found}"

    def _entries(self, key: str) -> list[tuple[Path, str]]:
        """The files for a key, as a rule one, with the digests that they should have. A folder in their place goes."""
        folder, start = self.folder / key[:2], f"{key}-"
        found: list[tuple[Path, str]] = []
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(start):
                    if entry.is_dir(follow_symlinks=False):
                        shutil.rmtree(entry.path, ignore_errors=True)
                    else:
                        found.append((Path(entry.path), entry.name.removeprefix(start)))
        return found

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
    def _new(self, key: str) -> Generator[IO[bytes], None, None]:
        """A file in the folder of the entry `key`; it goes if it still has its own name when the block ends."""
        folder = make_folder(self.folder, key[:2])
        with tempfile.NamedTemporaryFile("w+b", prefix=".new-", dir=folder, delete=False) as file:
            try:
                yield file
            finally:
                Path(file.name).unlink(missing_ok=True)


def _link(existing: Path, new: Path) -> bool:
    """Give a file a second name; False if that is not possible, as on another disk."""
    try:
        os.link(existing, new)
    except FileExistsError:
        return existing.samefile(new)
    except OSError:
        return False
    return True
