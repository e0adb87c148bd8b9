"""Plugins that are installed packages: found by entry points, imported when a file names them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each test installs a package

_SCALE = Path(__file__).parents[2] / "lit" / "plugins" / "Inputs" / "scale.py"
_TEXT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scale.by %x, 3.0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def _install(site: Path, package: str, entry_points: str) -> None:
    """What an installer leaves behind."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


def _mlc_opt(site: Path, *arguments: str, text: str = "func.func private @f()") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mlc.tools.mlc_opt", *arguments],
        env={**os.environ, "PYTHONPATH": str(site)},
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def scale(tmp_path: Path) -> Path:
    """A folder where a package with a dialect and a pass is installed."""
    source = _SCALE.read_text()
    noisy = source.replace("from dataclasses", "import sys\n\nsys.stderr.write('IMPORTED\\n')\nfrom dataclasses", 1)
    (tmp_path / "scale.py").write_text(noisy)
    points = "[mlc.dialects]\nscale = scale:Scale\n[mlc.passes]\nraise-to-scale = scale:RaiseToScalePass\n"
    _install(tmp_path, "scaling", points)
    return tmp_path


def test_everything_joins(scale: Path) -> None:
    done = _mlc_opt(scale, "--canonicalize", "--fuse", "--lower-to-tensor", "--check-each", text=_TEXT)
    assert (done.returncode, done.stderr) == (0, "IMPORTED\nnote: --check-each compared 24 values of 1 function\n")
    assert "arith.mulf" in done.stdout and "scale.by" not in done.stdout


def test_a_pass_is_listed_and_runs(scale: Path) -> None:
    assert "--raise-to-scale\n    Write `x + x`" in _mlc_opt(scale, "--list-passes").stdout
    text = _TEXT.replace(
        "scale.by %x, 3.0 : tensor<4xf32>", "graph.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>"
    )
    done = _mlc_opt(scale, "--raise-to-scale=doubled=2", text=text)
    assert "scale.by %x, 2.000000e+00" in done.stdout


def test_nothing_is_imported_that_is_not_named(scale: Path) -> None:
    done = _mlc_opt(scale, "--cse", "--lower-to-tensor")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--raise-to-scale" in _mlc_opt(scale, "--help").stdout


def test_a_package_in_an_archive(scale: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path.parent / f"{tmp_path.name}-packed"), "zip", scale)
    done = _mlc_opt(Path(archive), "--canonicalize", text=_TEXT)
    assert done.returncode == 0 and "scale.by" in done.stdout


def test_two_packages_with_one_dialect(scale: Path) -> None:
    _install(scale, "rescaling", "[mlc.dialects]\nscale = other:Scale\n")
    done = _mlc_opt(scale)
    assert done.returncode == 1
    assert "two dialects are named 'scale': one of the package 'scaling', one of the package 'rescaling'" in (
        done.stderr.replace("'rescaling', one of the package 'scaling'", "'scaling', one of the package 'rescaling'")
    )


def test_a_file_of_a_package_counts_once(scale: Path) -> None:
    file = str(scale / "scale.py")
    for options in (["--load-dialect", file], ["--load-dialect", file, "--load-pass", file, "--load-dialect", file]):
        done = _mlc_opt(scale, *options, "--canonicalize", "--fuse", "--lower-to-tensor", text=_TEXT)
        assert (done.returncode, done.stderr) == (0, "IMPORTED\n")
        assert "arith.mulf" in done.stdout and "scale.by" not in done.stdout


def test_a_file_whose_package_hands_it_on_counts_once(scale: Path) -> None:
    (package := scale / "pack").mkdir()
    shutil.move(scale / "scale.py", package / "inner.py")
    (package / "__init__.py").write_text("from pack.inner import RaiseToScalePass, Scale\n")
    points = "[mlc.dialects]\nscale = pack:Scale\n[mlc.passes]\nraise-to-scale = pack:RaiseToScalePass\n"
    (scale / "scaling-1.0.dist-info" / "entry_points.txt").write_text(points)
    done = _mlc_opt(scale, "--load-dialect", str(package / "inner.py"), "--canonicalize", text=_TEXT)
    assert (done.returncode, done.stderr) == (0, "IMPORTED\n")


def test_a_file_of_a_package_that_does_not_work(scale: Path) -> None:
    (package := scale / "pack").mkdir()
    shutil.move(scale / "scale.py", package / "inner.py")
    (package / "__init__.py").write_text("1 / 0\n")
    (scale / "scaling-1.0.dist-info" / "entry_points.txt").write_text("[mlc.dialects]\nother = pack:Other\n")
    done = _mlc_opt(scale, "--load-dialect", str(package / "inner.py"), "--canonicalize", text=_TEXT)
    assert (done.returncode, done.stderr) == (0, "IMPORTED\n")


def test_a_package_and_a_file_with_one_dialect(scale: Path) -> None:
    shutil.copy(_SCALE, scale / "mine.py")
    done = _mlc_opt(scale, "--load-dialect", str(scale / "mine.py"))
    assert done.returncode == 1
    assert "two dialects are named 'scale': one of the package 'scaling', one of '" in done.stderr


@pytest.mark.parametrize(
    ("entry_points", "message"),
    [
        (
            "[mlc.dialects]\nscale = nowhere:Scale\n",
            "dialect 'scale' of the package 'bad' cannot be imported from 'nowhere:Scale': ModuleNotFoundError: No",
        ),
        ("[mlc.dialects]\nscale = json:loads\n", "the package 'bad' promises a dialect 'scale', found function"),
        (
            "[mlc.dialects]\nscale = mlc.dialects.graph:Graph\n",
            "the package 'bad' promises a dialect 'scale', found the dialect 'graph'",
        ),
        (
            "[mlc.passes]\ncse = json:loads\n",
            "two passes are named 'cse': one of mlc, one of the package 'bad'; rename",
        ),
        (
            "[mlc.dialects]\ngraph = json:loads\n",
            "two dialects are named 'graph': one of mlc, one of the package 'bad'",
        ),
    ],
)
def test_wrong_packages(entry_points: str, message: str, tmp_path: Path) -> None:
    _install(tmp_path, "bad", entry_points)
    done = _mlc_opt(tmp_path, text=_TEXT)
    assert message in done.stderr
    assert done.returncode == 1


def test_a_wrong_pass_of_a_package(tmp_path: Path) -> None:
    _install(tmp_path, "bad", "[mlc.passes]\nfit = json:loads\n")
    done = _mlc_opt(tmp_path, "--fit")
    assert "the package 'bad' promises a pass 'fit', found <function loads" in done.stderr
    assert done.returncode == 1


def test_a_step_of_schedules_joins(tmp_path: Path) -> None:
    shutil.copy(_SCALE.parent / "serial_step.py", tmp_path / "serial_step.py")
    _install(tmp_path, "ordering", "[mlc.steps]\nserial = serial_step:Serial\nother = serial_step:dataclass\n")
    text = """func.func private @f(%x: memref<8xf32>) attributes {schedule = #loop.schedule<[serial(m)]>} {
      loop.for parallel "m" %m = 0 to 8 {
        %0 = loop.load %x[%m] : memref<8xf32>
        loop.store %0, %x[%m] : memref<8xf32>
      }
      return
    }"""
    done = _mlc_opt(tmp_path, "--apply-schedule", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert 'loop.for serial "m"' in done.stdout
    refused = _mlc_opt(tmp_path, text=text.replace("serial(m)", "other(m)"))
    assert "the package 'ordering' promises a schedule step 'other', found <function dataclass" in refused.stderr


def test_a_kind_of_kernel_joins(tmp_path: Path) -> None:
    """What no text names is imported when the first kernel is scheduled."""
    shutil.copy(_SCALE.parent / "short_rows.py", tmp_path / "short_rows.py")
    _install(tmp_path, "rows", "[mlc.templates]\nshort_rows = short_rows:ShortRows\n")
    text = """func.func private @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
      ^bb0(%a: f32):
        tensor.yield %a : f32
      }
      return %0 : tensor<4x8xf32>
    }"""
    done = _mlc_opt(tmp_path, "--schedule=target=x86-64-v3", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert "schedule = #loop.schedule<[vectorize(n, 8), unroll(m)]>" in done.stdout


@pytest.mark.parametrize("value", ["Iterator", "ShortRows"])  # no kind, and one of another name
def test_a_wrong_kind_of_a_package(value: str, tmp_path: Path) -> None:
    shutil.copy(_SCALE.parent / "short_rows.py", tmp_path / "short_rows.py")
    _install(tmp_path, "rows", f"[mlc.templates]\nwide_rows = short_rows:{value}\n")
    text = "func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = tensor.map %x[n] over (n: 4) : "
    text += "tensor<4xf32> -> tensor<4xf32> { ^bb0(%a: f32): tensor.yield %a : f32 } return %0 : tensor<4xf32> }"
    done = _mlc_opt(tmp_path, "--schedule", text=text)
    assert "the package 'rows' promises a schedule template 'wide_rows', found " in done.stderr
    assert done.returncode == 1


def test_a_pass_with_a_place_joins(scale: Path) -> None:
    """It is imported when a pipeline is made, and its file may change between two compilations."""
    source = (scale / "scale.py").read_text()
    name = 'name: ClassVar[str] = "raise-to-scale"\n'
    placed = source.replace(name, f'{name}    place = PipelinePlace(before="cse")\n')
    placed = placed.replace("import Pass\n", "import Pass, PipelinePlace\n")
    assert placed.count("PipelinePlace") == 2
    (scale / "scale.py").write_text(placed)
    text = _TEXT.replace(
        "scale.by %x, 3.0 : tensor<4xf32>", "graph.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>"
    )
    assert "scale.by" not in _mlc_opt(scale, "-O3", "--emit=mlir:graph", text=text).stdout  # its group is `mlc.passes`
    _install(scale, "placing", "[mlc.placed_passes]\nraise-to-scale = scale:RaiseToScalePass\n")
    (scale / "scaling-1.0.dist-info" / "entry_points.txt").write_text("[mlc.dialects]\nscale = scale:Scale\n")
    assert "scale.by" in _mlc_opt(scale, "-O3", "--emit=mlir:graph", text=text).stdout
    shown = _mlc_opt(scale, "-O3", "--print-pipeline").stdout
    assert "(of the package 'placing')\n// graph   cse " in shown
    assert "--raise-to-scale\n" in _mlc_opt(scale, "--list-passes").stdout
    assert "IMPORTED" not in _mlc_opt(scale, "--cse").stderr
    (scale / "scale.py").write_text(source)
    failing = _mlc_opt(scale, "-O3")
    assert failing.returncode == 1
    assert "the package 'placing' has the pass 'raise-to-scale' in the group 'mlc.placed_passes'" in failing.stderr
