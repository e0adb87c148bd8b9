"""`python -m benchmarks`, from the root of the repository."""

from __future__ import annotations

import sys

# By its full name: xDSL installs a package called benchmarks too.
from mlc.benchmarks.command import main

sys.exit(main(sys.argv[1:]))
