"""The loop dialect: *how* things are computed, as loop nests over memrefs, and schedules that shape them."""

from xdsl.ir import Dialect

from mlc.dialects.loop.constant import ConstantOp
from mlc.dialects.loop.control import (
    LOOP_ANNOTATION,
    MOST_THREADS,
    ForOp,
    LoopKind,
    LoopKindAttr,
    YieldOp,
    enclosing_loops,
)
from mlc.dialects.loop.memory import CONSECUTIVE, Lanes, LoadOp, StoreOp
from mlc.dialects.loop.prefetch import PrefetchOp
from mlc.dialects.loop.row import RowOp
from mlc.dialects.loop.schedule import ScheduleAttr
from mlc.dialects.loop.span import SpanOp

Loop = Dialect(
    "loop",
    [ForOp, YieldOp, ConstantOp, LoadOp, StoreOp, PrefetchOp, RowOp, SpanOp],
    [LoopKindAttr, ScheduleAttr],
)

__all__ = [
    "CONSECUTIVE",
    "LOOP_ANNOTATION",
    "MOST_THREADS",
    "ConstantOp",
    "ForOp",
    "Lanes",
    "LoadOp",
    "Loop",
    "LoopKind",
    "LoopKindAttr",
    "PrefetchOp",
    "RowOp",
    "ScheduleAttr",
    "SpanOp",
    "StoreOp",
    "YieldOp",
    "enclosing_loops",
]
