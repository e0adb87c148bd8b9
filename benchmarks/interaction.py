"""How long people wait for the tools that they look at: pages of the explorer, the language server, reduction.

    python -m benchmarks.interaction                                  the language server and the reducer
    python -m benchmarks.interaction net.onnx llm.gguf:context=512    pages too, with what inputs leave open
    python -m benchmarks.interaction --only pages net.onnx            one part: pages, editor, large, reduce

Pages are shown by Chromium, of 1,400 x 900 pixels: from the start of the navigation to the first heading; from a letter
in a search box to the results in the layout of the page, the slowest of all letters of some words; from a click on what
is folded, or that groups the graph otherwise, to the layout with the lines or nodes. The language server is asked by a
client in another process. A keystroke is what an editor does after one: it tells the change, and asks for completion,
colours and hints; it takes until all answers are there. Some keystrokes follow at once, before others the text stays,
so that the server reads all of it meanwhile.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from mlc.benchmarks.editor_client import EditorClient
from mlc.benchmarks.environment import cpu_model
from mlc.testing.browser import browser, why_no_browser

_PARTS = ("pages", "editor", "large", "reduce")
_LINES, _KEYSTROKES = 3_000, 200
_LARGE = 300_000
_PAUSES = (0.05, 0.1, 0.15, 0.25, 0.5)
"""Seconds before keystrokes, one of them at random."""
_MEGABYTE = 1e6
_INPUTS = Path(__file__).parents[1] / "tests" / "lit" / "tools" / "Inputs"

Row = tuple[str, str, str]
"""What was measured, the number, the limit."""


def main(argv: Sequence[str]) -> int:
    """Measure, and print a table of Markdown."""
    parser = argparse.ArgumentParser(prog="benchmarks.interaction", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL[:SHAPES]")
    parser.add_argument("--only", choices=_PARTS, help="this part alone")
    args = parser.parse_args(argv)
    parts = [args.only] if args.only else [each for each in _PARTS if each != "pages" or args.models]
    print(f"{cpu_model()}, {time.strftime('%Y-%m-%d')}\n\n| | | limit |\n|---|---|---|")
    for part in parts:
        rows = {"pages": lambda: _pages(args.models), "editor": _editor, "large": _large, "reduce": _reduce}[part]()
        for name, number, limit in rows:
            print(f"| {name} | {number} | {limit} |", flush=True)
    return 0


# -- pages


def _pages(models: Sequence[str]) -> Iterator[Row]:
    if (why := why_no_browser()) is not None:
        raise SystemExit(why)
    with tempfile.TemporaryDirectory(prefix="mlc-bench-") as folder:
        for model in models:
            path, _, shapes = model.partition(":")
            page = Path(folder) / "page.html"
            options = [word for shape in filter(None, shapes.split(",")) for word in ("--shape", shape)]
            start = time.perf_counter()
            _run("-m", "mlc", "explore", path, "-o", str(page), *options)
            name = Path(path).stem
            yield f"{name}: page written", f"{time.perf_counter() - start:.1f} s", ""
            yield f"{name}: size of the page", f"{page.stat().st_size / _MEGABYTE:.2f} MB", "10 MB"
            yield from ((f"{name}: {what}", number, limit) for what, number, limit in _in_browser(page))


def _in_browser(page: Path) -> Iterator[Row]:
    with browser() as driver:
        driver.set_script_timeout(120)
        opened: list[float] = []
        for _ in range(5):
            driver.get("about:blank")
            driver.get(page.as_uri())
            opened.append(driver.execute_async_script(_OPENED))
        yield "opens", f"{statistics.median(opened):.0f} ms", "2 s"
        for what, script in (("search", _SEARCH), ("folding, of texts", _FOLDS), ("folding, of the graph", _GROUPS)):
            times = driver.execute_async_script(_COMMON + script)
            shown = f"{statistics.median(times):.0f} ms, at most {max(times):.0f} ms, of {len(times)}"
            yield what, shown if times else "nothing to fold", "100 ms"


_OPENED = """
    const done = arguments[arguments.length - 1];
    const look = () => document.querySelector("main h1") ? done(performance.now()) : setTimeout(look, 1);
    look();
"""
_COMMON = """
    const done = arguments[arguments.length - 1];
    const timed = (act) => {
        const start = performance.now();
        act();
        document.body.offsetHeight;
        return performance.now() - start;
    };
    const until = async (found) => {
        while (!found()) await new Promise((go) => setTimeout(go, 5));
    };
    const drawn = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 0)));
"""
_SEARCH = """
    (async () => {
        const times = [];
        const box = document.querySelector(".search input");
        for (const word of ["conv relu", "matmul_", "attention", "weight", "nothing at all"])
            for (let length = 1; length <= word.length; length++) {
                box.value = word.slice(0, length);
                times.push(timed(() => box.dispatchEvent(new Event("input"))));
                await drawn();
            }
        done(times);
    })();
"""
_FOLDS = """
    (async () => {
        const times = [];
        location.hash = "#/passes";
        await until(() => document.querySelector("nav.side a"));
        const count = document.querySelectorAll("nav.side a").length;
        for (let pass = 0; pass < count; pass++) {
            document.querySelectorAll("nav.side a")[pass].click();
            for (let each = 0; each < 20; each++) await drawn();
            const fold = document.querySelector("button.line.fold");
            if (fold) times.push(timed(() => fold.click()));
        }
        done(times);
    })();
"""
_GROUPS = """
    (async () => {
        const times = [];
        location.hash = "#/graph";
        await until(() => document.querySelector(".node"));
        const count = document.querySelectorAll(".toolbar .choice button").length;
        for (let number = count - 1; number >= 0; number--) {
            const button = document.querySelectorAll(".toolbar .choice button")[number];
            times.push(timed(() => button.click()));
            await drawn();
        }
        done(times);
    })();
"""


# -- the language server


def _editor() -> Iterator[Row]:
    rng = random.Random(0)
    with EditorClient(_text(_LINES - 4)) as editor:
        start = time.perf_counter()
        editor.wait_for_errors()
        yield f"{_LINES:,} lines: opened", f"{time.perf_counter() - start:.2f} s", ""
        times: list[float] = []
        computed: list[float] = []
        written = "  %z = graph.relu %x : tensor<4xf32>"
        while len(times) < _KEYSTROKES:
            line = rng.randrange(2, _LINES - 2)
            editor.insert(line, 0, "\n")
            for column, letter in enumerate(written):
                time.sleep(rng.choice(_PAUSES))
                start, before = time.perf_counter(), editor.seconds_of_answering()
                editor.insert(line, column, letter)
                editor.ask_as_after_a_keystroke(line, column + 1)
                times.append(time.perf_counter() - start)
                computed.append(editor.seconds_of_answering() - before)
        yield f"{_LINES:,} lines: keystroke", _in_milliseconds(times), "100 ms"
        yield f"{_LINES:,} lines: keystroke, time of the processor", _in_milliseconds(computed), ""


def _in_milliseconds(times: Sequence[float]) -> str:
    in_order = sorted(1e3 * each for each in times)
    most = in_order[math.ceil(0.95 * len(times)) - 1]
    return (
        f"{statistics.median(in_order):.0f} ms; 95% within {most:.0f} ms, all {len(times)} within {in_order[-1]:.0f} ms"
    )


def _text(adds: int) -> str:
    """A function of so many additions, and four lines more."""
    lines = [f"  %{n + 1} = graph.add %{n}, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>" for n in range(adds)]
    first = ["func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {", "  %0 = graph.relu %x : tensor<4xf32>"]
    return "\n".join([*first, *lines, f"  return %{adds} : tensor<4xf32>", "}"])


def _large() -> Iterator[Row]:
    with EditorClient(_text(_LARGE)) as editor:
        start = time.perf_counter()
        editor.wait_for_errors()
        yield f"{_LARGE:,} ops: opened", f"{time.perf_counter() - start:.0f} s", "the server lives"
        start = time.perf_counter()
        editor.insert(_LARGE // 2, 0, "  %z = graph.relu %x : tensor<4xf32>\n")
        editor.hover(_LARGE // 2, 10)
        yield f"{_LARGE:,} ops: edit, then hover", f"{time.perf_counter() - start:.1f} s", ""
        yield f"{_LARGE:,} ops: memory of the server", f"{editor.peak_bytes() / 1e9:.1f} GB", ""


# -- the reducer


def _reduce() -> Iterator[Row]:
    """The lit test `tests/lit/tools/find_miscompile.mlir`, timed."""
    with tempfile.TemporaryDirectory(prefix="mlc-bench-") as folder:
        model = Path(folder) / "model.mlir"
        model.write_text(_run(str(_INPUTS / "long_model.py"), "1000"), encoding="utf-8")
        broken = ["--load-pass", str(_INPUTS / "broken_passes.py")]
        start = time.perf_counter()
        reduced = _run(
            "-m", "mlc.tools.mlc_opt", str(model), *broken, "--drop-relu", "--reduce-while=differs", status=1
        )
        seconds = time.perf_counter() - start
        note = next(line for line in reduced.splitlines() if line.startswith("note: reduced from"))
        yield f"planted miscompile, {note.removeprefix('note: ')}", f"{seconds:.1f} s", "10 ops, 60 s"
        start = time.perf_counter()
        found = _run("-m", "mlc", "bisect", str(model), *broken, "--pass-pipeline=drop-relu", status=1)
        seconds = time.perf_counter() - start
        yield f"planted miscompile, {found.splitlines()[0][:60]}", f"{seconds:.1f} s", "120 s, with the reducer"


def _run(*words: str, status: int = 0) -> str:
    """What a program of Python prints.

    Raises:
        SystemExit: it ends with another status.
    """
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, status):
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
