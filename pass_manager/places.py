"""Passes of plugins in the pipelines of mlc: in the default ones (`-O`), and in named ones.

A pass says where it runs by its `place`. Passes of files take their places when the file is loaded. An installed
package names such passes in the group `mlc.placed_passes` of entry points, in place of `mlc.passes`: they are imported
whenever a pipeline is put together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mlc.pass_manager.registry import load_pass, pass_names, plugin_passes, suggest
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from mlc.pass_manager.base import PipelinePlace
    from mlc.pass_manager.stage import Stage


def with_placed(stages: Sequence[Stage], opt_level: int) -> tuple[Stage, ...]:
    """The stages of a pipeline of a level of optimisation, with the passes of plugins at their places.

    Where the pass at which another one is placed runs several times, the first time counts. What has one place keeps
    the order in which it was loaded.

    Raises:
        UserError: a plugin places a pass at no pass, or a package promises a place and gives none.
    """
    result, pending = [*stages], [each for each in _placed() if each[1].since <= opt_level]
    while pending:  # one may be placed at another one, in any order
        waiting = [(name, place, origin) for name, place, origin in pending if not _insert(result, name, place, origin)]
        if len(waiting) == len(pending):
            break  # the passes of these are not in this pipeline
        pending = waiting
    return tuple(result)


def _placed() -> Iterator[tuple[str, PipelinePlace, str]]:
    """The passes that have a place, with it and with where they come from."""
    for name, addition in plugin_passes.unasked():
        if (place := load_pass(name).place) is None:
            if addition.group is None:
                continue
            raise UserError(
                f"{addition.origin} has the pass '{name}' in the group '{addition.group}' of entry points, and it has "
                "no `place`; required: the group 'mlc.passes'"
            )
        if place.at not in pass_names():
            where = f"{'before' if place.before else 'after'} '{place.at}'"
            near = suggest(place.at, pass_names())
            raise UserError(f"pass '{name}' of {addition.origin} is to run {where}, no pass{near}")
        yield name, place, addition.origin


def _insert(stages: list[Stage], name: str, place: PipelinePlace, origin: str) -> bool:
    """Put a pass into a pipeline; False if the pass that it is placed at is not there."""
    position = next((n for n, stage in enumerate(stages) if stage.passes.partition("{")[0] == place.at), None)
    if position is None:
        return False
    if place.after:
        position += 1
        while position < len(stages) and stages[position].after == place.after:
            position += 1
    like = replace(stages[max(position - 1, 0)], since=place.since, when=None)
    stages.insert(position, replace(like, passes=name, reason=place.reason, origin=origin, after=place.after))
    return True
