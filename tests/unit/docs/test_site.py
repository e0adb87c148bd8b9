"""The documentation as a site: all links lead somewhere, also those to sources and to pages of the root."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="pip install mlc[docs]")

_ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow  # pages of all ops are highlighted
def test_the_site_is_built_without_warnings(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", _ROOT / "mkdocs.yml", "-d", tmp_path],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (built.returncode, built.stdout + built.stderr) == (0, "")
    tour = (tmp_path / "tour" / "index.html").read_text(encoding="utf-8")
    assert 'href="../source/pass_manager/pipeline.py/"' in tour and 'href="../ARCHITECTURE/"' in tour
    assert "default_steps" in (tmp_path / "source/pass_manager/pipeline.py/index.html").read_text(encoding="utf-8")
    softmax = (
        (tmp_path / "dialects" / "graph" / "index.html").read_text(encoding="utf-8").partition('id="graphsoftmax"')[2]
    )
    assert "Reference semantics" in softmax.partition("<h2")[0]
