"""Small models that ask for much: neither large artifacts, nor memory, nor bug reports."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.compiler.compilation import new_context
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.default_passes import default_passes
from mlc.support.errors import UserError

onnx = pytest.importorskip("onnx")
from mlc.frontends.onnx.reader import read_onnx  # noqa: E402

_MEMORY = 1 << 30


def _model(path: Path, nodes: Sequence[tuple[Any, ...]], shape: Sequence[int], **weights: Any) -> Path:
    """A file with a model of `x` of a shape, whose result is `y`."""
    helper, arrays = onnx.helper, {name: np.asarray(value) for name, value in weights.items()}
    graph = helper.make_graph(
        [helper.make_node(op, inputs, outputs, **(rest[0] if rest else {})) for op, inputs, outputs, *rest in nodes],
        "g",
        [helper.make_tensor_value_info("x", 1 if nodes[0][0] != "OneHot" else 7, shape)],
        [helper.make_tensor_value_info("y", 1, None)],
        [onnx.numpy_helper.from_array(value, name) for name, value in arrays.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def _lowered_bytes(path: Path) -> int:
    """Lower a model to loops; the bytes of all constants that it has then. More than `_MEMORY` cannot be allocated."""
    options = CompileOptions("x86-64-v3")
    ctx = new_context(options.target)
    module = read_onnx(path, ctx)
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, before[1]))
    try:
        for pass_ in default_passes(3, upto="loop"):
            pass_.run(module, ctx)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    return sum(array.nbytes for array in ctx.resources.in_memory().values())


@pytest.mark.parametrize(
    ("nodes", "shape"),
    [
        ([("Exp", ["c"], ["e"])], [8192, 8192]),
        ([("Exp", ["c"], ["d"]), ("Transpose", ["d"], ["e"])], [1 << 15, 1 << 14]),
        ([("ReduceSum", ["c"], ["e"], {"keepdims": 0})], [100_000, 100_000]),
        ([("MatMul", ["c", "c"], ["e"])], [20_000, 20_000]),
        ([("Softmax", ["c"], ["e"])], [20_000, 20_000]),
        ([("Identity", ["c"], ["e"])], [1 << 20, 1 << 20]),
    ],
)
def test_equal_numbers_stay_one(nodes: list[tuple[Any, ...]], shape: list[int], tmp_path: Path) -> None:
    around = [("ConstantOfShape", ["s"], ["c"]), *nodes, ("Add", ["e", "x"], ["y"])]
    assert _lowered_bytes(_model(tmp_path / "m.onnx", around, [1], s=np.array(shape))) < 1 << 20


@pytest.mark.parametrize(
    ("nodes", "weights", "message"),
    [
        (
            [("OneHot", ["x", "d", "v"], ["y"])],
            {"d": np.array(2**60), "v": np.array([0, 1], np.float32)},
            "OneHot .*: its depth is 1152921504606846976",
        ),
        (
            [("ConstantOfShape", ["s"], ["c"]), ("Add", ["c", "x"], ["y"])],
            {"s": np.array([2**40, 2**40])},
            "it makes a tensor of 1099511627776x1099511627776 elements: that is more than any memory holds",
        ),
        (
            [("Expand", ["x", "s"], ["y"])],
            {"s": np.array([2**31, 2**31, 2**31])},
            "it makes a tensor of 2147483648x2147483648x2147483648 elements: that is more than any memory holds",
        ),
        ([("Pad", ["x", "p"], ["y"])], {"p": np.array([2**62, 2**62])}, "that is more than any memory holds"),
        ([("Tile", ["x", "p"], ["y"])], {"p": np.array([2**62])}, "that is more than any memory holds"),
    ],
)
def test_absurd_sizes_are_errors(
    nodes: list[tuple[Any, ...]], weights: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        _lowered_bytes(_model(tmp_path / "m.onnx", nodes, [1], **weights))
