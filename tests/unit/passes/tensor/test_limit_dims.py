"""`limit-dims` in a process of its own: what scalar ops mean is known there, whatever else has been imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_TEXT = Path(__file__).parents[3] / "lit" / "passes" / "tensor" / "limit_dims_facts.mlir"


def test_in_a_fresh_process() -> None:
    text = _TEXT.read_text(encoding="utf-8").split("// -----")[1]
    command = [sys.executable, "-m", "mlc.tools.mlc_opt", "-", "--limit-dims=target=znver4"]
    found = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert "limits = #loop.limits<c: argument 3 by 16, k: argument 3 by 16, n: argument 3 by 16>" in found.stdout
