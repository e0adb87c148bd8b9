"""Where nodes of `torch.fx` come from, in the source of the model."""

from __future__ import annotations

import re
from typing import Any

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, NameLoc, StringAttr

from mlc.dialects.aten.ops import NoneOp
from mlc.support.errors import SourceLocation
from mlc.support.locations import location_of

_FRAME = re.compile(r'File "([^"]+)", line (\d+), in ')


def file_of(node: Any, file: str) -> FileLineColLoc:
    """The line of the model's source that a node was made for, if that is known; else the model, which is `file`."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "") if node is not None else []
    found, line = frames[-1] if frames else (file, 0)
    return FileLineColLoc(StringAttr(found), IntAttr(int(line)), IntAttr(0))


def place_of(node: Any, file: str) -> SourceLocation | None:
    """The same as messages have it."""
    op = NoneOp()
    op.location = NameLoc(StringAttr(node.name), file_of(node, file))
    return location_of(op)
