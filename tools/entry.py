"""Where the command lines start. Until a tool handles Ctrl-C itself, it ends the process without a word.

The tools import for some tenths of a second. So this file, and the package around it, import nothing that takes time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
else:
    import _signal  # `signal` itself makes enums first

_INTERRUPTED = 130
_SIGINT = 2

if _signal.getsignal(_SIGINT) is _signal.default_int_handler:  # nobody ignores it, as for jobs in the background
    _signal.signal(_SIGINT, _signal.SIG_DFL)


def mlc() -> int:
    """`mlc`."""
    from mlc.tools.mlc import main

    return _interruptible(main)


def mlc_opt() -> int:
    """`mlc-opt`."""
    from mlc.tools.mlc_opt import main

    return _interruptible(main)


def _interruptible(main: Callable[[], int]) -> int:
    """Run a tool, to which Ctrl-C is an exception; it is none any more while Python ends."""
    if _signal.getsignal(_SIGINT) is not _signal.SIG_DFL:
        return main()
    try:
        _signal.signal(_SIGINT, _signal.default_int_handler)
        return main()
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        _signal.signal(_SIGINT, _signal.SIG_DFL)
