"""Weights for networks that come without: the light ones of the `onnx` package fill each with one number.

A network whose weights are all equal computes the same in every channel; swapped channels, or a kernel that reads the
wrong weights, give the right result. `with_seeded_weights` puts random numbers there.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

from mlc.dialects.onnx.schemas import onnx_package
from mlc.frontends.onnx.opening import open_file

_INITIALIZERS_NEED_NO_INPUT = 4
"""The IR version from which an initializer need not be an input, too."""
_OF_A_BLOCK, _OF_A_CLASSIFIER = 0.3, 0.1
"""What is left of the scale of a residual block, and of the weights before a softmax."""


def with_seeded_weights(path: Path, folder: Path, seed: int = 0) -> Path:
    """A model whose filled weights are random numbers; the model itself if it has none.

    Matrices and filters are normal with the variance 2 over the inputs of a neuron (He et al. 2015, "Delving Deep into
    Rectifiers"), so that neither large nor small numbers grow through the layers; vectors, among which variances have
    to be positive, are uniform from 0.5 to 1.5. A batch norm without a ReLU after it scales by a fraction of that, and
    so do weights before a softmax: sums, and filters without ReLU, double the variance, and of large numbers a
    softmax makes zeros and a one, whatever it is given.

    Args:
        path: a model in which `ConstantOfShape` of a constant shape makes the weights, as f32.
        folder: where the copy goes, under the model's name.
        seed: of the random numbers.

    Raises:
        UserError: there is no such file, or it is not a model of ONNX.
    """
    import numpy as np

    onnx = cast(Any, onnx_package())
    open_file(path, str(path))
    model = onnx.load(str(path), load_external_data=False)
    shapes = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
    filled = [node for node in model.graph.node if node.op_type == "ConstantOfShape" and node.input[0] in shapes]
    if not filled:
        return path
    damped = _damped(model.graph)
    rng = np.random.default_rng(seed)
    for node in filled:
        shape = tuple(shapes[node.input[0]].tolist())
        if len(shape) > 1:
            weights = rng.standard_normal(shape, np.float32) * np.float32(math.sqrt(2 / math.prod(shape[1:])))
        else:
            weights = rng.uniform(0.5, 1.5, shape).astype(np.float32)
        weights *= np.float32(damped.get(node.output[0], 1))
        model.graph.initializer.append(onnx.numpy_helper.from_array(weights, node.output[0]))
        model.graph.node.remove(node)
    model.ir_version = max(model.ir_version, _INITIALIZERS_NEED_NO_INPUT)
    copy = folder / path.name
    onnx.save(model, str(copy))
    return copy


def _damped(graph: Any) -> dict[str, float]:
    """Which weights are a fraction of what they would be: scales of a batch norm without a ReLU, and classifiers."""
    added = {name for node in graph.node if node.op_type in ("Add", "Sum", "Concat", "Conv") for name in node.input}
    classified = {node.input[0] for node in graph.node if node.op_type == "Softmax"}
    damped: dict[str, float] = {}
    for node in graph.node:
        if node.op_type == "BatchNormalization" and node.output[0] in added:
            damped[node.input[1]] = _OF_A_BLOCK
        elif len(node.input) > 1 and node.output[0] in classified:
            damped[node.input[1]] = _OF_A_CLASSIFIER
    return damped
