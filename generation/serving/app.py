"""The HTTP side of a server: paths, keys, limits, streams."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from mlc.generation.chat import chat_tokens
from mlc.generation.generator import Generator
from mlc.generation.json_schema import JsonSchemas
from mlc.generation.sampling import Sampling
from mlc.generation.serving.answers import Shape, embeddings
from mlc.generation.serving.engine import Engine, EngineStoppedError, Event, Job, QueueFullError
from mlc.generation.serving.limits import Limits
from mlc.generation.serving.metrics import Metrics
from mlc.generation.serving.pending import RETRY, PendingAnswer, refusal_of
from mlc.generation.serving.request_error import RequestError
from mlc.generation.serving.wire import Asked, Fields, asked_chat, asked_completion, asked_embeddings
from mlc.support.errors import UserError

_CLOSED = 499
"""The status in metrics of a request whose client went away, as nginx counts it."""


@dataclass
class Server:
    """A model that answers requests.

    Attributes:
        name: what the model is called.
        key: what clients have to send, or None.
        is_local: whether only this machine reaches the server. Without a key, requests have to be for a name of this
            machine then, so that no page in a browser asks by a name of its own (DNS rebinding).
    """

    generator: Generator
    engine: Engine
    name: str
    limits: Limits
    key: str | None = None
    is_local: bool = False
    metrics: Metrics = field(default_factory=Metrics)
    started: int = field(default_factory=lambda: int(time.time()))

    def __post_init__(self) -> None:
        self._schemas = JsonSchemas(self.generator.tokenizer, self.generator.vocabulary)

    def app(self) -> Starlette:
        """The application of ASGI."""
        guarded = [
            self._route("/v1/chat/completions", self.chat, "POST"),
            self._route("/v1/completions", self.complete, "POST"),
            self._route("/v1/embeddings", self.embed, "POST"),
            self._route("/v1/models", self.models, "GET"),
            self._route("/v1/models/{name:path}", self.model, "GET"),
            self._route("/metrics", self.numbers, "GET"),
        ]
        routes = [*guarded, Route("/health", self.health, methods=["GET"])]
        return Starlette(routes=routes, exception_handlers={HTTPException: _refused_by_path})

    async def chat(self, request: Request) -> Response:
        """`/v1/chat/completions`."""
        return await self._answer(request, asked_chat, is_chat=True)

    async def complete(self, request: Request) -> Response:
        """`/v1/completions`."""
        return await self._answer(request, asked_completion, is_chat=False)

    async def embed(self, request: Request) -> Response:
        """`/v1/embeddings`: the hidden state after the last token of each text."""
        start = time.monotonic()
        fields = Fields.of(await self._body(request))
        self._check_name(fields.get("model"))
        inputs, is_base64 = asked_embeddings(fields)
        found, read = list[Any](), 0
        for each in inputs:
            answer = await self._submitted(Asked([], each, 0, Sampling(), (), None, False, False), start)
            read += len(answer.job.tokens)
            found.append((await answer.ended(request))[1].hidden)
        return JSONResponse(embeddings(self.name, found, is_base64, read))

    async def models(self, request: Request) -> Response:
        """`/v1/models`."""
        return JSONResponse({"object": "list", "data": [self._model()]})

    async def model(self, request: Request) -> Response:
        """`/v1/models/NAME`."""
        self._check_name(request.path_params["name"])
        return JSONResponse(self._model())

    async def health(self, request: Request) -> Response:
        """`/health`: status 503 if the engine stopped."""
        (running, waiting), is_well = self.engine.load, self.engine.is_running
        content = {"status": "ok" if is_well else "stopped", "running": running, "waiting": waiting}
        return JSONResponse(content, 200 if is_well else 503)

    async def numbers(self, request: Request) -> Response:
        """`/metrics`."""
        running, waiting = self.engine.load
        counters = {
            "mlc_tokens_read_total": ("Tokens of prompts that the model read.", self.engine.read),
            "mlc_tokens_reused_total": ("Tokens of prompts that were found in caches.", self.engine.reused),
            "mlc_tokens_written_total": ("Tokens of answers.", self.engine.written),
        }
        gauges = {
            "mlc_answers_running": ("Answers that are being written.", running),
            "mlc_requests_waiting": ("Requests that wait for their turn.", waiting),
            "mlc_cache_bytes": ("Memory that caches take when they are full.", self.engine.cache_bytes),
            "mlc_cached_tokens": ("Tokens that caches hold.", self.engine.held),
        }
        return PlainTextResponse(
            self.metrics.text(counters, gauges), media_type="text/plain; version=0.0.4; charset=utf-8"
        )

    def _model(self) -> dict[str, Any]:
        return {"id": self.name, "object": "model", "created": self.started, "owned_by": "mlc"}

    def _route(self, path: str, endpoint: Callable[[Request], Awaitable[Response]], method: str) -> Route:
        """A path that asks for the key, and whose errors are answers."""

        async def guarded(request: Request) -> Response:
            try:
                self._check_key(request)
                response = await endpoint(request)
            except ClientDisconnect:
                response = Response(status_code=_CLOSED)
            except RequestError as e:
                response = JSONResponse(e.content(), e.status, e.headers)
            self.metrics.requests[path, response.status_code] += 1
            return response

        return Route(path, guarded, methods=[method])

    def _check_key(self, request: Request) -> None:
        if self.key is None:
            return self._check_host(request.url.hostname or "")
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self.key.encode()):
            words = "found no key, or a wrong one; required: the header 'Authorization: Bearer KEY'"
            raise RequestError(words, code="invalid_api_key", status=401, headers={"WWW-Authenticate": "Bearer"})
        return None

    def _check_host(self, host: str) -> None:
        if self.is_local and host != "localhost" and not host.endswith(".localhost") and not _is_loopback(host):
            words = f"found the host '{host[:60]}'; required: localhost, or its address, as no key is asked for"
            raise RequestError(words, code="invalid_host", status=403)

    def _check_name(self, name: object) -> None:
        if name is not None and name != self.name:
            words = f"this server has no such model; required: '{self.name}'"
            raise RequestError(words, "model", "model_not_found", 404)

    async def _answer(self, request: Request, read: Callable[[Fields], Asked], is_chat: bool) -> Response:
        start = time.monotonic()
        fields = Fields.of(await self._body(request))
        self._check_name(fields.get("model"))
        asked = read(fields)
        answer = await self._submitted(asked, start)
        spelling = self.generator.tokenizer.spelling
        shape = Shape(is_chat, self.name, len(answer.job.tokens), None if asked.likeliest is None else spelling)
        if asked.is_streamed:
            return answer.stream(shape, asked.wants_usage)
        return JSONResponse(await answer.whole(shape, request))

    async def _body(self, request: Request) -> bytes:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            words = "the body has another type; required: the header 'Content-Type: application/json'"
            raise RequestError(words, status=415)
        body = bytearray()
        try:
            async with asyncio.timeout(self.limits.upload_seconds):
                async for part in request.stream():
                    body += part
                    if len(body) > self.limits.body:
                        raise RequestError(f"the body is longer than {self.limits.body} bytes; shorten it", status=413)
        except TimeoutError:
            words = f"the body did not come within {self.limits.upload_seconds:g} seconds; send it again"
            raise RequestError(words, status=408, headers={"Connection": "close"}) from None
        return bytes(body)

    async def _submitted(self, asked: Asked, start: float) -> PendingAnswer:
        try:
            tokens = await asyncio.to_thread(self._tokens, asked)
            constraint = None
            if asked.schema is not None:
                constraint = await asyncio.to_thread(self._schemas.constraint, asked.schema)
        except UserError as e:
            raise RequestError(str(e)) from None
        context = self.generator.context
        if not 0 < len(tokens) <= context:
            words = f"the prompt has {len(tokens)} tokens; required: 1 to {context}, the context of this server"
            raise RequestError(words, code="context_length_exceeded" if tokens else "invalid_value")
        most = context if asked.most is None else asked.most
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[Event]()

        def tell(event: Event) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, event)

        deadline = start + self.limits.seconds
        job = Job(tokens, most, asked.sampling, asked.stops, constraint, deadline, tell, asked.likeliest)
        try:
            self.engine.submit(job)
        except QueueFullError:
            words = f"{self.limits.waiting} requests wait already; try again later"
            raise RequestError(words, code="rate_limit_exceeded", status=429, headers=RETRY) from None
        except EngineStoppedError:
            raise refusal_of(EngineStoppedError()) from None
        return PendingAnswer(self.engine, self.metrics, job, queue, start)

    def _tokens(self, asked: Asked) -> list[int]:
        """The tokens of a prompt. Raises: UserError if it has wrong ones."""
        tokenizer, most, prompt = self.generator.tokenizer, self.generator.context, asked.prompt
        if asked.messages:
            return chat_tokens(self.generator.file, asked.messages, tokenizer, most)
        if isinstance(prompt, str):
            return tokenizer.encoded(prompt, most=most, is_whole=asked.most == 0)  # of an embedding
        if wrong := [each for each in prompt if not 0 <= each < len(tokenizer.tokens)]:
            raise UserError(f"found the token {wrong[0]}; required: numbers from 0 to {len(tokenizer.tokens) - 1}")
        return prompt


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


async def _refused_by_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = f"found {request.method} {request.url.path}; required: one of the paths of this server, such as /v1/models"
    return JSONResponse(RequestError(words, status=error.status_code).content(), error.status_code, error.headers)
