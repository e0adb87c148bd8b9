"""A reproducer, as small as it can be: in a process of its own, since what has a bug may crash or never end as well."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from mlc.pass_manager.reproducer import place_for
from mlc.support.additions import load_options

SECONDS = "MLC_REDUCE_SECONDS"
"""The environment variable that says how long reducing may take; with 0, reproducers stay as they are."""
_DEFAULT = "20"
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
    arguments = ["--run-reproducer", "--allow-plugins", "--reduce", str(path), "-o", str(smaller)]
    try:
        done = subprocess.run(
            [sys.executable, "-c", _COMMAND, *arguments],
            env={**os.environ, SECONDS: "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=int(seconds),
            check=False,
        )
        if done.returncode == 0:
            smaller.replace(own := place_for(smaller.read_text(encoding="utf-8"), path.parent))
            lines = done.stderr.splitlines()
            return f"{next((line[6:] for line in lines if line.startswith('note: reduced')), 'reduced')}: {own}"
    except subprocess.TimeoutExpired:
        return f"not reduced within {seconds} s; to take longer: {reduce_command(path)}"
    except OSError:
        pass
    finally:
        smaller.unlink(missing_ok=True)
    return "not reduced: running it again does not end in the same error"
