"""The figures of the tour: a register tile, and a packed panel.

python docs/generate_figures.py           write docs/figures/*.svg
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent / "figures"

ROWS, VECTORS, LANES = 2, 5, 8
"""The tile of the tour's first kernel: 2 rows of 5 vectors of 8 floats."""
COLUMNS, DEPTH = 200, 64
"""The weights of that kernel: 64 rows (`k`) of 200 columns (`n`)."""

_STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .name { font: 600 13px ui-monospace, monospace }
  .says { fill: #57606a; font-size: 11px }
  rect { fill: #f6f8fa; stroke: #8c959f }
  .tile { fill: #b6e3ff }
  .vector { fill: #ffdfb6 }
  .number { fill: #c6f0c2 }
  path { stroke: #57606a; fill: none; marker-end: url(#tip) }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .says { fill: #9198a1 } rect { fill: #151b23; stroke: #656c76 }
    .tile { fill: #0c4a75 } .vector { fill: #7a4a10 } .number { fill: #22602a } path { stroke: #9198a1 }
  }
"""


def figures() -> dict[str, str]:
    """The text of each figure, by file name."""
    tile = "\n".join(_register_tile())
    panel = "\n".join(_packed_panel())
    return {
        "register_tile.svg": _svg(640, 262, f"{ROWS} x {VECTORS} vectors that stay in registers", tile),
        "packed_panel.svg": _svg(680, 284, "Weights stored as panels, in the order of reading", panel),
    }


def _register_tile() -> Iterator[str]:
    """One iteration of `k`: two numbers of x, five vectors of w1, ten sums."""
    left, top, width, height = 150, 120, 84, 34
    yield _text(left, 24, "w1[k, n … n + 40]: loaded once, used by both rows", "says")
    for j in range(VECTORS):
        yield _box(left + j * (width + 6), 36, width, height, "vector", f"n + {LANES * j}" if j else "n")
        yield f'<path d="M{left + j * (width + 6) + width / 2} {36 + height + 4} v{top - 36 - height - 10}"/>'
    yield _text(8, top - 12, "x[m + i, k]: broadcast", "says")
    for i in range(ROWS):
        y = top + i * (height + 8)
        yield _box(8, y, 96, height, "number", f"m + {i}" if i else "m")
        yield f'<path d="M108 {y + height / 2} h{left - 116}"/>'
        for j in range(VECTORS):
            yield _box(left + j * (width + 6), y, width, height, "tile", f"acc {i * VECTORS + j}")
    y = top + ROWS * (height + 8) + 18
    sums = ROWS * VECTORS
    yield _text(left, y, f"acc = acc + x * w1: {sums} multiply-adds on vectors of {LANES} floats for each k", "says")
    registers = f"{sums} sums, 1 vector of w1, {ROWS} numbers of x: {sums + ROWS + 1} of 16 vector registers"
    yield _text(left, y + 20, registers, "says")


def _packed_panel() -> Iterator[str]:
    """The matrix as it is in the file, and the same numbers as panels."""
    panels, width = COLUMNS // (VECTORS * LANES), VECTORS * LANES
    yield _text(8, 22, f"w1 as it is: {DEPTH} rows of {COLUMNS}", "name")
    for j in range(panels):
        yield _box(8 + j * 88, 34, 88, 88, "tile" if j == 1 else "", f"{width} columns")
        for i in range(4 if j == 1 else 0):
            yield f'<path d="M{12 + j * 88} {44 + i * 12 + 30 * (i > 1)} h76"/>'
    yield _text(460, 60, f"the next row of a panel is {4 * COLUMNS}", "says")
    yield _text(460, 76, "bytes away: a new line of cache,", "says")
    yield _text(460, 92, "which the prefetcher may miss", "says")
    yield f'<path d="M{8 + 88 + 44} 126 v34"/>'
    yield _text(160, 148, f"pack(w1, n) after tile(n, {width})", "name")
    yield _text(8, 184, f"w1 as panels: {panels} x {DEPTH} x {width}, each in one piece", "name")
    for j in range(panels):
        yield _box(8 + j * 124, 196, 120, 40, "tile" if j == 1 else "", f"panel {j}")
    yield f'<path d="M{8 + 124} 252 h116"/>'
    yield _text(8 + 124, 272, f"{4 * DEPTH * width} bytes that all rows of x read from front to back", "says")


def _box(x: float, y: float, width: float, height: float, kind: str, label: str) -> str:
    box = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" class="{kind}"/>'
    return box + _text(x + width / 2, y + height / 2 + 4, label, anchor="middle")


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(width: int, height: int, label: str, body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">\n'
        f"<style>{_STYLE}</style>\n"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<polygon points="0,0 8,4 0,8" fill="#57606a"/></marker></defs>\n{body}\n</svg>\n'
    )


def main() -> None:
    """Write the figures."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in figures().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
