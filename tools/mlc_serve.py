"""Answer requests over HTTP with a language model in a file of GGUF, in the words of OpenAI's interface:
/v1/chat/completions, /v1/completions, /v1/embeddings and /v1/models, and beside them /health and /metrics. At Ctrl-C or
SIGTERM the server ends after the answers that it has begun.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from mlc.compiler.options import OPTIONS
from mlc.generation.generator import Generator
from mlc.generation.packages import llm_package
from mlc.generation.serving.limits import Limits
from mlc.support.errors import UserError
from mlc.tools.compile_arguments import add_options
from mlc.tools.driver import ArgumentParser, Namespace

_KEY = "MLC_API_KEY"
_LEAST_KEY = 8


@dataclass(kw_only=True)
class Arguments:
    """The parsed command line."""

    model: str
    host: str
    port: int
    name: str | None
    api_key_file: str | None
    context: int | None
    slots: int
    queue: int
    timeout: float
    body_limit: int
    shutdown_timeout: float
    chosen: dict[str, Any] = field(default_factory=dict[str, Any])

    def limits(self) -> Limits:
        """Raises: UserError if a number is out of range."""
        for name, found, least, most in (
            ("port", self.port, 0, 65535),
            ("slots", self.slots, 1, 256),
            ("queue", self.queue, 0, 1 << 16),
            ("timeout", self.timeout, 0.1, 86400),
            ("body-limit", self.body_limit, 1 << 10, 1 << 30),
            ("shutdown-timeout", self.shutdown_timeout, 0, 86400),
        ):
            if not least <= found <= most:
                raise UserError(f"found --{name} {found:g}; required: a number from {least:g} to {most:g}")
        return Limits(
            slots=self.slots,
            waiting=self.queue,
            seconds=self.timeout,
            body=self.body_limit,
            shutdown_seconds=self.shutdown_timeout,
        )

    def key(self) -> str | None:
        """What clients have to send: from a file, or the environment, as others see command lines.

        Raises:
            UserError: the file cannot be read, or the key is short.
        """
        place = f"'{self.api_key_file}'" if self.api_key_file is not None else _KEY
        found = os.environ.get(_KEY)
        if self.api_key_file is not None:
            try:
                found = Path(self.api_key_file).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as e:
                raise UserError(f"cannot read the key in {place}: {getattr(e, 'strerror', None) or e}") from None
        if found is not None and (len(found) < _LEAST_KEY or not found.isascii() or not found.isprintable()):
            raise UserError(f"the key in {place} has {len(found)} characters; required: at least {_LEAST_KEY} of ASCII")
        return found


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add, limits = parser.add_argument, Limits()
    add("model", help="the model: a file of GGUF")
    add(
        "--host",
        default="127.0.0.1",
        help="the address to listen at (127.0.0.1, which only this machine reaches)",
    )
    add("--port", type=int, default=8080, metavar="N", help="the port; 0 takes a free one, which is printed (8080)")
    add("--name", help="what clients call the model (the name of the file, without .gguf)")
    add("--api-key-file", metavar="FILE", help=f"ask clients for the key in this file, or in {_KEY} in the environment")
    add("--context", type=int, metavar="N", help="the most tokens of an answer and what stands before it (up to 4096)")
    slots = f"so many answers are written at once, each with caches of its own ({limits.slots})"
    add("--slots", type=int, default=limits.slots, metavar="N", help=slots)
    waiting = f"so many more requests may wait, others get status 429 ({limits.waiting})"
    add("--queue", type=int, default=limits.waiting, metavar="N", help=waiting)
    add("--timeout", type=float, default=limits.seconds, metavar="S", help="seconds for a request (600)")
    add("--body-limit", type=int, default=limits.body, metavar="N", help="bytes of a request (4 MiB)")
    ending = f"seconds for answers after SIGTERM or Ctrl-C ({limits.shutdown_seconds:g})"
    add("--shutdown-timeout", type=float, default=limits.shutdown_seconds, metavar="S", help=ending)
    add_options(parser, OPTIONS)


def run(arguments: Namespace) -> None:
    """Compile if need be, then answer until the end."""
    args = Arguments(**vars(arguments))
    limits, key = args.limits(), args.key()
    for package in ("starlette", "uvicorn"):
        llm_package(package, "servers")
    from mlc.generation.serving.app import Server
    from mlc.generation.serving.engine import Engine
    from mlc.generation.serving.listen import Listener, bound_socket

    listening = bound_socket(args.host, args.port)
    generator = Generator.load(args.model, args.context, limits.slots, **args.chosen)
    engine = Engine(generator, limits.slots, limits.waiting)
    host, port = listening.getsockname()[:2]
    is_local = ip_address(host).is_loopback
    server = Server(generator, engine, args.name or Path(args.model).stem, limits, key, is_local)
    if key is None and not is_local:
        print(f"mlc serve: anybody who reaches {host} may ask; set {_KEY} to ask for a key", file=sys.stderr)
    listening.listen()
    shown = f"[{host}]" if ":" in host else host
    print(f"'{server.name}' answers at http://{shown}:{port}/v1", flush=True)
    print(f"caches for {limits.slots} answers at once take up to {engine.cache_bytes / 1e6:.0f} MB", flush=True)
    Listener(server.app(), limits, engine.stop).run([listening])
    engine.stop()
