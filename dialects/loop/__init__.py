"""The loop dialect: *how* things are computed, as loop nests over memrefs, and schedules that shape them.

Functions return nothing: outputs are trailing arguments marked `mlc.output`, and the arena that `plan-memory` makes
of all buffers is a last argument marked `mlc.workspace`. Private functions are kernels; the public function is the
model. Reshapes are views. Weights are `loop.constant`, a value.

A loop is `parallel` if its iterations are independent, which is a fact, and `threads` if they are spread over
threads, which is a decision.
"""

from xdsl.ir import Dialect

from mlc.dialects.loop.constant import ConstantOp
from mlc.dialects.loop.control import (
    LOOP_ANNOTATION,
    MOST_THREADS,
    ForOp,
    YieldOp,
    enclosing_loops,
)
from mlc.dialects.loop.dot import DotOp, WordOp
from mlc.dialects.loop.kinds import LoopKind, LoopKindAttr
from mlc.dialects.loop.limits import LIMITS, Limit, LimitsAttr
from mlc.dialects.loop.lookup import LookupOp
from mlc.dialects.loop.memory import CONSECUTIVE, Lanes, LoadOp, StoreOp
from mlc.dialects.loop.mma import MmaOp
from mlc.dialects.loop.outer_dot import OuterDotOp
from mlc.dialects.loop.prefetch import PrefetchOp
from mlc.dialects.loop.row import RowOp
from mlc.dialects.loop.schedule import ScheduleAttr
from mlc.dialects.loop.span import SpanOp
from mlc.dialects.loop.unpack import UnpackBytesOp, UnpackOp

Loop = Dialect(
    "loop",
    [
        ForOp,
        YieldOp,
        ConstantOp,
        LoadOp,
        StoreOp,
        PrefetchOp,
        RowOp,
        SpanOp,
        DotOp,
        WordOp,
        OuterDotOp,
        MmaOp,
        UnpackBytesOp,
        UnpackOp,
        LookupOp,
    ],
    [LoopKindAttr, ScheduleAttr, LimitsAttr],
)

__all__ = [
    "CONSECUTIVE",
    "LIMITS",
    "LOOP_ANNOTATION",
    "MOST_THREADS",
    "ConstantOp",
    "DotOp",
    "ForOp",
    "Lanes",
    "Limit",
    "LimitsAttr",
    "LoadOp",
    "LookupOp",
    "Loop",
    "LoopKind",
    "LoopKindAttr",
    "MmaOp",
    "OuterDotOp",
    "PrefetchOp",
    "RowOp",
    "ScheduleAttr",
    "SpanOp",
    "StoreOp",
    "UnpackBytesOp",
    "UnpackOp",
    "WordOp",
    "YieldOp",
    "enclosing_loops",
]
