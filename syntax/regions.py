"""What the builder keeps on the parser's stack while an operation or a region is not complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from xdsl.ir import Block

from mlc.syntax.lexer import OpenBrace
from mlc.syntax.scopes import Scope


class Result(NamedTuple):
    """A name on the left of an operation."""

    name: str
    size: int
    """How many values it stands for."""
    position: int


@dataclass
class OpenRegion:
    """A region of which the opening brace was read."""

    scope: Scope
    entry: Block | None
    """The first block, where the operation has given it arguments."""
    brace: OpenBrace
