"""The picture of ARCHITECTURE.md, drawn from the default pipeline.

python docs/generate_architecture.py           write docs/architecture.svg
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from mlc.pass_manager.ir_levels import LEVELS, SOURCE_LEVELS
from mlc.pass_manager.pipeline import PIPELINE

FILE = Path(__file__).parent / "architecture.svg"

_WIDTH, _GAP, _TOP, _LINE = 196, 34, 76, 17
_LEFT = 118
_READS = {"onnx": "ONNX", "aten": "PyTorch", "stablehlo": "JAX", "gguf": "GGUF"}
_SAYS = {
    "graph": "operators of models",
    "tensor": "index notation, kernels",
    "loop": "loop nests, buffers",
    "llvm": "blocks, pointers",
}
_STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .level { font-weight: 600; font-size: 15px }
  .says { fill: #57606a; font-size: 11px }
  .pass { font: 11px ui-monospace, monospace }
  .always { font-weight: 700 }
  rect { fill: #f6f8fa; stroke: #8c959f }
  path { stroke: #57606a; fill: none; marker-end: url(#tip) }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .says { fill: #9198a1 } rect { fill: #151b23; stroke: #656c76 } path { stroke: #9198a1 }
  }
"""


def picture() -> str:
    """The picture as SVG: a column for each level, with its passes in order; bold are those that run at `-O0`."""
    rows = {level: [step for step in PIPELINE if step.level == level] for level in LEVELS}
    most = max(map(len, rows.values()))
    height = _TOP + 34 + most * _LINE + 34
    width = _LEFT + len(LEVELS) * (_WIDTH + _GAP) + 96
    body = [*_sources(), *(line for i, level in enumerate(LEVELS) for line in _column(i, level)), *_end(len(LEVELS))]
    note = "The passes of the default pipeline, in order. Bold: those of each optimisation level, -O0 included."
    body.append(_text(_LEFT, height - 10, note, "says"))
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            'aria-label="Levels of the IR and the passes between them">',
            f"<style>{_STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<polygon points="0,0 8,4 0,8" fill="#57606a"/></marker></defs>',
            *body,
            "</svg>\n",
        )
    )


def _sources() -> Iterator[str]:
    names = [("text", "MLIR"), *((_READS[level], level) for level in SOURCE_LEVELS)]
    for i, (name, dialect) in enumerate(names):
        y = 18 + i * 38
        yield f'<rect x="8" y="{y}" width="84" height="32" rx="5"/>'
        yield _text(50, y + 13, name, "says", "middle")
        yield _text(50, y + 26, dialect, "pass", "middle")
        yield f'<path d="M92 {y + 16} C 106 {y + 16}, 100 {_TOP - 32}, {_LEFT - 2} {_TOP - 32}"/>'


def _column(index: int, level: str) -> Iterator[str]:
    x = _LEFT + index * (_WIDTH + _GAP)
    yield f'<rect x="{x}" y="18" width="{_WIDTH}" height="52" rx="6"/>'
    yield _text(x + _WIDTH / 2, 40, level, "level", "middle")
    yield _text(x + _WIDTH / 2, 58, _SAYS[level], "says", "middle")
    yield f'<path d="M{x + _WIDTH} {_TOP - 32} h{_GAP - 2}"/>'
    for i, step in enumerate(step for step in PIPELINE if step.level == level):
        name = step.passes.partition("{")[0]
        yield _text(x + 8, _TOP + 22 + i * _LINE, name, "pass always" if step.since == 0 else "pass")


def _end(columns: int) -> Iterator[str]:
    x = _LEFT + columns * (_WIDTH + _GAP)
    yield f'<rect x="{x}" y="18" width="84" height="52" rx="6"/>'
    yield _text(x + 42, 40, "clang", "level", "middle")
    yield _text(x + 42, 58, "object, library", "says", "middle")


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


if __name__ == "__main__":
    FILE.write_text(picture(), encoding="utf-8")
