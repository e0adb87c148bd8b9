"""Random changes of models, options and tools, by several processes that share a cache: each answer is the right one.

`MLC_ROUNDS=2000 pytest tests/unit/test_recall_rounds.py` makes the search a long one.
"""

# Torch and JAX give types that are not whole.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUntypedBaseClass=false

from __future__ import annotations

import importlib
import operator
import os
import random
import subprocess
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.compiler.options import CompileOptions
from mlc.schedules.records.record import Record, TunedMachine
from mlc.support.additions import plugin_scope
from mlc.targets import host
from mlc.targets.machine_file import MachineFile, Measured, write_machine_file

_ROUNDS = int(os.environ.get("MLC_ROUNDS", "60"))
_PROCESSES = 2
_N = 320
"""So many f32 are more than a kilobyte, and mapped."""
_X = np.arange(_N, dtype=np.float32)
_OPTIONS: tuple[dict[str, Any], ...] = ({}, {"opt_level": 1}, {"opt_level": 0}, {"target": "x86-64-v2"}, {"threads": 2})


_HOSTS = ("", "cpu=x86-64-v2 cores=3", "cpu=x86-64-v2 caches=none") if host.architecture() == "x86_64" else ("",)
"""What `MLC_HOST` says."""
_LATENCIES = (None, 4, 7, 9)
"""What the machine's file says of a multiply-add; None: there is no file."""


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
    host: int = 0
    """Of `_HOSTS`."""
    machine: int = 0
    """Of `_LATENCIES`."""
    records: int = 0
    """How many lines the file of records has, each of another kernel."""
    plugin: int = 1
    """What the source of a plugin multiplies by."""

    @property
    def right(self) -> NDArray[np.float32]:
        """What the model computes of `_X`."""
        found = {"add": _X + self.weight, "sub": _X - self.weight, "mul": _X * self.weight}[self.op]
        return (found + self.small).astype(np.float32)


@dataclass
class Round:
    """One process: models in a folder of its own, compiled with a cache that all share."""

    folder: Path
    rng: random.Random
    states: dict[str, State] = field(default_factory=dict[str, State])

    def change(self) -> str:
        """Change one thing about one model; returns its kind."""
        (kind,) = self.rng.choices(list(_KINDS), list(_KINDS.values()))
        old = self.states.get(kind, State())
        changes: dict[str, Any] = {
            "weight": self.rng.randrange(1, 4),
            "small": self.rng.randrange(1, 4) * 10,
            "op": self.rng.choice(["add", "sub", "mul"]),
            "name": self.rng.choice(["model", "epoch1", "epoch2"]),
            "weights_name": self.rng.choice(["weights", "w0"]),
            "options": self.rng.randrange(len(_OPTIONS)),
            "clang": self.rng.randrange(3),
            "host": self.rng.randrange(len(_HOSTS)),
            "machine": self.rng.randrange(len(_LATENCIES)),
            "records": self.rng.randrange(3),
            "plugin": self.rng.randrange(1, 4),
        }
        what = "plugin" if kind == "plugin" and self.rng.random() < 0.5 else self.rng.choice(list(changes))
        self.states[kind] = replace(old, **{what: changes[what]})
        return kind

    def check(self, kind: str) -> None:
        """Compile the model, and compare what it computes.

        Raises:
            AssertionError: the answer is that of another one.
        """
        state, folder = self.states[kind], self.folder / kind
        folder.mkdir(exist_ok=True)
        with self._surroundings(state):
            if kind in _IN_MEMORY:
                np.testing.assert_array_equal(_IN_MEMORY[kind](state), state.right, err_msg=f"{kind} {state}")
                return
            path, wanted = _WRITERS[kind](state, folder), state.right * (state.plugin if kind == "plugin" else 1)
            with plugin_scope():
                found, artifact = _compiled(path, state, kind)
                np.testing.assert_array_equal(found, wanted, err_msg=f"{kind} {state}")
                if artifact != (fresh := self._from_an_empty_cache(path, state, kind)):
                    raise AssertionError(f"{kind} {state}: {len(artifact)} bytes, and {len(fresh)} with an empty cache")

    @contextmanager
    def _surroundings(self, state: State) -> Generator[None]:
        """The environment, the machine's file and the file of records that a state says."""
        machine, records = self.folder / "machine.toml", self.folder / "records.jsonl"
        own = {"MLC_HOST": _HOSTS[state.host], "MLC_MACHINE_FILE": str(machine), "MLC_RECORDS_FILE": str(records)}
        with pytest.MonkeyPatch.context() as patch:
            for name, value in own.items():
                patch.setenv(name, value)
            patch.setenv("MLC_CC", str(_clang(self.folder, state.clang)))
            latency = _LATENCIES[state.machine]
            if latency is None:
                machine.unlink(missing_ok=True)
            else:
                facts = {"fma_latency": Measured(latency, 0.01, latency)}
                write_machine_file(machine, MachineFile("0", "2026-01-31", "cpu", host.identity(), facts))
            records.write_text("".join(_record(number) for number in range(state.records)))
            yield

    def _from_an_empty_cache(self, path: Path, state: State, kind: str) -> bytes:
        """The artifact of the same model; kept for states that are equal but for names."""
        of_names = {"name": "", "weights_name": "", "clang": 0, "records": 0}
        key = repr(
            (path.suffix, replace(state, **of_names) if kind == "plugin" else replace(state, **of_names, plugin=0))
        )
        kept = self.folder / f"{abs(hash(key))}.kept"
        if not kept.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("MLC_CACHE_DIR", str(self.folder / f"empty{len(list(self.folder.glob('*.kept')))}"))
                kept.write_bytes(_compiled(path, state, kind)[1])
        return kept.read_bytes()


def _compiled(path: Path, state: State, kind: str) -> tuple[Any, bytes]:
    """What a model computes of `_X`, and its artifact."""
    import mlc

    if kind == "plugin":
        mlc.load_dialect(path.parent / "scale.py")
    model = mlc.compile(path, **_OPTIONS[state.options])
    return model(_X), Path(str(model.path)).read_bytes()


def _record(number: int) -> str:
    """A record of a kernel that no model here has."""
    machine = TunedMachine.of(CompileOptions())
    times: dict[str, Any] = {"time_ns": 80.0, "beside": "", "beside_ns": 100.0, "ratio": 0.8, "noise": 0.01}
    about: dict[str, Any] = {"kernel": f"{number:064x}", "kind": f"{number:064x}", "sizes": (9,), "arguments": ("x",)}
    about |= {"spelling": "map", "machine": machine, "schedule": "", "outcome": "ok", "reason": "", "confirmed": True}
    return Record(**about, **times, date="2026-01-31T00:00:00Z").line()


def _clang(folder: Path, number: int) -> Path:
    """A script that calls clang, with other contents for each number."""
    from mlc.targets.cache import Cache
    from mlc.targets.toolchain import find_clang

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


def _write_plugin(state: State, folder: Path) -> Path:
    """A text with an op of a plugin, whose source says by what more it multiplies."""
    source = (Path(__file__).parents[1] / "lit" / "plugins" / "Inputs" / "scale.py").read_text()
    changed = source.replace(
        "        factor = op.factor.value.data\n", f"        factor = {state.plugin} * op.factor.value.data\n"
    )
    changed = changed.replace("x.dtype.type(op.factor", f"x.dtype.type({state.plugin} * op.factor")
    (folder / "scale.py").write_text(changed)
    path = _write_text(state, folder)
    kind = f"tensor<{_N}xf32>"
    more = f"""  %half = graph.constant dense<0.5> : tensor<f32>
  %h = graph.mul %y, %half : {kind}, tensor<f32> -> {kind}
  %scaled = scale.by %h, 2.0 : {kind}
  return %scaled"""
    path.write_text(path.read_text().replace("  return %y", more))
    return path


def _by_jax(state: State) -> Any:
    """A function of JAX that closes over weights."""
    from mlc.frameworks import jax as mlc_jax

    w, s = np.full(_N, state.weight, np.float32), np.full(1, state.small, np.float32)
    combine: Any = getattr(operator, state.op)

    def function(x: Any) -> Any:
        return combine(x, w) + s

    return mlc_jax.jit(function, **_OPTIONS[state.options])(_X)


def _by_torch(state: State) -> Any:
    """A module of torch."""
    torch: Any = importlib.import_module("torch")
    from mlc.frameworks import torch as mlc_torch

    class Module(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = torch.nn.Parameter(torch.full((_N,), float(state.weight)))

        def forward(self, x: Any) -> Any:
            return getattr(torch, state.op)(x, self.w) + float(state.small)

    return mlc_torch.compile(Module(), (torch.from_numpy(_X),), **_OPTIONS[state.options])(_X)


_WRITERS: dict[str, Callable[[State, Path], Path]] = {
    "onnx": _write_onnx,
    "external": _write_external,
    "text": _write_text,
    "plugin": _write_plugin,
}
_IN_MEMORY: dict[str, Callable[[State], Any]] = {"jax": _by_jax, "torch": _by_torch}
_KINDS = {"onnx": 8, "external": 8, "text": 8, "plugin": 4, "jax": 2, "torch": 1}
"""How often each is tried, in parts of all."""


def main(folder: str, seed: str, rounds: str) -> None:
    """One process of the test."""
    each = Round(Path(folder), random.Random(int(seed)))
    for _ in range(int(rounds)):
        each.check(each.change())


@pytest.mark.slow
def test_answers_are_those_of_an_empty_cache(tmp_path: Path) -> None:
    for package in ("onnx", "jax", "torch"):
        pytest.importorskip(package)
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
