"""An instrumentation of the pass manager that tells how many passes have run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation


@dataclass
class TellPasses(Instrumentation):
    """Tells `progress` how many passes are done, of about `total`; a pass may begin with others that it asks for."""

    progress: Callable[[int, int], None]
    total: int
    done: int = 0

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        self.progress(self.done, max(self.total, self.done + 1))

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        self.done += 1
