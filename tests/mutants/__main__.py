"""`python -m tests.mutants`, from the root of the repository."""

from __future__ import annotations

import sys

from tests.mutants.harness import main

sys.exit(main())
