"""Threads that share work, where the system gives a process some."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, TypeVar

from mlc.support.address_limit import address_limit
from mlc.support.errors import UserError

_T = TypeVar("_T")


def workers(count: int) -> Executor:
    """Up to `count` threads; the caller alone where addresses are limited, of which each thread reserves 100 MB."""
    return _NoThreads() if address_limit() is not None else _Threads(count)


class _Threads(ThreadPoolExecutor):
    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """
        Raises:
            UserError: the system starts no thread.
        """
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError:
            raise UserError("the system starts no more threads for this process; allow it more (ulimit -u)") from None


class _NoThreads(Executor):
    """Does what it is asked at once."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        done = Future[_T]()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as e:
            done.set_exception(e)
        return done
