"""Why TorchDynamo captured less than all: the reasons that it counts."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import Any, cast

_KINDS = ("graph_break", "unimplemented")
"""What torch calls a function that became several graphs, and one of which there is none; many reasons are both."""
_EXPLANATION = re.compile(r"\s*Explanation: (.*)")


def noted() -> Counter[str]:
    """How often TorchDynamo stopped for each reason, in its words, for backends of any kind since the process began."""
    found: Counter[str] = Counter()
    if (dynamo := sys.modules.get("torch._dynamo.utils")) is None:
        return found  # it has captured nothing yet, and takes seconds to import
    for kind in _KINDS:
        for text, count in cast("dict[str, int]", cast(Any, dynamo).counters[kind]).items():
            found[text] = max(found[text], count)
    return found


def in_short(texts: Counter[str]) -> Counter[str]:
    """The same in a line each."""
    found: Counter[str] = Counter()
    for text, count in texts.items():
        found[_short(text)] += count
    return found


def _short(text: str) -> str:
    """The name of a reason, and the sentence that explains it, if there is one."""
    name, *rest = text.splitlines() or [""]
    explanation = next((found[1] for line in rest if (found := _EXPLANATION.match(line))), "")
    return f"{name}: {explanation}" if explanation else name
