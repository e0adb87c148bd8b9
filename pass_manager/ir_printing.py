"""Printing the IR around passes: before or after some of them or all, where it changed, or only what changed."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import islice
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation, ModulePrinter


@dataclass
class PrintIR(Instrumentation):
    """Print the module before and after passes, as comments and IR that `mlc-opt` reads."""

    stream: TextIO
    print_module: ModulePrinter
    passes_before: Collection[str] | None = ()
    """The names of passes before which the module is printed; None for all."""
    passes_after: Collection[str] | None = ()
    """The names of passes after which it is; None for all."""
    only_changes: bool = False
    """Whether nothing is printed after a pass that changes nothing."""
    as_diff: bool = False
    """Whether only the lines that a pass changes are printed, with some around them, as `diff -u` does."""
    _before: str = field(default="", init=False)

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        if self.passes_before is None or pass_.name in self.passes_before:
            self._print(f"IR before {pass_.name}", self._text(module))
        if self.only_changes and self._is_after(pass_):
            self._before = self._text(module)

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        if not self._is_after(pass_):
            return
        text = self._text(module)
        if self.only_changes and text == self._before:
            return
        if self.as_diff:
            self._print(f"IR diff of {pass_.name}", "".join(_diff(self._before, text)))
        else:
            self._print(f"IR after {pass_.name}", text)

    def _is_after(self, pass_: Pass) -> bool:
        return self.passes_after is None or pass_.name in self.passes_after

    def _text(self, module: ModuleOp) -> str:
        stream = io.StringIO()
        self.print_module(module, stream)
        return stream.getvalue()

    def _print(self, title: str, text: str) -> None:
        self.stream.write(f"// -----// {title} //----- //\n{text}")
        self.stream.flush()


def _diff(before: str, after: str) -> Iterator[str]:
    """The lines that differ, each with `-` or `+` in front, and three lines around them."""
    lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True))
    return islice(lines, 2, None)  # without the names of files, of which there are none
