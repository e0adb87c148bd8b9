"""Which rewrite patterns are tried, and which apply, whoever drives them: mlc's drivers, those of xDSL, or of plugins.

While a pass runs that is watched, `match_and_rewrite` of every class of patterns is wrapped, and put back afterwards.
So patterns and drivers know nothing of it, and nothing is spent on it otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import getclosurevars, isfunction
from typing import Any, NamedTuple

from xdsl.ir import Operation
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriter, RewritePattern

from mlc.support.errors import Refused, SourceLocation
from mlc.support.locations import location_of

_METHOD = "match_and_rewrite"


class PatternEvent(NamedTuple):
    """One attempt of a pattern at an op."""

    pattern: str
    """The name of its class."""
    op: str
    """The name of the op."""
    place: SourceLocation | None
    """Where the op stands in the source."""
    applied: bool
    why: str
    """Why it refused the op, if it says so."""
    matched: Operation
    """The op itself, which may be gone from the module."""

    def __str__(self) -> str:
        place = f" at {self.place}" if self.place else ""
        why = f": {self.why}" if self.why else ""
        return f"{self.pattern} {'applied to' if self.applied else 'leaves'} {self.op}{place}{why}"


@dataclass
class PatternWatch:
    """Tells `listener` of each attempt. Patterns that another one applies count for themselves."""

    listener: Callable[[PatternEvent], None]

    @contextmanager
    def watching(self) -> Generator[None]:
        """Watch until the end of the block."""
        wrapped: list[tuple[type[RewritePattern], Any]] = []

        def wrap(pattern: type[RewritePattern]) -> None:
            if (method := vars(pattern).get(_METHOD)) is not None and pattern is not GreedyRewritePatternApplier:
                wrapped.append((pattern, method))
                setattr(pattern, _METHOD, self._watched(method))

        def wrap_new(cls: type[RewritePattern], **options: Any) -> None:
            super(RewritePattern, cls).__init_subclass__(**options)
            wrap(cls)

        for each in set(_subclasses(RewritePattern)):
            wrap(each)
        RewritePattern.__init_subclass__ = classmethod(wrap_new)  # pyright: ignore[reportAttributeAccessIssue]
        try:
            yield
        finally:
            del RewritePattern.__init_subclass__
            for pattern, method in wrapped:
                setattr(pattern, _METHOD, method)

    def _watched(self, method: Callable[[RewritePattern, Operation, PatternRewriter], None]) -> Callable[..., None]:
        taken = _taken(method)

        @wraps(method)
        def watched(pattern: RewritePattern, op: Operation, rewriter: PatternRewriter) -> None:
            if not isinstance(op, taken):
                return
            name, place = op.name, location_of(op)
            had_done, rewriter.has_done_action = rewriter.has_done_action, False
            why = ""
            try:
                method(pattern, op, rewriter)
            except Refused as e:
                why = e.message
                raise
            finally:
                event = PatternEvent(type(pattern).__name__, name, place, rewriter.has_done_action, why, op)
                rewriter.has_done_action |= had_done
                self.listener(event)

        return watched


def _taken(method: Callable[..., None]) -> Any:
    """The class of ops, or several, that a pattern is for, as far as `op_type_rewrite_pattern` knows it: with all
    others it does nothing."""
    return getclosurevars(method).nonlocals.get("expected_type", Operation) if isfunction(method) else Operation


def failed_pattern(error: BaseException) -> Iterator[str]:
    """In which pattern `error` was raised, in words, and at which op; the innermost one of several, none of none."""
    found: tuple[RewritePattern, Operation] | None = None
    place = error.__traceback__
    while place is not None:
        code, names = place.tb_frame.f_code, place.tb_frame.f_locals
        if code.co_name == _METHOD and code.co_argcount > 1:
            pattern, op = (names.get(name) for name in code.co_varnames[:2])
            if isinstance(pattern, RewritePattern) and isinstance(op, Operation):
                found = pattern, op
        place = place.tb_next
    if found is not None and not isinstance(found[0], GreedyRewritePatternApplier):
        pattern, op = found
        yield f"in the pattern {type(pattern).__name__} at {location_of(op) or op.name}"


def _subclasses(cls: type[RewritePattern]) -> Iterator[type[RewritePattern]]:
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)
