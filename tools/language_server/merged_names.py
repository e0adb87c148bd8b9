"""The names of a text after an edit, of those before it and of those of the part that was read again."""

from __future__ import annotations

from dataclasses import replace

from mlc.syntax.names import NamedThing, Names, RegionSpan
from mlc.syntax.parse import Reading
from mlc.tools.language_server.analysis import Edit


def visible_in(names: Names, edit: Edit, span: RegionSpan) -> dict[str, NamedThing]:
    """The values that operations in a region may name and that other text than the edited part defines, by name.

    Values that are defined further on are among them: blocks come in any order.
    """
    spans: set[RegionSpan] = set()
    around: RegionSpan | None = span
    while around is not None:
        spans.add(around)
        around = None if around.isolated else around.outer
    return {
        thing.name: thing
        for thing in names.things
        if thing.values
        and thing.region in spans
        and thing.definition is not None
        and edit.moved(thing.definition) is not None
    }


def merged(names: Names, edit: Edit, span: RegionSpan, part: Reading | None) -> Names:
    """All names after an edit.

    Args:
        names: those before it.
        edit: what changed.
        span: the region around it, of those before.
        part: what the edited part says, if it was read.
    """
    spans = _moved_spans(names, edit)
    things = {thing: moved for thing in names.things if (moved := _moved_thing(thing, edit, spans)) is not None}
    if part is None:
        return Names([*things.values()], [*spans.values()])
    here = spans[span]
    visible: dict[str, NamedThing] = visible_in(names, edit, span)
    visible |= {t.name: t for t in names.things if t.region is span and t.name.startswith("^")}
    lost = {t.name: t for t in names.things if t.region is span and t in things and things[t].definition is None}
    file, *inner = part.names.regions
    for each in inner:
        each.outer = here if each.outer is file else each.outer
    new: list[NamedThing] = []
    for thing in part.names.things:
        is_outermost = thing.region is file
        thing.region = here if is_outermost else thing.region
        if thing.definition is not None and edit.start <= thing.definition < edit.new_end:
            if is_outermost and (before := lost.get(thing.name)) is not None and before in things:
                thing.uses += things.pop(before).uses
            new.append(thing)
        elif not thing.uses:
            continue
        elif (known := visible.get(thing.name)) is not None and known in things:
            things[known] = replace(things[known], uses=[*things[known].uses, *thing.uses])
        else:
            new.append(thing)
    return Names([*things.values(), *new], [*spans.values(), *inner])


def _moved_spans(names: Names, edit: Edit) -> dict[RegionSpan, RegionSpan]:
    """The regions that are not in the edited part, with what they are now."""
    spans: dict[RegionSpan, RegionSpan] = {}
    for span in names.regions:
        if span.outer is None or span.opened_at < edit.start:
            spans[span] = span
        elif (at := edit.moved(span.opened_at)) is not None:
            outer = spans.get(span.outer)
            if outer is not None:
                spans[span] = RegionSpan(at, span.isolated, outer, span.dialect)
    return spans


def _moved_thing(thing: NamedThing, edit: Edit, spans: dict[RegionSpan, RegionSpan]) -> NamedThing | None:
    """A name with its places after an edit; None if all of them were in the edited part."""
    region = spans.get(thing.region)
    if region is None:
        return None
    last = max(thing.uses, default=0)
    if last < edit.start and (thing.definition is None or thing.definition < edit.start):
        return thing
    definition = None if thing.definition is None else edit.moved(thing.definition)
    uses = [at for use in thing.uses if (at := edit.moved(use)) is not None]
    if definition is None and not uses:
        return None
    return NamedThing(thing.name, region, definition, uses, thing.values)
