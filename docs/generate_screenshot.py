"""Makes `docs/explorer.png`, the picture of the explorer, in Chromium: `python docs/generate_screenshot.py`.

The file also holds the words that it shows (`words_of`): by these a test tells whether the page is still like that.
"""

from __future__ import annotations

import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mlc.testing.browser import browser, why_no_browser
from mlc.tools import mlc as commands

FILE = Path(__file__).parent / "explorer.png"
MODEL = Path(__file__).parents[1] / "examples" / "digits" / "cnn.mlir"
KERNEL, STEP = "conv2d_bias_relu_1", "tile(n, 16)"
"""What is shown: the kernel, and the step of its schedule that is chosen."""
_SIZE = 1240, 630
_SIGNATURE, _KEYWORD = b"\x89PNG\r\n\x1a\n", b"Description"
_SECONDS = 20
_WORDS = """
    const shown = [...document.querySelectorAll("nav a, h1, .fact, .step, main .line")].map((each) => each.innerText);
    return shown.slice(0, 40).map((words) => words.replace(/\\s+/g, " ").trim()).join("\\n");
"""
"""How many lines of code are in sight depends on fonts; there are more than these have."""


def page(folder: Path) -> Path:
    """The page of the model, for a machine that is the same everywhere.

    Raises:
        RuntimeError: mlc cannot write it.
    """
    report = folder / "report.html"
    if commands.main(["explore", str(MODEL), "-o", str(report), "--target=x86-64-v3"]) != 0:
        raise RuntimeError("mlc explore fails")
    return report


def picture(report: Path) -> bytes:
    """A picture of the page as PNG, which holds the words that it shows."""
    with browser(*_SIZE) as driver:
        driver.get(f"{report.as_uri()}#/kernels/{KERNEL}/schedule")
        _click(driver, ".step", STEP)
        _click(driver, ".choice button", "Side by side")
        _wait(driver, ".cell.added", "step 16")
        words = driver.execute_script(_WORDS)
        return _with_words(driver.get_screenshot_as_png(), words)


def words_of(png: bytes) -> str:
    """The words that a picture holds; nothing if it holds none."""
    for kind, data in _chunks(png):
        if kind == b"iTXt" and data.startswith(_KEYWORD + b"\0"):
            return data.split(b"\0", 5)[-1].decode()
    return ""


def _with_words(png: bytes, words: str) -> bytes:
    data = _KEYWORD + b"\0\0\0\0\0" + words.encode()
    (first, *rest) = _chunks(png)
    chunks = [first, (b"iTXt", data), *rest]
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12


def _wait(driver: Any, selector: str, words: str, action: str = "") -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    script = f"""
        const all = [...document.querySelectorAll(arguments[0])];
        const found = all.find((each) => each.textContent.includes(arguments[1]));
        if (found) {{ {action} }}
        return Boolean(found);
    """
    waiting = WebDriverWait(driver, _SECONDS, 0.02)
    waiting.until(lambda _: driver.execute_script(script, selector, words), f"no {selector} with {words!r}")


def _click(driver: Any, selector: str, words: str) -> None:
    _wait(driver, selector, words, "found.dispatchEvent(new MouseEvent('click', { bubbles: true }));")


def main() -> int:
    """Write the picture; 1 if there is no browser."""
    if (why := why_no_browser()) is not None:
        print(why, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="mlc-") as folder:
        FILE.write_bytes(picture(page(Path(folder))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
