"""How much memory a process may have addresses for."""

from __future__ import annotations

import resource


def address_limit() -> int | None:
    """The bytes of addresses that the process may have (`ulimit -v`); None if that is not limited."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit
