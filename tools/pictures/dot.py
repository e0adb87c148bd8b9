"""Pictures as DOT, the language of Graphviz: `mlc-opt model.mlir --emit=dot:ops | dot -Tpng`."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.tools.pictures.picture import NodePicture, printable

_STYLES = {
    "op": 'style="rounded,filled" fillcolor="#dbe9ff"',
    "kernel": 'style="rounded,filled" fillcolor="#d9f2d9"',
    "end": 'style="filled" fillcolor="#f2f2f2"',
    "elsewhere": 'style="dashed"',
}


def to_dot(pictures: Sequence[NodePicture]) -> str:
    """Pictures as one graph, each being a cluster of it."""
    lines = ["digraph {", '  node [shape=box fontname="sans-serif" fontsize=10]', '  edge [fontname="sans-serif"]']
    for number, picture in enumerate(pictures):
        lines += [f"  subgraph cluster_{number} {{", f"    label={_quoted(picture.title)}"]
        for place, node in enumerate(picture.nodes):
            lines.append(f"    n{number}_{place} [label={_quoted(*node.lines)} {_STYLES[node.kind]}]")
        for edge in picture.edges:
            options = [f"label={_quoted(edge.label)}"] if edge.label else []
            options += ["style=dashed constraint=false"] if edge.is_dashed else []
            ends = f"n{number}_{edge.source} -> n{number}_{edge.target}"
            lines.append(f"    {ends}" + (f" [{' '.join(options)}]" if options else ""))
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _quoted(*lines: str) -> str:
    """Lines as a string of DOT, in which a backslash begins an escape."""
    escaped = (printable(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
