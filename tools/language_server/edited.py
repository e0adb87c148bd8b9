"""What is known of a text after an edit, before all of it is read again.

Only the operations around the edit are read: those of one region, from the line on which the first one starts to the
line on which the next one does. All else is taken from what was known before, at the positions where it stands now.
So a keystroke costs what a few lines cost. What is said of the operations that were read is exact for syntax and types;
what follows for others, and what verifiers say, is known once the whole text was read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from mlc.support.errors import Note, SourceLocation, UserError
from mlc.syntax.names import RegionSpan
from mlc.syntax.parse import Reading, Surroundings, read_operations
from mlc.tools.language_server.analysis import BETWEEN_OPERATIONS, AnalysedText, Edit
from mlc.tools.language_server.merged_names import merged, visible_in
from mlc.tools.language_server.tokens import tokens_of

_LONGEST = 20_000
"""How many characters are read at once; more take too long for a keystroke."""


def changed_part(old: str, new: str) -> Edit:
    """The smallest part of a text in which it differs from another one."""
    shorter = min(len(old), len(new))
    start = _most(shorter, lambda n: old.startswith(new[:n]))
    end = _most(shorter - start, lambda n: old.endswith(new[len(new) - n :]))
    return Edit(start, len(old) - end, len(new) - end)


def _most(limit: int, agree: Callable[[int], bool]) -> int:
    """The largest number of characters, up to `limit`, that agree."""
    return bisect_left(range(1, limit + 1), True, key=lambda n: not agree(n))


def after_edit(before: AnalysedText, text: str) -> AnalysedText:
    """The analysis of a text; `before` is that of a former one, which was read as a whole."""
    change = changed_part(before.text, text)
    after = AnalysedText(text, before.file, before.base, before.ctx)
    span = _region_around(before, change)
    edit = _operations_around(before, span, change)
    part = _read(before, after, span, edit)
    if part is None:
        edit = _lines_around(before, change)
    old = before.reading
    after.earlier = before, edit
    after.part = part
    after.new_ops = frozenset(part.ops if part else ())
    ops = [*old.ops, *after.new_ops]
    after.reading = replace(old, ops=ops, errors=[], may_follow=())
    after.merge = lambda: merged(old.names, edit, span, part)
    known = old.errors if part is not None and part.errors else before.errors
    after.errors = [*_moved_errors(known, before, after, edit), *(part.errors if part else ())]
    return after


def _region_around(before: AnalysedText, change: Edit) -> RegionSpan:
    """The innermost region in which all of a change is."""
    file, *inner = before.reading.names.regions
    around = (s for s in inner if s.opened_at < change.start and before.braces.get(s.opened_at, 0) >= change.old_end)
    return max(around, key=lambda span: span.opened_at, default=file)


def _operations_around(before: AnalysedText, span: RegionSpan, change: Edit) -> Edit:
    """The part of the operations of a region that a change touches."""
    starts = before.operation_lines.get(span.opened_at, [])
    first, last = bisect_right(starts, change.start) - 1, bisect_right(starts, change.old_end)
    inside = 0 if span.outer is None else span.opened_at + 1
    start = starts[first] if first >= 0 else inside
    end = starts[last] if last < len(starts) else before.braces[span.opened_at]
    return Edit(start, end, change.new_end + end - change.old_end)


def _lines_around(before: AnalysedText, change: Edit) -> Edit:
    """The lines that a change touches."""
    end = before.text.find("\n", change.old_end)
    end = len(before.text) if end < 0 else end
    start = before.text.rfind("\n", 0, change.start) + 1
    return Edit(start, end, change.new_end + end - change.old_end)


def _read(before: AnalysedText, after: AnalysedText, span: RegionSpan, edit: Edit) -> Reading | None:
    """What the operations of an edited part say; None where they cannot be read by themselves."""
    part = after.text[edit.start : edit.new_end]
    if len(part) > _LONGEST:
        return None
    if any(BETWEEN_OPERATIONS.search(each) for each in (part, before.text[edit.start : edit.old_end])):
        return None
    depths = [*accumulate({"open": 1, "close": -1}.get(token.kind, 0) for token in tokens_of(part))]
    if depths and (min(depths) < 0 or depths[-1]):
        return None
    unprefixed: list[str] = []
    around: RegionSpan | None = span
    while around is not None:
        unprefixed.insert(0, around.dialect)
        around = around.outer
    old = before.reading
    visible = visible_in(old.names, edit, span)
    known = Surroundings(visible, old.aliases, old.dialects, unprefixed, edit.moved)
    return read_operations(after.source, (edit.start, edit.new_end), after.ctx, after.base, known)


# -- errors


def _moved_errors(
    errors: Sequence[UserError], before: AnalysedText, after: AnalysedText, edit: Edit
) -> list[UserError]:
    """Errors at the places where they are now, without those in the part that was edited."""
    return [found for error in errors if (found := _moved(error, before, after, edit)) is not None]


def _moved(error: UserError, before: AnalysedText, after: AnalysedText, edit: Edit) -> UserError | None:
    place = _moved_place(error.location, before, after, edit)
    if place is None and error.location is not None:
        return None
    notes = [(note, _moved_place(note.location, before, after, edit)) for note in error.notes]
    kept = [Note(note.message, at) for note, at in notes if at is not None or note.location is None]
    moved = UserError(error.words, place, kept)
    moved.replacement = error.replacement
    return moved


def _moved_place(
    place: SourceLocation | None, before: AnalysedText, after: AnalysedText, edit: Edit
) -> SourceLocation | None:
    if place is None or place.file != before.file or not place.line:
        return place
    position = edit.moved(before.source.position(place))
    if position is None:
        return None
    found = after.source.locate(position)
    return found if place.column else SourceLocation(found.file, found.line)
