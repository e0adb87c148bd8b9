"""Workers of a Dask cluster: who may measure, what is said if nobody can, and what becomes of work that is lost."""

from __future__ import annotations

import importlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mlc.compiler.compilation import new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.plugins.arguments import PluginArguments
from mlc.schedules.records.record import Record
from mlc.schedules.records.record_file import read_records
from mlc.support.errors import UserError
from mlc.tuning import dask_executor, dask_worker
from mlc.tuning.dask_executor import DaskExecutor
from mlc.tuning.model_parcel import ModelParcel
from mlc.tuning.start import Searches
from mlc.tuning.tuner import Tuner
from mlc.tuning.work import Build, Site, Work
from tests.unit.tuning.interrupts import interrupt_after_the_first_candidate

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_MODEL = """
func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>) -> tensor<64x128xf32> {
  %0 = graph.matmul %x, %w : tensor<64x96xf32>, tensor<96x128xf32> -> tensor<64x128xf32>
  %1 = graph.relu %0 : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    file = tmp_path / "model.mlir"
    file.write_text(_MODEL)
    return str(file)


@pytest.fixture
def distributed() -> Any:
    return pytest.importorskip("distributed")


@contextmanager
def _cluster(distributed: Any, workers: int) -> Generator[str]:
    """The address of a scheduler with some workers, in threads of this process."""
    quiet = {"dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(
        n_workers=workers, processes=False, threads_per_worker=1, protocol="tcp", **quiet
    ) as cluster:
        yield cluster.scheduler_address


def _parcel(options: CompileOptions) -> ModelParcel:
    ctx = new_context()
    module = parse_verified(_MODEL, "model.mlir", ctx, Path())
    return ModelParcel.of(module, ctx, options, None, PluginArguments())


def _tune(mlc: CommandLine, model: str, address: str, *options: str) -> Any:
    records = str(Path(model).parent / "r.jsonl")
    return mlc("tune", model, "--records", records, "--scheduler", address, "--budget", "3s", *options)


def test_without_the_library(mlc: CommandLine, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = _tune(mlc, model, "tcp://127.0.0.1:8786")
    assert result.status == 1
    assert 'error: --scheduler needs the package distributed: pip install "mlc[tune]"' in result.err


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("tcp://127.0.0.1:PORT", "Connection refused"),
        ("nowhere at all", "missing port number"),
        ("tcp://127.0.0.1:port", "'port'"),
        ("http://127.0.0.1:PORT", "unknown address scheme 'http'"),
    ],
)
def test_a_scheduler_that_is_not_there(
    mlc: CommandLine, model: str, address: str, reason: str, distributed: Any
) -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        address = address.replace("PORT", str(taken.getsockname()[1]))
        result = _tune(mlc, model, address)
    assert result.status == 1
    assert f"error: cannot reach a Dask scheduler at '{address}': " in result.err
    assert reason in result.err and "required: the address that `dask scheduler` prints" in result.err


def test_nothing_waits_for_a_client_that_was_never_connected(model: str, distributed: Any, tmp_path: Path) -> None:
    """Nor complains of it, when the process ends."""
    command = [sys.executable, "-m", "mlc", "tune", model, "--records", str(tmp_path / "r.jsonl"), "--scheduler", "foo"]
    start = time.monotonic()
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (found.returncode, found.stderr.count("\n")) == (1, 1), found.stderr
    assert time.monotonic() - start < 2 * dask_executor._CONNECT_SECONDS  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("greeting", "reason"),
    [(b"", "no answer in 0.5 s"), (b"HTTP/1.1 400 Bad Request\r\n\r\n", "what listens there is something else")],
)
def test_what_listens_is_no_scheduler(
    mlc: CommandLine, model: str, greeting: bytes, reason: str, distributed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_executor, "_CONNECT_SECONDS", 0.5)

    def greet(server: socket.socket) -> None:
        for _ in range(2):
            connection, _ = server.accept()
            connections.append(connection)
            connection.sendall(greeting)

    connections: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=greet, args=[server], daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        result = _tune(mlc, model, address)
    for connection in connections:
        connection.close()
    assert result.status == 1
    assert f"error: cannot reach a Dask scheduler at '{address}': {reason}; required: " in result.err


def test_a_worker_is_no_scheduler(mlc: CommandLine, model: str, distributed: Any) -> None:
    with _cluster(distributed, 1) as address:
        client = distributed.Client(address, set_as_default=False)
        (worker,) = client.nthreads()
        client.close()
        result = _tune(mlc, model, worker)
    assert result.status == 1
    assert f"cannot reach a Dask scheduler at '{worker}': what listens there is a Worker of Dask; " in result.err


def test_a_scheduler_without_workers(mlc: CommandLine, model: str, distributed: Any) -> None:
    with _cluster(distributed, 0) as address:
        result = _tune(mlc, model, address)
    assert result.status == 1
    assert f"error: the scheduler at '{address}' has no workers; `dask worker {address}` starts one" in result.err


def test_workers_with_another_compiler_are_refused(
    mlc: CommandLine, model: str, distributed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = threading.current_thread()
    monkeypatch.setattr(
        dask_worker, "compiler_identity", lambda: "here" if threading.current_thread() is main else "there"
    )
    with _cluster(distributed, 1) as address:
        result = _tune(mlc, model, address)
    assert result.status == 1
    assert "warning: worker 0 at tcp://127.0.0.1:" in result.err
    assert "is left out: its mlc 0.1.0 has other sources, or other versions of xdsl and NumPy, than mlc" in result.err
    assert f"error: no worker of '{address}' can be used: 0 at tcp://" in result.err


def test_workers_without_this_mlc_are_refused(
    mlc: CommandLine, model: str, distributed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, found = threading.current_thread(), dask_worker.compiler_identity()

    def identity() -> str:
        if threading.current_thread() is main:
            return found
        raise ModuleNotFoundError("No module named 'mlc.tuning.dask_worker'")

    monkeypatch.setattr(dask_worker, "compiler_identity", identity)
    with _cluster(distributed, 1) as address:
        result = _tune(mlc, model, address)
    assert "is left out: it has no mlc like this one (No module named 'mlc.tuning.dask_worker'); install" in result.err
    assert result.status == 1


def test_a_worker_that_cannot_run_the_code_is_refused(mlc: CommandLine, model: str, distributed: Any) -> None:
    with _cluster(distributed, 1) as address:
        result = _tune(mlc, model, address, "--target", "neoverse-n1")
    assert "is left out: it cannot run code for 'neoverse-n1'" in result.err
    assert result.status == 1


@pytest.mark.slow
def test_an_interrupt_keeps_what_workers_measured(
    mlc: CommandLine, model: str, distributed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_after_the_first_candidate(monkeypatch)
    with _cluster(distributed, 1) as address:
        result = _tune(mlc, model, address, "--budget", "60s")
    assert result.status == 130, result.err
    assert "interrupted: what was measured until then is kept" in result.err
    # A candidate that is faster than what the rules say is measured again.
    record, *again = (r for r in read_records(Path(model).parent / "r.jsonl").records if r.outcome == "ok")
    assert {each.schedule for each in again} <= {record.schedule}
    assert record.worker.startswith("0 at tcp://127.0.0.1:")
    assert record.machine.cpu and record.machine.facts
    assert not dask_worker._processes  # pyright: ignore[reportPrivateUsage]


@contextmanager
def _processes(*names: str) -> Generator[tuple[str, dict[str, subprocess.Popen[bytes]]]]:
    """The address of a scheduler in a process of its own, and the processes of workers by their names."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
    environment = os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s"}
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    processes = {"": subprocess.Popen(scheduler, **silent)}  # pyright: ignore[reportArgumentType, reportCallIssue]
    for name in names:
        command = [*dask, "worker", address, "--name", name, *options]
        processes[name] = subprocess.Popen(command, **silent)  # pyright: ignore[reportArgumentType, reportCallIssue]
    try:
        yield address, processes
    finally:
        for process in reversed(processes.values()):
            process.kill()
            process.wait()


def _wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not come true"
        time.sleep(0.1)


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing(distributed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers measure; one is killed while it works. What it was busy with is measured by the other one."""
    monkeypatch.setattr(dask_executor, "_CONNECT_SECONDS", 60.0)
    options = CompileOptions(records="")
    records: list[Record] = []
    told: list[str] = []
    with _processes("alpha", "beta") as (address, processes):
        client = distributed.Client(address, timeout=60, set_as_default=False)
        client.wait_for_workers(2, timeout=60)
        client.close()
        with DaskExecutor(address, _parcel(options), 2, told.append) as executor:
            _wait_for(lambda: len(executor.sites()) == 2)
            started: list[tuple[str, Work]] = []
            lost: list[Work] = []
            start = executor.start

            def start_and_kill(site: Site, work: Work) -> None:
                start(site, work)
                started.append((site.name, work))
                has_measured = any(r.worker.startswith("beta at ") for r in records)
                if site.name.startswith("beta at ") and has_measured and not lost:
                    processes["beta"].send_signal(signal.SIGKILL)
                    lost.append(work)

            def schedules(work: Work) -> tuple[str, ...]:
                return work.schedules if isinstance(work, Build) else (work.schedule,)

            def found() -> set[str]:
                return {r.schedule for r in records if r.worker.startswith("alpha at ")}

            def clock() -> float:
                """Later than any budget once what was lost is measured."""
                is_over = bool(lost) and found().issuperset(schedules(lost[0]))
                return time.monotonic() + (1e6 if is_over else 0.0)

            monkeypatch.setattr(executor, "start", start_and_kill)
            searches = Searches(options, (), 0)
            tuner = Tuner(executor, searches.of, new_context(), records.append, clock, lost=told.append)
            try:
                tuner.run(240)  # ends as ever
            finally:
                searches.stop()
    assert lost and found().issuperset(schedules(lost[0])), told
    assert any("beta at " in each and each.endswith(" is gone") for each in told)
    again = [name for name, work in started if set(schedules(work)) & set(schedules(lost[0]))][-1]
    assert again.startswith("alpha at ")
    assert {r.worker.partition(" ")[0] for r in records} == {"alpha", "beta"}


def test_a_cluster_that_is_gone_is_told(distributed: Any) -> None:
    executor = DaskExecutor("tcp://127.0.0.1:1", _parcel(CompileOptions(records="")), None, lambda _: None)

    class Gone:
        def nthreads(self) -> object:
            raise importlib.import_module("distributed").comm.CommClosedError("in <TCP>: Stream is closed")

    executor._client = Gone()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(UserError, match=r"the scheduler at 'tcp://127\.0\.0\.1:1' does not answer any more: in <TCP>"):
        executor.sites()
