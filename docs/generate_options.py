"""The page of options, made of their declarations: pass_manager/pipeline_options.py, compiler/options.py.

python docs/generate_options.py           write docs/options.md
"""

from __future__ import annotations

from pathlib import Path

from mlc.compiler.options import FRAMEWORK_OPTIONS, OPTIONS, default_of
from mlc.tools.option_arguments import flag_of

FILE = Path(__file__).parent / "options.md"
_HEAD = """# Options of a compilation

`mlc compile`, `mlc run`, `mlc explain` and `mlc tune` take them as flags, `mlc.compile` as arguments. The marked ones
are for frameworks, too: `torch.compile(model, backend="mlc", options={…})`, `mlc.torch.compile`, `mlc.jax.jit` and
`mlc.jax.compile`. This page is made of their declaration: `python docs/generate_options.py`.

Shapes and values of inputs are given apart, by `--shape` and `--value` ([importing-onnx.md](importing-onnx.md)). To
`mlc tune`, `--records` is the file that measurements are added to. `records=""` takes schedules from no file.

| flag | argument | value | frameworks | what it is |
|---|---|---|---|---|
"""


def page() -> str:
    """The page as it should be."""
    rows: list[str] = []
    for name, each in OPTIONS.items():
        values = ", ".join(f"`{choice}`" for choice in each.choices or ()) or each.required
        frameworks = "yes" if name in FRAMEWORK_OPTIONS else "no"
        default = "" if default_of(name) is None else f"; default `{default_of(name)}`"
        rows.append(f"| `{flag_of(name)}` | `{name}` | {values}{default} | {frameworks} | {each.help} |\n")
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
