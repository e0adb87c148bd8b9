"""Reproducers: when a pass has a bug, the input and the passes that lead to it, in one file that `mlc-opt` runs again.

The first line is a comment of the form `// mlc-opt <options>`; `mlc-opt --run-reproducer FILE` takes its options from
there.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from mlc.support.additions import load_options
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug
from mlc.support.version import __version__

_FIRST_LINE = "// mlc-opt "
_STAGE = "// fails in: "
FOLDER = "mlc-reproducers"
"""Where reproducers go: a folder of their own, which git and the collector of lit tests leave alone."""


def write_reproducer(
    bug: CompilerBug, text: str, pipeline: str, ctx: CompilerContext, further_options: Sequence[str] = ()
) -> Path | None:
    """Write the input `text` and the passes that fail on it to a file of its own in `FOLDER` of the current directory.

    If that is not possible, it goes to a new private folder for temporary files: where one has a name that is known,
    others may have put a link.

    `further_options` of mlc-opt are what shows the bug, beyond running these passes.

    Returns:
        Its path, or None where nothing can be written.
    """
    words = f"{bug.message}\n{bug.details}".strip()
    content = reproducer_text(words, bug.stage, text, pipeline, ctx, further_options)
    for choose in (_folder_here, _folder_elsewhere):
        try:
            folder = choose()
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
            (path := place_for(content, folder)).write_text(content, encoding="utf-8")
        except OSError:
            continue
        return path
    return None


def place_for(content: str, folder: Path) -> Path:
    """The file of `folder` for this reproducer, which it may be in: its name says the content. One of that name with
    another content, which a person may have changed, stays; the name then gets a number."""
    name = hashlib.sha256(content.encode()).hexdigest()[:8]
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    files = (folder / f"{each}.mlir" for each in names)
    return next(file for file in files if not file.exists() or file.read_bytes() == content.encode())


def _folder_here() -> Path:
    (folder := Path.cwd() / FOLDER).mkdir(exist_ok=True)
    return folder


def _folder_elsewhere() -> Path:
    import tempfile  # which takes time

    return Path(tempfile.mkdtemp(prefix=f"{FOLDER}-"))


def reproducer_text(
    words: str, stage: str | None, text: str, pipeline: str, ctx: CompilerContext, further_options: Sequence[str]
) -> str:
    """A reproducer of what `words` say of the passes; of an error, if there is a `stage` that has it."""
    import platform  # which only bugs need, and take time
    from importlib.metadata import version

    verification = ["--verify-each", *further_options]
    options = [*load_options(), f"--target={ctx.target}", *verification, f"--pass-pipeline={pipeline}"]
    head = [
        _FIRST_LINE + shlex.join(options),
        *([_STAGE + stage] if stage is not None else []),
        *(f"// {line}".rstrip() for line in words.splitlines()),
        f"// mlc {__version__}, xDSL {version('xdsl')}, Python {platform.python_version()}, {platform.platform()}",
    ]
    return "\n".join([*head, "", with_absolute_paths(text, ctx)])


def reproducer_arguments(text: str) -> list[str] | None:
    """The options of `mlc-opt` that a reproducer's first line gives, or None if `text` is not a reproducer."""
    first, _, _ = text.partition("\n")
    return shlex.split(first.removeprefix(_FIRST_LINE)) if first.startswith(_FIRST_LINE) else None


def failing_stage(text: str) -> str | None:
    """Where the error of a reproducer is, or None if `text` does not say so: somebody wrote it."""
    second = text.partition("\n")[2].partition("\n")[0]
    return second.removeprefix(_STAGE) if second.startswith(_STAGE) else None


def with_absolute_paths(text: str, ctx: CompilerContext) -> str:
    """Text of a module for another folder than that of the input, to which its weight files are relative."""
    for key, spelling in ctx.resources.spellings.items():
        text = text.replace(f'"{spelling}"', f'"{ctx.resources.files[key].resolve()}"')
    return text
