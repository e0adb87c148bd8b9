"""How deep the functions may recurse that follow the nesting of a text."""

from __future__ import annotations

import resource
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

MAX_NESTING = 1_000
"""How deep regions may nest."""
TOO_DEEP = "this is nested too deeply"
"""What is said of attributes, types and operations that nest deeper than the interpreter can follow."""
_FRAMES = 24_000
"""Calls that may be open: hand-written parsers and xDSL's printer take up to 20 for each level of the nesting."""
_BYTES_PER_FRAME = 350
"""What a call takes of the stack of its thread where every second one goes through C, such as `__eq__` of types."""
_LARGE_STACK = 8 << 20

_lock = threading.Lock()
_wanted: list[int] = []
"""The limits of those who are inside of `deep_recursion`, in any thread."""
_outside = sys.getrecursionlimit()


@contextmanager
def deep_recursion() -> Generator[None]:
    """Let what parses, prints or transforms nested IR recurse as deep as `MAX_NESTING` needs it.

    What nests deeper than the interpreter then allows ends in a RecursionError, which is a user's error. The limit is
    the same for all threads: the one with the smallest stack says what it is, and the last to leave takes it back.
    """
    global _outside
    frames = min(_FRAMES, _stack_size() // _BYTES_PER_FRAME)
    with _lock:
        if not _wanted:
            _outside = sys.getrecursionlimit()
        _wanted.append(frames)
        sys.setrecursionlimit(max(_outside, min(_wanted)))
    try:
        yield
    finally:
        with _lock:
            _wanted.remove(frames)
            sys.setrecursionlimit(max(_outside, min(_wanted, default=0)))


def _stack_size() -> int:
    """The size of the stack of this thread in bytes."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main and (chosen := threading.stack_size()):
        return chosen
    if not is_main and sys.platform == "darwin":  # whatever the limit of the process is
        return 512 << 10
    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return _LARGE_STACK if limit == resource.RLIM_INFINITY else limit
