"""What the tests of the reference share: parsing and running small programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.utils.test_value import create_ssa_value

from mlc.compiler.compilation import new_context
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import from_numpy
from mlc.support.resources import Resources
from mlc.syntax import parse_module

Array = NDArray[Any]


@pytest.fixture
def run() -> Callable[..., list[Array]]:
    """`run(text, *arrays, name=..., resources=...)` runs a function of a module given as text."""

    def run(text: str, *arrays: Array, name: str = "f", resources: Resources | None = None) -> list[Array]:
        ctx = new_context()
        ctx.resources = resources or Resources()
        return run_function(parse_module(text, "test.mlir", ctx), name, arrays, ctx.resources)

    return run


@pytest.fixture
def values() -> Callable[..., list[SSAValue]]:
    """`values(*arrays)` makes SSA values of the arrays' tensor types, for building ops."""

    def values(*arrays: Array) -> list[SSAValue]:
        return [create_ssa_value(TensorType(from_numpy(a.dtype), a.shape)) for a in arrays]

    return values


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
