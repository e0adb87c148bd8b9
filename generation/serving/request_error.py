"""What a client did that cannot be answered, in the shape of OpenAI's interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RequestError(Exception):
    """A request is refused: what was found, what is required, what to do.

    Attributes:
        status: that of HTTP.
        param: the field of the request that it is about.
        code: a name for programs.
    """

    def __init__(
        self,
        message: str,
        param: str | None = None,
        code: str | None = None,
        status: int = 400,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.param, self.code, self.status, self.headers = message, param, code, status, headers

    def content(self) -> dict[str, Any]:
        """The JSON that clients get."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}
