"""The page of `mlc explore` in Chromium: links, search, differences, hostile names, no access to a network."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mlc.testing.browser import browser, why_no_browser
from mlc.tools.explorer.document import Document, GraphNode, KernelTime
from mlc.tools.explorer.document_values import Picture
from mlc.tools.explorer.measuring import with_reasons
from mlc.tools.explorer.page import page_of
from mlc.tools.explorer.stored_page import documents_in

from .explored import FILE, HOSTILE, save_hostile_model

if TYPE_CHECKING:
    from tests.conftest import CommandLine


class _Page:
    """A page in a browser."""

    def __init__(self, driver: Any, file: Path) -> None:
        self.driver, self.file = driver, file

    def open(self, page: str = "") -> None:
        """Go to a page of it."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.file.as_uri()}#/{page}")
        self.wait("main h1")

    def wait(self, selector: str, words: str = "") -> str:
        """The text of the first element with these words, as soon as there is one."""
        return self._first(selector, words, "return each.textContent")

    def click(self, selector: str, words: str = "") -> None:
        """Click on it."""
        self._first(selector, words, "each.dispatchEvent(new MouseEvent('click', { bubbles: true })); return 'clicked'")

    def _first(self, selector: str, words: str, action: str) -> str:
        """What an action gives for the first element with these words; both in one script, as pages draw anew."""
        from selenium.webdriver.support.ui import WebDriverWait

        script = f"""
            const [selector, words] = arguments;
            const each = [...document.querySelectorAll(selector)].find((one) => one.textContent.includes(words));
            if (each) {{ {action}; }}
        """
        wait = WebDriverWait(self.driver, 10, 0.02)
        return wait.until(
            lambda _: self.driver.execute_script(script, selector, words), f"no {selector} with {words!r}"
        )

    def texts(self, selector: str) -> list[str]:
        """The texts of all that there are now."""
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
        return self.driver.execute_script(script, selector)

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()


@pytest.fixture
def page(tmp_path: Path, mlc: CommandLine) -> Iterator[_Page]:
    if (why := why_no_browser()) is not None:
        pytest.skip(why)
    report = tmp_path / "report.html"
    model, inputs = save_hostile_model(tmp_path), tmp_path / "<b>x.npz"
    x = np.random.default_rng(2).standard_normal((6, 50), np.float32)
    x[2, 3] = np.nan
    np.savez(inputs, allow_pickle=False, x=x)
    options = ["-o", str(report), "--target=x86-64-v3", "--inputs", str(inputs)]
    assert mlc("explore", str(model), *options).status == 0
    _pretend(report)
    with browser() as driver:
        yield _Page(driver, report)


def _pretend(report: Path) -> None:
    """Write times into a page, as the target of the test need not be one that this machine can run; and a picture."""
    (document,) = documents_in(report.read_text(encoding="utf-8"), report.name)
    kernels = [
        replace(kernel, measured=KernelTime(seconds, 1.01 * seconds, 1.02 * seconds, is_inlined=False))
        for kernel, seconds in zip(document.kernels, (3e-6, 1e-6), strict=True)
    ]
    document.kernels, document.measured_seconds, document.measured_median = with_reasons(kernels), 5e-6, 8e-6
    picture = Picture(2, 1, 1, "1 x 2", base64.b64encode(bytes([0, 255])).decode())
    document.values = [replace(document.values[0], picture=picture), *document.values[1:]]
    report.write_text(page_of([document]), encoding="utf-8")


@pytest.mark.slow
def test_page_in_a_browser(page: _Page, mlc: CommandLine) -> None:
    """One browser and one compilation serve all checks: each takes seconds to start."""
    _check_pages(page)
    _check_passes(page)
    _check_measured(page)
    _check_kernel(page)
    _check_roofline(page)
    _check_artifact(page)
    _check_graph(page)
    _check_values(page)
    _check_search(page)
    _check_search_by_kind(page, mlc)
    _check_source(page)
    _check_comparison(page, mlc)
    _check_long_graph(page)
    _check_nothing_was_refused(page)
    _check_policy(page)  # last, as it leaves messages


def _check_pages(page: _Page) -> None:
    page.open()
    assert page.wait("main h1").endswith(FILE)
    for name in page.texts("nav.pages a")[1:]:
        page.click("nav.pages a", name)
        page.wait('nav.pages a[aria-current="page"]', name)
        page.wait("main section, main .split")
    page.open("memory")
    page.wait("main td", "onerror")
    assert page.texts("svg.arena rect.buffer")


def _check_passes(page: _Page) -> None:
    page.open("passes")
    page.click("nav.side a", "fuse")
    page.wait("main h1", "fuse")
    page.wait(".cell.added", "graph.fusion")
    assert not page.texts(".cell.removed"), "ops that only move into a region are as before"
    page.click(".choice button", "Side by side")
    page.wait(".cell.added", "graph.fusion")
    assert page.texts(".line .cell.none")
    page.click("nav.side a", "schedule")
    page.wait(".cell.added", "schedule = #loop.schedule")
    assert page.texts(".cell.removed")
    shown = page.texts("nav.side .list-item")
    page.click("nav.side .filter input")
    assert len(page.texts("nav.side .list-item")) > len(shown)


def _check_measured(page: _Page) -> None:
    """Times stand beside estimates, in the order of their shares; a click on a column orders by it."""
    page.open()
    assert "5 µs" in page.wait(".fact", "measured")
    page.wait(".card h2", "Kernels that take longest, measured")
    assert page.texts(".card:first-child dt") == ["linear_relu", "softmax", "beyond the kernels"]
    assert page.texts(".card:first-child dd") == ["3 µs60%", "1 µs20%", "1 µs20%"]
    assert "1 µs, 20%" in page.wait(".fact", "beyond the kernels")
    assert "median 8 µs" in page.wait(".fact", "measured")
    page.wait("main .alarm", "their median is 1.60 times the shortest. Something else ran")
    full = "return [...document.querySelectorAll('.card')].map((each) => each.querySelector('.bar-fill').style.width)"
    assert page.driver.execute_script(full) == ["100%"] * 3, "bars are beside the longest one"
    page.wait(".card h2", "Kernels that lose most, measured")
    page.wait("main p", "Estimates rest on numbers of the machine: ")
    page.open("kernels")
    page.wait("main .lead", "The model was measured to take 5 µs, of which 1 µs (20%) is beyond the kernels")
    assert page.texts("tbody tr td:nth-child(7)") == ["3 µs", "1 µs"]
    assert page.texts("tbody tr td:nth-child(9)") == ["60%", "20%"]
    assert page.wait("th button[title^='how much longer all calls of a kernel take']") == "lost"
    lost = page.texts("tbody tr td:nth-child(10)")
    assert float(lost[0].removesuffix(" µs")) < 3
    assert float(lost[1].removesuffix(" ns")) < 1000
    page.click("th button", "measured")
    page.click("th button", "measured")
    page.wait('th[aria-sort="ascending"]', "measured")
    assert page.texts("tbody tr td:nth-child(7)") == ["1 µs", "3 µs"]
    page.click("main td a", "linear_relu")
    page.wait("h1", "linear_relu")
    page.driver.back()
    page.wait('th[aria-sort="ascending"]', "measured")
    page.open("kernels/linear_relu")
    assert "µs in all calls" in page.wait(".fact", "lost")
    assert "3 µs a call" in page.wait(".fact", "measured")
    assert "median 3.03 µs, a quarter 3.06 µs or more" in page.wait(".fact", "spread")
    assert "the default of its template" in page.wait(".fact", "schedule")
    page.wait(".reason p", "A call takes ")
    assert "in all 3 µs, measured" in page.wait(".key-of-parts")
    assert len(page.texts(".whole span")) == len(page.texts(".key-of-parts li")) - 1
    assert "60%" in page.wait(".fact", "of measured")
    page.wait(".fact .place", f"matmul {FILE}:4 6x200xf32")
    page.open("roofline")
    rows = '[aria-label="Kernels beside their bounds"] tbody tr'
    assert page.texts(f"{rows} td:nth-child(2)") == ["1", "1"]
    assert page.texts(f"{rows} td:nth-child(10)") == lost
    page.wait(".legend", "Of bound: the least time as a part of the time that a call takes")


def _check_kernel(page: _Page) -> None:
    """A line of index notation that is chosen, by mouse or by keys, shows its lines in loops, and where it is from."""
    from selenium.webdriver.common.keys import Keys

    page.open("kernels")
    page.click("main td a", "linear_relu")
    page.wait("h1", "linear_relu")
    page.click(".panes > :first-child .line", "tensor.contract")
    page.wait(".panes > :last-child .line.chosen", "math.fma")
    bar = page.wait("footer.place-bar", ":4:")
    page.wait("footer.place-bar a", "graph: matmul 6x200xf32")
    assert "graph.matmul" in bar
    page.click("footer.place-bar button")
    page.driver.execute_script("document.querySelector('.panes > :first-child .rows').focus()")
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    page.wait(".panes > :first-child .line.cursor.chosen", "tensor.contract")
    page.click("nav.tabs a", "Schedule")
    page.click(".step", "vectorize")
    page.wait(".cell.added", "vector<8xf32>")
    page.click("nav.tabs a", "Costs")
    page.wait(".parts dt", "arithmetic")
    assert " → " in page.wait("main td", ": tile(")
    page.wait("main p", " are around the innermost loops: what comes before and after sums.")
    assert " for tile(" in page.wait('[aria-label="One step away"] td', " for ")
    page.wait("td", "estimated to take longer")
    _check_tips(page)
    page.driver.execute_script("location.hash = '#/kernels/nobody'")
    page.wait("main p", "No kernel and no function has this name.")
    page.driver.execute_script("location.hash = '#/kernels/linear_relu/no such tab'")
    page.wait("nav.tabs a[aria-current=page]", "Levels")
    page.click("nav.tabs a", "Inner loop")
    page.wait(".parts dt", "multiply-adds")
    page.wait("nav.tabs a[title^='the loop over k in that over']", " › k")
    assert len(set(page.texts('nav[aria-label="Inner loops"] a'))) > 1
    assert "of bound" not in page.texts(".fact dt"), "that is a part of the time of a kernel"
    page.wait(".line", "vfmadd231ps")
    assert page.wait(".fact", "vector registers").endswith(" of 16")
    if shutil.which("llvm-mca") or shutil.which("llvm-mca-19"):
        assert " are simulated, " in page.wait(".verdict", "cycles")
        page.wait(".fact dt", "throughput / simulated")
    page.click("nav.tabs a", "Remarks")
    page.wait("main td", "graph.relu: fused into linear_relu")
    assert not any("softmax" in kernel for kernel in page.texts("main td:nth-child(3)"))
    page.click("nav.tabs a", "Passes")
    page.click("main td a", "apply-schedule")
    page.wait("h1", "apply-schedule")
    assert page.driver.execute_script("return document.querySelector('select').value") == "linear_relu"


def _check_tips(page: _Page) -> None:
    """What the pointer is shown of a word, the keyboard is, too; Escape takes it away."""
    from selenium.webdriver.common.keys import Keys

    assert page.texts(".tip") == [""]
    page.driver.execute_script("document.querySelector('.fact dt[title]').focus()")
    page.press(Keys.TAB)
    title = page.driver.execute_script("return document.activeElement.title")
    page.wait(".tip:not([hidden])", title)
    assert page.driver.execute_script("return document.activeElement.getAttribute('aria-describedby')") == "tip"
    page.press(Keys.ESCAPE)
    page.wait(".tip[hidden]")
    assert page.driver.execute_script("return document.querySelector('[aria-describedby=tip]')") is None


def _check_graph(page: _Page) -> None:
    page.open("graph")
    page.wait(".node", "linear_relu")
    page.click('.choice button[aria-pressed="false"]', "Ops")
    page.click(".node", "matmul")
    assert HOSTILE in page.wait(".details .constant")
    before = _transform(page)
    page.driver.execute_script("document.querySelector('.canvas svg').focus()")
    page.press("+")
    assert _transform(page) != before
    page.click(".details a", "linear_relu")
    page.wait("h1", "linear_relu")


def _check_roofline(page: _Page) -> None:
    """Points lead to kernels by the keyboard as well, and have words; tables have the same numbers."""
    from selenium.webdriver.common.keys import Keys

    page.open("roofline")
    page.wait("figure svg > title", "operations per byte")
    page.wait("figure svg > desc", "2 kernels under the limits of L1, L2")
    assert len(page.texts("circle.point.estimated")) == len(page.texts("circle.point.measured")) == 2
    page.wait("circle.point.measured title", "linear_relu, measured: 41.2 Gop/s at 2.69 operations a byte")
    assert "41.2 Gop/s" in page.texts("tbody tr td:nth-child(8)")
    assert len(page.texts("path.roof")) == 5, "four levels of the memory, and arithmetic"
    page.wait("td", "LLVM's scheduling model; the frequency assumed")
    page.driver.execute_script("document.querySelector('circle.point.measured').focus()")
    page.press(Keys.ENTER)
    page.wait("h1", "linear_relu")
    page.wait("main p", "and it is measured to take")
    assert page.texts("path.roof.own-roof")


def _check_artifact(page: _Page) -> None:
    page.open("artifact")
    page.wait("main .lead", "code of 2 kernels")
    assert ".rodata" in page.texts("main .table td:first-child")[0], "sections are in the order of their sizes"
    page.click("main td a", "softmax")
    page.wait("h1", "softmax")


def _check_values(page: _Page) -> None:
    """Numbers of each value, an image of one, what a pass changes; a value leads to the graph, and a node to values."""
    page.open("values")
    page.wait("main .lead", "<b>x.npz")
    page.wait("main .lead", "5 values of 5 have NaN or infinities, first that of x.")
    page.click("main td a", "matmul")
    page.wait(".details h2", "matmul")
    page.wait(".details .alarm", "200")
    page.wait(".details .form h3", "when the tensor level begins")
    page.click(".details a", "in the graph")
    page.wait("main h1", "Graph")
    page.click(".details a", "all numbers")
    page.wait(".details h2", "matmul")
    page.open("values/0")
    page.wait("figcaption", "1 x 2")
    pixels = "return [...document.querySelector('canvas').getContext('2d').getImageData(0, 0, 2, 1).data]"
    assert page.driver.execute_script(pixels) == [220, 40, 40, 255, 255, 255, 255, 255]
    page.open("passes")
    page.click("nav.side a", "fuse")
    page.wait("main .status", "None of 4 values differ in any bit from before.")
    page.click("nav.side a", "convert-graph-to-tensor")
    page.wait("main .pass-values summary", "from before, at most by")
    page.click("main .pass-values summary")
    page.wait("main .pass-values td", "tensor<6x200xf32>")
    page.click("main .pass-values td .place", ":4")
    page.click("nav.side a", "fuse")
    page.click("nav.side a", "convert-graph-to-tensor")
    page.wait("main .pass-values strong", "; that of model<b>&.mlir:4 by ")
    page.click("footer.place-bar > button:last-child")


def _transform(page: _Page) -> str:
    return page.driver.execute_script("return document.querySelector('.canvas svg > g').getAttribute('transform')")


def _check_search(page: _Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open()
    page.press("/", "no such words")
    page.wait(".results .empty", "nothing has these words")
    page.press(Keys.ESCAPE, "/", f"{FILE}:6")
    page.wait(".results a", "linear_relu")  # a kernel is found by what it computes
    page.driver.execute_script("document.activeElement.blur()")
    page.press("/", "softmax")  # in place of what stands there
    page.wait(".results a", "softmax")
    page.press(Keys.ENTER)
    page.wait("h1", "softmax")
    page.driver.execute_script("document.querySelector('.text input').focus()")
    page.press("tensor.yield")
    page.wait(".text .status", "row")
    page.wait(".line.found", "tensor.yield")


def _check_search_by_kind(page: _Page, mlc: CommandLine) -> None:
    """A kernel is found by what people call the op that it computes, which is in no name."""
    from selenium.webdriver.common.keys import Keys

    model, report = page.file.with_name("conv.mlir"), page.file.with_name("conv.html")
    model.write_text("""
func.func @main(%x: tensor<1x8x6x6xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<1x8x4x4xf32> {
  %0 = graph.conv2d %x, %w {groups = 8 : i64} : tensor<1x8x6x6xf32>, tensor<8x1x3x3xf32> -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}
""")
    assert mlc("explore", str(model), "-o", str(report), "--target=x86-64-v3").status == 0
    other = _Page(page.driver, report)
    other.open()
    other.press("/", "depthwise groups 8")
    other.wait(".results a", "kernelconv2d 3x3 depthwise groups 8")
    other.press(Keys.ENTER)
    other.wait("h1", "conv2d")
    other.wait(".fact .place", "conv2d 3x3 depthwise groups 8 conv.mlir:3")


def _check_source(page: _Page) -> None:
    page.open("source")
    page.click(".line", "graph.softmax")
    page.click("footer.place-bar a", "kernel: softmax")
    page.wait("h1", "softmax")


def _check_comparison(page: _Page, mlc: CommandLine) -> None:
    """A page that compares a compilation with itself."""
    report = page.file
    both = report.with_name("both.html")
    assert mlc("explore", str(report), str(report), "-o", str(both)).status == 0
    other = _Page(page.driver, both)
    other.open()
    other.wait("main .lead", "No difference in what was made.")
    other.wait('th[aria-sort="descending"]', "measured, all calls")
    assert other.wait("tbody td", "+0.0%") == "3 µs → 3 µs +0.0%, equal code"
    other.wait("tbody td", "the default of its template; ")
    other.click("main td a", "linear_relu")
    other.wait("main .changes", "no difference")
    other.wait("button.line.fold", "as before")
    other.click("header .choice button", "second")
    other.click("nav.pages a", "Kernels")
    other.wait("main td a", "softmax")


def _check_long_graph(page: _Page) -> None:
    """A chain in which many ops read the first one: what is in sight is drawn, and what one goes to."""
    length = 2_000
    nodes = [GraphNode("x", "input", "tensor<4xf32>", -1, (), (), ())]
    nodes += [
        GraphNode(f"op{n}", "op", "tensor<4xf32>", -1, (), (n - 1, 0) if n % 3 else (n - 1,), ())
        for n in range(1, length)
    ]
    file = page.file.with_name("long.html")
    document = replace(Document("long", "1", "native", "machine"), graph=nodes)
    file.write_text(page_of([document]), encoding="utf-8")
    other = _Page(page.driver, file)
    other.open("graph")
    other.wait(".node text", "op1")
    assert len(other.texts(".node")) == length
    assert 0 < len(other.texts(".node rect")) < length / 4
    assert f"op{length - 1}" not in other.texts(".node text")
    page.driver.execute_script("const all = document.querySelectorAll('.node'); all[all.length - 1].focus()")
    other.wait(".node text", f"op{length - 1}")


def _check_nothing_was_refused(page: _Page) -> None:
    """No name became an element, and no rule of the policy stood in the way of the viewer itself."""
    assert page.texts("img") == []
    assert page.driver.title.endswith("mlc explore")
    assert [entry["message"] for entry in page.driver.get_log("browser")] == []


def _check_policy(page: _Page) -> None:
    """What a name would do, could it run."""
    attempt = """
        const done = arguments[arguments.length - 1];
        const refused = [];
        document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
        const image = new Image();
        image.src = "https://example.invalid/x.png";
        try { document.body.innerHTML = "<b>x</b>"; } catch (error) { refused.push(error.name); }
        try { image.setAttribute("onerror", "document.title = 'changed'"); } catch (error) { refused.push(error.name); }
        fetch("https://example.invalid/").catch(() => setTimeout(() => done(refused), 50));
    """
    refused = page.driver.execute_async_script(attempt)
    assert {"img-src", "connect-src"} <= set(refused)
    assert refused.count("TypeError") == 2
