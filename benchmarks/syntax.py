"""How fast text becomes IR and back: mlc beside xDSL, and beside upstream's mlir-opt where that is installed.

    python benchmarks/syntax.py            # from the root of the repository; two minutes
    python benchmarks/syntax.py --quick    # without the largest text

Prints a Markdown table. Both parsers run as their tools run them: mlc pauses Python's cycle collector while it parses,
xDSL does not. Times are the best of a few runs, with grammar tables and imports warm.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc.compiler.compilation import new_context
from mlc.syntax import parse_module, print_module

OPS = 15_000
SCALES = (3_000, 30_000, 300_000)
_PER_FUNCTION = 1_500


@dataclass(frozen=True)
class Row:
    """One line of the table; empty where something does not apply."""

    what: str
    ours: str
    xdsl: str = ""
    mlir: str = ""
    target: str = ""


# ---- texts


def pretty(ops: int) -> str:
    """Functions of scalar and memory operations in their own formats."""
    bodies = [
        "\n".join(
            f"  %a{i} = arith.addf %x, %y : f32\n  %b{i} = arith.cmpi slt, %i, %j : index\n"
            f"  %c{i} = memref.load %m[%i, %j] : memref<64x64xf32>\n  %d{i} = arith.select %b{i}, %a{i}, %c{i} : f32\n"
            f"  memref.store %d{i}, %m[%j, %i] : memref<64x64xf32>"
            for i in range(_PER_FUNCTION // 5)
        )
        for _ in range(ops // _PER_FUNCTION)
    ]
    arguments = "%x: f32, %y: f32, %i: index, %j: index, %m: memref<64x64xf32>"
    return "".join(f"func.func @f{n}({arguments}) {{\n{body}\n  func.return\n}}\n" for n, body in enumerate(bodies))


def generic(ops: int) -> str:
    """The same in the generic form."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(read_by_xdsl(pretty(ops)))
    return stream.getvalue()


# ---- what is measured


def read_by_mlc(text: str, base: Path | None = None) -> ModuleOp:
    """Parse with mlc, in a new context."""
    return parse_module(text, "benchmark.mlir", new_context(), base)


def read_by_xdsl(text: str) -> ModuleOp:
    """Parse with xDSL, in a new context."""
    ctx = Context()
    for name, dialect in get_all_dialects().items():
        ctx.register_dialect(name, dialect)
    return Parser(ctx, text).parse_module()


def best(action: Callable[[], object], runs: int = 3) -> float:
    """The shortest time of an action in seconds."""
    times: list[float] = []
    for _ in range(runs):
        gc.collect()
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def upstream_time(text: str) -> str:
    """How long mlir-opt takes to read and print a text, its start included; empty if there is none."""
    tool = next((path for n in range(40, 18, -1) if (path := shutil.which(f"mlir-opt-{n}"))), shutil.which("mlir-opt"))
    if tool is None:
        return ""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        return _seconds(best(lambda: subprocess.run([tool, file.name], capture_output=True, check=True)))


def reading() -> list[Row]:
    """15,000 operations in both forms."""
    rows: list[Row] = []
    for name, text in (("generic", generic(OPS)), ("pretty", pretty(OPS))):
        read_by_mlc(text)  # makes or loads the grammar's tables
        ours, theirs = best(lambda text=text: read_by_mlc(text)), best(lambda text=text: read_by_xdsl(text))
        what = f"read {OPS:,} ops, {name} form, {len(text) / 1e6:.2f} MB"
        target = f"xDSL / 1.25; is / {theirs / ours:.2f}"
        rows.append(Row(what, _seconds(ours), _seconds(theirs), upstream_time(text), target))
    return rows


def scaling(scales: tuple[int, ...]) -> list[Row]:
    """Time for each operation, by the length of the text."""
    rows: list[Row] = []
    first = None
    for ops in scales:
        text = pretty(ops)
        each = best(lambda text=text: read_by_mlc(text), 3 if ops < 100_000 else 1) / ops
        first = first or each
        target = f"within 1.3x; is {each / first:.2f}x"
        rows.append(Row(f"read {ops:,} ops, pretty form, for each op", f"{each * 1e6:.1f} us", target=target))
    return rows


def data() -> list[Row]:
    """Large literals and weight files."""
    digits = "00" * 10_000_000
    in_type = f'"test.op"() {{v = dense<"0x{digits}"> : tensor<2500000xf32>}} : () -> ()\n'
    blob = (
        '"test.op"() {v = dense_resource<w> : tensor<2500000xf32>} : () -> ()\n'
        f'{{-# dialect_resources: {{ builtin: {{ w: "0x04000000{digits}" }} }} #-}}\n'
    )
    numbers = ", ".join(f"{i / 8}" for i in range(1_000_000))
    listed = f'"test.op"() {{v = dense<[{numbers}]> : tensor<1000000xf32>}} : () -> ()\n'
    rows: list[Row] = []
    for what, text, target in (
        ("read dense<...> of 20 MB in hexadecimal", in_type, "0.2 s"),
        ("read a resource of 20 MB in hexadecimal", blob, "0.2 s"),
        ("read dense<[...]> of a million numbers", listed, "1 s"),
    ):
        ours, theirs = best(lambda text=text: read_by_mlc(text)), best(lambda text=text: read_by_xdsl(text), 1)
        rows.append(Row(what, _seconds(ours), _seconds(theirs), upstream_time(text), target))
    return [*rows, _weight_file()]


def _weight_file() -> Row:
    """A reference to a file of 1 GB, which is sparse: only its header is on the disk."""
    size = 1 << 30
    header = json.dumps({"w": {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]}}).encode()
    text = (
        f'"test.op"() {{v = dense_resource<w> : tensor<{size // 4}xf32>}} : () -> ()\n'
        '{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        with (Path(folder) / "w.safetensors").open("wb") as file:
            file.write(len(header).to_bytes(8, "little") + header)
            file.truncate(8 + len(header) + size)
        before = _peak_mib()
        ours = best(lambda: read_by_mlc(text, Path(folder)))
        grown = _peak_mib() - before
    return Row(
        "read a reference to weights of 1 GiB", f"{_seconds(ours)}, {grown:.0f} MiB", target="no time, no memory"
    )


def printing() -> list[Row]:
    """From IR to text."""
    rows: list[Row] = []
    ctx = new_context()
    module = parse_module(pretty(OPS), "benchmark.mlir", ctx)
    for form, is_generic in (("generic", True), ("pretty", False)):
        ours = best(lambda g=is_generic: print_module(module, ctx, StringIO(), g))
        theirs = best(lambda g=is_generic: Printer(StringIO(), print_generic_format=g).print_op(module))
        rows.append(Row(f"print {OPS:,} ops, {form} form", _seconds(ours), _seconds(theirs), target="xDSL's"))
    return rows


def start_up() -> list[Row]:
    """A whole process on a small file, with the bytecode of both packages cached as in an installation."""
    scripts = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "small.mlir"
        file.write_text("func.func @f(%x: f32) -> f32 {\n  %y = arith.addf %x, %x : f32\n  func.return %y : f32\n}\n")
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def run(*command: str) -> float:
            words = [str(scripts / command[0]), *command[1:], str(file)]
            return best(lambda: subprocess.run(words, capture_output=True, check=True, env=environment), 9)

        theirs = run("xdsl-opt")
        rows: list[Row] = []
        for command in (("mlc-opt",), ("mlc-opt", "--xdsl")):
            ours = run(*command)
            target = f"1.3x xDSL's; is {ours / theirs:.2f}x"
            rows.append(
                Row(f"`{' '.join(command)}` on a file of 4 lines", _seconds(ours), _seconds(theirs), target=target)
            )
        return rows


# ---- the table


def _seconds(time_s: float) -> str:
    return (
        f"{time_s:.2f} s" if time_s >= 1 else f"{time_s * 1e3:.0f} ms" if time_s >= 0.01 else f"{time_s * 1e3:.1f} ms"
    )


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure everything and print the table."""
    quick = "--quick" in sys.argv[1:]
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}\n")
    print("| | mlc | xDSL | mlir-opt (whole process) | target |\n|---|---|---|---|---|")
    for part in (start_up, data, reading, printing, lambda: scaling(SCALES[:2] if quick else SCALES)):
        for row in part():
            print(f"| {row.what} | {row.ours} | {row.xdsl} | {row.mlir} | {row.target} |", flush=True)


if __name__ == "__main__":
    main()
