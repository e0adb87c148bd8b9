"""A whole run: every case measured, printed as it comes, and written down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from mlc.benchmarks.case import Case
from mlc.benchmarks.results import OURS, Run
from mlc.benchmarks.roofline import can_draw, draw_roofline
from mlc.benchmarks.session import Session
from mlc.benchmarks.tables import Grid, all_tables, case_row, limits_table, main_tables

_FILE_WIDTH = 180
"""Columns of the tables when they go to a file or a pipe."""


def run_cases(session: Session, cases: Sequence[tuple[str, Case]], environment: dict[str, Any]) -> Run:
    """Measure `cases`, given with their families, and print a line for each."""
    console = _console()
    run = Run(environment, session.probe())
    console.print(limits_table(run).rich())
    for family, case in cases:
        result = session.measure(family, case)
        run.cases.append(result)
        name, *figures = case_row(result, [])
        line = "".join([f"{name:44}", *(f"{figure:>15}" for figure in figures), f"  {result.best_peer or ''}"])
        console.print(line, soft_wrap=True, highlight=False)
        for engine, message in result.errors.items():
            style = "red" if engine == OURS else "yellow"
            console.print(f"  {engine}: {message[:500]}", style=style, markup=False, highlight=False)
    return run


def print_tables(run: Run) -> None:
    """All of them, after a line about the machine."""
    console = _console()
    console.print(_heading(run), highlight=False)
    for grid in all_tables(run):
        console.print(grid.rich())


def write_files(run: Run, folder: Path) -> list[Path]:
    """JSON, Markdown and, where matplotlib is installed, the roofline picture; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    base = folder / _base_name(run)
    files = [base.with_suffix(".json"), base.with_suffix(".md")]
    run.save(files[0])
    files[1].write_text(_markdown(run, "#", all_tables(run)) + "\n", encoding="utf-8")
    if can_draw() and any(OURS in case.seconds for case in run.cases):
        files.append(base.with_suffix(".png"))
        draw_roofline(run, files[-1])
    return files


def update_readme(run: Run, readme: Path) -> None:
    """Put the tables where the README keeps the last results of such a run; at its end, if it has none yet."""
    name = _base_name(run)
    begin, end = f"<!-- results: {name} -->", f"<!-- end of results: {name} -->"
    tables = _markdown(run, "##", main_tables(run))
    section = f"{begin}\n{tables}\n\n![Roofline](results/{name}.png)\n{end}"
    text = readme.read_text(encoding="utf-8")
    if begin in text:
        text = re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: section, text, flags=re.DOTALL)
    else:
        text = f"{text.rstrip()}\n\n{section}\n"
    readme.write_text(text, encoding="utf-8")


def _markdown(run: Run, level: str, grids: Sequence[Grid]) -> str:
    tables = "\n\n".join(f"{level}# {grid.title}\n\n{grid.markdown()}" for grid in grids)
    return f"{level} {_heading(run)}\n\n{_versions(run)}\n\n{tables}"


def _heading(run: Run) -> str:
    where = run.environment
    threads = "1 thread" if where["threads"] == 1 else f"{where['threads']} threads"
    return f"{where['machine']}, target {where['target']}, {threads}, {where['date']}"


def _versions(run: Run) -> str:
    where = run.environment
    versions = ", ".join(f"{name} {version}" for name, version in where["versions"].items())
    return f"Python {where['python']}, {versions}; {where['clang']}; cores {where['cores']}, {where['rounds']} rounds."


def _base_name(run: Run) -> str:
    """Of the files of a run: the CPU, and what is unusual about the run."""
    where = run.environment
    parts = [where["cpu"]] if where["target"] == "native" else [where["host"], where["target"]]
    if where["threads"] > 1:
        parts.append(f"{where['threads']}-threads")
    return "-".join(parts)


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=_FILE_WIDTH)
