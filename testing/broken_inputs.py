"""Trying inputs that somebody broke: many of them, in processes with little memory, and the command that does it."""

from __future__ import annotations

import argparse
import os
import resource
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast


class Tried(Protocol):
    """What became of an input, in a word or in what went wrong."""

    @property
    def number(self) -> int: ...
    @property
    def outcome(self) -> str: ...


_Tried = TypeVar("_Tried", bound=Tried)


def tried(
    try_one: Callable[[int, int], _Tried], count: int, seed: int = 0, jobs: int = 1, memory: int = 1 << 32
) -> Iterator[_Tried]:
    """The outcomes of `count` inputs, in order. `try_one` gets the number of an input and `seed`; with several jobs,
    processes have `memory` bytes of address space beyond those that are in use at their start."""
    one: Any = partial(cast(Any, try_one), seed=seed)
    if jobs == 1:
        yield from map(one, range(count))
        return
    with ProcessPoolExecutor(jobs, initializer=_limit_memory, initargs=(memory,)) as pool:
        yield from pool.map(one, range(count), chunksize=20)


def _limit_memory(more: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + more
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def command(what: str, try_one: Callable[[int, int], Tried], good: Collection[str], memory: int) -> int:
    """Try as many as the command line says, print what went wrong and how many had which outcome; 1 if one is not
    `good`."""
    parser = argparse.ArgumentParser(description=f"{what} that somebody broke")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, help="the number of one of them")
    arguments = parser.parse_args()
    if arguments.only is not None:
        print(try_one(arguments.only, arguments.seed))
        return 0
    outcomes: Counter[str] = Counter()
    for each in tried(try_one, arguments.count, arguments.seed, arguments.jobs, memory):
        is_good = each.outcome in good
        outcomes[each.outcome if is_good else "wrong"] += 1
        if not is_good:
            print(each, flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
    return 1 if outcomes["wrong"] else 0
