"""How much of StableHLO mlc computes: self-checking programs in a folder, such as those of StableHLO's own repository.

    python -m mlc.testing.stablehlo_suite FOLDER               by the reference semantics
    python -m mlc.testing.stablehlo_suite FOLDER --graph       what they become at the graph level, by the reference
    python -m mlc.testing.stablehlo_suite FOLDER --native      as native code
    python -m mlc.testing.stablehlo_suite FOLDER --only sort   files with this in their names
    python -m mlc.testing.stablehlo_suite FOLDER --every 10    a tenth of all

A program is a `.mlir` file, or a part of one between lines `// -----`. Its functions without arguments are run; what
they expect stands in them, as ops of the `check` dialect or as custom calls of their names. It is *right* if all
expectations hold, *wrong* if one does not, *refused* if mlc cannot run it, for a reason that it says. As native
code, and at the graph level, what `@inputs` returns, or constants if there is no such function, are inputs, so that
nothing is computed before.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mlc.support.errors import CompilerBug, UserError, UserErrors

_PART = re.compile(r"^// -----.*$", re.MULTILINE)
_NUMBER = re.compile(r"\d+")
_QUOTED = re.compile(r"'[^']*'|<[^>]*>|@\w+")


@dataclass(frozen=True)
class ProgramOutcome:
    """What became of a program."""

    name: str
    status: str
    """`right`, `wrong`, `refused` or `bug`."""
    detail: str = ""


def programs(folder: Path, only: str = "", every: int = 1) -> list[Path]:
    """The files of a folder and of those in it, in the order of their names."""
    return [f for f in sorted(folder.rglob("*.mlir")) if only in f.name][::every]


def run_file(path: Path, how: str = "reference") -> list[ProgramOutcome]:
    """Run the programs of a file that expect something: by the `reference`, at the `graph` level, or `native`."""
    parts = _PART.split(path.read_text(encoding="utf-8"))
    found: list[ProgramOutcome] = []
    for i, text in enumerate(parts):
        if "check.expect" in text:
            name = path.name if len(parts) == 1 else f"{path.name}:{i}"
            found.append(_run(name, text, how))
    return found


def _run(name: str, text: str, how: str) -> ProgramOutcome:
    from mlc.reference.stablehlo.expectations import ExpectationError

    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if how == "reference":
                _by_reference(text, name)
            else:
                from mlc.testing.stablehlo_native import run_at_the_graph_level, run_natively

                (run_natively if how == "native" else run_at_the_graph_level)(text, name)
        return ProgramOutcome(name, "right")
    except ExpectationError as e:
        return ProgramOutcome(name, "wrong", e.message[:300])
    except UserErrors as e:
        return ProgramOutcome(name, "refused", "; ".join(dict.fromkeys(each.message for each in e.errors))[:300])
    except UserError as e:
        return ProgramOutcome(name, "refused", e.message[:300])
    except CompilerBug as e:
        return ProgramOutcome(name, "bug", f"{e.stage}: {e.message}"[:300])
    except Exception as e:
        return ProgramOutcome(name, "bug", f"{type(e).__name__}: {e}"[:300])


def _by_reference(text: str, name: str) -> None:
    from xdsl.dialects.func import FuncOp

    from mlc.compiler.compilation import new_context
    from mlc.reference.interpreter import run_function
    from mlc.syntax import parse_module, verify_module

    ctx = new_context()
    module = parse_module(text, name, ctx)
    verify_module(module)
    functions = [op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks]
    mains = [f for f in functions if f.sym_name.data == "main"] or functions
    for function in mains:
        if not function.body.block.args:
            run_function(module, function.sym_name.data, [], ctx.resources)


def run_all(files: Sequence[Path], how: str, workers: int) -> Iterator[ProgramOutcome]:
    """Run files in processes of their own."""
    if workers == 1:
        for file in files:
            yield from run_file(file, how)
        return
    with ProcessPoolExecutor(workers) as pool:
        for outcomes in pool.map(run_file, files, [how] * len(files), chunksize=4):
            yield from outcomes


def reasons(outcomes: Sequence[ProgramOutcome]) -> str:
    """How often which reason is given, numbers and names left out."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for each in outcomes:
        if each.status == "right":
            continue
        words = each.detail if each.status != "wrong" else "expectation"
        key = each.status, _QUOTED.sub("…", _NUMBER.sub("N", words))[:120]
        counts[key] += 1
        examples.setdefault(key, each.name)
    return "\n".join(f"{n:5} {s}: {w}  ({examples[s, w]})" for (s, w), n in counts.most_common())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the programs, print how many are right and why others are not; 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--native", dest="how", action="store_const", const="native", help="compile the programs")
    how.add_argument("--graph", dest="how", action="store_const", const="graph", help="convert them to the graph level")
    parser.add_argument("--only", default="", help="a part of the names of files")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth file")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="name each program that is not right")
    args = parser.parse_args(argv)
    if not args.folder.is_dir():
        parser.error(f"{args.folder} is not a folder")
    start = time.perf_counter()
    outcomes: list[ProgramOutcome] = []
    for each in run_all(programs(args.folder, args.only, args.every), args.how or "reference", args.workers):
        outcomes.append(each)
        if args.all and each.status != "right":
            print(f"{each.status}: {each.name}: {each.detail}", flush=True)
    if told := reasons(outcomes):
        print(told)
    totals = Counter(each.status for each in outcomes)
    shown = ", ".join(f"{n} {status}" for status, n in sorted(totals.items())) or "no programs"
    print(f"{shown} of {len(outcomes)} in {time.perf_counter() - start:.0f} s")
    return 1 if totals["wrong"] or totals["bug"] else 0


if __name__ == "__main__":
    sys.exit(main())
