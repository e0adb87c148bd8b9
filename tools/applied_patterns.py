"""Which patterns a pass applies to which ops of a form, found by running it again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from xdsl.ir import Operation

from mlc.pass_manager.base import Pass
from mlc.pass_manager.pattern_watch import PatternEvent, PatternWatch
from mlc.pass_manager.snapshots import Snapshot
from mlc.support.context import CompilerContext


def applied_patterns(pass_: Pass, form: Snapshot, ctx: CompilerContext) -> Mapping[Operation, list[str]]:
    """The ops of `form`, which stays as it is, to which `pass_` applies patterns, with the names of these in order.

    `ctx` is that of the pass; what it learns in this run is forgotten. What a pass does without patterns is not told.
    """
    module, own = form.module.clone(), ctx.clone()
    own.resources = form.resources.clone()
    of_form = dict(zip(module.walk(), form.module.walk(), strict=True))
    applied: dict[Operation, list[str]] = {}

    def note(event: PatternEvent) -> None:
        if event.applied and event.matched in of_form:
            names = applied.setdefault(of_form[event.matched], [])
            if event.pattern not in names:
                names.append(event.pattern)

    # It did not fail before; one of a plugin that does now, as it keeps a state of its own, has told enough.
    with suppress(Exception), PatternWatch(note).watching():
        pass_.run(module, own)
    return applied
