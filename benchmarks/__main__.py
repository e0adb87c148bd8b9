"""`python -m benchmarks`, from the root of the repository."""

from __future__ import annotations

import sys

try:
    # By its full name: xDSL installs a package called benchmarks too.
    from mlc.benchmarks.command import main
except ModuleNotFoundError as e:
    if e.name not in ("mlc", "mlc.benchmarks"):
        raise
    sys.exit("the benchmarks are not part of an installed mlc; in the checkout: pip install -e '.[bench]'")

sys.exit(main(sys.argv[1:]))
