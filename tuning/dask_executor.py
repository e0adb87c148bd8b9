"""The workers of a Dask cluster measure: each compiles what it measures, for its own machine."""

from __future__ import annotations

import asyncio
import importlib
import logging
import socket
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlc.support.errors import UserError
from mlc.tuning import dask_worker
from mlc.tuning.isolated import Failure
from mlc.tuning.model_parcel import ModelParcel
from mlc.tuning.work import Answer, Lost, Site, Surveyed, Work

_CONNECT_SECONDS = 10.0
"""Seconds in which a scheduler has to answer; where nobody listens, that is told at once."""
_PATIENCE = 20.0
"""Seconds without any worker after which none is expected any more: one that is started again comes sooner."""
_POLL = 0.05
_SET_UPS = 3
"""How often the process of one worker is started."""


def require_distributed() -> None:
    """Raises: UserError if the library is missing."""
    try:
        importlib.import_module("distributed")
    except ImportError:
        raise UserError('--scheduler needs the package distributed: pip install "mlc[tune]"') from None


@dataclass
class _Worker:
    """A worker of the cluster, from the moment it was seen."""

    address: str
    label: str
    jobs: int
    joining: Any = None
    """What will become of setting it up."""
    site: Site | None = None
    busy: tuple[Any, Work] | None = None
    """What it does, and what will become of that."""


@dataclass
class DaskExecutor:
    """An `Executor` on the workers of a cluster, which may come and go. It is a context that ends what it began.

    A piece of work is a task for one worker, and no other one may take it: schedules are compared on one machine.

    Attributes:
        address: of the scheduler.
        parcel: the model.
        jobs: how many candidates a worker compiles at a time; None for as many as it has threads.
        tell: is given notes for the user.
    """

    address: str
    parcel: ModelParcel
    jobs: int | None
    tell: Callable[[str], None]
    _search: str = field(default_factory=lambda: uuid.uuid4().hex)
    _workers: dict[str, _Worker] = field(default_factory=dict[str, _Worker])
    _left_out: dict[str, str] = field(default_factory=dict[str, str])
    """Why workers are not used, by their addresses."""
    _set_ups: Counter[str] = field(default_factory=Counter[str])
    _hosts: dict[str, str] = field(default_factory=dict[str, str])
    _last_seen: float = 0.0
    _has_measured: bool = False
    """Whether there ever was a worker that can be used."""
    _client: Any = None

    def __enter__(self) -> DaskExecutor:
        """Connect, and wait until a worker can measure.

        Raises:
            UserError: there is no scheduler at the address, or no worker that can be used.
        """
        require_distributed()
        distributed: Any = importlib.import_module("distributed")
        for name in ("distributed", "distributed.client"):  # what happens to workers is told here
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            asyncio.run(_greet_scheduler(self.address))
            self._client = distributed.Client(self.address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except Exception as e:  # of whatever kind: what listens there may send anything
            raise UserError(
                f"cannot reach a Dask scheduler at '{self.address}': {_in_words(e)}; required: the address that "
                "`dask scheduler` prints, such as tcp://192.168.0.2:8786"
            ) from None
        try:
            if not self._present():
                raise UserError(
                    f"the scheduler at '{self.address}' has no workers; `dask worker {self.address}` starts one, on "
                    "each machine that is to measure"
                )
            self._last_seen = time.monotonic()
            while not self.sites():
                time.sleep(_POLL)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes on the workers, and the connection."""
        client, self._client = self._client, None
        if client is None:
            return
        try:
            futures = [w.joining for w in self._workers.values()] + [
                w.busy[0] for w in self._workers.values() if w.busy
            ]
            client.cancel([future for future in futures if future is not None], force=True)
            present = [address for address in client.nthreads() if address in self._set_ups]
            if present:
                client.run(dask_worker.end, self._search, workers=present, on_error="ignore")
        except (OSError, TimeoutError, RuntimeError):
            pass  # there is no cluster any more to clean up
        finally:
            client.close(timeout=2)

    def sites(self) -> Sequence[Site]:
        present = self._present()
        new = {a: threads for a, threads in present.items() if a not in self._workers and a not in self._left_out}
        if new:
            self._greet(new)
        for worker in list(self._workers.values()):
            if worker.address not in present and worker.busy is None:  # of one that is busy `wait` tells
                del self._workers[worker.address]
            elif worker.joining is not None and worker.joining.done():
                self._joined(worker)
        if any(address in present for address in self._workers):
            self._last_seen = time.monotonic()
        elif not self._has_measured and present and self._left_out.keys() >= present.keys():
            raise UserError(f"no worker of '{self.address}' can be used: {'; '.join(self._left_out.values())}")
        elif time.monotonic() - self._last_seen > _PATIENCE:
            raise UserError(f"no worker of '{self.address}' is left")
        return [w.site for w in self._workers.values() if w.site is not None and w.address in present]

    def start(self, site: Site, work: Work) -> None:
        worker = next(w for w in self._workers.values() if w.site is site)
        worker.busy = self._submit(worker.address, dask_worker.carry_out, self._search, work), work

    def wait(self, seconds: float) -> Sequence[tuple[Site, Work, Answer]]:
        end = time.monotonic() + seconds
        while True:
            done = list(self._done())
            if done or time.monotonic() >= end:
                return done
            time.sleep(_POLL)

    def _done(self) -> Sequence[tuple[Site, Work, Answer]]:
        found: list[tuple[Site, Work, Answer]] = []
        busy = [w for w in self._workers.values() if w.busy is not None]
        finished = {w.address for w in busy if w.busy is not None and w.busy[0].done()}
        present: dict[str, int] = self._present() if len(finished) < len(busy) else {}
        for worker in busy:
            assert worker.busy is not None and worker.site is not None
            future, work = worker.busy
            if worker.address in finished:
                answer = _answer_of(worker, future)
            elif worker.address not in present:
                answer = Lost(f"worker {worker.label} is gone")
                future.cancel(force=True)
            else:
                continue
            worker.busy = None
            found.append((worker.site, work, answer))
            if isinstance(answer, Lost):  # if the worker is still there it is set up again
                del self._workers[worker.address]
        return found

    def _present(self) -> dict[str, int]:
        """The workers of the cluster by address, and how many threads each has.

        Raises:
            UserError: the scheduler does not answer.
        """
        try:
            return dict(self._client.nthreads())
        except (OSError, TimeoutError) as e:
            raise UserError(f"the scheduler at '{self.address}' does not answer any more: {e}") from None

    def _submit(self, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        pinned = {"workers": [address], "allow_other_workers": False, "pure": False, "retries": 0}
        return self._client.submit(function, *arguments, **pinned)

    def _greet(self, new: Mapping[str, int]) -> None:
        """Ask workers for their compilers, and set up those that have this one."""
        own = dask_worker.worker_compiler()
        try:
            told: Any = self._client.run(dask_worker.worker_compiler, workers=list(new), on_error="return")
        except (OSError, TimeoutError):  # one has gone again
            return
        for address, threads in new.items():
            compiler = told.get(address)
            name = getattr(compiler, "worker", address)
            label = address if name == address else f"{name} at {address}"
            if not isinstance(compiler, dask_worker.WorkerCompiler):
                reason = (
                    str(compiler) if isinstance(compiler, ImportError) else f"{type(compiler).__name__}: {compiler}"
                )
                self._leave_out(
                    address, label, f"it has no mlc like this one ({reason}); install mlc {own.version} there"
                )
            elif compiler.identity != own.identity:
                self._leave_out(
                    address,
                    label,
                    f"its mlc {compiler.version} has other sources, or other versions of xdsl and NumPy, than mlc "
                    f"{own.version} here; install the same there",
                )
            elif self._set_ups[address] >= _SET_UPS:
                self._leave_out(address, label, f"the process that measures there ended {_SET_UPS} times")
            else:
                self._set_up(_Worker(address, label, self.jobs or threads), compiler.host)

    def _set_up(self, worker: _Worker, host: str) -> None:
        if (other := self._hosts.get(host)) is not None and other in self._workers:
            self.tell(f"note: worker {worker.label} is on the same machine as another one: they disturb each other")
        self._hosts[host] = worker.address
        self._set_ups[worker.address] += 1
        self._workers[worker.address] = worker
        there = self._client.scatter(self.parcel, workers=[worker.address], hash=False)
        worker.joining = self._submit(worker.address, dask_worker.set_up, self._search, there)

    def _joined(self, worker: _Worker) -> None:
        """A worker that was set up measures from now on, or says why not."""
        future, worker.joining = worker.joining, None
        found: Any = future.result() if future.status == "finished" else Failure("crash", str(future.exception()))
        if isinstance(found, Surveyed):
            machine = found.machine
            self.tell(f"worker {worker.label}: {machine.name} ({machine.cpu}, {machine.facts}; {found.facts})")
            self._has_measured = True
            worker.site = Site(worker.label, machine, worker.jobs, found.kernels)
        else:
            del self._workers[worker.address]
            self._leave_out(worker.address, worker.label, found.reason)

    def _leave_out(self, address: str, label: str, reason: str) -> None:
        self._left_out[address] = f"{label}: {reason}"
        self.tell(f"warning: worker {label} is left out: {reason}")


async def _greet_scheduler(address: str) -> None:
    """See that a scheduler answers at an address, before a client is made.

    That would try again and again where nobody listens, and one that could not be made waits for itself when Python
    ends.

    Raises:
        Exception: none answers; of whatever kind.
    """
    dask, distributed, comm = (importlib.import_module(name) for name in ("dask", "distributed", "distributed.comm"))
    socket.create_connection(comm.get_address_host_port(address), _CONNECT_SECONDS).close()
    if dask.config.get("distributed.client.security-loader", None):  # knows certificates that only a client asks for
        return
    arguments = distributed.Security().get_connection_args("client")
    async with asyncio.timeout(_CONNECT_SECONDS), distributed.rpc(address, connection_args=arguments) as there:
        found = await there.identity()
    if "workers" not in found:
        raise ValueError(f"what listens there is a {found.get('type')} of Dask")


def _in_words(error: Exception) -> str:
    """Why there is no scheduler, on one line."""
    match error:
        case TimeoutError():
            return f"no answer in {_CONNECT_SECONDS:g} s"
        case OSError(strerror=str() as reason):
            return reason
        case OSError() | ValueError() | TypeError() | ImportError():
            return " ".join(str(error).split())
        case _:  # a reader that was given something else than a message of Dask
            return "what listens there is something else"


def _answer_of(worker: _Worker, future: Any) -> Answer:
    if future.status == "finished":
        return future.result()
    return Lost(f"worker {worker.label} failed: {future.exception() if future.status == 'error' else future.status}")
