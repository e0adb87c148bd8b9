"""Which rewrite patterns are tried, and which apply, whoever drives them: mlc's drivers, those of xDSL, or of plugins.

While a pass runs that is watched, `match_and_rewrite` of every class of patterns is wrapped, and put back afterwards.
So patterns and drivers know nothing of it, and nothing is spent on it otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
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
        @wraps(method)
        def watched(pattern: RewritePattern, op: Operation, rewriter: PatternRewriter) -> None:
            name, place = op.name, location_of(op)
            had_done, rewriter.has_done_action = rewriter.has_done_action, False
            why = ""
            try:
                method(pattern, op, rewriter)
            except Refused as e:
                why = e.message
                raise
            finally:
                event = PatternEvent(type(pattern).__name__, name, place, rewriter.has_done_action, why)
                rewriter.has_done_action |= had_done
                self.listener(event)

        return watched


def _subclasses(cls: type[RewritePattern]) -> Iterator[type[RewritePattern]]:
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)
