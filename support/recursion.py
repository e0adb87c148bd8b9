"""How deep the functions may recurse that follow the nesting of a text."""

from __future__ import annotations

import ctypes
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
_BYTES_PER_HOOKED_FRAME = 800
"""The same where each goes through C, because a hook evaluates frames, as `torch.compile` sets one and may leave it."""
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
    needed = _BYTES_PER_HOOKED_FRAME if _frames_are_hooked() else _BYTES_PER_FRAME
    frames = min(_FRAMES, _stack_size(_FRAMES * needed) // needed)
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


def _stack_size(wanted: int) -> int:
    """The size of the stack of this thread in bytes. That of Linux's main thread grows to `wanted`, if it may: the
    limit is read when a page is touched, and the 128 MiB below belong to nobody else."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main and (chosen := threading.stack_size()):
        return chosen
    if not is_main and sys.platform == "darwin":  # whatever the limit of the process is
        return 512 << 10
    limit, most = resource.getrlimit(resource.RLIMIT_STACK)
    if limit == resource.RLIM_INFINITY:
        return _LARGE_STACK
    if is_main and limit < wanted and sys.platform == "linux" and (most == resource.RLIM_INFINITY or wanted <= most):
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, most))
        return wanted
    return limit


def _frames_are_hooked() -> bool:
    """Whether calls of Python functions do not stay in one run of the interpreter (PEP 523)."""
    api = ctypes.pythonapi
    try:
        current, usual = api._PyInterpreterState_GetEvalFrameFunc, api._PyEval_EvalFrameDefault
    except AttributeError:  # these names may go; hooks are then not known
        return False
    api.PyInterpreterState_Get.restype = current.restype = ctypes.c_void_p
    current.argtypes = [ctypes.c_void_p]
    return current(api.PyInterpreterState_Get()) != ctypes.cast(usual, ctypes.c_void_p).value
