"""A backend that writes a file at a time, and libraries that this process loads."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.compiler.backend import Backend

if TYPE_CHECKING:
    from mlc.compiler.options import CompileOptions
    from mlc.runtime.library import Library
    from mlc.targets.build import BuildReport
    from mlc.targets.cache import Cache
    from mlc.targets.machine import Machine


class SimpleBackend(Backend):
    """What is left to say of a backend that keeps no parts of files in a cache: `program`, and `write`.

    Its libraries have the functions of `runtime/mlc.h`: `mlc_<name>` and `mlc_<name>_signature`.
    """

    @abstractmethod
    def write(self, program: Any, form: str, file: Path, options: CompileOptions) -> None:
        """Write `file` in one of `forms`. It lies in a folder of its own, which may be used for other files.

        Raises:
            UserError: a tool is missing.
            CompilerBug: a tool refuses what was generated.
        """

    def build(
        self,
        program: Any,
        machine: Machine,
        form: str,
        output: Path,
        options: CompileOptions,
        *,
        progress: Callable[[int, int], None] | None = None,
        cache: Cache | None = None,
        confirm: Callable[[], None] = lambda: None,
    ) -> BuildReport:
        from mlc.targets.build import BuildReport
        from mlc.targets.output import staged_output

        start = time.perf_counter()
        confirm()
        with staged_output(output) as file:
            self.write(program, form, file, options)
        return BuildReport(output, 1, 0, form == self.runnable, time.perf_counter() - start)

    def open(self, path: Path) -> Sequence[Library]:
        from mlc.runtime.library import open_variants

        return open_variants(path)
