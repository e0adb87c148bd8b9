"""The grammar of TextMate, by which VS Code and other editors colour IR before a language server answers.

`python -m mlc.tools.editors.textmate` prints it.
"""

from __future__ import annotations

import json

from mlc.tools.editors.spelled_tokens import spelled_tokens


def textmate_grammar() -> str:
    """The grammar as JSON."""
    patterns = [
        {"match": each.pattern} | ({"name": f"{each.scope}.mlir"} if each.scope else {}) for each in spelled_tokens()
    ]
    grammar = {"name": "MLIR", "scopeName": "source.mlir", "fileTypes": ["mlir"], "patterns": patterns}
    return json.dumps(grammar, indent=2) + "\n"


if __name__ == "__main__":
    print(textmate_grammar(), end="")
