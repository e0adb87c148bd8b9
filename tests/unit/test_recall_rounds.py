"""Random changes of models, options and tools, by several processes that share a cache: each answer is the right one.

`MLC_ROUNDS=2000 pytest tests/unit/test_recall_rounds.py` makes the search a long one.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

_ROUNDS = int(os.environ.get("MLC_ROUNDS", "60"))
_PROCESSES = 2
_N = 320
"""So many f32 are more than a kilobyte, and mapped."""
_OPTIONS: tuple[dict[str, Any], ...] = ({}, {"opt_level": 1}, {"opt_level": 0}, {"target": "x86-64-v2"}, {"threads": 2})


@dataclass(frozen=True)
class State:
    """What the files of a model hold, and how it is compiled."""

    weight: int = 1
    """All elements of the large weight."""
    small: int = 10
    """All elements of the small one."""
    op: str = "add"
    name: str = "model"
    weights_name: str = "weights"
    options: int = 0
    clang: int = 0
    """The number of a script that calls clang."""


@dataclass
class Round:
    """One process: models in a folder of its own, compiled with a cache that all share."""

    folder: Path
    rng: random.Random
    states: dict[str, State] = field(default_factory=dict[str, State])

    def change(self) -> str:
        """Change one thing about one model; returns its kind."""
        kind = self.rng.choice(list(_WRITERS))
        old = self.states.get(kind, State())
        changes: dict[str, Any] = {
            "weight": self.rng.randrange(1, 4),
            "small": self.rng.randrange(1, 4) * 10,
            "op": self.rng.choice(["add", "sub", "mul"]),
            "name": self.rng.choice(["model", "epoch1", "epoch2"]),
            "weights_name": self.rng.choice(["weights", "w0"]),
            "options": self.rng.randrange(len(_OPTIONS)),
            "clang": self.rng.randrange(3),
        }
        what = self.rng.choice(list(changes))
        self.states[kind] = replace(old, **{what: changes[what]})
        return kind

    def check(self, kind: str) -> None:
        """Compile the model, and compare what it computes.

        Raises:
            AssertionError: the answer is that of another one.
        """
        import mlc

        state, folder = self.states[kind], self.folder / kind
        folder.mkdir(exist_ok=True)
        os.environ["MLC_CC"] = str(_clang(self.folder, state.clang))
        path = _WRITERS[kind](state, folder)
        model = mlc.compile(path, **_OPTIONS[state.options])
        x = np.arange(_N, dtype=np.float32)
        found = model(x)
        right = {"add": x + state.weight, "sub": x - state.weight, "mul": x * state.weight}[state.op] + state.small
        np.testing.assert_array_equal(found, right, err_msg=f"{kind} {state}")
        artifact = Path(str(model.path)).read_bytes()
        if artifact != (fresh := self._from_an_empty_cache(path, state)):
            raise AssertionError(f"{kind} {state}: {len(artifact)} bytes, and {len(fresh)} with an empty cache")

    def _from_an_empty_cache(self, path: Path, state: State) -> bytes:
        """The artifact of the same model; kept for states that are equal but for names."""
        import mlc

        key = repr((path.suffix, state.weight, state.small, state.op, state.options))
        kept = self.folder / f"{abs(hash(key))}.kept"
        if not kept.exists():
            shared = os.environ["MLC_CACHE_DIR"]
            os.environ["MLC_CACHE_DIR"] = str(self.folder / f"empty{len(list(self.folder.glob('*.kept')))}")
            try:
                model = mlc.compile(path, **_OPTIONS[state.options])
                kept.write_bytes(Path(str(model.path)).read_bytes())
            finally:
                os.environ["MLC_CACHE_DIR"] = shared
        return kept.read_bytes()


def _clang(folder: Path, number: int) -> Path:
    """A script that calls clang, with other contents for each number."""
    from mlc.targets.cache import Cache
    from mlc.targets.toolchain import find_clang

    os.environ.pop("MLC_CC", None)
    command = " ".join(find_clang(None, Cache.default()).command)
    path = folder / "clang-of-mine"
    text = f'#!/bin/sh\n# {number}\nexec {command} "$@"\n'
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(0o755)
    return path


def _write_onnx(state: State, folder: Path, external: bool = False) -> Path:
    import onnx

    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    arrays = {"w": np.full(_N, state.weight, np.float32), "s": np.full(1, state.small, np.float32)}
    tensors: Any = [numpy_helper.from_array(value, name) for name, value in arrays.items()]
    for tensor in tensors if external else ():
        (folder / f"{state.weights_name}.{tensor.name}").write_bytes(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", f"{state.weights_name}.{tensor.name}"
    op = {"add": "Add", "sub": "Sub", "mul": "Mul"}[state.op]
    nodes = [helper.make_node(op, ["x", "w"], ["z"]), helper.make_node("Add", ["z", "s"], ["y"])]
    info = [helper.make_tensor_value_info(name, 1, [_N]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", info[:1], info[1:], tensors)
    path = folder / f"{state.name}.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def _write_external(state: State, folder: Path) -> Path:
    return _write_onnx(state, folder, external=True)


def _write_text(state: State, folder: Path) -> Path:
    from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

    arrays = {"w": np.full(_N, state.weight, np.float32), "s": np.full(1, state.small, np.float32)}
    save_file(arrays, folder / f"{state.weights_name}.safetensors")
    kind, one = f"tensor<{_N}xf32>", "tensor<1xf32>"
    path = folder / f"{state.name}.mlir"
    path.write_text(
        f"""func.func @main(%x: {kind}) -> {kind} {{
  %w = graph.constant dense_resource<w> : {kind}
  %s = graph.constant dense_resource<s> : {one}
  %z = graph.{state.op} %x, %w : {kind}, {kind} -> {kind}
  %y = graph.add %z, %s : {kind}, {one} -> {kind}
  return %y : {kind}
}}
{{-# external_resources: {{ mlc: {{ weights: "{state.weights_name}.safetensors" }} }} #-}}
"""
    )
    return path


_WRITERS: dict[str, Callable[[State, Path], Path]] = {
    "onnx": _write_onnx,
    "external": _write_external,
    "text": _write_text,
}


def main(folder: str, seed: str, rounds: str) -> None:
    """One process of the test."""
    each = Round(Path(folder), random.Random(int(seed)))
    for _ in range(int(rounds)):
        each.check(each.change())


@pytest.mark.slow
def test_answers_are_those_of_an_empty_cache(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    env = {**os.environ, "MLC_CACHE_DIR": str(tmp_path / "cache"), "PYTHONHASHSEED": "0"}
    root = str(Path(__file__).parents[2])
    code = (
        f"import sys; sys.path.insert(0, {root!r}); from tests.unit.test_recall_rounds import main; main(*sys.argv[1:])"
    )

    def run(number: int) -> subprocess.CompletedProcess[str]:
        (folder := tmp_path / str(number)).mkdir()
        command = [sys.executable, "-c", code, str(folder), str(number), str(_ROUNDS // _PROCESSES)]
        return subprocess.run(command, capture_output=True, text=True, env=env, check=False)

    with ThreadPoolExecutor(_PROCESSES) as pool:
        for done in pool.map(run, range(_PROCESSES)):
            assert done.returncode == 0, done.stderr[-3000:]
