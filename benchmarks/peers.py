"""The peers: ONNX Runtime and OpenVINO, each as fast as its Python interface lets it be.

Both get f32 arithmetic, all graph optimisations, a fixed number of threads and buffers that stay where they are. Where
an interface offers two ways to run a model, the faster one counts.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.benchmarks.case import Array, Case, Shape
from mlc.benchmarks.engines import Call, Runner
from mlc.tuning.measure import aligned

_OPSET = 20
_IR_VERSION = 10
_TO_FIRST = (0, 3, 1, 2)
_TO_LAST = (0, 2, 3, 1)
_WEIGHTS_TO_FIRST = (3, 2, 0, 1)
_TRIALS = 20


def available_peers() -> dict[str, Callable[[Case, int], Runner]]:
    """What prepares a case for a number of threads, by the name of the peer, for those that are installed."""
    peers = {"ONNX Runtime": ("onnxruntime", _onnxruntime), "OpenVINO": ("openvino", _openvino)}
    if importlib.util.find_spec("onnx") is None:
        return {}
    return {name: prepare for name, (module, prepare) in peers.items() if importlib.util.find_spec(module)}


def onnx_model(case: Case) -> Any:
    """The case as an ONNX `ModelProto`.

    Raises:
        onnx.parser.ParseError, onnx.checker.ValidationError: its text is wrong.
    """
    onnx: Any = importlib.import_module("onnx")
    importlib.import_module("onnx.parser")
    inputs = ", ".join(f"{_onnx_type(_peer_shape(case, shape))} {name}" for name, shape in case.inputs.items())
    output = f"{_onnx_type(_peer_shape(case, case.output))} y"
    graph = onnx.parser.parse_graph(f"main ({inputs}) => ({output}) {{ {case.onnx} }}")
    for name in case.weights:
        graph.initializer.append(onnx.numpy_helper.from_array(_peer_weight(case, name), name))
    opset = [onnx.helper.make_opsetid("", _OPSET)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=_IR_VERSION)
    onnx.checker.check_model(model)
    return model


Arrays = Mapping[str, Array]


def _onnxruntime(case: Case, threads: int) -> Runner:
    inputs, output = _buffers(case)
    return _laid_out(case, prepare_onnxruntime(onnx_model(case).SerializeToString(), inputs, {"y": output}, threads))


def _openvino(case: Case, threads: int) -> Runner:
    inputs, output = _buffers(case)
    return _laid_out(case, prepare_openvino(onnx_model(case).SerializeToString(), inputs, {"y": output}, threads))


def _laid_out(case: Case, peer: Peer) -> Runner:
    return Runner(peer.call, lambda: _as_ours(case, peer.outputs()["y"]))


@dataclass(frozen=True)
class Peer:
    """A model, ready to be run again and again by a peer, on buffers that stay where they are."""

    call: Call
    outputs: Callable[[], Arrays]
    """The outputs of a call, by name."""


def prepare_onnxruntime(model: bytes | str, inputs: Arrays, outputs: Arrays, threads: int) -> Peer:
    """ONNX Runtime on a model, or on the file of one; `outputs` are buffers of the right shapes and types."""
    return prepare_session(onnxruntime_session(model, threads), inputs, outputs)


def onnxruntime_session(model: bytes | str, threads: int, optimized: bool = True) -> Any:
    """ONNX Runtime's `InferenceSession` of a model, or of the file of one.

    One that optimises is exact. Otherwise sums of two products of bytes saturate in i16 on x86 without VNNI.

    Args:
        optimized: otherwise each operator is computed as it stands, numbers of eight bits between f32, too.
    """
    ort: Any = importlib.import_module("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    levels = ort.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
    options.log_severity_level = 3
    options.add_session_config_entry("session.x64quantprecision", "1")
    return ort.InferenceSession(model, options, ["CPUExecutionProvider"])


def prepare_session(session: Any, inputs: Arrays, outputs: Arrays) -> Peer:
    """A session on buffers that stay."""
    binding = session.io_binding()
    for name, array in inputs.items():
        binding.bind_input(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
    for name, array in outputs.items():
        binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)

    # The binding knows addresses, and does not keep the arrays alive.
    def run_bound(_: object = (inputs, outputs)) -> None:
        session.run_with_iobinding(binding)

    names, given = list(outputs), dict(inputs)
    bound = Peer(run_bound, lambda: outputs)
    plain = Peer(lambda: session.run(names, given), lambda: dict(zip(names, session.run(names, given), strict=True)))
    return _faster(bound, plain)


def prepare_openvino(model: bytes | str, inputs: Arrays, outputs: Arrays, threads: int, precision: str = "f32") -> Peer:
    """OpenVINO on a model, or on the file of one; `outputs` are buffers of the right shapes and types.

    Args:
        precision: what floats are computed in, `f32` or `bf16`.
    """
    openvino: Any = importlib.import_module("openvino")
    core = openvino.Core()
    read = core.read_model(model if isinstance(model, str) else io.BytesIO(model))
    read.reshape({name: list(array.shape) for name, array in inputs.items()})
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "PERFORMANCE_HINT": "LATENCY",
        # Where a CPU has bf16 instructions, OpenVINO rounds to bf16 unless told not to.
        "INFERENCE_PRECISION_HINT": precision,
        # The process is pinned already.
        "ENABLE_CPU_PINNING": False,
    }
    request = core.compile_model(read, "CPU", settings).create_infer_request()
    for name, array in inputs.items():
        request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
    for name, array in outputs.items():
        request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    # Tensors do not keep the arrays alive that they share.
    buffers = inputs, outputs

    def start_and_wait(_: object = buffers) -> None:
        request.start_async()
        request.wait()

    def infer(_: object = buffers) -> None:
        request.infer(share_inputs=True, share_outputs=True)

    return _faster(Peer(start_and_wait, lambda: outputs), Peer(infer, lambda: outputs))


def _faster(*peers: Peer) -> Peer:
    return min(peers, key=lambda peer: _best_of(peer.call))


def _best_of(call: Call) -> float:
    best = math.inf
    for _ in range(_TRIALS):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def _buffers(case: Case) -> tuple[dict[str, Array], Array]:
    """The inputs as a peer takes them, and room for its output."""
    inputs = {name: _peer_input(case, case.tensors[name]) for name in case.inputs}
    return inputs, aligned(np.zeros(_peer_shape(case, case.output), np.float32))


def _is_image(case: Case, shape: Shape) -> bool:
    return case.channels_last and len(shape) == 4


def _peer_shape(case: Case, shape: Shape) -> Shape:
    return tuple(shape[i] for i in _TO_FIRST) if _is_image(case, shape) else shape


def _peer_input(case: Case, array: Array) -> Array:
    return aligned(array.transpose(_TO_FIRST)) if _is_image(case, array.shape) else array


def _peer_weight(case: Case, name: str) -> Array:
    array = case.tensors[name]
    return np.ascontiguousarray(array.transpose(_WEIGHTS_TO_FIRST)) if _is_image(case, array.shape) else array


def _as_ours(case: Case, output: Array) -> Array:
    return output.transpose(_TO_LAST) if _is_image(case, case.output) else output


def _onnx_type(shape: Shape) -> str:
    return f"float[{', '.join(map(str, shape))}]" if shape else "float"
