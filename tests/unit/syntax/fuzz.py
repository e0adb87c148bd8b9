"""Mutated texts: each must parse or give a clear error, never a traceback or a hang.

    python tests/unit/syntax/fuzz.py 100000 [SEED]

runs as many, prints the counts, and keeps each text that fails in the current folder. A test runs a small number.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from mlc.compiler.compilation import new_context
from mlc.support.errors import UserError
from mlc.syntax import parse_module, verify_module

ROOT = Path(__file__).parents[3]
SLOW = 10.0
"""Seconds after which a text of a few thousand characters counts as a hang."""
_PIECES = (
    *"{}()[]<>:=,#!\0é\n",
    *("%0", "^bb0", "->", '"x"', "dense", "i32", "tensor<4xf32>", "loc", "0x", "-1", "1e999", "@f", "graph.relu"),
    *("affine_map", "//", "{-#", "#-}", "dense_resource<w>", "\x1f", "::", "..."),
)


def seeds() -> list[str]:
    """Valid and invalid texts of every level to start from."""
    files = sorted([*(ROOT / "tests/lit/dialects").rglob("*.mlir"), *(ROOT / "examples").rglob("*.mlir")])
    chunks = [chunk for file in files for chunk in file.read_text("utf-8").split("// -----")]
    return [chunk for chunk in chunks if len(chunk) < 4000]


def mutations(count: int, seed: int) -> Iterator[str]:
    """Texts with one to four changes: cut, doubled, inserted, replaced or cut off."""
    rng = random.Random(seed)
    texts = seeds()
    for _ in range(count):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 4)):
            start = rng.randrange(len(text) + 1)
            end = min(len(text), start + rng.randint(1, 20))
            match rng.randrange(5):
                case 0:
                    text = text[:start] + text[end:]
                case 1:
                    text = text[:start] + rng.choice(_PIECES) + text[start:]
                case 2:
                    text = text[:start] + text[start:end] * rng.randint(2, 4) + text[end:]
                case 3:
                    text = text[:start] + chr(rng.randint(0, 127)) + text[end:]
                case _:
                    text = text[:start]
        yield text


def failure(text: str) -> str | None:
    """What is wrong with how a text is handled; None if it parses or gives a user error in time."""
    begin = time.perf_counter()
    try:
        verify_module(parse_module(text, "fuzz.mlir", new_context()))
    except UserError:
        pass
    except Exception as e:  # any other error is what this looks for
        return f"{type(e).__name__}: {e}"
    seconds = time.perf_counter() - begin
    return f"took {seconds:.1f} s" if seconds > SLOW else None


def main() -> int:
    """Run the number of mutations that the command line asks for."""
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    failed = 0
    for number, text in enumerate(mutations(count, seed)):
        if (reason := failure(text)) is not None:
            failed += 1
            file = Path(f"fuzz-{seed}-{number}.mlir")
            file.write_text(text, "utf-8")
            print(f"{file}: {reason}")
    print(f"{count} texts, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
