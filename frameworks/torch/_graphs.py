"""A graph of ATen's operators as a function that compiles itself for what it is called with."""

from __future__ import annotations

import os
import threading
import warnings
import weakref
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import torch

from mlc.compiler.background import Background
from mlc.compiler.library import Build, build_module
from mlc.compiler.options import CompileOptions
from mlc.frameworks.torch._build import BackendOptions
from mlc.frameworks.torch._extents import Extents
from mlc.frameworks.torch._native import Runner, native, native_rows
from mlc.frameworks.torch._open import OpenDims, native_open
from mlc.frameworks.torch._partition import count_operators
from mlc.frameworks.torch._report import Fallback, GraphReport, note
from mlc.frameworks.torch._rows import row_symbol, rows_for, with_number
from mlc.frameworks.torch._weights import Weights

_CHANGES = 2
"""How often a weight may change before it is an input: the first time it may have been loaded."""
_SETS = 8
"""For how many sets of weights code of one graph is kept, when several modules share it."""
_AGAIN = 16
"""How often code is made anew because of weights, until they are inputs."""
_BYTES = 1 << 30
"""How much memory copies of weights take in the code of one graph, for several sizes and sets; one may take more."""
_SIZES = 16
"""For how many sizes of its inputs a graph is compiled when they are met first."""
_CALLS = 4
"""How often a further size is met until it is worth code; until then it runs in torch."""
_OR_FEWER = -1
"""What stands after a number of rows for which, or for fewer, code is."""
_UP_TO = -2
"""What stands after extents for which, or for shorter ones, code is."""
_MOST_SIZES = 128
"""For how many sizes a graph is compiled at most."""


class CompiledGraph:
    """What AOTAutograd calls. Code is made when a call first comes with some extents, so that these are known.

    In inference, weights are constants of the code, packed as its loops want them. Each call finds out whether they are
    still the same tensors, and unchanged (`Weights` says what is seen), and else compiles again; a weight that changes
    once more is an input from then on, as are weights that the graph changes itself, and those made in
    `torch.inference_mode`, whose changes nobody counts.
    """

    def __init__(
        self, graph_module: Any, kind: str, options: CompileOptions, static: Sequence[int] = (),
        own: BackendOptions = BackendOptions(checked=False),  # noqa: B008, which is frozen
    ) -> None:  # fmt: skip
        self.module = graph_module
        self.kind = kind
        self.options = options
        self._own = own
        nodes = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
        self._inputs = nodes
        self._weights = [i for i in static if i < len(nodes) and isinstance(nodes[i].meta.get("val"), torch.Tensor)]
        self._unfrozen: set[int] = set()
        self._changes: Counter[int] = Counter()
        self._again = 0
        self._extents = Extents(nodes)
        self._entries: dict[tuple[float, ...], list[_Entry]] = {}
        self._row_symbol = row_symbol(graph_module.graph)
        self._open = None if own.capacity is None else self._open_dims(nodes, own.capacity)
        self._met: Counter[tuple[float, ...]] = Counter()
        self._in_torch = _Entry(None, lambda values: list(graph_module(*values)))
        self._report: GraphReport | None = None
        self._forgotten = 0
        """How often all weights were forgotten."""
        _live.add(self)

    def __call__(self, arguments: list[Any]) -> list[Any]:
        """The results for the arguments of a call; the list is emptied, as AOTAutograd wants it."""
        values = list(arguments)
        arguments.clear()
        key = self._key(values) if self._extents.are_open else ()
        for entry in self._entries.get(key, ()):
            if entry.fits(values):
                return entry.run(values)
        return self._made(key, values).run(values)

    def _open_dims(self, placeholders: list[Any], capacity: int) -> OpenDims | None:
        """The dims for which one code serves all extents; none where rows have code of their own."""
        dims = OpenDims(placeholders, self._extents, capacity)
        is_for_rows = self._row_symbol is not None and len(dims.places()) == 1 and not dims.are_bounded
        return dims if dims and not is_for_rows else None

    def _key(self, values: list[Any]) -> tuple[float, ...]:
        """What code is found by: the numbers of the symbols, or for how many rows it is, and that fewer will do."""
        key = self._extents.key(values)
        if self._open is not None and (found := self._open.key(key)) is not None:
            return (*found, _UP_TO)
        if self._row_symbol is None or not self._entries or key in self._entries:
            return key
        place = self._extents.place(self._row_symbol)
        return (*with_number(key, place, rows_for(int(key[place]))), _OR_FEWER)

    def forget_weights(self) -> None:
        """Drop all code that holds copies of weights, so that the next call makes it anew."""
        with _lock():
            self._forgotten += 1
            self._entries = {key: [e for e in each if e.weights is None] for key, each in self._entries.items()}

    def _made(self, key: tuple[float, ...], values: list[Any]) -> _Entry:
        with _lock():
            entries = [e for e in self._entries.get(key, ()) if e.is_alive]
            for entry in list(entries):
                if entry.fits(values):
                    return entry
                if entry.weights is not None and (changed := entry.weights.changed(values)):
                    self._changes.update(changed)
                    self._unfrozen.update(i for i in changed if self._changes[i] >= _CHANGES)
                    entries.remove(entry)
            if not self._is_worth_code(key):
                return self._in_torch
            self._again += key in self._entries
            frozen = [i for i in self._weights if i not in self._unfrozen and not values[i].is_inference()]
            if len(entries) >= _SETS or self._again > _AGAIN or self._is_too_much(values, frozen):
                frozen = []
            made = entry = _Entry(None, self._in_torch.run)
            weights = Weights(frozen, values, partial(_release, weakref.ref(entry))) if frozen else None
            if self._own.tiered:
                made = self._first_tier(key, values, entry, weights)
            elif not self._compile(key, values, entry, weights):
                return self._made(self._extents.key(values), values)
            if key and key[-1] == _UP_TO:
                self._forget_smaller(key)
            # A new list, for other threads may walk through the old one.
            self._entries[key] = [*entries, made]
            return made

    def _first_tier(self, key: tuple[float, ...], values: list[Any], entry: _Entry, weights: Weights | None) -> _Entry:
        """What runs in torch until another process has compiled an entry, which takes its place then."""
        forgotten, report = self._forgotten, self._reported()

        def make(by: Build) -> None:
            with torch.no_grad():
                is_made = self._compile(key, values, entry, weights, by)
            with _lock():  # which the caller holds until the first tier is among the entries
                is_made = is_made and entry.is_alive and forgotten == self._forgotten
                others = [each for each in self._entries.get(key, ()) if each is not first]
                self._entries[key] = [*others, entry] if is_made else others

        background = Background(make)

        def run(arguments: Sequence[Any]) -> list[Any]:
            if background.wait_for_start():
                return self(list(arguments))
            report.first_calls += 1
            return self._in_torch.run(arguments)

        first = _Entry(None, run)
        return first

    def _forget_smaller(self, key: tuple[float, ...]) -> None:
        """Drop code that another one, for larger extents, does the work of."""
        dims = self._open
        smaller = [k for k in self._entries if dims and k[-1] == _UP_TO and k != key and dims.covers(key, k)]
        self._entries = {k: each for k, each in self._entries.items() if k not in smaller}

    def _is_too_much(self, values: list[Any], frozen: list[int]) -> bool:
        """Whether further copies of weights take too much memory."""
        held = sum(e.weights.bytes for each in self._entries.values() for e in each if e.weights and e.is_alive)
        return bool(held) and held + sum(values[i].nbytes for i in frozen) > _BYTES

    def _is_worth_code(self, key: tuple[float, ...]) -> bool:
        """Whether to compile for these sizes: not for many that are met once each."""
        if key in self._entries or len(self._entries) < _SIZES:
            return True
        self._met[key] += 1
        if self._met[key] >= _CALLS and len(self._entries) < _MOST_SIZES:
            del self._met[key]
            return True
        if len(self._met) > 64 * _MOST_SIZES:
            self._met.clear()
        reason = f"its inputs come in more than {_SIZES} sizes; another is compiled when it is met {_CALLS} times"
        self._reported().fallbacks[Fallback("sizes", reason)] += 1
        return False

    def _compile(
        self, key: tuple[float, ...], values: list[Any], entry: _Entry, weights: Weights | None,
        by: Build = build_module,
    ) -> bool:  # fmt: skip
        """Let an entry run code for the extents of a call, which holds copies of `weights`; where there is none to be
        had, torch itself. False if one code for several extents cannot be had."""
        frozen = weights.positions if weights is not None else []
        constants = {self._inputs[i].name: values[i] for i in frozen}
        share = self.kind != "backward"
        actual = self._extents.key(values)
        given = constants, self.options, share, self._own.checked, by
        if self._open is not None and len(key) > len(actual):
            try:
                run = native_open(self.module, self._extents, self._open, key[:-1], actual, *given)
            except Exception as e:  # each set of extents is compiled by itself
                self._open, self._reported().not_open = None, f"{e}".splitlines()[0]
                return False
            report = self._reported()
            report.compilations, report.native = report.compilations + 1, report.operators
        elif len(key) > len(actual):
            try:
                run = native_rows(self.module, self._extents, self._row_symbol, key[:-1], *given)
            except Exception:  # rows mix, or whatever else: each number of rows is compiled by itself
                self._row_symbol = None
                return False
            self._reported().compilations += 1
        else:
            try:
                made = native(self.module, self._extents.known(values), *given)
            except Exception as e:  # the model has to run, whatever is wrong with the compiler
                entry.run = partial(self._run_uncompiled, entry, f"{type(e).__name__}: {e}".splitlines()[0])
                return True
            run, report = made.run, self._reported()
            report.compilations += 1
            report.native, report.share = report.operators - sum(made.refused.values()), made.share
            if report.compilations == 1:
                report.fallbacks.update(made.refused)
        entry.run, entry.weights = run, weights
        return True

    def _run_uncompiled(self, entry: _Entry, reason: str, values: Sequence[Any]) -> list[Any]:
        """Run a graph that could not be compiled. If torch refuses it, too, its error is all there is to say."""
        self._reported()
        found = self._in_torch.run(values)
        self._reported().fallbacks[Fallback("graph", reason)] += 1
        warnings.warn(f"mlc could not compile a graph, which runs in torch: {reason}", stacklevel=1)
        entry.run = self._in_torch.run
        return found

    def _reported(self) -> GraphReport:
        if self._report is None:
            self._report = GraphReport(self.kind, count_operators(self.module), 0)
            note(self._report)
        return self._report


class _Entry:
    """Code, and the weights that it was made for, if it holds copies of some."""

    def __init__(self, weights: Weights | None, run: Runner) -> None:
        self.weights = weights
        self.run = run

    @property
    def is_alive(self) -> bool:
        """Whether all weights are still there."""
        return self.weights is None or self.weights.is_alive

    def fits(self, values: Sequence[Any]) -> bool:
        """Whether the arguments of a call are these weights, where there should be weights."""
        return self.weights is None or self.weights.are_same(values)


def _release(held: weakref.ref[_Entry]) -> None:
    """Let go of code whose weights are gone."""
    if (entry := held()) is not None:
        entry.run = _gone


def _gone(values: Sequence[Any]) -> list[Any]:
    raise AssertionError("code was called whose weights are gone")


def refresh() -> None:
    """Have all models take their weights anew at their next calls.

    That is for changes that torch does not count and that samples may miss: `weight.data[3] = 0`, or a write to some
    elements through NumPy. All others are seen without it.
    """
    for graph in list(_live):
        graph.forget_weights()


_live: weakref.WeakSet[CompiledGraph] = weakref.WeakSet()
_locks: list[AbstractContextManager[object]] = [threading.RLock()]


def _lock() -> AbstractContextManager[object]:
    """One compilation at a time."""
    return _locks[0]


def _renew_lock() -> None:
    """A child has a copy of the lock, but not the thread that may hold it."""
    _locks[0] = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)
