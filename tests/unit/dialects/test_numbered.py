"""What the ops of mlc's own dialects require is numbered: in the op, in the message, and in a test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[3]
_OWN = ("graph", "tensor", "loop")
_CODE = re.compile(r"\b[a-z0-9]\w*_c\d+\b")
_EVERYWHERE = ("unknown attribute", "correct the type after '->'")
"""What is required of each op of the graph dialect, and said in words."""


def _classes() -> Iterator[tuple[str, str, ast.ClassDef]]:
    """The file and the text of each class of an op."""
    for dialect in _OWN:
        for file in sorted((_ROOT / "dialects" / dialect).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef) and node.name.endswith("Op"):
                    yield file.name, text, node


def _refusals() -> Iterator[tuple[str, str]]:
    """Where an op refuses something, and with what words."""
    for file, text, op in _classes():
        for node in ast.walk(op):
            if isinstance(node, ast.Raise) and node.exc is not None:
                words = ast.get_source_segment(text, node) or ""
                if "VerifyException" in words and not any(w in words for w in _EVERYWHERE):
                    yield f"{file}:{node.lineno}", words


def test_refusals_say_what_they_are_about() -> None:
    refusals = list(_refusals())
    assert len(refusals) > 20
    told = ("MESSAGE", "({constraint})")  # by who asks
    missing = [place for place, words in refusals if not _CODE.search(words) and not any(w in words for w in told)]
    assert not missing, "give these constraints a number, in the docstring of the op and in the message"


def test_numbers_of_classes_are_those_of_messages() -> None:
    """A number in the docstring of an op is one that some message has, and the other way round."""
    folders = [_ROOT / "dialects" / dialect for dialect in _OWN]
    texts = [f.read_text(encoding="utf-8") for folder in folders for f in folder.rglob("*.py")]
    listed = {code for text in texts for code in re.findall(r"^ +(\w+_c\d+): ", text, re.MULTILINE)}
    raised = {code for text in texts for code in re.findall(r"""[("](\w+_c\d+)[)"]""", text)}
    assert len(listed) > 20
    assert listed == {code for code in raised if code.partition("_c")[0] in {c.partition("_c")[0] for c in listed}}
