"""The errors that `docs/numbers.md` promises: tests hold results to what its tables say."""

from __future__ import annotations

from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "numbers.md"


def documented_bounds(table: str) -> dict[str, dict[str, float]]:
    """The rows of the table whose first column has this title: name, then title of a column, then the number there.

    A column that is called as an earlier one gets the title of the column in front of it, too.
    """
    lines = _PAGE.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {table} |"))
    titles: list[str] = []
    for title in _cells(lines[start])[1:]:
        titles.append(f"{titles[-1]} {title}" if title == "absolute" else title)
    found: dict[str, dict[str, float]] = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        name, *numbers = _cells(line)
        found[name.replace("`", "")] = dict(zip(titles, map(float, numbers), strict=True))
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]
