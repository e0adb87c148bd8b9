"""runtime/threads.c: each index is called once, on as many threads as may be, whatever the program around it does."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.targets.cache import Cache
from mlc.targets.glue import threads_unit
from mlc.targets.host import core_count
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_clang, find_linker
from mlc.targets.units import Compiler, Processes, Unit, clang_flags

_HOST = Unit("host", (Path(__file__).parent / "pool_host.c").read_text(encoding="utf-8"), "c")
_PATIENCE = 1 << 30
"""Turns of an empty loop that a thread waits for another: far longer than it takes on a busy machine."""

two_cores = pytest.mark.skipif(core_count() < 2, reason="needs two cores")


@pytest.fixture(scope="session")
def make_pool(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Builds a library out of the pool and pool_host.c: `make_pool(threads)`."""

    def make(threads: int) -> Path:
        folder, cache, machine = tmp_path_factory.mktemp("pool"), Cache.default(), resolve_target("native")
        clang = find_clang(None, cache)
        compiler = Compiler(clang, clang_flags(machine, 3), cache, Processes())
        objects, _ = compiler.compile_all([threads_unit(threads, machine), _HOST], folder, None)
        linker = find_linker(machine.arch, clang, cache)
        subprocess.run([*linker.command, "-shared", "-o", str(folder / "pool.so"), *map(str, objects)], check=True)
        return folder / "pool.so"

    return make


@pytest.fixture(scope="session")
def pool(make_pool: Callable[[int], Path]) -> ctypes.CDLL:
    """A pool of two threads."""
    return ctypes.CDLL(str(make_pool(2)))


def calls(pool: ctypes.CDLL, count: int) -> list[int]:
    """How often the task is called for each index of a loop."""
    counts = np.zeros(count, np.int64)
    pool.count_calls(ctypes.c_void_p(counts.ctypes.data), ctypes.c_int64(count))
    return counts.tolist()


def can_meet(pool: ctypes.CDLL, people: int = 2, patience: int = _PATIENCE) -> bool:
    """Whether this number of calls is under way at the same time."""
    return bool(pool.can_meet(ctypes.c_int64(people), ctypes.c_int64(patience)))


def run_python(library: Path, text: str) -> None:
    """Run a script in a process of its own, where `pool` is the library."""
    prelude = f"""
import ctypes, os
pool = ctypes.CDLL({str(library)!r}, ctypes.RTLD_GLOBAL)
def can_meet(patience): return bool(pool.can_meet(ctypes.c_int64(2), ctypes.c_int64(patience)))
def threads(): return len(os.listdir("/proc/self/task"))
"""
    subprocess.run([sys.executable, "-c", prelude + text], check=True, timeout=60)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 31, 32, 33, 1000, 100_003])
def test_each_index_is_called_once(pool: ctypes.CDLL, count: int) -> None:
    assert calls(pool, count) == [1] * count


def test_many_short_loops(pool: ctypes.CDLL) -> None:
    """Workers that come late to a loop do no harm to the next."""
    for count in list(range(2, 40)) * 50:
        assert calls(pool, count) == [1] * count


def test_a_loop_in_a_loop(pool: ctypes.CDLL) -> None:
    counts = np.zeros((50, 40), np.int64)
    pool.count_nested(ctypes.c_void_p(counts.ctypes.data), ctypes.c_int64(50), ctypes.c_int64(40))
    assert (counts == 1).all()


@two_cores
def test_signals_are_for_the_threads_of_the_program(make_pool: Callable[[int], Path]) -> None:
    """A server that waits by `sigwait` gets them, although the workers were there before it blocked them."""
    run_python(
        make_pool(2),
        """
import signal
before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
assert can_meet(10**9) and threads() == 2
assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before, "the caller's own mask is as it was"
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGUSR1})
for each in (signal.SIGTERM, signal.SIGUSR1):
    os.kill(os.getpid(), each)
    assert signal.sigwait({each}) == each
(worker,) = set(os.listdir("/proc/self/task")) - {str(os.getpid())}
blocked = int(next(l for l in open(f"/proc/self/task/{worker}/status") if l.startswith("SigBlk")).split()[1], 16)
for fault in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
    assert not blocked >> (fault - 1) & 1, "a handler of faults works in workers, too"
assert not blocked >> 32 & 1, "the C library reaches all threads"
""",
    )


@two_cores
def test_two_threads_work_at_the_same_time(pool: ctypes.CDLL) -> None:
    assert can_meet(pool)
    time.sleep(0.005)  # now the worker sleeps
    assert can_meet(pool)


def test_several_host_threads_at_once(pool: ctypes.CDLL) -> None:
    barrier, wrong = threading.Barrier(4), list[int]()

    def work(count: int) -> None:
        barrier.wait()
        for _ in range(300):
            if calls(pool, count) != [1] * count:
                wrong.append(count)

    workers = [threading.Thread(target=work, args=(n,)) for n in (2, 17, 100, 1000)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


@two_cores
def test_a_forked_process_starts_its_own_pool(make_pool: Callable[[int], Path]) -> None:
    run_python(
        make_pool(2),
        f"""
assert can_meet({_PATIENCE}) and threads() == 2
child = os.fork()
if child == 0:
    os._exit(0 if threads() == 1 and can_meet({_PATIENCE}) and threads() == 2 else 1)
assert os.waitpid(child, 0)[1] == 0
assert can_meet({_PATIENCE})
""",
    )


def test_no_more_threads_than_cpus(make_pool: Callable[[int], Path]) -> None:
    run_python(make_pool(1000), "can_meet(1000); assert threads() == len(os.sched_getaffinity(0))")
    only_one = "os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])"
    run_python(make_pool(2), f"{only_one}; assert not can_meet(1000) and threads() == 1")


@two_cores
@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads a register of x86")
@pytest.mark.parametrize("mode", [0x9FC0, 0x1F80, 0x7F80])
def test_workers_use_the_floating_point_mode_of_the_caller(pool: ctypes.CDLL, mode: int) -> None:
    """Subnormal numbers flushed to zero; the default; rounding towards zero."""
    assert pool.shares_float_mode(mode) == 1


@pytest.mark.parametrize("target", ["x86-64-v2", "cortex-a53", "neoverse-n1"])
def test_the_compiler_has_nothing_to_say(target: str, tmp_path: Path) -> None:
    cache = Cache.default()
    strict = ("-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-pedantic", "-Werror")
    machine = resolve_target(target)
    flags = (*clang_flags(machine, 3), *strict)
    Compiler(find_clang(None, cache), flags, cache, Processes()).compile(
        threads_unit(4, machine), tmp_path / "threads.o"
    )


_MODEL = """
func.func @main(%x: tensor<256x4096xf32>) -> tensor<256x4096xf32> {
  %y = graph.tanh %x : tensor<256x4096xf32>
  return %y : tensor<256x4096xf32>
}
"""


@pytest.fixture(params=["system", "zig"])
def either_clang(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test with a clang on PATH, and with PATH empty."""
    if request.param == "zig":
        pytest.importorskip("ziglang")
        monkeypatch.setenv("PATH", "/nonexistent")
    elif find_clang(None, Cache.default()).origin != "on PATH":
        pytest.skip("no clang on PATH")


def dynamic_section(library: Path, option: str) -> str:
    readelf = Path("/usr/bin/readelf")
    if not readelf.exists():
        pytest.skip("readelf is not installed")
    return subprocess.run([readelf, "-W", option, library], capture_output=True, text=True, check=True).stdout


@pytest.mark.usefixtures("either_clang")
def test_only_threaded_artifacts_have_a_pool(tmp_path: Path) -> None:
    x = np.linspace(-2, 2, 256 * 4096, dtype=np.float32).reshape(256, 4096)
    results: list[Any] = []
    for threads in (1, 2):
        model = mlc.compile(_MODEL, threads=threads)
        results.append(model(x))
        model.save(tmp_path / f"{threads}.so")
    np.testing.assert_array_equal(results[0].view(np.int32), results[1].view(np.int32))
    single, threaded = (dynamic_section(tmp_path / f"{n}.so", "--dyn-syms") for n in (1, 2))
    assert "pthread" not in single and "mlc_parallel_for" not in single
    assert [line.split()[4:] for line in threaded.splitlines() if " UND " in line][1:] == [
        ["WEAK", "DEFAULT", "UND", "pthread_create"]
    ]
    assert any(line.split()[4:6] == ["WEAK", "DEFAULT"] for line in threaded.splitlines() if "mlc_parallel_for" in line)
    libraries = dynamic_section(tmp_path / "2.so", "-d")
    assert "NODELETE" in libraries and "NEEDED" not in libraries


def test_a_program_may_bring_its_own_pool(tmp_path: Path) -> None:
    """Here the program is Python with a library in the global scope."""
    mlc.compile(_MODEL, threads=2).save(tmp_path / "model.so")
    run_python(
        _own_pool(tmp_path),
        f"""
import mlc
import numpy as np

counts = []

@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
def own(task, context, count):
    counts.append(count)
    task = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(task)
    for i in range(count):
        task(context, i)

ctypes.c_void_p.in_dll(pool, "own").value = ctypes.cast(own, ctypes.c_void_p).value
model = mlc.load({str(tmp_path / "model.so")!r})
np.testing.assert_allclose(model(np.ones((256, 4096), np.float32)), np.tanh(1), rtol=1e-6)
assert len(counts) == 1 and counts[0] >= 2, counts
""",
    )


def _own_pool(folder: Path) -> Path:
    """A library whose mlc_parallel_for calls the function that the variable `own` points to."""
    cache, machine = Cache.default(), resolve_target("native")
    clang = find_clang(None, cache)
    compiler = Compiler(clang, clang_flags(machine, 3), cache, Processes())
    text = """
void (*own)(void *task, void *context, long count);
void mlc_parallel_for(void *task, void *context, long count) { own(task, context, count); }
"""
    compiler.compile(Unit("own", text, "c"), folder / "own.o")
    linker = find_linker(machine.arch, clang, cache)
    subprocess.run([*linker.command, "-shared", "-o", folder / "own.so", folder / "own.o"], check=True)
    return folder / "own.so"
