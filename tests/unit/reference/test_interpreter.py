"""Calling functions: names, arguments, signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import IndexType, MemRefType, StringAttr, TensorType, VectorType, f32, i64
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context
from mlc.reference.interpreter import interface_of
from mlc.support.errors import UserError
from mlc.syntax import parse_module

Array = NDArray[Any]
Run = Callable[..., list[Array]]
IDENTITY = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"


def test_unknown_function(run: Run) -> None:
    with pytest.raises(UserError, match="no function 'g' with a body in the module, which has: f"):
        run(IDENTITY, name="g")


def test_element_types_that_mlc_lacks(run: Run) -> None:
    text = """
        func.func @f(%x: tensor<2xf32>) -> tensor<2xtf32> {
          %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xtf32>
          return %0 : tensor<2xtf32>
        }"""
    message = "stablehlo.convert: it has elements of type tf32, with which mlc does not compute; it has f16, bf16, f32"
    with pytest.raises(UserError, match=message) as found:
        run(text, np.ones(2, np.float32))
    assert found.value.location is not None


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([], r"'f' needs an input of type tensor<2xf32> as its argument 0, got none"),
        ([np.ones(3, np.float32)], r"argument 0 of 'f' is float32 \[3\], it must be float32 \[2\]"),
        ([np.ones(2)], r"argument 0 of 'f' is float64 \[2\], it must be float32 \[2\]"),
        ([np.ones(2, np.float32)] * 2, "'f' takes 1 inputs, got 2"),
    ],
)
def test_arguments_that_do_not_fit(arrays: list[Array], message: str, run: Run) -> None:
    with pytest.raises(UserError, match=message):
        run(IDENTITY, *arrays)


def test_signatures_are_equal_before_and_after_bufferization() -> None:
    module = parse_module(
        """
        func.func @a(%x: tensor<2xf32>) -> tensor<3xi64> {
          %y = arith.constant dense<0> : tensor<3xi64>
          return %y : tensor<3xi64>
        }
        func.func @b(%x: memref<2xf32>, %y: memref<3xi64> {mlc.output}, %w: memref<64xi8> {mlc.workspace}) {
          return
        }
        """,
        "test.mlir",
        new_context(),
    )
    a, b = (interface_of(op) for op in module.ops if isinstance(op, FuncOp))
    assert a is not None and b is not None
    assert a.shapes == b.shapes


def test_scalars_of_public_functions_are_tensors_of_rank_0() -> None:
    signature = interface_of(FuncOp("f", ([IndexType(), f32], [f32])))
    assert signature is not None
    assert signature.inputs == (TensorType(i64, []), TensorType(f32, []))
    assert signature.outputs == (TensorType(f32, []),)
    assert interface_of(FuncOp("f", ([IndexType()], []), visibility=StringAttr("private"))) is None
    assert interface_of(FuncOp("f", ([VectorType(f32, [4])], []))) is None
    assert interface_of(FuncOp("f", ([MemRefType(f32, [4]), f32], []))) is None


def test_calling_what_is_not_there(run: Run) -> None:
    with pytest.raises(UserError, match="'g' is called, but it is not a function with a body"):
        run("""
            func.func private @g()
            func.func @f() {
              func.call @g() : () -> ()
              return
            }
            """)
