"""Write the support matrix of ONNX, docs/onnx.md: from the patterns, and from the outcomes of the conformance cases.

    python -m mlc.testing.onnx_conformance --outcomes docs/onnx_outcomes.json     runs the cases
    python docs/generate_onnx.py                                                  writes the page

A test keeps the page equal to what this makes, the patterns to what it says, and a sample of the outcomes true.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from mlc.dialects.onnx import op
from mlc.dialects.onnx.contributed import contributed
from mlc.dialects.onnx.schemas import newest_schema, operators
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.frontends.operators.pattern_files import import_patterns
from mlc.pass_manager.lowering import lowering_of

_DOCS = Path(__file__).parent
OUTCOMES = _DOCS / "onnx_outcomes.json"
PAGE = _DOCS / "onnx.md"
_SOURCE = "https://github.com/onnx/onnx/blob/main/docs"

_INTRODUCTION = """<!-- Made by docs/generate_onnx.py from the patterns and the outcomes of the conformance cases. -->

# Operators of ONNX

What mlc does with each operator of the package `onnx`: a pattern of the file that is named converts it, or it becomes
the *body* that its specification gives it, made of other operators. `cases` are those of `onnx.backend.test` in which
the operator is the first one: how many pass, of how many there are. `mlc check model.onnx` says the same of a model.

A case passes if all outputs have its types and shapes, and agree within its tolerances; floats of 16 bits may differ by
two units in the last place, where a tolerance asks for less than one. Of random numbers only types and shapes are
compared: no specification says which numbers they are. Strings, sequences, optionals
and `ImageDecoder` are not planned.

An operator of f16 or bf16 rounds once: what is several steps is computed in f32.

Where ONNX Runtime differs from the reference of the package `onnx`, and the cases allow both, mlc follows the runtime:
what people deploy was checked against it.

- `Resize` by scales: scales, extents and places are f32, where the reference takes what it is given. Of
  `align_corners` with scales that make no whole number, a case asks for what the reference does: ends are those of
  `scale * extent`, not of the result. A place that is within 1e-6 of the middle of two pixels is a tie, as rounding
  brings places there or away.
- `GridSample`, cubic, with `border`: each of the four pixels is clamped, as in PyTorch, not the place between.
- `LSTM` with `clip`: what goes into the gates and the candidate is limited, not the cell. The reference does not clip.
- `DynamicQuantizeLinear` of zeros has a scale of 1. The reference divides 0 by 0.
- `Slice` backwards from below the first element begins at the first, as specified; the reference takes none.
"""

_CONTRIBUTED = """
## Operators of ONNX Runtime

What the optimiser and the quantiser of ONNX Runtime write, which is not part of ONNX: operators of the domain
`com.microsoft`, and `SimplifiedLayerNormalization`, which has no domain. Each is compared with ONNX Runtime, in all
forms that run on a CPU there. Where that computes less exactly than the operator is defined, mlc does not follow:

- `MatMulNBits` rounds A to integers of 8 bits where `accuracy_level` is 4, in blocks of a row, as the runtime does, and
  else multiplies floats; so it does with `g_idx`, which orders zero points, too.
- `QLinearSoftmax` rounds once; numbers may be one step apart.
- `DynamicQuantizeLSTM` has one range for the states of a whole batch; ONNX Runtime has one for each thread's part.

Not converted: `do_rotary` and shared buffers of `Attention`, `cache_indirection` of `MultiHeadAttention`, quantised and
sliding caches of `GroupQueryAttention`, whose `total_sequence_length` has to be known when the model is compiled, or to
follow from an extent of a call, as that of a mask.
`com.microsoft.nchwc` is a layout for one kind of machine: let a session save its model at `ORT_ENABLE_EXTENDED`, which
does not write it.

| operator | how |
|---|---|
"""


def page() -> str:
    """The text of the page."""
    import_patterns("mlc.frontends.onnx.to_graph")
    outcomes: dict[str, list[Any]] = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for status, first in outcomes.values():
        counts[first][status] += 1
    total = Counter(status for status, _ in outcomes.values())
    lines = [
        _INTRODUCTION,
        f"Of {sum(total.values()):,} cases {total['pass']:,} pass, {total['mismatch'] + total['bug']:,} give something "
        f"else, and {total['unsupported']:,} are refused.\n",
        "| operator | since | how | cases |",
        "|---|---|---|---|",
    ]
    for domain, name in sorted(operators()):
        shown = f"{domain}.{name}" if domain else name
        found = counts.get(shown, Counter())
        cases = f"{found['pass']} of {found.total()}" if found else ""
        lines.append(f"| {shown} | {newest_schema(domain, name).since_version} | {how(domain, name)} | {cases} |")  # pyright: ignore
    rows = [
        f"| {f'{domain}.{name}' if domain else name} | {how(domain, name)} |" for domain, name in sorted(_runtimes())
    ]
    return "\n".join(lines) + "\n" + _CONTRIBUTED + "\n".join(rows) + "\n"


def _runtimes() -> list[tuple[str, str]]:
    """The operators of ONNX Runtime that ONNX does not have in any version."""
    return [name for name in contributed() if name not in operators()]


def how(domain: str, name: str) -> str:
    """What converts an operator, in words; nothing if nothing does."""
    factory = lowering_of(ConvertOnnxToGraphPass.name, op(name, domain))
    if factory is not None:
        return f"`{factory.__module__.rpartition('.')[2]}.py`"
    schema: Any = newest_schema(domain, name)
    return "body" if schema.has_function or schema.has_context_dependent_function else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
