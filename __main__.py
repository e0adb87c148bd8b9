"""`python -m mlc` is `mlc`."""

from __future__ import annotations

import sys

from mlc.tools.mlc import main

if __name__ == "__main__":
    sys.exit(main())
