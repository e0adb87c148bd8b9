"""LSTM, GRU and RNN with all options, beside loops of NumPy that say what the specification says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc

onnx: Any = pytest.importorskip("onnx")

Array = NDArray[Any]
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
FUNCTIONS: dict[str, tuple[Callable[[Array, float, float], Array], int]] = {
    "Relu": (lambda x, a, b: np.maximum(x, 0), 0),
    "Tanh": (lambda x, a, b: np.tanh(x), 0),
    "Sigmoid": (lambda x, a, b: 1 / (1 + np.exp(-x)), 0),
    "Affine": (lambda x, a, b: a * x + b, 2),
    "LeakyRelu": (lambda x, a, b: np.where(x >= 0, x, a * x), 1),
    "ThresholdedRelu": (lambda x, a, b: np.where(x > a, x, 0), 1),
    "ScaledTanh": (lambda x, a, b: a * np.tanh(b * x), 2),
    "HardSigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), 2),
    "Elu": (lambda x, a, b: np.where(x >= 0, x, a * (np.exp(x) - 1)), 1),
    "Softsign": (lambda x, a, b: x / (1 + np.abs(x)), 0),
    "Softplus": (lambda x, a, b: np.log1p(np.exp(x)), 0),
}
"""Each with how many numbers it takes."""
DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


@dataclass
class Net:
    """A node with random options, and its inputs by their places."""

    kind: str
    attributes: dict[str, Any]
    inputs: dict[int, Array] = field(default_factory=dict[int, Array])

    @staticmethod
    def random(seed: int) -> Net:
        """Options and numbers by a seed."""
        random = np.random.default_rng(seed)
        kind = list(GATES)[seed % 3]
        two = bool(random.integers(2))
        steps, batch, width, hidden = (int(n) for n in random.integers(1, 6, 4))
        direction = "bidirectional" if two else ("forward", "reverse")[int(random.integers(2))]
        net = Net(kind, {"hidden_size": hidden, "direction": direction})
        ways, rows = 1 + two, GATES[kind] * hidden
        if random.integers(2):
            known: list[str] = list(FUNCTIONS)
            drawn = random.integers(len(known), size=len(DEFAULTS[kind]) * ways)
            names: list[str] = [known[int(i)] for i in drawn]
            net.attributes["activations"] = names
            for least, name in ((1, "activation_alpha"), (2, "activation_beta")):
                if count := sum(FUNCTIONS[each][1] >= least for each in names):
                    net.attributes[name] = random.uniform(0.2, 0.9, count).astype(np.float32).tolist()
        for name in ("linear_before_reset",) if kind == "GRU" else ("input_forget",) if kind == "LSTM" else ():
            net.attributes[name] = int(random.integers(2))
        if random.integers(3) == 0:
            net.attributes["clip"] = 0.75
        net.attributes["layout"] = layout = int(random.integers(2))

        def numbers(*shape: int) -> Array:
            return random.uniform(-1, 1, shape).astype(np.float32)

        states = (batch, ways, hidden) if layout else (ways, batch, hidden)
        given = {
            0: numbers(*((batch, steps) if layout else (steps, batch)), width),
            1: numbers(ways, rows, width),
            2: numbers(ways, rows, hidden),
            3: numbers(ways, 2 * rows),
            4: random.integers(1, steps + 1, batch).astype(np.int32),
            5: numbers(*states),
        }
        if kind == "LSTM":
            given |= {6: numbers(*states), 7: numbers(ways, 3 * hidden)}
        net.inputs = {i: a for i, a in given.items() if i < 3 or random.integers(2)}
        return net

    def model(self, path: Path) -> None:
        """Write the node as a model."""
        helper = onnx.helper
        places = [f"in{i}" if i in self.inputs else "" for i in range(max(self.inputs) + 1)]
        results = ["y", "h", "c"][: 3 if self.kind == "LSTM" else 2]
        node = helper.make_node(self.kind, places, results, **self.attributes)
        inputs = [
            helper.make_tensor_value_info(f"in{i}", helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for i, a in self.inputs.items()
        ]
        outputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in results]
        graph = helper.make_graph([node], "net", inputs, outputs)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), str(path))

    def oracle(self) -> list[Array]:
        """The outputs, step by step, in doubles."""
        x = self.inputs[0].astype(np.float64)
        states = {i: self.inputs[i].astype(np.float64) for i in (5, 6) if i in self.inputs}
        if self.attributes["layout"]:
            x = np.swapaxes(x, 0, 1)
            states = {i: np.swapaxes(a, 0, 1) for i, a in states.items()}
        ways, hidden = self.inputs[1].shape[0], self.attributes["hidden_size"]
        stack = np.zeros((x.shape[0], ways, x.shape[1], hidden))
        last: list[list[Array]] = []
        for way in range(ways):
            backwards = self.attributes["direction"] == "reverse" or way == 1
            zeros = np.zeros((ways, x.shape[1], hidden))
            carried = [states.get(i, zeros)[way] for i in ((5, 6) if self.kind == "LSTM" else (5,))]
            for t in range(x.shape[0])[:: -1 if backwards else 1]:
                next = self.step(x[t], carried, way)
                runs = (t < self.inputs[4])[:, None] if 4 in self.inputs else np.ones((x.shape[1], 1), bool)
                carried = [np.where(runs, new, old) for new, old in zip(next, carried, strict=True)]
                stack[t, way] = np.where(runs, next[0], 0)
            last.append(carried)
        ends = [np.stack(each) for each in zip(*last, strict=True)]
        if self.attributes["layout"]:
            return [np.transpose(stack, (2, 0, 1, 3)), *(np.swapaxes(each, 0, 1) for each in ends)]
        return [stack, *ends]

    def step(self, x: Array, states: list[Array], way: int) -> list[Array]:
        """What one step makes of its input and the states."""
        w, r = (self.inputs[i][way].astype(np.float64).T for i in (1, 2))
        bias = np.split(self.inputs[3][way].astype(np.float64), 2) if 3 in self.inputs else [np.zeros(w.shape[1])] * 2
        functions, h = self.functions(way), states[0]
        if self.kind == "RNN":
            return [functions[0](x @ w + h @ r + bias[0] + bias[1])]
        if self.kind == "GRU":
            (wz, wr, wh), (rz, rr, rh) = (np.split(x @ w + bias[0], 3, 1), np.split(r, 3, 1))
            bz, br, bh = np.split(bias[1], 3)
            z, reset = functions[0](wz + h @ rz + bz), functions[0](wr + h @ rr + br)
            inner = reset * (h @ rh + bh) if self.attributes["linear_before_reset"] else (reset * h) @ rh + bh
            return [(1 - z) * functions[1](wh + inner) + z * h]
        i, o, f, g = np.split(x @ w + h @ r + bias[0] + bias[1], 4, 1)
        pi, po, pf = np.split(self.inputs[7][way].astype(np.float64), 3) if 7 in self.inputs else [np.zeros(1)] * 3
        add = functions[0](i + pi * states[1])
        keep = 1 - add if self.attributes["input_forget"] else functions[0](f + pf * states[1])
        cell = keep * states[1] + add * functions[1](g)
        return [functions[0](o + po * cell) * functions[2](cell), cell]

    def functions(self, way: int) -> list[Callable[[Array], Array]]:
        """The activations of a direction, with their numbers."""
        each = len(DEFAULTS[self.kind])
        names = self.attributes.get("activations", DEFAULTS[self.kind] * (way + 1))
        alphas, betas = (iter(self.attributes.get(f"activation_{name}", [])) for name in ("alpha", "beta"))
        made: list[Callable[[Array], Array]] = []
        for name in names:
            function, count = FUNCTIONS[name]
            # Gates and candidates have two functions; the third is that of an LSTM's cell, which is not clipped.
            most = np.inf if len(made) % each == 2 else self.attributes.get("clip", np.inf)
            made.append(_limited(function, next(alphas) if count else 0.0, next(betas) if count > 1 else 0.0, most))
        return made[way * each : (way + 1) * each]


def _limited(
    function: Callable[[Array, float, float], Array], alpha: float, beta: float, most: float
) -> Callable[[Array], Array]:
    """A function of what is clipped to `-most … most` first."""
    return lambda x: function(np.clip(x, -most, most), alpha, beta)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("start", [0, 9])
def test_random_nets(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 9):
        net = Net.random(seed)
        net.model(tmp_path / "net.onnx")
        model = mlc.compile(tmp_path / "net.onnx", opt_level=3 - seed % 4 // 2)
        found = model(*net.inputs.values())
        for array, wanted in zip(found, net.oracle(), strict=True):
            np.testing.assert_allclose(array, wanted, rtol=2e-4, atol=2e-5, err_msg=f"{seed}: {net.attributes}")
