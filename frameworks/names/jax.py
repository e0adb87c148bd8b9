"""`import mlc.jax` gives mlc.frameworks.jax."""

import sys

from mlc.frameworks import jax

sys.modules[__name__] = jax
