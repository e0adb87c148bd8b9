"""Pictures as SVG, which browsers and notebooks show: nothing in it is loaded from elsewhere, and no script runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from mlc.tools.pictures.layered import GAP, Point, layered
from mlc.tools.pictures.picture import NodePicture, PictureNode, printable

_LETTER, _LINE, _PADDING = 6.8, 14.0, 8.0
_GAP = 40.0
"""Between layers, and between pictures."""
_MARGIN = 16.0
_LONGEST = 48
"""The letters of a line that are drawn; all of them are in the title that a pointer shows."""
_CLASS = "mlc-picture"
"""Rules of style hold for these pictures alone, also where a page has them inside."""
_LIGHT = {
    "text": "font: 11px system-ui, sans-serif; fill: #1b1f24",
    ".title": "font-weight: 600; font-size: 13px",
    "rect": "fill: #dbe9ff; stroke: #57606a",
    ".kernel rect": "fill: #d9f2d9",
    ".end rect": "fill: #f2f2f2",
    ".elsewhere rect": "fill: none; stroke-dasharray: 4",
    "path": "fill: none; stroke: #57606a",
    ".dashed": "stroke-dasharray: 4",
    "marker path": "fill: #57606a; stroke: none",
}
_DARK = {
    "text": "fill: #e6edf3",
    "rect": "fill: #1f3350; stroke: #8b949e",
    ".kernel rect": "fill: #1d3b26",
    ".end rect": "fill: #2b3036",
    ".elsewhere rect": "fill: none",
    "path": "stroke: #8b949e",
    "marker path": "fill: #8b949e; stroke: none",
}
_ARROW = (
    '<defs><marker id="mlc-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0L8 4L0 8z"/></marker></defs>'
)


def to_svg(pictures: Sequence[NodePicture]) -> str:
    """Pictures below each other."""
    body: list[str] = []
    width, top = 0.0, _MARGIN
    for picture in pictures:
        drawn = _Drawn(picture, top)
        body += drawn.elements()
        width, top = max(width, drawn.width), top + drawn.height + _GAP
    across, down = f"{width + 2 * _MARGIN:.0f}", f"{max(top - _GAP, 0) + _MARGIN:.0f}"
    names = escape(", ".join(printable(picture.title) for picture in pictures)) or "nothing"
    size = f'width="{across}" height="{down}" viewBox="0 0 {across} {down}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" class="{_CLASS}"><title>{names}</title>']
    dark = f"@media (prefers-color-scheme: dark) {{ {_style(_DARK)} }}"
    lines.append(f"<style>{_style(_LIGHT)}\n{dark}</style>{_ARROW}")
    return "\n".join([*lines, *body, "</svg>", ""])


def _style(rules: Mapping[str, str]) -> str:
    return " ".join(f".{_CLASS} {selector} {{ {said} }}" for selector, said in rules.items())


class _Drawn:
    """One picture; its first line is its title."""

    def __init__(self, picture: NodePicture, top: float) -> None:
        self._picture, self._top = picture, top
        self._solid = [edge for edge in picture.edges if not edge.is_dashed]
        widths = [max(len(_cut(line)) for line in node.lines) * _LETTER + 2 * _PADDING for node in picture.nodes]
        self._layout = layered(widths, [(edge.source, edge.target) for edge in self._solid])
        heights = [0.0] * self._layout.layers
        for node, point in zip(picture.nodes, self._layout.points, strict=True):
            heights[point.layer] = max(heights[point.layer], len(node.lines) * _LINE + _PADDING)
        self._tops, y = list[float](), top + _GAP / 2
        for height in heights:
            self._tops.append(y)
            y += height + _GAP
        self._heights = heights
        self.height = max(y - _GAP, top) - top
        right = max((point.x + point.width / 2 for path in self._layout.paths for point in path), default=0.0)
        boxes = max((point.x + point.width / 2 + GAP for point in self._layout.points), default=0.0)
        self.width = max(right, boxes, len(_cut(picture.title)) * 1.3 * _LETTER)

    def elements(self) -> Iterator[str]:
        """The lines of the text of it."""
        yield f'<text class="title" x="{_MARGIN}" y="{self._top + 4:.0f}">{escape(_cut(self._picture.title))}</text>'
        for edge, path in zip(self._solid, self._layout.paths, strict=True):
            yield from self._arrow(path, edge.label, "")
        for edge in self._picture.edges:
            if edge.is_dashed:
                points = [self._layout.points[number] for number in (edge.source, edge.target)]
                yield from self._arrow(points, edge.label, ' class="dashed"')
        for node, point in zip(self._picture.nodes, self._layout.points, strict=True):
            yield from self._box(node, point)

    def _ends(self, point: Point) -> tuple[float, float, float]:
        """The middle of a point, and its top and bottom."""
        top = self._tops[point.layer]
        return point.x + _MARGIN, top, top + self._heights[point.layer]

    def _arrow(self, path: Sequence[Point], label: str, style: str) -> Iterator[str]:
        """An edge down through some points; one that does not lead down goes around the right sides of its ends."""
        (x, top, y), *middle, (end_x, end_y, end_bottom) = (self._ends(point) for point in path)
        if path[0].layer < path[-1].layer:
            words = [f"M{x:.0f} {y:.0f}"]
            for across, upper, lower in middle:
                words.append(_curve(x, y, across, upper) + f"L{across:.0f} {lower:.0f}")
                x, y = across, lower
            words.append(_curve(x, y, end_x, end_y))
        else:
            x, end_x = x + path[0].width / 2, end_x + path[-1].width / 2
            # From below the middle to above it, for an edge from a box to itself.
            y, end_y = (top + 2 * y) / 3, (2 * end_y + end_bottom) / 3
            out = max(x, end_x) + GAP - 4
            words = [f"M{x:.0f} {y:.0f}C{out:.0f} {y:.0f} {out:.0f} {end_y:.0f} {end_x:.0f} {end_y:.0f}"]
        yield f'<path{style} d="{"".join(words)}" marker-end="url(#mlc-arrow)"/>'
        if label:
            yield f'<text x="{(x + end_x) / 2 + 4:.0f}" y="{(y + end_y) / 2:.0f}">{escape(_cut(label))}</text>'

    def _box(self, node: PictureNode, point: Point) -> Iterator[str]:
        middle, top, bottom = self._ends(point)
        left = middle - point.width / 2
        whole = escape("\n".join(printable(line) for line in node.lines))
        yield f'<g class="{node.kind}"><title>{whole}</title>'
        yield (f'<rect x="{left:.0f}" y="{top:.0f}" width="{point.width:.0f}" height="{bottom - top:.0f}" rx="5"/>')
        for number, line in enumerate(node.lines, 1):
            y = top + number * _LINE
            yield f'<text x="{left + _PADDING:.0f}" y="{y:.0f}">{escape(_cut(line))}</text>'
        yield "</g>"


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (y + to_y) / 2
    return f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}"


def _cut(line: str) -> str:
    line = printable(line)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
