"""A reproducer, as small as it can be: in a process of its own, since what has a bug may crash or never end as well."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from typing import NamedTuple

from mlc.pass_manager.reproducer import place_for
from mlc.support.additions import load_options

SECONDS = "MLC_REDUCE_SECONDS"
"""The environment variable that says how long reducing may take; with 0, reproducers stay as they are."""
_DEFAULT = "20"
_MORE_SECONDS = 5
"""So long after it is interrupted, a process has ended."""
_COMMAND = "import sys; from mlc.tools.mlc_opt import main; sys.exit(main(sys.argv[1:]))"


def reduce_command(path: Path) -> str:
    """The command that writes a smaller reproducer than `path` to the current folder, with plugins if there are any."""
    plugins = ["--allow-plugins"] if load_options() else []
    flags = ["--run-reproducer", *plugins, "--reduce", str(path), "-o", f"small-{path.name}"]
    return shlex.join(["mlc-opt", *flags])


def reduce_reproducer(path: Path) -> str:
    """Write a smaller reproducer with the same error beside `path`, which stays; what came of it, in words.

    There is none if nothing smaller is found in time, or if the error does not come again.
    """
    seconds = os.environ.get(SECONDS, _DEFAULT)
    if not seconds.isdecimal() or int(seconds) == 0:
        return f"not reduced; to do so: {reduce_command(path)}"
    smaller = path.with_suffix(".reduced.mlir")
    try:
        ended = _run(["--run-reproducer", "--allow-plugins", "--reduce", str(path), "-o", str(smaller)], int(seconds))
        longer = f"; to take longer: {reduce_command(path)}" if ended.was_interrupted else ""
        if ended.status == 0:
            smaller.replace(own := place_for(smaller.read_text(encoding="utf-8"), path.parent))
            words = next((line[6:] for line in ended.errors.splitlines() if line.startswith("note: ")), "reduced")
            return f"{words}: {own}{longer}"
        if ended.was_interrupted:
            return f"not reduced within {seconds} s{longer}"
    except OSError:
        pass
    finally:
        smaller.unlink(missing_ok=True)
    return "not reduced: running it again does not end in the same error"


class _Ended(NamedTuple):
    """How `mlc-opt` ended, and what it wrote to standard error."""

    status: int
    errors: str
    was_interrupted: bool


def _run(arguments: list[str], seconds: int) -> _Ended:
    """Run `mlc-opt`, and interrupt it after some seconds: it writes the smallest form that it has found then."""
    command = [sys.executable, "-c", _COMMAND, *arguments]
    own = {**os.environ, SECONDS: "0"}
    late = False
    with Popen(
        command, env=own, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, encoding="utf-8", errors="replace"
    ) as process:
        try:
            _, errors = process.communicate(timeout=seconds)
        except TimeoutExpired:
            late = True
            process.send_signal(signal.SIGINT)
            try:
                _, errors = process.communicate(timeout=_MORE_SECONDS)
            except TimeoutExpired:
                process.kill()
                _, errors = process.communicate()
    return _Ended(process.returncode, errors, late)
