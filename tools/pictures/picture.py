"""Nodes and edges, before anybody says where they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

NodeKind = Literal["op", "end", "kernel", "elsewhere"]


def printable(text: str) -> str:
    """A text of a model without characters that do something else than stand there."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


@dataclass(frozen=True)
class PictureNode:
    """A box with some lines of text."""

    lines: Sequence[str]
    kind: NodeKind = "op"
    """An op or a block; where values come from or go to; a private function; something that the module only names."""


@dataclass(frozen=True)
class PictureEdge:
    """An arrow between two nodes, by their numbers."""

    source: int
    target: int
    label: str = ""
    is_dashed: bool = False
    """Whether it is drawn over the picture, and has no say in where nodes stand."""


@dataclass(frozen=True)
class NodePicture:
    """Nodes and edges of one function, region or module."""

    title: str
    nodes: Sequence[PictureNode]
    edges: Sequence[PictureEdge]
