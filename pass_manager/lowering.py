"""How a level is lowered to the next: one visit per op, patterns found by the type of the op.

A lowering is a set of `RewritePattern`s, each for the op types that it names. The driver takes the ops of a region in
program order, so the operands of an op are already lowered when its pattern runs; ops that patterns make are not
visited again. One dictionary look-up per op keeps it linear, however many patterns there are.

`@lowers("convert-graph-to-tensor", graph.SoftmaxOp)` registers a pattern. A pattern for an abstract class, such as
`StructuredOp`, takes all ops that derive from it and have none of their own.

A pattern replaces another one by a higher benefit: `@lowers("convert-graph-to-tensor", graph.SoftmaxOp, benefit=2)`.
Patterns have benefit 1 unless they say otherwise. The one of the highest benefit is applied first, and if it leaves the
op as it is, the next one.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.dialects.registry import registered_class
from mlc.support.additions import counts
from mlc.support.context import CompilerContext
from mlc.support.locations import place_new_ops

PatternFactory = Callable[[CompilerContext], RewritePattern]
_T = TypeVar("_T", bound=PatternFactory)
_RENAMED = {
    "lower-to-tensor": "convert-graph-to-tensor",
    "lower-to-loops": "convert-tensor-to-loop",
    "lower-to-llvm": "convert-loop-to-llvm",
}
"""What passes were named before; pipelines have these names now."""
_patterns: dict[str, dict[type[Operation], list[tuple[int, PatternFactory]]]] = defaultdict(lambda: defaultdict(list))
"""By pass and class of ops: the patterns, each after its benefit."""
_modules_of_others: set[str] = set()
"""The Python modules, none of them mlc's, that have registered patterns."""


def lowers(pass_name: str, *op_types: type[Operation], benefit: int = 1) -> Callable[[_T], _T]:
    """Class decorator: this pattern lowers these ops in this pass. A plugin adds its own ops' patterns the same way.

    An abstract class of ops stands for all ops that derive from it. Of several patterns for an op, the one of the
    highest benefit comes first; one that leaves the op as it is hands it on to the next.

    Raises:
        ValueError: two patterns claim one op in one pass with the same benefit.
        TypeError: what is given is not the name of a pass and classes of ops.
    """
    if not op_types or not isinstance(cast(object, pass_name), str):
        raise TypeError(
            '@lowers takes the name of a pass and then classes of ops: @lowers("convert-graph-to-tensor", MyOp)'
        )
    if (name := _RENAMED.get(pass_name)) is not None:
        warnings.warn(f"the pass '{pass_name}' is named '{name}'", DeprecationWarning, stacklevel=2)
        pass_name = name

    def register(factory: _T) -> _T:
        for op_type in op_types:
            present = _patterns[pass_name][op_type]
            others = [f for known, f in present if known == benefit and counts(f.__module__)]
            if others:
                raise ValueError(
                    f"two patterns lower '{op_type.name}' in '{pass_name}': {_name(others[0])} and {_name(factory)}; "
                    f"the one that replaces the other has to say so: @lowers(…, benefit={benefit + 1})"
                )
            present.append((benefit, factory))
        if not factory.__module__.startswith("mlc."):
            _modules_of_others.add(factory.__module__)
        return factory

    return register


def has_patterns_of_others() -> bool:
    """Whether somebody has registered patterns besides mlc, who may make ops in his own way."""
    return any(counts(module) for module in _modules_of_others)


def patterns_of_others(pass_name: str, op_type: type[Operation]) -> list[str]:
    """The names of the patterns, none of them mlc's, for ops of a class in a pass, in the order of `lowerings_for`."""
    return [_name(f) for f in lowerings_for(pass_name, op_type) if f.__module__ in _modules_of_others]


def _name(factory: PatternFactory) -> str:
    return getattr(factory, "__name__", "a pattern")


def lowerings_for(pass_name: str, op_type: type[Operation]) -> list[PatternFactory]:
    """The patterns for ops of a class in a pass, the highest benefit first; of a benefit, that of the nearest base."""
    table, found = _patterns.get(pass_name, {}), dict[int, PatternFactory]()
    for base in registered_class(op_type).__mro__:
        for benefit, factory in table.get(base, ()):
            if benefit not in found and counts(factory.__module__):
                found[benefit] = factory
    return [found[benefit] for benefit in sorted(found, reverse=True)]


def lowering_of(pass_name: str, op_type: type[Operation]) -> PatternFactory | None:
    """The pattern that is the first to be applied to ops of a class in a pass."""
    return next(iter(lowerings_for(pass_name, op_type)), None)


def lowered_ops(pass_name: str) -> list[tuple[type[Operation], PatternFactory]]:
    """The classes of ops that have patterns in a pass, with these."""
    return [(op_type, f) for op_type, patterns in _patterns.get(pass_name, {}).items() for _, f in patterns]


def lowerings_of(module: str) -> set[str]:
    """The passes for which a Python module has registered patterns."""
    return {name for name, f in _all() if f.__module__ == module}


def patterns_of(module: str) -> list[PatternFactory]:
    """What a Python module has registered, each once."""
    return list(dict.fromkeys(f for _, f in _all() if f.__module__ == module))


def _all() -> Iterator[tuple[str, PatternFactory]]:
    for name in list(_patterns):
        yield from ((name, factory) for _, factory in lowered_ops(name))


class StatelessPattern(RewritePattern):
    """A pattern that needs nothing but the op."""

    def __init__(self, ctx: CompilerContext) -> None:
        del ctx


@dataclass
class LoweringDriver:
    """The patterns of one pass for one run, each made when it is first needed."""

    pass_name: str
    ctx: CompilerContext

    def __post_init__(self) -> None:
        self._factories: dict[type[Operation], list[PatternFactory]] = {}
        self._made: dict[PatternFactory, RewritePattern] = {}

    def handles(self, op: Operation) -> bool:
        """Whether a pattern exists for `op`."""
        return bool(self._patterns_for(type(op)))

    def lower(self, ops: Iterable[Operation] | Sequence[Operation]) -> None:
        """Apply the matching pattern to each of `ops` that has one; the ops are listed before the first change."""
        made = self._made
        for op in list(ops):
            for factory in self._patterns_for(type(op)):
                if op.parent is None:
                    break
                if factory not in made:
                    made[factory] = factory(self.ctx)
                rewriter, location = PatternRewriter(op), op.location
                inserted = list[Operation]()
                rewriter.operation_insertion_handler = [inserted.append]
                made[factory].match_and_rewrite(op, rewriter)
                for new in inserted:
                    place_new_ops(new, location)
                if rewriter.has_done_action:
                    break

    def _patterns_for(self, op_type: type[Operation]) -> list[PatternFactory]:
        if op_type not in self._factories:
            self._factories[op_type] = lowerings_for(self.pass_name, op_type)
        return self._factories[op_type]
