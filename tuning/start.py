"""The state in which the searches of a model's kernels begin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.registry import suggest
from mlc.schedules.records.kernel_key import KernelKey
from mlc.schedules.records.record import Record, TunedMachine
from mlc.schedules.records.recorded_schedules import fastest, steps_of
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.functions import is_private
from mlc.tuning.kernel_loops import KernelLoops
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.mutations import Mutator
from mlc.tuning.ranking import LearnedRanker
from mlc.tuning.work import Site, TunedKernel


def tunable_kernels(module: ModuleOp, name: str | None, ctx: CompilerContext) -> tuple[list[FuncOp], list[str]]:
    """The kernels to tune, and the names of those whose schedules a person wrote: these are kept by all compilations.

    Args:
        module: a model at the tensor level.
        name: of the only kernel to tune; None for all.

    Raises:
        UserError: there are none, or none of that name.
    """
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and is_private(op)}
    if name is not None and name not in kernels:
        known = ", ".join(kernels) or "(none)"
        raise UserError(f"no kernel '{name}' in a model with the kernels {known}{suggest(name, list(kernels))}")
    chosen = [kernels[name]] if name is not None else list(kernels.values())
    chosen = [kernel for kernel in chosen if not kernel.is_declaration and len(kernel.body.blocks) == 1]
    written = [kernel for kernel in chosen if _is_written_by_a_person(kernel, ctx)]
    return [kernel for kernel in chosen if kernel not in written], [kernel.sym_name.data for kernel in written]


def _is_written_by_a_person(kernel: FuncOp, ctx: CompilerContext) -> bool:
    schedule = kernel.attributes.get("schedule")
    return schedule is not None and (kernel.sym_name.data, schedule) not in ctx.rule_schedules


@dataclass
class Searches:
    """The searches of all machines: places that are alike, and compile the same kernels by the same rules, share them.

    Attributes:
        options: how the model is compiled.
        records: what is known of any machine.
        seed: fixes what is tried, as far as measurements agree.
        found: all of them.
    """

    options: CompileOptions
    records: Sequence[Record]
    seed: int
    found: list[KernelSearch] = field(default_factory=list[KernelSearch])
    _sites: list[tuple[Site, list[KernelSearch]]] = field(default_factory=list[tuple[Site, list[KernelSearch]]])

    def of(self, site: Site) -> Sequence[KernelSearch]:
        """The searches for the kernels of a place."""
        for known, searches in self._sites:
            if known is site:
                return searches
        searches = next((searches for known, searches in self._sites if _are_alike(known, site)), None)
        if searches is None:
            known = [r for r in self.records if r.machine.is_like(site.machine)]
            searches = [self._search(number, kernel, known) for number, kernel in enumerate(site.kernels)]
            self.found += searches
        self._sites.append((site, searches))
        return searches

    def machine_of(self, search: KernelSearch) -> TunedMachine:
        """Where the candidates of a search are measured."""
        return next(site.machine for site, searches in self._sites if any(each is search for each in searches))

    def stop(self) -> None:
        """End the processes that know the kernels' loops."""
        for search in self.found:
            search.stop()

    def _search(self, number: int, kernel: TunedKernel, records: Sequence[Record]) -> KernelSearch:
        ctx = new_context(self.options.target)
        for name, dtype, shape in kernel.weights:  # only their shapes matter to loops
            ctx.resources.define(name, np.broadcast_to(np.zeros((), dtype), shape))
        alone = parse_verified(kernel.text, kernel.name, ctx, Path())
        rng, key = Random(f"{self.seed} {number}"), kernel.key
        loops = KernelLoops(alone, kernel.name, ctx, self.options, rng, others=kernel.others)
        rules = parse_schedule(kernel.rules, ctx) if kernel.rules else ()
        ranker = LearnedRanker(key, rules, loops.describe)
        ranker.learn(records, ctx)
        search = KernelSearch(
            kernel.name,
            key,
            kernel.calls,
            rules,
            kernel.seconds,
            Mutator(rng, kernel.lanes, loops.draw),
            ranker,
            refusal=loops.refusal,
            fingerprint=loops.fingerprint,
            stop=loops.stop,
        )
        search.waiting = _recorded(records, key, ctx)
        search.know(r.schedule for r in records if r.kernel == key.exact and r.arguments == key.arguments)
        search.waiting += [parse_schedule(text, ctx) for text in kernel.candidates]
        return search


def _are_alike(one: Site, other: Site) -> bool:
    def known(site: Site) -> object:
        return [(k.name, k.key.exact, k.rules) for k in site.kernels]

    return one.machine.is_like(other.machine) and known(one) == known(other)


def _recorded(records: Iterable[Record], key: KernelKey, ctx: CompilerContext) -> list[Schedule]:
    """What was fast of this kernel, or of ones like it."""
    found: list[Schedule] = []
    for record in fastest([r for r in records if r.confirmed], key):
        try:
            found.append(steps_of(record, key, ctx))
        except UserError:
            continue
    return found[:6]
