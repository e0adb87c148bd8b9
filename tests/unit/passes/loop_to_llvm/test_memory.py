"""Addresses and buffers: subscripts of all forms, views, reshapes, constants, the stack, i1 as bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp

from mlc.support.errors import UserError

Compiled = Callable[..., Callable[..., int]]
Lower = Callable[..., ModuleOp]

SUBSCRIPTS: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "%i, %j": lambda i, j: (i, j),
    "%i + 2, %j + 1": lambda i, j: (i + 2, j + 1),
    "%i * 2, %j": lambda i, j: (2 * i, j),
    "7 - %i, 9 - %j * 2": lambda i, j: (7 - i, 9 - 2 * j),
    "%i + %j, %j": lambda i, j: (i + j, j),
    "%i floordiv 2, %j mod 3": lambda i, j: (i // 2, j % 3),
    "%i ceildiv 2, (%i + %j * 2) mod 5": lambda i, j: (-(-i // 2), (i + 2 * j) % 5),
    "%i + %j - 2 + 2, 3": lambda i, j: (i + j, 3),
    "%i + %c, %j": lambda i, j: (i + 3, j),
}


def test_subscripts(compiled: Compiled) -> None:
    text = "".join(
        f"""
func.func private @k{n}(%x: memref<9x10xf64>, %y: memref<4x5xf64>) {{
  %c = arith.constant 3 : index
  loop.for serial "i" %i = 0 to 4 {{
    loop.for serial "j" %j = 0 to 5 {{
      %v = loop.load %x[{subscripts}] : memref<9x10xf64>
      loop.store %v, %y[%i, %j] : memref<4x5xf64>
    }}
  }}
  func.return
}}"""
        for n, subscripts in enumerate(SUBSCRIPTS)
    )
    run = compiled(text)
    x = np.arange(90.0).reshape(9, 10)
    for n, (name, index) in enumerate(SUBSCRIPTS.items()):
        y = np.empty((4, 5))
        run(f"k{n}", x, y)
        expected = np.array([[x[index(i, j)] for j in range(5)] for i in range(4)])
        np.testing.assert_array_equal(y, expected, err_msg=name)


def test_subscripts_of_three_dims_and_one_counter_in_two(compiled: Compiled) -> None:
    """The distance from one element of a dim to the next is the extent of all dims behind it."""
    run = compiled(
        """
func.func private @k(%x: memref<3x4x5xf64>, %y: memref<3x4xf64>) {
  loop.for serial "i" %i = 0 to 3 {
    loop.for serial "j" %j = 0 to 4 {
      %a = loop.load %x[%i, %j, 2] : memref<3x4x5xf64>
      %b = loop.load %x[2, %j, %i] : memref<3x4x5xf64>
      %c = loop.load %x[%i, 3, %j] : memref<3x4x5xf64>
      %d = arith.subf %a, %b : f64
      %e = arith.mulf %d, %c : f64
      loop.store %e, %y[%i, %j] : memref<3x4xf64>
    }
  }
  func.return
}"""
    )
    x, y = np.arange(60.0).reshape(3, 4, 5), np.empty((3, 4))
    run("k", x, y)
    i, j = np.indices((3, 4))
    np.testing.assert_array_equal(y, (x[i, j, 2] - x[2, j, i]) * x[i, 3, j])


def test_partial_sums_may_leave_the_buffer(lower: Lower) -> None:
    """`inbounds` promises that each step of an address stays in the buffer: not so if a later one goes back."""

    def flags(subscript: str) -> list[bool]:
        module = lower(
            f"""
func.func private @k(%x: memref<64xf32>, %y: memref<64xf32>) {{
  loop.for serial "i" %i = 0 to 8 {{
    loop.for serial "j" %j = 0 to 8 {{
      %a = loop.load %x[{subscript}] : memref<64xf32>
      loop.store %a, %y[0] : memref<64xf32>
    }}
  }}
  func.return
}}"""
        )
        return [op.inbounds is not None for op in module.walk() if isinstance(op, llvm.GEPOp)]

    assert all(flags("%i * 8 + %j"))
    assert not any(flags("%i * 8 - %j + 7"))
    assert not any(flags("%i * 8 + %j - 0 - 1 + %j"))


def test_unrolled_accesses_share_one_pointer(lower: Lower) -> None:
    module = lower(
        """
func.func private @k(%x: memref<8x100xf32>, %y: memref<100xf32>) {
  loop.for serial "k" %k = 0 to 100 {
    %a = loop.load %x[0, %k] : memref<8x100xf32>
    %b = loop.load %x[1, %k] : memref<8x100xf32>
    %c = loop.load %x[2, %k] : memref<8x100xf32>
    %d = arith.addf %a, %b : f32
    %e = arith.addf %c, %d : f32
    loop.store %e, %y[%k] : memref<100xf32>
  }
  func.return
}"""
    )
    steps = [op for op in module.walk() if isinstance(op, llvm.GEPOp)]
    variable = [op for op in steps if op.ssa_indices]
    assert len(variable) == 2, "one per buffer"
    assert sorted(op.rawConstantIndices.get_values()[0] for op in steps if op not in variable) == [100, 200]


def test_outer_steps_stand_outside_of_inner_loops(lower: Lower) -> None:
    module = lower(
        """
func.func private @k(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  loop.for serial "m" %m = 0 to 8 {
    loop.for serial "k" %k = 0 to 100 {
      %a = loop.load %x[%m, %k] : memref<8x100xf32>
      loop.store %a, %y[%m, %k] : memref<8x100xf32>
    }
  }
  func.return
}"""
    )
    rows = [op for op in module.walk() if isinstance(op, llvm.GEPOp)]
    blocks = [op.parent for op in rows if isinstance(op.elem_type, llvm.LLVMArrayType)]
    assert len(blocks) == 2 and blocks[0] is blocks[1]
    assert blocks[0] not in [op.parent for op in rows if not isinstance(op.elem_type, llvm.LLVMArrayType)]


def test_partial_sums_that_may_leave_the_buffer_are_not_inbounds(lower: Lower) -> None:
    module = lower(
        """
func.func private @k(%x: memref<8xf32>, %y: memref<8xf32>) {
  loop.for serial "i" %i = 1 to 8 {
    %a = loop.load %x[%i - 1] : memref<8xf32>
    loop.store %a, %y[%i] : memref<8xf32>
  }
  func.return
}"""
    )
    bounded = [op.inbounds is not None for op in module.walk() if isinstance(op, llvm.GEPOp)]
    assert bounded == [False, False, True]


def test_views_reshapes_constants_and_the_stack(compiled: Compiled) -> None:
    run = compiled("""
func.func private @k(%w: memref<256xi8>, %y: memref<2x3xf32>) {
  %c = loop.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32> to memref<6xf32>
  %splat = loop.constant dense<10.0> : tensor<6xf32> to memref<6xf32>
  %bytes = arith.constant 128 : index
  %v = memref.view %w[%bytes][] : memref<256xi8> to memref<6xf32>
  %s = memref.alloca() : memref<6xf32>
  %r = memref.reinterpret_cast %v to offset: [0], sizes: [2, 3], strides: [3, 1]
     : memref<6xf32> to memref<2x3xf32>
  loop.for serial "i" %i = 0 to 6 {
    %a = loop.load %c[%i] : memref<6xf32>
    %b = loop.load %splat[%i] : memref<6xf32>
    %d = arith.addf %a, %b : f32
    memref.store %d, %s[%i] : memref<6xf32>
  }
  loop.for serial "i" %i = 0 to 6 {
    %a = memref.load %s[%i] : memref<6xf32>
    loop.store %a, %v[%i] : memref<6xf32>
  }
  loop.for serial "i" %i = 0 to 2 {
    loop.for serial "j" %j = 0 to 3 {
      %a = loop.load %r[%i, %j] : memref<2x3xf32>
      loop.store %a, %y[%i, %j] : memref<2x3xf32>
    }
  }
  func.return
}""")
    workspace, y = np.zeros(256, np.uint8), np.empty((2, 3), np.float32)
    run("k", workspace, y)
    expected = np.arange(11, 17, dtype=np.float32)
    np.testing.assert_array_equal(y.ravel(), expected)
    np.testing.assert_array_equal(workspace[128:152].view(np.float32), expected)


def test_booleans_are_bytes(compiled: Compiled) -> None:
    run = compiled("""
func.func private @k(%x: memref<32xi1>, %y: memref<32xi1>) {
  %t = arith.constant dense<true> : vector<16xi1>
  loop.for serial "i" %i = 0 to 32 step 16 {
    %a = loop.load %x[%i] : memref<32xi1>, vector<16xi1>
    %b = arith.xori %a, %t : vector<16xi1>
    loop.store %b, %y[%i] : memref<32xi1>, vector<16xi1>
  }
  func.return
}""")
    x, y = np.arange(32) % 3 == 0, np.empty(32, np.bool_)
    run("k", x, y)
    np.testing.assert_array_equal(y, ~x)
    assert set(y.view(np.uint8)) == {0, 1}


def test_layouts_are_refused(lower: Lower) -> None:
    with pytest.raises(UserError, match=r"vector\.load: found memref<4xf32, strided.*required a memref with a static"):
        lower("""
func.func private @k(%x: memref<4xf32, strided<[2]>>, %i: index) {
  %a = vector.load %x[%i] : memref<4xf32, strided<[2]>>, vector<2xf32>
  func.return
}""")


def test_globals_are_constant(lower: Lower) -> None:
    text = '{sym_name = "s", sym_visibility = "private", type = memref<4xf32>, initial_value}'
    with pytest.raises(UserError, match=r"memref\.global @s: required a constant with a value"):
        lower(f'"memref.global"() {text} : () -> ()')
