"""How a level is lowered to the next: one visit per op, patterns found by the type of the op.

A lowering is a set of `RewritePattern`s, each for the op types that it names. The driver takes the ops of a region in
program order, so the operands of an op are already lowered when its pattern runs; ops that patterns make are not
visited again. One dictionary look-up per op keeps it linear, however many patterns there are.

A pattern for an abstract class, such as `StructuredOp`, takes all ops that derive from it and have none of their own.

`@lowers("convert-graph-to-tensor", graph.SoftmaxOp)` registers a pattern. The driver finds it in a dictionary by the
type of the op: one look-up per op, however many patterns there are. A pattern for an abstract class takes the ops
that derive from it. Operands are lowered before their users, new ops are not visited again, and cost is linear.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.support.context import CompilerContext
from mlc.support.ir import entry_for

PatternFactory = Callable[[CompilerContext], RewritePattern]
_T = TypeVar("_T", bound=PatternFactory)
_RENAMED = {
    "lower-to-tensor": "convert-graph-to-tensor",
    "lower-to-loops": "convert-tensor-to-loop",
    "lower-to-llvm": "convert-loop-to-llvm",
}
"""What passes were named before; pipelines have these names now."""
_patterns: dict[str, dict[type[Operation], PatternFactory]] = defaultdict(dict)


def lowers(pass_name: str, *op_types: type[Operation]) -> Callable[[_T], _T]:
    """Class decorator: this pattern lowers these ops in this pass. A plugin adds its own ops' patterns the same way.

    An abstract class of ops stands for all ops that derive from it.

    Raises:
        ValueError: two patterns claim one op in one pass.
    """

    if (name := _RENAMED.get(pass_name)) is not None:
        warnings.warn(f"the pass '{pass_name}' is named '{name}'", DeprecationWarning, stacklevel=2)
        pass_name = name

    def register(factory: _T) -> _T:
        for op_type in op_types:
            if op_type in _patterns[pass_name]:
                raise ValueError(f"two patterns lower '{op_type.name}' in '{pass_name}'")
            _patterns[pass_name][op_type] = factory
        return factory

    return register


def lowering_of(pass_name: str, op_type: type[Operation]) -> PatternFactory | None:
    """The pattern that lowers ops of a class in a pass."""
    return entry_for(op_type, _patterns.get(pass_name, {}))


def lowered_ops(pass_name: str) -> list[tuple[type[Operation], PatternFactory]]:
    """The classes of ops that have patterns in a pass, with these."""
    return list(_patterns.get(pass_name, {}).items())


def lowerings_of(module: str) -> set[str]:
    """The passes for which a Python module has registered patterns."""
    return {name for name, factories in _patterns.items() for f in factories.values() if f.__module__ == module}


def patterns_of(module: str) -> list[PatternFactory]:
    """What a Python module has registered, each once."""
    every = [f for factories in _patterns.values() for f in factories.values() if f.__module__ == module]
    return list(dict.fromkeys(every))


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
        self._factories: dict[type[Operation], PatternFactory | None] = {}
        self._made: dict[PatternFactory, RewritePattern] = {}

    def handles(self, op: Operation) -> bool:
        """Whether a pattern exists for `op`."""
        return self._factory(type(op)) is not None

    def lower(self, ops: Iterable[Operation] | Sequence[Operation]) -> None:
        """Apply the matching pattern to each of `ops` that has one; the ops are listed before the first change."""
        made = self._made
        for op in list(ops):
            factory = self._factory(type(op))
            if factory is None or op.parent is None:
                continue
            if factory not in made:
                made[factory] = factory(self.ctx)
            made[factory].match_and_rewrite(op, PatternRewriter(op))

    def _factory(self, op_type: type[Operation]) -> PatternFactory | None:
        if op_type not in self._factories:
            self._factories[op_type] = lowering_of(self.pass_name, op_type)
        return self._factories[op_type]
