"""ONNX Runtime as a reference, also on CPUs whose instructions saturate.

On x86 without VNNI it multiplies ui8 and i8 by `vpmaddubsw`, whose sums of two products saturate in i16. A session can
be told to be exact (`session.x64quantprecision`), which works where it optimises models as well.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

# The packages have no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

onnx: Any = pytest.importorskip("onnx")
runtime: Any = pytest.importorskip("onnxruntime")
Array = NDArray[Any]


def session(model: bytes | str, *, is_optimized: bool = True) -> Any:
    """A quiet session that is exact where `is_optimized`; otherwise each operator is computed as it stands."""
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    levels = runtime.GraphOptimizationLevel
    if is_optimized:
        options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED
        options.add_session_config_entry("session.x64quantprecision", "1")
    else:
        options.graph_optimization_level = levels.ORT_DISABLE_ALL
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@cache
def saturates() -> bool:
    """Whether products of operators as they stand are wrong here where two of them leave i16."""
    h = onnx.helper
    kinds = {"a": onnx.TensorProto.UINT8, "y": onnx.TensorProto.INT32}
    a, y = (h.make_tensor_value_info(name, kind, [64, 64]) for name, kind in kinds.items())
    weights = onnx.numpy_helper.from_array(np.full((64, 64), 127, np.int8), "b")
    graph = h.make_graph([h.make_node("MatMulInteger", ["a", "b"], ["y"])], "products", [a], [y], [weights])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=9).SerializeToString()
    (found,) = session(model, is_optimized=False).run(None, {"a": np.full((64, 64), 255, np.uint8)})
    return bool((found != 64 * 255 * 127).any())
