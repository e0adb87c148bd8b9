"""What runs a model of PyTorch or a function of JAX: mlc, the framework itself, its compiler, and peers on its export.

An engine is made ready without a clock, with all that it imports; its first call is what a user waits for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mlc.benchmarks.engines import Call
from mlc.benchmarks.peers import onnxruntime_session, prepare_session

Results = Callable[[], Sequence[Any]]

ENGINES = {"torch": ("mlc", "inductor", "eager", "ONNX Runtime"), "jax": ("mlc", "XLA")}
"""By framework: mlc, and what it is compared with. Results of the last of its own are what others are held against."""
ORACLES = {"torch": "eager", "jax": "XLA"}
COMPILERS = {"torch": "inductor", "jax": "XLA"}
"""What compiles for the framework: the first calls of mlc are compared with its."""


class NotMeasuredError(Exception):
    """An engine cannot run a model as it is asked to."""


@dataclass(frozen=True)
class Prepared:
    """A model, in the hands of one engine."""

    first: Results
    """Everything from the model to its first results, arrays of NumPy."""
    call: Callable[[], Call]
    """After that: what is called again and again."""


def engines_of(framework: str, model: str) -> list[str]:
    """The engines that a model is measured with: nobody trains by an export."""
    return [e for e in ENGINES[framework] if not (e == "ONNX Runtime" and model.startswith("train"))]


def names(framework: str) -> list[str]:
    """The models of a framework."""
    if framework == "jax":
        return list(import_module("mlc.benchmarks.jax_models").MODELS)
    return list(import_module("mlc.benchmarks.torch_models").cases())


def prepare(framework: str, model: str, engine: str, threads: int, folder: Path) -> Prepared:
    """A model for an engine that may keep files in a folder.

    Raises:
        ImportError: a package is missing.
    """
    return (_prepare_torch if framework == "torch" else _prepare_jax)(model, engine, threads, folder)


# ---- PyTorch


def _prepare_torch(model: str, engine: str, threads: int, folder: Path) -> Prepared:
    torch: Any = import_module("torch")
    warnings.simplefilter("ignore")
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    function, inputs, trains = import_module("mlc.benchmarks.torch_models").cases()[model]()
    torch.set_grad_enabled(trains)
    if engine == "ONNX Runtime":
        return _exported(function, inputs, threads, folder / "model.onnx")
    parameters = _parameters(function) if trains else []
    import_module("torch._dynamo")
    if engine == "mlc":
        import_module("mlc.torch")
        function = torch.compile(function, backend="mlc", options={"threads": threads})
    elif engine == "inductor":
        import_module("torch._inductor.compile_fx")
        function = torch.compile(function)
    call = _step(function, inputs, parameters) if trains else lambda: function(*inputs)

    def first() -> Sequence[Any]:
        found = _tensors(call())
        if engine == "mlc" and (fallbacks := import_module("mlc.torch").report().fallbacks):
            raise NotMeasuredError(f"stays in torch: {', '.join({f.operator for f in fallbacks})}")
        return found

    return Prepared(first, lambda: call)


def _step(loss: Callable[..., Any], inputs: Sequence[Any], parameters: Sequence[Any]) -> Callable[[], Any]:
    """A step of training, up to the gradients."""

    def step() -> Any:
        for p in parameters:
            p.grad = None
        value = loss(*inputs)
        value.backward()
        return [value.detach(), *(p.grad for p in parameters)]

    return step


def _parameters(function: Any) -> list[Any]:
    """The parameters of the model that a function closes over."""
    return [p for cell in function.__closure__ for p in cell.cell_contents.parameters()]


def _tensors(found: Any) -> list[Any]:
    torch: Any = import_module("torch")
    pytree: Any = import_module("torch.utils._pytree")
    tree = found.to_tuple() if hasattr(found, "to_tuple") else found
    return [np.array(t.detach()) for t in pytree.tree_leaves(tree) if isinstance(t, torch.Tensor)]


def _exported(module: Any, inputs: Sequence[Any], threads: int, file: Path) -> Prepared:
    """ONNX Runtime on what torch.onnx.export makes of a module; a file that is there is taken as it is."""
    torch: Any = import_module("torch")
    import_module("onnxscript")
    import_module("onnxruntime")
    import_module("torch.onnx")
    given = [np.array(each) for each in inputs]
    made: list[Any] = []

    def first() -> Sequence[Any]:
        if not file.exists():
            torch.onnx.export(module, tuple(inputs), str(file), dynamo=True, verbose=False, external_data=True)
        session = onnxruntime_session(str(file), threads)
        expected = [each.name for each in session.get_inputs()]
        if len(expected) != len(given):
            raise NotMeasuredError(f"the export takes {len(expected)} of {len(given)} inputs")
        arrays = dict(zip(expected, given, strict=True))
        found = session.run(None, arrays)
        outputs = [each.name for each in session.get_outputs()]
        made.extend((session, arrays, {name: np.array(a) for name, a in zip(outputs, found, strict=True)}))
        return found

    return Prepared(first, lambda: prepare_session(*made).call)


# ---- JAX


def _prepare_jax(model: str, engine: str, threads: int, folder: Path) -> Prepared:
    jax: Any = import_module("jax")
    function, inputs = import_module("mlc.benchmarks.jax_models").MODELS[model]()
    if engine == "mlc":
        compiled = import_module("mlc.jax").jit(function, threads=threads)
    else:
        jax.config.update("jax_compilation_cache_dir", str(folder / "xla"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        compiled = jax.jit(function)

    def call() -> Any:
        return jax.block_until_ready(compiled(*inputs))

    def first() -> Sequence[Any]:
        return [np.asarray(leaf) for leaf in jax.tree.leaves(call())]

    return Prepared(first, lambda: call)
