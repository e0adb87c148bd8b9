"""Operators on what `Compress` leaves of 0 to 2 elements, by ONNX Runtime: a dim of extent 1 may be empty there."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnx.helper
import pytest

from mlc.compiler.compilation import new_context
from mlc.frontends.onnx.reader import read_onnx
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.reference.interpreter import run_function
from mlc.runtime.extents import actual_outputs
from mlc.support.errors import UserError
from mlc.support.functions import extents_in

ort = pytest.importorskip("onnxruntime")
h: Any = onnx.helper

CONSTANTS: dict[str, Any] = {
    "zero": [0], "one": [1], "last": [-1], "scalar": 0, "both": [1, 0], "far": [1 << 40],
    "keep": [0, -1], "flat": [-1], "apart": [-1, 1, 3], "turned": [1, -1], "rows": [-1, 3], "wide": [2, 1, 1],
    "square": np.ones((3, 3), np.float32), "stack": np.ones((1, 3, 2), np.float32), "row": np.ones((1, 3), np.float32),
}  # fmt: skip
PROGRAMS: list[tuple[str, dict[str, Any]]] = [
    # x is 2 x 3 of floats; of v, as many rows are data as c says; of w, so many columns; of u, so many elements.
    *((f"Flatten {v}", {"axis": axis}) for v in "vw" for axis in (0, 1, 2)),
    *((f"Reshape {v} {shape}", {}) for v in "vw" for shape in ("keep", "flat", "turned")),
    *((f"Reshape v {shape}", {}) for shape in ("apart", "rows")),
    *((f"Gather {v} {at}", {"axis": axis}) for v in "vw" for at in ("scalar", "one") for axis in (0, 1)),
    *((f"Gather {v} both", {"axis": a}) for v, a in (("v", 1), ("w", 0))),
    *((f"Unsqueeze {v} {axes}", {}) for v in "uvw" for axes in ("zero", "one", "last")),
    *((f"{op} {v} v", {}) for v in ("v", "row") for op in ("Add", "Mul", "Max")),
    *((f"Transpose {v}", {}) for v in "vw"),
    *((f"Softmax {v}", {"axis": axis}) for v in "vw" for axis in (0, 1)),
    *((f"{op} {v} {axes}", {"keepdims": keep}) for op in ("ReduceSum", "ReduceProd", "ReduceL2", "ReduceSumSquare")
      for v in "vw" for axes in ("zero", "one", "both") for keep in (0, 1)),
    *((f"{op} v square", {}) for op in ("MatMul", "Gemm")),
    *((f"MatMul {operands}", {}) for operands in ("w v", "u v", "w u", "u u", "x square")),
    ("Unsqueeze v one; MatMul y square", {}), ("Unsqueeze v one; MatMul y stack", {}),
    *((f"Slice {v} {start} far {axis}", {}) for v in "vw" for start in ("zero", "one") for axis in ("zero", "one")),
    *((f"Expand {v} wide", {}) for v in "uvw"),
    ("Concat x v", {"axis": 0}), ("Concat v v", {"axis": 1}), ("Concat v x", {"axis": 0}),
    *((f"{op} {v}", {"axis": axis}) for op in ("ArgMax", "ArgMin") for v, axis in (("v", 1), ("w", 0))),
    *((f"{op} {v}", {}) for op in ("Neg", "Shape", "Size", "NonZero", "IsInf", "Identity") for v in "uvw"),
    *((f"CumSum {v} {axis}", {"reverse": way}) for v in "vw" for axis in ("zero", "one") for way in (0, 1)),
    ("IsInf v; Not y", {}), ("Slice v one zero one; Neg y", {}), ("Slice v one zero one; Transpose y", {}),
]  # fmt: skip
"""Nodes, each of which names what it takes, and `y` what the one in front of it makes; options of the first one."""
REFUSED = {
    **dict.fromkeys(("Flatten w 0", "Reshape v turned", "Reshape w flat", "Reshape w turned", "Concat v x 0"), (1, 2)),
    **dict.fromkeys(("MatMul w v", "MatMul u v", "MatMul w u", "Flatten w 2"), (1, 2)),
    **dict.fromkeys(("Gather v scalar 0", "Gather w scalar 1"), (0,)),
    **dict.fromkeys(("Gather v one 0", "Gather w one 1"), (0, 1)),
}
"""Programs and bounds for which there is no rule, or no data at all; two counts of one condition are two extents."""


def _model(program: str, options: dict[str, Any], count: int) -> Any:
    nodes = [h.make_node("Compress", [name, "c"], [kept], axis=axis) for name, kept, axis in _KEPT]
    steps = program.split("; ")
    for number, step in enumerate(steps):
        op, *names = step.split()
        taken = [f"y{number - 1}" if name == "y" else name for name in names]
        nodes.append(h.make_node(op, taken, [f"y{number}"], **({} if number else options)))
    shapes = {"a": [count, 3], "b": [2, count], "d": [count], "x": [2, 3]}
    inputs = [h.make_tensor_value_info("c", onnx.TensorProto.BOOL, [count])]
    inputs += [h.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    data = [cast(Any, onnx).numpy_helper.from_array(np.array(a), n) for n, a in CONSTANTS.items()]
    graph = h.make_graph(nodes, "m", inputs, [h.make_empty_tensor_value_info(f"y{len(steps) - 1}")], data)
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 18)], ir_version=9)


_KEPT = (("a", "v", 0), ("b", "w", 1), ("d", "u", 0))


@pytest.mark.parametrize("bound", [0, 1, 2])
@pytest.mark.parametrize("program, options", PROGRAMS, ids=str)
def test_as_much_is_data_as_the_runtime_finds(program: str, options: dict[str, Any], bound: int, tmp_path: Path):
    model = _model(program, options, bound)
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    ctx = new_context()
    module = read_onnx(tmp_path / "model.onnx", ctx)
    name = f"{program} {' '.join(map(str, options.values()))}".strip()
    try:
        ConvertOnnxToGraphPass().run(module, ctx)
    except UserError as e:
        assert bound in REFUSED.get(name, ()), e
        return
    assert bound not in REFUSED.get(name, ())
    function = cast(Any, next(iter(module.ops)))
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    for c in product([False, True], repeat=bound):
        given: dict[str, Any] = {"c": np.array(c, bool)}
        for each in session.get_inputs()[1:]:
            given[each.name] = np.asarray(rng.standard_normal(each.shape), np.float32)
        try:
            (wanted,) = session.run(None, given)
        except Exception:  # the largest element of none, say
            continue
        results = run_function(module, "main", list(given.values()), ctx.resources)
        (found,) = actual_outputs(results, [extents_in(marks.data) for marks in function.res_attrs])
        assert found.shape == wanted.shape and found.dtype == wanted.dtype, c
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
