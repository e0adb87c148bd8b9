"""What a server allows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one request, and all of them together, may take.

    Attributes:
        slots: how many answers are written at once, each with caches of its own.
        waiting: how many requests may wait for one of these.
        seconds: how long a request may take, from its last byte to that of its answer.
        upload_seconds: how long its body may take to come.
        body: how many bytes its body may have.
        connections: how many connections there may be.
        shutdown_seconds: how long answers may go on after the server was asked to stop.
    """

    slots: int = 4
    waiting: int = 64
    seconds: float = 600.0
    upload_seconds: float = 30.0
    body: int = 4 << 20
    connections: int = 512
    shutdown_seconds: float = 30.0
