"""Schedules in words."""

from __future__ import annotations

from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import step_names
from mlc.schedules.steps.blocked_summation import BlockedSummation
from mlc.schedules.steps.cache_read import CacheRead
from mlc.schedules.steps.cache_write import CacheWrite
from mlc.schedules.steps.clang import Clang
from mlc.schedules.steps.clip import Clip
from mlc.schedules.steps.degree import Degree
from mlc.schedules.steps.dot import Dot
from mlc.schedules.steps.dot_taps import DotTaps
from mlc.schedules.steps.fuse import Fuse
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.llvm_unroll import LlvmUnroll
from mlc.schedules.steps.mma import Mma
from mlc.schedules.steps.pack import Pack
from mlc.schedules.steps.partition import Partition
from mlc.schedules.steps.prefetch import Prefetch
from mlc.schedules.steps.prefetch_next import PrefetchNext
from mlc.schedules.steps.reuse_result import ReuseResult
from mlc.schedules.steps.split_reduction import SplitReduction
from mlc.schedules.steps.store_early import StoreEarly
from mlc.schedules.steps.threads import Threads
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unpack import Unpack
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.unroll_reduction import UnrollReduction
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.steps.vectorize_reduction import VectorizeReduction
from mlc.tools.schedule_text import describe_schedule

from .programs import KERNEL, parse_kernel


def test_every_step_has_words() -> None:
    _, kernel = parse_kernel(KERNEL)
    steps = [
        Interchange.around("n", "m"),
        Tile("n", 64),
        Clip("m"),
        Pack("w", "n"),
        Tile("w_lane", 16),
        Tile("ni", 16),
        Vectorize("nii", 16),
        Unroll("ni"),
        UnrollReduction("ni"),
        Fuse("m"),
        Vectorize("m", 8),
        Tile("m", 8),
        VectorizeReduction("k", 4),
        SplitReduction("k", 2),
        BlockedSummation("k", 16),
        CacheWrite("k", "ni"),
        CacheRead("w", "n"),
        LlvmUnroll("k", 4),
        Unroll("k"),
        Prefetch("k"),
        PrefetchNext("n", "m"),
        Threads("n"),
        ReuseResult("n"),
        Clang(1),
        Degree("exp", 5),
        Dot("k", 2),
        Mma("m", "n", "k"),
        Unpack("k"),
        DotTaps("k", 4),
        StoreEarly("k"),
        Partition("m"),
    ]
    kernel.attributes["schedule"] = ScheduleAttr.of(steps)
    assert {step.name for step in steps} == set(step_names())
    assert dict(describe_schedule(kernel, {("kernel", 1)})) == {
        "interchange(n, m)": "n runs around m",
        "tile(n, 64)": "3 blocks of 64, and one of 8",
        "clip(m)": "windows along m begin and end where the image does, which avoids a copy",
        "partition(m)": "windows at the border along m stay inside the image, which avoids a copy",
        "pack(w, n)": "the compiler stores w as panels, one for each block of n, so that it is read front to back",
        "tile(w_lane, 16)": "4 blocks of 16",
        "tile(ni, 16)": "4 blocks of 16",
        "vectorize(nii, 16)": "vectors of 16 lanes",
        "unroll(ni)": "4 copies side by side, with registers of their own",
        "unroll_reduction(ni)": "4 copies side by side, with registers of their own, up to the end of a reduction; "
        "a loop computes what follows",
        "fuse(m)": "loops m that stand side by side become one",
        "vectorize(m, 8)": "vectors of 8 lanes, of which 6 compute",
        "tile(m, 8)": "one block of all 6",
        "vectorize_reduction(k, 4)": "4 partial results side by side, combined after the loop",
        "split_reduction(k, 2)": "2 results that take turns, so that no iteration waits for the one before it",
        "blocked_summation(k, 16)": "3 blocks of 16, and one of 2, whose sums start from 0",
        "mma(m, n, k)": "1 x 3 sums at once, products of matrices in registers",
        "store_early(k)": "one of the sums is stored after each iteration of k: what stores them stays awake",
        "dot(k, 2)": "2 products are added by one instruction, a dot product of words of 32 bits",
        "unpack(k)": "weights are stored in words of 8, four bits each, and unpacked in registers",
        "dot_taps(k, 4)": "4 taps are added by one instruction, of a word that neighbours of the image are put into",
        "llvm_unroll(k, 4)": "LLVM makes a copy for each iteration",
        "unroll(k)": "3 copies after each other",
        "cache_write(k, ni)": "k runs around ni; partial results wait in a buffer",
        "cache_read(w, n)": "what an iteration of n reads of w is copied to a buffer first, and widened",
        "prefetch(k)": "what is read and written after k is asked for before it",
        "prefetch_next(n, m)": "while n runs, what it reads in the next iteration of m is brought into the first cache",
        "threads(n)": "the iterations are spread over threads",
        "reuse_result(n)": "what n reads, and stores a result for, waits in the memory of the result",
        "degree(exp, 5)": "a polynomial of degree 5; exp is off by 2.3 units in the last place at most",
        "clang(1)": "clang compiles the kernel with -O1",
    }
    kernel.attributes["schedule"] = ScheduleAttr.of(
        [Threads("n", 4), Threads("m", 1), LlvmUnroll("k", 1), LlvmUnroll("k", 2)]
    )
    assert dict(describe_schedule(kernel, ())) == {
        "threads(n, 4)": "the iterations are spread over 4 threads at most",
        "threads(m, 1)": "the iterations stay on one thread",
        "llvm_unroll(k, 1)": "LLVM does not unroll it",
        "llvm_unroll(k, 2)": "LLVM puts 2 iterations into one",
    }
    kernel.attributes["schedule"] = ScheduleAttr.of([Partition("m"), Tile("m", 4), Tile("n", 64)])
    blocks = dict(describe_schedule(kernel, ()))
    assert blocks["tile(m, 4)"] == "blocks of 4", "nobody knows how many iterations the border takes"
    assert blocks["tile(n, 64)"] == "3 blocks of 64, and one of 8"
    kernel.attributes["schedule"] = ScheduleAttr.of(steps)
    assert dict(describe_schedule(kernel, ()))["pack(w, n)"].startswith("the kernel first copies w")
