"""All cases, by family."""

from __future__ import annotations

import re

from mlc.benchmarks import blocks, convolution, matmul, memory, networks
from mlc.benchmarks.case import Case

_FAMILIES = {"matmul": matmul, "convolution": convolution, "memory": memory, "block": blocks, "network": networks}


def cases_by_family(pattern: str = "") -> list[tuple[str, Case]]:
    """Families and cases, those in whose names the regular expression `pattern` is found."""
    wanted = re.compile(pattern)
    return [(family, c) for family, module in _FAMILIES.items() for c in module.cases() if wanted.search(c.name)]
