"""Tunes one kernel with TVM's MetaSchedule; run by a Python that has apache-tvm, and needs nothing of mlc.

    python metaschedule_worker.py NAME SECONDS CPU

Prints a line of JSON: the seconds per call of the best schedule, and how many were measured.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import signal
import sys
import tempfile
from typing import Any

_MOST_TRIALS = 100_000
"""More than any budget of time is enough for: one search, which the clock ends."""
_BUILD_SECONDS = 60.0
_FAILED_SECONDS = 1e9
"""What MetaSchedule calls the time of a schedule that failed is longer."""


def _product(te: Any, topi: Any, m: int, k: int, n: int) -> list[Any]:
    x, w = te.placeholder((m, k), name="x"), te.placeholder((k, n), name="w")
    r = te.reduce_axis((0, k), name="r")

    def element(i: Any, j: Any) -> Any:
        return te.sum(x[i, r] * w[r, j], axis=r)

    return [x, w, te.compute((m, n), element, name="y")]


def _convolution(te: Any, topi: Any, channels: int, size: int) -> list[Any]:
    x = te.placeholder((1, size, size, channels), name="x")
    w = te.placeholder((3, 3, channels, channels), name="w")
    return [x, w, topi.nn.conv2d_nhwc(x, w, 1, 1, 1)]


def _depthwise(te: Any, topi: Any, channels: int, size: int) -> list[Any]:
    x = te.placeholder((1, size, size, channels), name="x")
    w = te.placeholder((3, 3, channels, 1), name="w")
    return [x, w, topi.nn.depthwise_conv2d_nhwc(x, w, (1, 1), (1, 1, 1, 1), (1, 1))]


def _softmax(te: Any, topi: Any, rows: int, columns: int) -> list[Any]:
    x = te.placeholder((rows, columns), name="x")
    return [x, topi.nn.softmax(x, axis=1)]


def _layer_norm_gelu(te: Any, topi: Any, rows: int, columns: int) -> list[Any]:
    x, w, b = (te.placeholder(s, name=n) for s, n in (((rows, columns), "x"), ((columns,), "w"), ((columns,), "b")))
    y = topi.nn.layer_norm(x, w, b, [1], 1e-5)
    half = topi.multiply(y, 0.5)
    return [x, w, b, topi.multiply(half, topi.add(topi.erf(topi.multiply(y, math.sqrt(0.5))), 1.0))]


KERNELS: dict[str, tuple[Any, tuple[int, ...], list[int]]] = {
    "matmul-512x512x512": (_product, (512, 512, 512), []),
    "linear-128x384x1536": (_product, (128, 384, 1536), [1]),
    "resnet-3x3-64-64-56x56": (_convolution, (64, 56), [1]),
    "depthwise-3x3-192-28x28": (_depthwise, (192, 28), [1]),
    "softmax-512x1024": (_softmax, (512, 1024), []),
    "layer-norm-gelu-512x768": (_layer_norm_gelu, (512, 768), []),
}
"""How each is written, its sizes, and which arguments are weights, whose layout is free."""


def main() -> None:
    """Search for the seconds that are given."""
    name, seconds, cpu = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    os.environ |= {"TVM_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    tvm: Any = importlib.import_module("tvm")
    te: Any = importlib.import_module("tvm.te")
    topi: Any = importlib.import_module("tvm.topi")
    schedules: Any = importlib.import_module("tvm.s_tir.meta_schedule")
    build, sizes, weights = KERNELS[name]
    function = te.create_prim_func(build(te, topi, *sizes))
    if weights:
        function = function.with_attr("layout_free_buffers", weights)
    target = tvm.target.Target({"kind": "llvm", "mcpu": cpu, "num-cores": 1})
    module = tvm.IRModule({"main": function})
    database = schedules.database.MemoryDatabase()
    builder = schedules.builder.LocalBuilder(max_workers=2, timeout_sec=_BUILD_SECONDS)

    def end(*_: object) -> None:
        times = [min(map(float, r.run_secs)) for r in database.get_all_tuning_records() if r.run_secs]
        times = [t for t in times if 0 < t < _FAILED_SECONDS]
        if times:
            print(json.dumps({"seconds": min(times), "measured": len(times)}), flush=True)
        else:
            print("no schedule could be measured", file=sys.stderr, flush=True)
        os._exit(0 if times else 1)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    with tempfile.TemporaryDirectory() as folder:
        schedules.tune_tir(
            mod=module,
            target=target,
            work_dir=folder,
            max_trials_global=_MOST_TRIALS,
            num_trials_per_iter=16,
            builder=builder,
            database=database,
        )
    end()


if __name__ == "__main__":
    main()
