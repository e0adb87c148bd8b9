"""An answer that comes from the engine, on its way to a client who may go away or read too slowly."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from mlc.generation.serving.answers import Shape, error_event
from mlc.generation.serving.engine import Answered, Engine, EngineStoppedError, Event, Failure, Job, Piece
from mlc.generation.serving.metrics import Metrics
from mlc.generation.serving.request_error import RequestError
from mlc.support.errors import UserError

RETRY = {"Retry-After": "1"}
"""A header for clients that may try again."""
_GRACE = 1.0
"""How many seconds after its deadline a stream may still say so."""

_T = TypeVar("_T")


@dataclass
class PendingAnswer:
    """An answer whose events come by a queue; the engine is told when nobody waits for them any more.

    Attributes:
        start: when the request came, by `time.monotonic`.
    """

    engine: Engine
    metrics: Metrics
    job: Job
    queue: asyncio.Queue[Event]
    start: float

    async def whole(self, shape: Shape, request: Request) -> dict[str, Any]:
        """The answer as one object.

        Raises:
            ClientDisconnect: the client went away.
            RequestError: the answer cannot go on.
        """
        pieces, answered = await self.ended(request)
        return shape.whole(pieces, answered)

    async def ended(self, request: Request) -> tuple[list[Piece], Answered]:
        """The parts of the answer, and how it ended.

        Raises:
            ClientDisconnect: the client went away.
            RequestError: the answer cannot go on.
        """
        try:
            return await _while_connected(self._collected(), request.receive)
        finally:
            self.engine.cancel(self.job)

    def stream(self, shape: Shape, wants_usage: bool) -> StreamingResponse:
        """The answer as events."""
        return _EventStream(self, self._events(shape, wants_usage))

    async def _pieces(self) -> AsyncIterator[Piece | Answered]:
        """What the engine tells, up to the end of the answer."""
        is_first = True
        while True:
            event = await self.queue.get()
            if isinstance(event, Failure):
                raise refusal_of(event.error)
            if is_first:
                self.metrics.first.add(time.monotonic() - self.start)
                is_first = False
            yield event
            if isinstance(event, Answered):
                self.metrics.whole.add(time.monotonic() - self.start)
                return

    async def _collected(self) -> tuple[list[Piece], Answered]:
        pieces: list[Piece] = []
        async for each in self._pieces():
            if isinstance(each, Answered):
                return pieces, each
            pieces.append(each)
        raise AssertionError("the engine tells an end")

    async def _events(self, shape: Shape, wants_usage: bool) -> AsyncIterator[str]:
        for opening in shape.opening():
            yield opening
        start = 0
        try:
            async for piece in self._pieces():
                if isinstance(piece, Piece):
                    yield shape.piece(piece, start)
                    start += len(piece.text)
                else:
                    for closing in shape.closing(piece, start, wants_usage):
                        yield closing
        except RequestError as e:
            yield error_event(e)


class _EventStream(StreamingResponse):
    """Events that have to be read until the deadline: who reads too slowly is cut off."""

    def __init__(self, answer: PendingAnswer, events: AsyncIterator[str]) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"Cache-Control": "no-cache"})
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._answer.job.deadline + _GRACE - time.monotonic()):
                await _while_connected(self.stream_response(send), receive)
        except (TimeoutError, ClientDisconnect, OSError):
            pass
        finally:
            self._answer.engine.cancel(self._answer.job)


async def _while_connected(work: Coroutine[Any, Any, _T], receive: Receive) -> _T:
    """What some work gives, which ends when the client goes away.

    Raises:
        ClientDisconnect: it did.
    """
    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait([working, gone], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        gone.cancel()
        working.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def refusal_of(error: Exception) -> RequestError:
    """What clients are told of an answer that cannot go on."""
    match error:
        case TimeoutError():
            words = "the answer took too long; ask for fewer tokens, or try again later"
            return RequestError(words, code="timeout", status=504)
        case EngineStoppedError():
            return RequestError("the server stops; try again later", code="shutdown", status=503, headers=RETRY)
        case UserError():
            return RequestError(str(error))
        case _:
            print(f"mlc: an answer failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            return RequestError("the server failed; its log says why", code="internal_error", status=500)
