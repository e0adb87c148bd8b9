"""What the builder keeps on the parser's stack while a region is open."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block

from mlc.syntax.lexer import OpenBrace
from mlc.syntax.scopes import Scope


@dataclass
class OpenRegion:
    """A region of which the opening brace was read."""

    scope: Scope
    entry: Block | None
    """The first block, where the operation has given it arguments."""
    brace: OpenBrace
