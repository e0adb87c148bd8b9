"""The command line: `python -m benchmarks`."""

from __future__ import annotations

import argparse
import datetime
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from mlc.benchmarks.environment import default_cores, describe, pin
from mlc.support.errors import UserError
from mlc.targets import host
from mlc.targets.machine import resolve_target

_HERE = Path(__file__).resolve().parent
_OUTPUT = _HERE.parent / "build" / "benchmarks"
_RESULTS = _HERE / "results"


def main(arguments: Sequence[str]) -> int:
    """Measure, print and save. Returns the exit status: 1 if mlc failed on a case."""
    if arguments and arguments[0] in ("torch", "jax"):
        from mlc.benchmarks import frameworks

        return frameworks.main(arguments)
    options = _parser().parse_args(arguments)
    all_cores = os.sched_getaffinity(0)
    cores: list[int] = options.cores or default_cores(options.threads)
    if len(cores) < options.threads:
        print(f"{options.threads} threads need as many cores, found {cores}; name them with --cores", file=sys.stderr)
        return 2
    if options.update_readme and (options.only or options.families or options.quick or options.no_peers):
        words = "it goes with none of --only, --families, --quick, --no-peers"
        print(f"--update-readme keeps complete results: {words}", file=sys.stderr)
        return 2
    try:
        re.compile(options.only)
        pin(cores, options.threads)
        machine = resolve_target(options.target)
        if not host.can_run(machine.arch, machine.required_cpu_flags):
            print(f"found the target {options.target}; this machine cannot run code for it", file=sys.stderr)
            return 2
    except re.error as e:
        print(f"--only takes a regular expression, found '{options.only}': {e}", file=sys.stderr)
        return 2
    except OSError:
        print(f"found the cores {cores}; this process may use {sorted(all_cores)}", file=sys.stderr)
        return 2
    except UserError as e:
        print(e, file=sys.stderr)
        return 2
    # Imported now: NumPy has to start its threads on the pinned cores.
    from mlc.benchmarks import quantized, suite
    from mlc.benchmarks.compile_times import measure_compile_times
    from mlc.benchmarks.probes import Limits
    from mlc.benchmarks.reports import print_tables, run_cases, update_readme, write_files
    from mlc.benchmarks.session import Session

    families: list[str] = options.families or list(suite.FAMILIES)
    if unknown := {*families} - {*suite.FAMILIES, *quantized.FAMILIES}:
        known = ", ".join((*suite.FAMILIES, *quantized.FAMILIES))
        print(f"no family is called {', '.join(sorted(unknown))}; found {known}", file=sys.stderr)
        return 2
    cases, short = suite.cases_by_family(options.only, families), quantized.selected(families, options.only)
    if options.list:
        print(*(f"{family:12} {each.name}" for family, each in (*cases, *short)), sep="\n")
        return 0
    rounds = options.repeat or (2 if options.quick else 7)
    status = 0
    if short:
        settings = quantized.Settings(options.target, options.threads, all_cores, rounds, not options.no_peers)
        status = quantized.run(short, settings, options.output)
    if short and not cases:
        return status
    if not cases:
        print(f"no case is called '{options.only}'; --list shows them", file=sys.stderr)
        return 2
    date = options.date or datetime.date.today().isoformat()
    environment = describe(options.target, options.threads, cores, rounds, date)
    limits = Limits(options.target, options.threads)
    session = Session(limits, rounds, 0.002 if options.quick else 0.025, with_peers=not options.no_peers)
    run = run_cases(session, cases, environment)
    if options.compile_times:
        os.sched_setaffinity(0, all_cores)
        run.compile_times += measure_compile_times([case for _, case in cases], options.target, options.threads)
    print_tables(run)
    files = write_files(run, _RESULTS if options.update_readme else options.output)
    if options.update_readme:
        update_readme(run, _HERE / "README.md")
    print("written:", *files)
    return status or int(any("mlc" in case.errors for case in run.cases))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure code that mlc makes beside its peers and the machine's limits.",
        epilog="'python -m benchmarks torch' and 'python -m benchmarks jax' measure models of these frameworks.",
    )
    parser.add_argument("--list", action="store_true", help="print the families and names of the cases")
    parser.add_argument("--only", default="", metavar="PATTERN", help="cases whose name holds this regular expression")
    parser.add_argument(
        "--families",
        type=_words,
        metavar="LIST",
        help="such as matmul,int8 (all but int4, int8, bf16, which take torch)",
    )
    parser.add_argument("--repeat", type=int, metavar="N", help="rounds in which every engine has a turn (7)")
    parser.add_argument("--threads", type=int, default=1, choices=(1, 2), help="threads of each engine (1)")
    parser.add_argument("--cores", type=_numbers, metavar="LIST", help="cores to run on, such as 2,3 (the last ones)")
    parser.add_argument("--target", default="native", help="what mlc compiles for; the limits are its vectors' too")
    parser.add_argument("--no-peers", action="store_true", help="measure mlc alone")
    parser.add_argument("--compile-times", action="store_true", help="also measure how long mlc compiles each case")
    parser.add_argument("--quick", action="store_true", help="two short rounds, to see that everything works")
    parser.add_argument("--output", type=Path, metavar="DIR", default=_OUTPUT, help="for files (build/benchmarks)")
    parser.add_argument("--update-readme", action="store_true", help="keep the results in benchmarks/, for the README")
    parser.add_argument("--date", help="the date to write down (today)")
    return parser


def _words(text: str) -> list[str]:
    return text.split(",")


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]
