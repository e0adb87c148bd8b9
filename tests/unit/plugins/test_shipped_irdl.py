"""The IRDL file that xDSL ships takes the place of xDSL's own dialect of that name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import xdsl.dialects

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_CMATH = Path(xdsl.dialects.__file__).parent / "cmath.irdl"
_TEXT = """func.func @f(%a: !cmath.complex<f32>) -> f32 {
  %0 = "cmath.mul"(%a, %a) : (!cmath.complex<f32>, !cmath.complex<f32>) -> !cmath.complex<f32>
  %1 = "cmath.norm"(%0) : (!cmath.complex<f32>) -> f32
  return %1 : f32
}
"""


def test_cmath(mlc_opt: CommandLine) -> None:
    result = mlc_opt(f"--irdl-file={_CMATH}", stdin=_TEXT)
    assert (result.status, result.err) == (0, "")
    assert '%1 = "cmath.norm"(%0) : (!cmath.complex<f32>) -> f32' in result.out


def test_its_constraints_hold(mlc_opt: CommandLine) -> None:
    result = mlc_opt(f"--irdl-file={_CMATH}", stdin=_TEXT.replace("-> f32", "-> f64").replace("%1 : f32", "%1 : f64"))
    assert result.status == 1
    assert "<stdin>:3:8: error: 'cmath.norm': result 'out' is of type f64; required: f32" in result.err


def test_plugins_go_with_the_command(mlc_opt: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "d.irdl").write_text("irdl.dialect @passing {\n  irdl.type @t\n}")
    text = "func.func private @f(!passing.t)"
    assert mlc_opt(f"--irdl-file={tmp_path / 'd.irdl'}", stdin=text).status == 0
    assert "unknown dialect 'passing'" in mlc_opt(stdin=text).err


def test_types_with_other_parameters_are_others(mlc_opt: CommandLine) -> None:
    text = """func.func @f(%a: !cmath.complex<f32>, %b: !cmath.complex<f64>) {
  %0 = "cmath.mul"(%a, %b) : (!cmath.complex<f32>, !cmath.complex<f64>) -> !cmath.complex<f32>
  return
}
"""
    result = mlc_opt(f"--irdl-file={_CMATH}", stdin=text)
    assert "operand 'rhs' is of type !cmath.complex<f64>; required: !cmath.complex<f32>" in result.err
