"""`python -m mlc` is `mlc`."""

from __future__ import annotations

import sys

from mlc.tools.entry import mlc

if __name__ == "__main__":
    sys.exit(mlc())
