"""That what a pass made of a module is wrong, with the module before and after the pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlc.support.errors import CompilerBug

if TYPE_CHECKING:
    from mlc.pass_manager.snapshots import Snapshot


class WrongForm(CompilerBug):
    """A bug that shows when a module is run.

    Attributes:
        forms: the module before and after the stage, where the reference has run both.
    """

    def __init__(self, message: str, stage: str, forms: tuple[Snapshot, Snapshot] | None = None) -> None:
        super().__init__(message, stage)
        self.forms = forms
