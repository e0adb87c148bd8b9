"""Digests of files, computed on all cores: models have gigabytes."""

from __future__ import annotations

import hashlib
import os

_CHUNK = 16 << 20


def file_digest(source: int, copy_to: int | None = None) -> str:
    """The SHA-256 digest, in hexadecimal, of the SHA-256 digests of a file's chunks of 16 MiB.

    Args:
        source: an open file, which is read from its start, whatever has been read of it.
        copy_to: an open file that gets the same bytes at the same places.

    Raises:
        OSError: `source` cannot be read, or `copy_to` cannot be written.
    """

    def digest_at(start: int) -> bytes:
        data = os.pread(source, min(_CHUNK, size - start), start)
        if copy_to is not None:
            _write(copy_to, data, start)
        return hashlib.sha256(data).digest()

    size = os.fstat(source).st_size
    starts = range(0, size, _CHUNK)
    if len(starts) <= 1:
        parts = [digest_at(start) for start in starts]
    else:
        from mlc.support.workers import workers  # it takes time to import, and few files are that large

        with workers(min(len(starts), os.cpu_count() or 1)) as pool:
            parts = list(pool.map(digest_at, starts))
    return hashlib.sha256(b"".join(parts)).hexdigest()


def data_digest(data: memoryview) -> str:
    """What `file_digest` says of a file that holds these bytes."""
    parts = [hashlib.sha256(data[start : start + _CHUNK]).digest() for start in range(0, len(data), _CHUNK)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _write(file: int, data: bytes, start: int) -> None:
    rest = memoryview(data)
    while rest:
        written = os.pwrite(file, rest, start)
        rest, start = rest[written:], start + written
