"""A clang that does not do its work is an error that names it, in time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from mlc.support.errors import CompilerBug, UserError
from mlc.targets.build import build
from mlc.targets.machine import resolve_target
from mlc.targets.program import Program

MakeProgram = Callable[..., Program]


class Broken(NamedTuple):
    """A clang that answers --version, and then does something else than compiling."""

    does: str
    error: type[Exception]
    message: str


@pytest.mark.parametrize(
    "broken",
    [
        Broken("exec sleep 60", UserError, r"broken-clang has not ended after 1 s; MLC_TOOL_SECONDS allows it more"),
        Broken("sleep 60\nexit 1", UserError, r"broken-clang has not ended after 1 s; MLC_TOOL_SECONDS allows it more"),
        Broken("kill -SEGV $$", UserError, r"broken-clang \(clang version 19.*ended by signal SIGSEGV on the code of"),
        Broken("cat >/dev/null", UserError, r"broken-clang .* says that all is well, and writes nothing; cc names"),
        Broken("yes word | head -c 50000000 >&2; exit 1", CompilerBug, r"broken-clang .* refuses the code of"),
    ],
)
def test_a_clang_that_is_broken(
    broken: Broken, make_program: MakeProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "broken-clang"
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "clang version 19" && exit\n{broken.does}\n')
    path.chmod(0o755)
    monkeypatch.setenv("MLC_TOOL_SECONDS", "1" if "sleep" in broken.does else "60")
    machine = resolve_target("native")
    with pytest.raises(broken.error, match=broken.message) as caught:
        build(make_program(machine), machine, "shared", tmp_path / "model", cc=str(path))
    assert len(str(vars(caught.value))) < 100_000, "messages of any length are kept short"
    assert not (tmp_path / "model").exists()
