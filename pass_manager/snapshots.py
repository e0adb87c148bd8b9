"""The forms that passes give functions: copies that can be run later, and which functions a pass changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlc.reference.runnable import calls_of, reachable
from mlc.support.resources import Resources


@dataclass(frozen=True)
class Snapshot:
    """A copy of a module as it was at some time, with the data that it had then."""

    module: ModuleOp
    resources: Resources
    made_by: str | None = None
    """The pass after which it was like this; None if nothing had run."""
    number: int = 0
    """How many passes had run."""

    @cached_property
    def calls(self) -> Mapping[str, Sequence[CallOp]]:
        """The calls of each function."""
        found: dict[str, list[CallOp]] = {}
        for op in self.module.walk():
            if isinstance(op, CallOp):
                found.setdefault(op.callee.root_reference.data, []).append(op)
        return found


class Changes(NamedTuple):
    """What a pass did to the functions of a module."""

    own: set[str]
    """Those that are new, or of which an op or an attribute is another one, other than a schedule."""
    reached: set[str]
    """These, and those that call them, directly or not."""


class Snapshots:
    """Tells which functions a pass changed, by what they were like after the pass before."""

    def __init__(self) -> None:
        self.last: Snapshot | None = None
        """The copy that was kept last."""

    def changes(self, module: ModuleOp, resources: Resources) -> Changes:
        """What is not as it was when it was kept last."""
        now = _functions(module)
        last = self.last
        if last is None or not _same_data(resources, last.resources) or not _same_others(module, last.module):
            return Changes(set(now), set(now))
        before = _functions(last.module)
        own = {n for n, f in now.items() if n not in before or not _is_same_function(f, before[n])}
        calls = calls_of(module) if own else {}
        return Changes(own, {name for name in now if not own.isdisjoint(reachable([name], calls))})

    def keep(self, module: ModuleOp, resources: Resources, made_by: str | None = None, number: int = 0) -> Snapshot:
        """Note what a pass left, the one of this number; the copy of it."""
        self.last = Snapshot(module.clone(), resources.clone(), made_by, number)
        return self.last


def _is_same(op: Operation, other: Operation) -> bool:
    """Whether two ops, with all that is in them, are equal. (xDSL compares no types of results.)"""
    return op.is_structurally_equivalent(
        other, {op.parent: other.parent} if op.parent and other.parent else None
    ) and _result_types(op) == _result_types(other)


def _is_same_function(function: FuncOp, other: FuncOp) -> bool:
    """Whether two functions of one name are equal but for their schedules, which say how kernels will be made, and not
    what they compute."""
    some, others = ({k: a for k, a in f.attributes.items() if k != "schedule"} for f in (function, other))
    if some != others or function.properties != other.properties:
        return False
    return function.body.is_structurally_equivalent(other.body) and _result_types(function) == _result_types(other)


def _result_types(op: Operation) -> list[Attribute]:
    return [r.type for inner in op.walk() for r in inner.results]


def _same_data(resources: Resources, others: Resources) -> bool:
    """Whether no name stands for other data than before; names may have come or gone."""
    now, before = resources.in_memory(), others.in_memory()
    return all(now[name] is array for name, array in before.items() if name in now)


def _same_others(module: ModuleOp, other: ModuleOp) -> bool:
    """Whether all but the functions is the same."""
    some, others = ([op for op in m.ops if not isinstance(op, FuncOp)] for m in (module, other))
    return len(some) == len(others) and all(map(_is_same, some, others))


def _functions(module: ModuleOp) -> dict[str, FuncOp]:
    return {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks}
