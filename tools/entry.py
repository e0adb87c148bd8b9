"""Where the command lines start. Until a tool handles Ctrl-C itself, it ends the process without a word.

The tools import for some tenths of a second. So this file, and the package around it, import nothing that takes time.
"""

from __future__ import annotations

import gc as _gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from types import FrameType
else:
    import _signal  # `signal` itself makes enums first

_INTERRUPTED = 130
_SIGINT = 2
_IMPORTING = "<frozen importlib._bootstrap>"
"""The file of the functions that import modules."""

_gc.set_threshold(100_000, 20, 20)
"""Imports make classes, and parsers make operations, by the ten thousand, and hardly any garbage: at Python's threshold
of 700 objects a fifth of the time of a short command goes into looking for some."""

if _signal.getsignal(_SIGINT) is _signal.default_int_handler:  # nobody ignores it, as for jobs in the background
    _signal.signal(_SIGINT, _signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but end the process where a module is being imported: those in C print a traceback of
    it, or make an ImportError of it."""
    import atexit
    import os

    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]  # temporary files go
            _signal.signal(number, _signal.SIG_DFL)
            os.kill(os.getpid(), number)
        frame = frame.f_back
    raise KeyboardInterrupt


def start_mlc() -> int:
    """The script `mlc`."""
    return _end(mlc())


def start_mlc_opt() -> int:
    """The script `mlc-opt`."""
    return _end(mlc_opt())


def mlc() -> int:
    """`mlc`, in a process that goes on."""
    from mlc.tools.mlc import main

    return _interruptible(main)


def mlc_opt() -> int:
    """`mlc-opt`, in a process that goes on."""
    from mlc.tools.mlc_opt import main

    return _interruptible(main)


def _interruptible(main: Callable[[], int]) -> int:
    """Run a tool, to which Ctrl-C is an exception; it is none any more while Python ends."""
    if _signal.getsignal(_SIGINT) is not _signal.SIG_DFL:
        return main()
    try:
        _signal.signal(_SIGINT, _interrupt)
        return main()
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        _signal.signal(_SIGINT, _signal.SIG_DFL)


def _end(status: int) -> int:
    """End the process with this status, or return it for Python to end.

    Python would free a million objects one by one, a third of the time of a short command. It does so if a thread is
    still there, or the last words cannot be written.
    """
    import atexit
    import os
    import sys
    import threading

    if threading.active_count() == 1:
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]  # temporary files go
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            return status
        os._exit(status)
    return status
