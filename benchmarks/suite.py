"""All cases, by family."""

from __future__ import annotations

import re
from collections.abc import Collection

from mlc.benchmarks import blocks, convolution, matmul, memory, networks
from mlc.benchmarks.case import Case

_FAMILIES = {"matmul": matmul, "convolution": convolution, "memory": memory, "block": blocks, "network": networks}


FAMILIES = tuple(_FAMILIES)


def cases_by_family(pattern: str = "", families: Collection[str] = FAMILIES) -> list[tuple[str, Case]]:
    """Families and cases, those in whose names the regular expression `pattern` is found."""
    wanted = re.compile(pattern)
    return [(f, c) for f, module in _FAMILIES.items() if f in families for c in module.cases() if wanted.search(c.name)]
