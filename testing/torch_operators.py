"""How much of PyTorch mlc computes: the samples of its own operator tests, by operator.

    python -m mlc.testing.torch_operators                     all, by the reference semantics of the graph level
    python -m mlc.testing.torch_operators --native            as native code, half a second each
    python -m mlc.testing.torch_operators add nn.functional.conv2d
    python -m mlc.testing.torch_operators --core --limit 5    what has core ATen operators, five samples each

A sample passes if all results have the types and shapes of eager torch, and equal numbers as far as torch's own tests
ask for: integers and truth values all of them. It falls back if one of its operators would stay in torch, each of which
is named with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from mlc.dialects.aten.schemas import torch_package
from mlc.support.errors import CompilerBug, UserError, UserErrors
from mlc.testing.time_limit import at_most
from mlc.testing.torch_graphs import difference, gradients, run_graph, traced
from mlc.testing.torch_samples import Sample, operators, samples

STATUSES = ("pass", "fallback", "wrong", "bug")
_SECONDS = 120
"""How long one sample may take."""
_UNTRACEABLE = ("DataDependentOutputException", "DynamicOutputShapeException")
"""What torch raises where the shape of a result depends on data."""


@dataclass(frozen=True)
class SampleOutcome:
    """What became of a sample.

    Attributes:
        status: `pass`; `fallback`: it has operators that stay in torch; `wrong`; `bug`: mlc failed.
        is_core: whether it has core ATen operators, and computes with real numbers only.
    """

    operator: str
    dtype: str
    number: int
    status: str
    detail: str = ""
    is_core: bool = False


def run_sample(sample: Sample, dtype: str, native: bool, with_gradients: bool = False) -> SampleOutcome:
    """Run one sample; if gradients are asked for, forward and backward."""
    core = False

    def outcome(status: str, detail: str = "") -> SampleOutcome:
        return SampleOutcome(sample.operator, dtype, sample.number, status, " ".join(detail.split())[:300], core)

    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), at_most(_SECONDS):
            warnings.simplefilter("ignore")
            try:
                expected = sample.function(*(t.detach().clone() for t in sample.tensors))
                graph = traced(sample.function, sample.tensors)
            except Exception as e:
                return outcome("fallback", f"torch does not trace it: {type(e).__name__}: {e}"[:150])
            core = is_core(graph)
            if with_gradients:
                found, expected = gradients(sample, native)
            else:
                found = run_graph(graph, sample.tensors, native)
            problem = difference(found, expected, sample)
            return outcome("pass") if problem is None else outcome("wrong", problem)
    except UserErrors as e:
        return outcome("fallback", "; ".join(each.message for each in e.errors))
    except UserError as e:
        return outcome("fallback", e.message)
    except CompilerBug as e:
        return outcome("bug", f"{e.stage}: {e.message}")
    except Exception as e:
        if type(e).__name__ in _UNTRACEABLE or "FakeTensor" in str(e):
            return outcome("fallback", f"torch does not trace it: {type(e).__name__}: {e}"[:150])
        return outcome("bug", f"{type(e).__name__}: {e}")


def run(
    names: Sequence[str], dtypes: Sequence[str], native: bool, limit: int | None, workers: int,
    with_gradients: bool = False,
) -> Iterator[SampleOutcome]:  # fmt: skip
    """The outcomes of the samples of operators, in processes of their own."""
    jobs = [(name, dtype, native, limit, with_gradients) for name in names for dtype in dtypes]
    if workers == 1:
        for job in jobs:
            yield from run_operator(*job)
        return
    with ProcessPoolExecutor(workers) as pool:
        for each in pool.map(run_operator, *zip(*jobs, strict=True), chunksize=4):
            yield from each


def run_operator(
    name: str, dtype: str, native: bool = False, limit: int | None = None, with_gradients: bool = False
) -> list[SampleOutcome]:
    """The outcomes of the samples of an operator, none if it does not take the type."""
    torch = cast(Any, torch_package())
    torch.set_num_threads(1)
    try:
        found = list(samples(name, getattr(torch, dtype), limit, with_gradients))
    except Exception:
        return []  # torch itself has no samples of this type, or lacks a package for them
    return [run_sample(sample, dtype, native, with_gradients) for sample in found]


def is_core(graph_module: Any) -> bool:
    """Whether a graph has core ATen operators and computes with real numbers only."""
    torch = cast(Any, torch_package())
    tensors: list[Any] = []
    for node in graph_module.graph.nodes:
        value = node.meta.get("val")
        tensors += list(cast("Sequence[Any]", value)) if isinstance(value, list | tuple) else [value]
    if any(isinstance(v, torch.Tensor) and v.is_complex() for v in tensors):
        return False
    return any(torch.Tag.core in getattr(n.target, "tags", ()) for n in graph_module.graph.nodes)


def table(outcomes: Sequence[SampleOutcome]) -> str:
    """How many samples have which status, by operator."""
    rows: dict[str, Counter[str]] = defaultdict(Counter[str])
    for each in outcomes:
        rows[each.operator][each.status] += 1
    lines = [f"{'operator':52}" + "".join(f"{status:>10}" for status in STATUSES)]
    lines += [
        f"{name:52}" + "".join(f"{counts[status]:10}" for status in STATUSES) for name, counts in sorted(rows.items())
    ]
    return "\n".join(lines)


def totals(outcomes: Sequence[SampleOutcome]) -> str:
    """The sums over all, and over those with core ATen operators."""
    lines: list[str] = []
    for word, chosen in (("all", outcomes), ("core", [o for o in outcomes if o.is_core])):
        counts = Counter(o.status for o in chosen)
        share = 100 * counts["pass"] / max(len(chosen), 1)
        lines.append(f"{word}: {', '.join(f'{counts[s]} {s}' for s in STATUSES)}; {share:.1f}% pass")
    return "\n".join(lines)


def reasons(outcomes: Sequence[SampleOutcome], most: int = 60) -> str:
    """Why samples fall back, the most frequent first."""
    counts = Counter(o.detail for o in outcomes if o.status == "fallback")
    return "\n".join(f"{count:6}  {reason}" for reason, count in counts.most_common(most))


def main(argv: Sequence[str] | None = None) -> int:
    """Run samples, print the table, reasons and totals; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators", nargs="*", help="names of operators as torch's tests have them")
    parser.add_argument("--native", action="store_true", help="compile each sample")
    parser.add_argument("--limit", type=int, metavar="N", help="N samples of each operator and type")
    parser.add_argument("--dtype", default="float32,int64,bool", help="types, with commas between them")
    parser.add_argument("--core", action="store_true", help="only samples that have core ATen operators")
    parser.add_argument("--gradients", action="store_true", help="gradients through torch.compile, beside eager ones")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", metavar="FILE", help="write all outcomes there")
    args = parser.parse_args(argv)
    if unknown := [name for name in args.operators if name not in operators()]:
        parser.error(f"torch has no tests of '{unknown[0]}'")
    start = time.perf_counter()
    names = args.operators or list(operators())
    dtypes = ["float32"] if args.gradients else args.dtype.split(",")
    outcomes = list(run(names, dtypes, args.native, args.limit, args.workers, args.gradients))
    if args.core:
        outcomes = [o for o in outcomes if o.is_core]
    print(table(outcomes))
    failed = {(o.operator, o.detail): o for o in reversed(outcomes) if o.status in ("wrong", "bug")}
    for each in reversed(failed.values()):
        print(f"{each.status}: {each.operator} {each.dtype} {each.number}: {each.detail}")
    print(reasons(outcomes))
    print(totals(outcomes))
    print(f"in {time.perf_counter() - start:.0f} s")
    if args.json:
        Path(args.json).write_text(json.dumps([asdict(each) for each in outcomes], indent=1), encoding="utf-8")
    return 1 if any(o.status in ("wrong", "bug") for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
