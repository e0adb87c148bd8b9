"""What a run has to say about where it ran, and keeping it on its cores."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_PACKAGES = ("mlc", "onnxruntime", "openvino", "onnx", "numpy", "xdsl")


def pin(cores: list[int], threads: int) -> None:
    """Keep this process, and all threads that libraries start from now on, on `cores`.

    To be called before NumPy is imported, whose libraries start their threads then.
    """
    os.sched_setaffinity(0, cores)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)


def default_cores(threads: int) -> list[int]:
    """The last of the cores that this process may use: the first is where systems put interrupts."""
    return sorted(os.sched_getaffinity(0))[-threads:]


def describe(target: str, threads: int, cores: list[int], rounds: int, date: str) -> dict[str, Any]:
    """Machine, compiler, versions and options, for the JSON file."""
    from mlc.targets.cache import Cache
    from mlc.targets.machine import resolve_target
    from mlc.targets.toolchain import find_clang

    machine = resolve_target(target)
    return {
        "date": date,
        "machine": cpu_model(),
        "system": platform.platform(),
        "target": target,
        "host": resolve_target("native").cpu,
        "cpu": machine.cpu,
        "features": list(machine.features),
        "caches": {"L1": machine.l1_bytes, "L2": machine.l2_bytes, "L3": machine.l3_bytes},
        "clang": find_clang(None, Cache.default()).version,
        "flags": list(machine.clang_flags),
        "threads": threads,
        "cores": cores,
        "rounds": rounds,
        "python": platform.python_version(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def cpu_model() -> str:
    """The CPU as it calls itself, with what LLVM calls it where that says more."""
    from mlc.architectures import kernel_entries
    from mlc.targets import host

    model = kernel_entries().get("model name") or platform.machine()
    known = host.cpu()
    return f"{model} ({known.name})" if known else model


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
