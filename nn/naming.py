"""Names of the ops that a layer writes, by which pages and reports tell one layer from another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects.builtin import NameLoc, StringAttr

from mlc.frontends.operators.graph_builder import GraphBuilder


@contextmanager
def named(b: GraphBuilder, name: str) -> Generator[None]:
    """Call the ops that are written meanwhile `<name>.<operator>`, but for those that got a name already; not at all
    without a name. The names of layers are those of their tensors: `blk.0.attn_q.scaled_matmul`.
    """
    last = b.before.prev_op
    yield
    if not name:
        return
    block = b.before.parent_block()
    assert block is not None
    op, counts = block.first_op if last is None else last.next_op, Counter[str]()
    while op is not None and op is not b.before:
        if op.location == b.before.location:
            kind = op.name.partition(".")[2]
            number = f"_{counts[kind]}" if counts[kind] else ""
            counts[kind] += 1
            op.location = NameLoc(StringAttr(f"{name}.{kind}{number}"), b.before.location)
        op = op.next_op
