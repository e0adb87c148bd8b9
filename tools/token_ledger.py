"""What a token costs a language model, by kernels: bytes, multiply-adds, the least time, and where the rest goes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue

from mlc.dialects.loop import LIMITS, LimitsAttr
from mlc.runtime.model import Model
from mlc.runtime.tracing import trace
from mlc.support.dtypes import bytes_of
from mlc.support.functions import DONATED, marks_of
from mlc.support.ir import RESHAPES
from mlc.tools.kernel_numbers import ModelNumbers, amount
from mlc.tools.kernel_work import KernelWork, bytes_of_operand, work_of

_SECONDS = 0.4
"""How long tokens are written with so many tokens in the caches; the fastest one counts."""
_FIRST_CACHE = 3
_REST = "between them"
_NOTE = """\
Bytes are those of weights and caches, which have to come from {level}, at {speed}; what kernels hand to each other is
near. Caches are read as far as they are filled, or seen. Multiply-adds are counted as flops of f32, at {peak}.
A kernel takes at least the longer one of both times.
"""
_NOTE_OF_TIMES = f"""\
Times are those of kernels in the model, the shortest of many tokens. `lost` is what is beyond the least time; `{_REST}`
are calls, and the clock of the trace."""


@dataclass
class _Cost:
    """What the calls of a kernel cost for a token.

    Attributes:
        weights: bytes of constants that are read.
        kept: bytes of caches that are read when they are full.
        written: bytes that are written to caches.
        window: how many of the places that are filled are read at most; None for all.
    """

    work: KernelWork
    calls: int = 0
    weights: int = 0
    kept: int = 0
    written: int = 0
    window: int | None = None

    def bytes(self, filled: float) -> float:
        """All bytes, with caches of which a part is filled."""
        return self.weights + self.written + self.kept * filled

    def flops(self, filled: float) -> float:
        """Those of multiply-adds."""
        return self.calls * self.work.multiply_adds * (filled if self.kept else 1)


@dataclass(frozen=True)
class TokenLedger:
    """The costs of a model for one token at a time.

    Attributes:
        context: how many tokens its caches hold.
        costs: those of kernels, by name.
        place: the bytes of a token in the caches.
    """

    numbers: ModelNumbers
    context: int
    costs: Mapping[str, _Cost]
    place: int

    @classmethod
    def of(cls, numbers: ModelNumbers, context: int) -> TokenLedger:
        """Count what the calls of a model at the tensor level read."""
        kernels = {kernel.sym_name.data: kernel for kernel in numbers.kernels}
        costs = {name: _Cost(work_of(each, numbers.ctx), window=_window(each)) for name, each in kernels.items()}
        place = 0
        for model in (op for op in numbers.calling.ops if isinstance(op, FuncOp) and op.sym_name.data not in kernels):
            kept = _caches(model)
            place += sum(bytes_of(each) for each in model.args if each in kept) // context
            for call in model.walk():
                if isinstance(call, CallOp) and (name := call.callee.string_value()) in kernels:
                    _count(costs[name], call, kernels[name], kept)
        return cls(numbers, context, costs, place)

    def total(self, held: int) -> float:
        """The bytes of a token with so many before it."""
        return sum(cost.bytes(self.read(cost, held)) for cost in self.costs.values())

    def read(self, cost: _Cost, held: int) -> float:
        """The part of caches that a kernel reads for a token after so many."""
        return min(held + 1, cost.window or self.context) / self.context

    def level(self, held: int) -> str:
        """The nearest level of the memory that holds all that a token reads."""
        return self.numbers.roofline.level_of(round(self.total(held)))

    def bound(self, cost: _Cost, held: int) -> tuple[float, str]:
        """The least time of all calls of a kernel, in the unit of the roofline, and what it waits for."""
        filled, level, roofline = self.read(cost, held), self.level(held), self.numbers.roofline
        arithmetic = cost.flops(filled) / roofline.gain(cost.work) / roofline.peak()
        transfer = cost.bytes(filled) / roofline.bandwidth(level)
        return (arithmetic, "compute") if arithmetic > transfer else (transfer, level)

    def least(self, held: int) -> float:
        """The least time of a token."""
        return sum(self.bound(cost, held)[0] for cost in self.costs.values())


def _caches(model: FuncOp) -> set[SSAValue]:
    """The values of a model that are caches: arguments in whose memory a result may lie, and what becomes of them."""
    marks = marks_of((), model.res_attrs)
    donors = [each[DONATED] for each in marks if DONATED in each]
    kept: set[SSAValue] = {model.args[each.value.data] for each in donors if isinstance(each, IntegerAttr)}
    for op in model.walk():
        if isinstance(op, CallOp):
            kinds = [each.type for each in op.operands if each in kept]
            kept |= {result for result in op.results if result.type in kinds}
        elif isinstance(op, RESHAPES) and op.operands[0] in kept:
            kept.add(op.results[0])
    return kept


def _window(kernel: FuncOp) -> int | None:
    """How many iterations loops have at most that begin and end so far from one integer; None if there are none."""
    said = kernel.attributes.get(LIMITS)
    limits = said.data if isinstance(said, LimitsAttr) else ()
    ends = {(each.dim, each.argument, each.factor, each.over): each.plus for each in limits if not each.is_start}
    starts = {(each.dim, each.argument, each.factor, each.over): each.plus for each in limits if each.is_start}
    return max((ends[each] - plus for each, plus in starts.items() if each in ends), default=None)


def _count(cost: _Cost, call: CallOp, kernel: FuncOp, kept: set[SSAValue]) -> None:
    cost.calls += 1
    changes = any(result in kept for result in call.results)
    for operand, argument in zip(call.operands, kernel.args, strict=True):
        if isinstance(_origin(operand), arith.ConstantOp):
            cost.weights += bytes_of_operand(kernel, argument)
        elif operand in kept and not changes:
            cost.kept += bytes_of_operand(kernel, argument)
        elif operand not in kept and changes:
            cost.written += bytes_of(operand)


def _origin(value: SSAValue) -> Any:
    """The op that makes a value, perhaps under another shape."""
    while isinstance(value.owner, RESHAPES):
        value = value.owner.operands[0]
    return value.owner


@dataclass(frozen=True)
class TokenTimes:
    """The seconds of a token, and those of the calls of each kernel in one: the shortest of many tokens."""

    whole: float
    kernels: Mapping[str, float]


def measured_token(model: Model, held: int) -> TokenTimes:
    """Write a token after so many with a model that records its kernels, again and again."""
    caches = [np.zeros(each.shape, each.dtype) for each in model.inputs[_FIRST_CACHE:]]
    token, place, count = np.zeros((1, 1), np.int64), np.array(held), np.array(1)
    shortest, until = dict[str, float](), time.perf_counter() + _SECONDS
    while not shortest or time.perf_counter() < until:
        with trace(model, 1 << 14) as recorded:
            model.in_place(token, place, count, *caches)
        sums = defaultdict[str, float](float)
        for span in recorded.spans:
            sums[span.name] += span.seconds
        shortest = {name: min(seconds, shortest.get(name, seconds)) for name, seconds in sums.items()}
    return TokenTimes(shortest.pop(model.signature.kernels[0]), shortest)


def print_ledger(ledger: TokenLedger, model: Model | None) -> None:
    """A table of kernels, with half of the context in the caches, and one of lengths; measured if there is a model."""
    held = ledger.context // 2
    roofline, level = ledger.numbers.roofline, ledger.level(held)
    lengths = [0, ledger.context // 4, held, ledger.context - 1]
    measured = dict[int, TokenTimes]()
    for length in dict.fromkeys(lengths):
        if model is None:
            break
        measured[length] = measured_token(model, length)
        roofline.refresh(ledger.level(length))
    _print_kernels(ledger, held, measured.get(held))
    _print_lengths(ledger, lengths, measured)
    per = "/s" if ledger.numbers.runs_here else " per cycle"
    speed, peak = amount(roofline.bandwidth(level), f"B{per}"), amount(roofline.peak(), f"flop{per}")
    note = _NOTE.format(level=level, speed=speed, peak=peak) + (_NOTE_OF_TIMES if measured else "")
    print(f"\n{note.rstrip()}")
    each, whole = (amount(ledger.place * count, "B") for count in (1, ledger.context))
    print(f"Caches take {each} for a token, {whole} for {ledger.context}.")
    ledger.numbers.print_doubts([ledger.least(length) / times.whole for length, times in measured.items()])


def _print_kernels(ledger: TokenLedger, held: int, times: TokenTimes | None) -> None:
    numbers, least = ledger.numbers, ledger.least(held)
    width = max(len(_REST), *map(len, ledger.costs))
    lost = None if times is None else times.whole - least
    print(f"one token, with {held} in caches for {ledger.context}")
    heads = "weights", "caches", "flop", "bound by", "at least", "measured", "reached", "of lost"
    print(_line("kernel", "calls", heads, width))
    for name, cost in ledger.costs.items():
        bound, limit = ledger.bound(cost, held)
        found = None if times is None else times.kernels.get(name, 0.0)
        filled = ledger.read(cost, held)
        kept = cost.written + cost.kept * filled
        cells = [amount(cost.weights), amount(kept), amount(cost.flops(filled)), limit, numbers.time(bound)]
        print(_line(name, str(cost.calls), [*cells, *_reached(numbers, bound, found, lost)], width))
    if times is not None:
        rest = max(times.whole - sum(times.kernels.get(name, 0.0) for name in ledger.costs), 0.0)
        cells = ["", "", "", "", "", *_reached(numbers, 0.0, rest, lost)]
        print(_line(_REST, "", cells, width))
    total = sum(cost.weights for cost in ledger.costs.values())
    flops = sum(cost.flops(ledger.read(cost, held)) for cost in ledger.costs.values())
    cells = [amount(total), amount(ledger.total(held) - total), amount(flops), "", numbers.time(least)]
    whole = None if times is None else times.whole
    print(_line("model", "", [*cells, *_reached(numbers, least, whole, lost)], width))


def _line(name: str, calls: str, cells: Sequence[str], width: int) -> str:
    weights, kept, flops, limit, *others = cells
    found = f"{name:<{width}} {calls:>5} {weights:>8} {kept:>8} {flops:>8} {limit:>8}"
    return (found + "".join(f" {each:>{size}}" for each, size in zip(others, (14, 9, 7, 7), strict=True))).rstrip()


def _reached(numbers: ModelNumbers, bound: float, found: float | None, lost: float | None) -> list[str]:
    """A measured time, the part of it that is needed, and the part of all lost time that it loses."""
    if found is None or lost is None:
        return ["-", "-", "-"]
    share = f"{bound / found:.0%}" if found and bound else "-"
    return [numbers.time(found), share, f"{max(found - bound, 0) / lost:.0%}" if lost > 0 else "-"]


def _print_lengths(ledger: TokenLedger, lengths: Sequence[int], measured: Mapping[int, TokenTimes]) -> None:
    """What a token costs after more and more of them."""
    numbers = ledger.numbers
    print(f"\n{'in caches':>9} {'bytes':>8} {'at least':>14} {'measured':>9} {'reached':>7}")
    for held in dict.fromkeys(lengths):
        least = ledger.least(held)
        row = f"{held:>9} {amount(ledger.total(held)):>8} {numbers.time(least):>14}"
        if (times := measured.get(held)) is not None:
            rate = f"{1 / times.whole:.1f} tokens/s of {1 / least:.1f}"
            row += f" {numbers.time(times.whole):>9} {least / times.whole:>7.0%}  {rate}"
        print(row)
