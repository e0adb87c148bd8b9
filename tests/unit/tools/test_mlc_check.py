"""`mlc check` accepts what compiles, and nothing else: for all that the tests of the conversions convert or refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mlc.compiler.compilation import Compilation, ModelText, new_context, read_module
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_TESTS = Path(__file__).parents[2] / "lit" / "frontends"


_FUNCTION = re.compile(r"^func\.func.*?^}$", re.MULTILINE | re.DOTALL)


def _functions(refused: bool) -> Iterator[Any]:
    """The functions of the lit tests of the conversions in which errors are expected, or those in which none are."""
    for path in sorted(_TESTS.glob("*/*.mlir")):
        if path.parent.name not in ("onnx_to_graph", "aten_to_graph", "stablehlo_to_graph"):
            continue
        for number, text in enumerate(_FUNCTION.findall(path.read_text())):
            if ("expected-error" in text) == refused:
                yield pytest.param(path, text, id=f"{path.parent.name}-{path.stem}-{number}")


@pytest.mark.parametrize(("path", "text"), list(_functions(refused=True)))
def test_what_a_conversion_refuses_check_refuses(mlc: CommandLine, tmp_path: Path, path: Path, text: str) -> None:
    _skip_without_frontend(path)
    file = tmp_path / "model.mlir"
    file.write_text(text)
    result = mlc("check", str(file))
    messages = [found.rstrip("\\n") for found in re.findall(r"expected-error.*?\{\{(.*?)\}\}\s*$", text, re.MULTILINE)]
    assert result.status == 1 and messages
    assert all(message in result.err for message in messages)
    assert mlc("compile", str(file), "-o", str(tmp_path / "model.so")).err == result.err


@pytest.mark.slow
@pytest.mark.parametrize(("path", "text"), list(_functions(refused=False)))
def test_what_check_accepts_is_lowered_and_what_is_not_it_refuses(
    mlc: CommandLine, tmp_path: Path, path: Path, text: str
) -> None:
    _skip_without_frontend(path)
    file = tmp_path / "model.mlir"
    file.write_text(text)
    assert (mlc("check", str(file)).status == 0) == _is_lowered(text, path)


def _skip_without_frontend(path: Path) -> None:
    if not path.parent.name.startswith("stablehlo"):
        pytest.importorskip({"onnx_to_graph": "onnx", "aten_to_graph": "torch"}[path.parent.name])


def _is_lowered(text: str, path: Path) -> bool:
    """Whether there is code for a model but for what clang does."""
    ctx, options = new_context(), CompileOptions(opt_level=1)
    try:
        module = read_module(ModelText("model.mlir", path.parent, text), ctx, options.bindings)
        Compilation(module, ctx, options, PassManager(ctx)).lower_fully()
    except UserError:
        return False
    return True


def test_what_asserts_a_wrong_thing_is_refused(mlc: CommandLine, tmp_path: Path) -> None:
    """No op without results goes unnoticed."""
    pytest.importorskip("torch")
    file = tmp_path / "model.mlir"
    file.write_text(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  aten._validate_sparse_coo_tensor_args %x, %x {size = array<i64: 2>} : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
        "  %y = aten.relu %x : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  return %y : tensor<2xf32>\n"
        "}\n"
    )
    message = "model.mlir:2:3: error: aten._validate_sparse_coo_tensor_args: mlc has no pattern for this operator"
    assert message in mlc("check", str(file)).err
