"""What inputs of a function may be is told by its ops, by its callers and by attributes; `--check-each` obeys."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from mlc.reference.inputs import Draw, InputKind, draw_inputs
from mlc.support.input_values import AllowedValues

if TYPE_CHECKING:
    from mlc.tests.conftest import CommandLine

CSR = """
import numpy as np
from xdsl.dialects.builtin import TensorType, f32, i64
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, operand_def
from mlc.dialects.graph.base import GraphOp
from mlc.reference.execution import InputsUndefined, evaluates
from mlc.support.input_values import DeclaresInputs, AllowedValues
from mlc.support.types import tensor_type


@irdl_op_definition
class SpmvOp(GraphOp, DeclaresInputs):
    name = "csr.spmv"
    values = operand_def(TensorType)
    columns = operand_def(TensorType)
    starts = operand_def(TensorType)
    x = operand_def(TensorType)
    assembly_format = (
        "$values `,` $columns `,` $starts `,` $x attr-dict `:` type($values) `,` type($columns) `,` type($starts) `,`"
        "type($x) `->` type($result)"
    )

    def inferred_type(self):
        return TensorType(f32, [tensor_type(self.starts).get_shape()[0] - 1])

    def input_values(self, operand):
        if operand == 1:
            return AllowedValues(0, tensor_type(self.x).get_shape()[0] - 1)
        if operand == 2:
            return AllowedValues(0, tensor_type(self.values).get_shape()[0], ascending=True)
        return None


@evaluates(SpmvOp)
def spmv(op, values, columns, starts, x):
    if starts[0] != 0 or starts[-1] != len(values) or (np.diff(starts) < 0).any():
        raise InputsUndefined(f"row starts {starts}")
    if ((columns < 0) | (columns >= len(x))).any():
        raise InputsUndefined(f"columns {columns}")
    return np.array([(values[a:b] * x[columns[a:b]]).sum() for a, b in zip(starts, starts[1:])], np.float32)


Csr = Dialect("csr", [SpmvOp])
"""
TYPES = "tensor<7xf32>, tensor<7xi64>, tensor<5xi64>, tensor<6xf32>"
PROGRAM = f"""func.func private @product(%v: tensor<7xf32>, %c: tensor<7xi64>, %s: tensor<5xi64>, %x: tensor<6xf32>)
    -> tensor<4xf32> {{
  %y = csr.spmv %v, %c, %s, %x : {TYPES} -> tensor<4xf32>
  %z = graph.neg %y : tensor<4xf32>
  %w = graph.neg %z : tensor<4xf32>
  return %w : tensor<4xf32>
}}
func.func @main(%v: tensor<7xf32>, %c: tensor<7xi64>, %s: tensor<5xi64>, %x: tensor<6xf32>) -> tensor<4xf32> {{
  %y = csr.spmv %v, %c, %s, %x : {TYPES} -> tensor<4xf32>
  %z = graph.neg %y : tensor<4xf32>
  %w = graph.neg %z : tensor<4xf32>
  return %w : tensor<4xf32>
}}
"""


def test_an_op_of_a_plugin(mlc_opt: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "csr.py").write_text(CSR)
    (tmp_path / "a.mlir").write_text(PROGRAM)
    said = mlc_opt(
        str(tmp_path / "a.mlir"), "--load-dialect", str(tmp_path / "csr.py"), "--canonicalize", "--check-each"
    )
    assert said.status == 0, said.err
    assert "of 2 functions" in said.err and "did not check" not in said.err


LOOPS = """func.func @main(%values: memref<7xf32>, %columns: memref<7xi64>COLUMNS, %starts: memref<5xi64>STARTS,
    %x: memref<6xf32>, %y: memref<4xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  scf.for %r = %c0 to %c4 step %c1 {
    %next = arith.addi %r, %c1 : index
    %f = memref.load %starts[%r] : memref<5xi64>
    %l = memref.load %starts[%next] : memref<5xi64>
    %first = arith.index_cast %f : i64 to index
    %last = arith.index_cast %l : i64 to index
    %s = scf.for %k = %first to %last step %c1 iter_args(%acc = %z) -> (f32) {
      %v = memref.load %values[%k] : memref<7xf32>
      %c = memref.load %columns[%k] : memref<7xi64>
      %column = arith.index_cast %c : i64 to index
      %a = memref.load %x[%column] : memref<6xf32>
      %p = arith.mulf %v, %a : f32
      %n = arith.addf %acc, %p : f32
      scf.yield %n : f32
    }
    memref.store %s, %y[%r] : memref<4xf32>
  }
  return
}
"""


def test_attributes_of_a_function(mlc_opt: CommandLine, tmp_path: Path) -> None:
    """Without them, all row starts are 0 in the one draw of integers that has a meaning."""
    compared: list[int] = []
    for columns, starts in (
        ("", ""),
        (" {mlc.range = array<i64: 0, 5>}", " {mlc.range = array<i64: 0, 7>, mlc.ascending}"),
    ):
        (tmp_path / "a.mlir").write_text(LOOPS.replace("COLUMNS", columns).replace("STARTS", starts))
        said = mlc_opt(str(tmp_path / "a.mlir"), "--convert-scf-to-loop", "--cse", "--check-each")
        assert said.status == 0, said.err
        compared.append(int(re.findall(r"compared (\d+) values of 1 function", said.err)[0]))
    assert compared[0] == 4 and compared[1] > 16


@pytest.mark.parametrize("said", ["3", "array<i64: 1>", "array<i64: 5, 2>"])
def test_a_range_that_is_none(said: str, mlc_opt: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(LOOPS.replace("COLUMNS", f" {{mlc.range = {said}}}").replace("STARTS", ""))
    found = mlc_opt(str(tmp_path / "a.mlir"), "--cse", "--check-each")
    assert found.status == 1
    assert "required: the least and the greatest value, as array<i64: 0, 9>" in found.err


@pytest.mark.parametrize("kind", ["ordinary", "magnitudes", "one special", "specials"])
def test_what_is_drawn(kind: str) -> None:
    types = [((3, 50), np.dtype(np.int32)), ((4,), np.dtype(np.float32)), ((2, 9), np.dtype(np.int64))]
    values = [AllowedValues(-2, 3), None, AllowedValues(0, 7, ascending=True)]
    draw = Draw(cast(InputKind, kind))
    free, _, rows = draw_inputs([1], types, draw, values)
    assert {*free.ravel().tolist()} == {-2, -1, 0, 1, 2, 3} and free.dtype == np.int32
    assert (rows[:, 0] == 0).all() and (rows[:, -1] == 7).all() and (np.diff(rows) >= 0).all()
