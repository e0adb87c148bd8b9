"""The `.mlir` files below this folder are tests; `mlc.testing.lit` tells how they are written."""

from mlc.testing.lit import pytest_collect_file

__all__ = ["pytest_collect_file"]
