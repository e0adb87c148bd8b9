"""`where-to-if` on random steps: the same numbers, whatever conditions and reads lie between."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import FunctionType, ModuleOp, f32, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import tensor
from mlc.passes.graph.where_to_if import WhereToIfPass
from mlc.reference.interpreter import run_function
from mlc.support.context import CompilerContext

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_STEPS, _EDGE = 3, 3
_MATRIX, _FLAGS = tensor((_EDGE, _EDGE), f32), tensor((_STEPS,), i1)


def _step(seed: int, ops: int, conditions: int) -> ModuleOp:
    """A scan over flags that carries two matrices, and whose step chooses by these and by what it computes of them."""
    random = np.random.default_rng(seed)
    main = Block(arg_types=[_MATRIX, _MATRIX, *[_FLAGS] * conditions])
    body = Block(arg_types=[_MATRIX, _MATRIX, *[tensor((), i1)] * conditions])
    flags, values = list[SSAValue](body.args[2:]), list[SSAValue](body.args[:2])

    def put(op: Operation) -> SSAValue:
        body.add_op(op)
        return op.results[0]

    def pick(of: list[SSAValue]) -> SSAValue:
        return of[max(int(random.integers(-len(of), len(of))), -2)]  # mostly a new one

    for _ in range(ops):
        one, other, flag = pick(values), pick(values), pick(flags)
        match int(random.integers(0, 9)):
            case 0 | 1 | 8:
                values.append(put(graph.WhereOp(flag, one, other)))
            case 2 | 3:
                values.append(put(graph.MatmulOp(one, other)))
            case 4:
                values.append(put(graph.AddOp(one, other)))
            case 5:
                values.append(put(graph.TanhOp(one)))
            case 6:
                flags.append(put(graph.ReshapeOp(put(graph.ReshapeOp(flag, (1, 1))), ())))
            case _:
                flags.append(put(graph.WhereOp(flag, pick(flags), pick(flags))))
    unread = [value for value in values if not value.uses][-2:]
    yielded = [put(graph.TanhOp(pick(values))), put(graph.TanhOp(values[-1])), *unread]
    body.add_op(graph.YieldOp(*yielded))
    stacks = [tensor((_STEPS, _EDGE, _EDGE), f32)] * len(unread)
    scan = graph.ScanOp(_STEPS, main.args[:2], main.args[2:], [], [_MATRIX, _MATRIX, *stacks], Region(body))
    main.add_ops([scan, ReturnOp(*scan.outputs)])
    return ModuleOp([FuncOp("main", FunctionType.from_lists(main.arg_types, scan.outputs.types), Region(main))])


def _count(module: ModuleOp, kind: type[Operation]) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


def test_random_steps_compute_the_same() -> None:
    branches = left = 0
    for seed in range(160):
        module, random = _step(seed, ops=4 + seed % 40, conditions=1 + seed % 3), np.random.default_rng(seed)
        inputs = [random.standard_normal((_EDGE, _EDGE), np.float32) for _ in range(2)]
        inputs += [random.integers(0, 2, _STEPS).astype(bool) for _ in range(1 + seed % 3)]
        ctx = CompilerContext()
        before = run_function(module, "main", inputs, ctx.resources)
        WhereToIfPass().run(module, ctx)
        module.verify()
        after = run_function(module, "main", inputs, ctx.resources)
        for one, other in zip(before, after, strict=True):
            np.testing.assert_array_equal(one, other)
        branches += _count(module, graph.IfOp)
        left += _count(module, graph.WhereOp)
    assert branches > 40 and left > 100


def test_time_is_that_of_the_ops() -> None:
    def seconds(ops: int) -> float:
        module, start = _step(1, ops, conditions=ops // 20), time.perf_counter()
        WhereToIfPass().run(module, CompilerContext())
        return time.perf_counter() - start

    seconds(100)
    assert seconds(4000) < 30 * max(min(seconds(400) for _ in range(3)), 0.003)


def _networks() -> dict[str, tuple[list[Any], dict[str, NDArray[Any]], list[Any]]]:
    """Networks that multiply a state by a matrix in each step: nodes, weights and inputs."""
    w = np.eye(4, dtype=np.float32) / 2
    weights = {"w": w, "h0": np.zeros((1, 4), np.float32)}
    cell = [
        helper.make_node("MatMul", ["h", "w"], ["p"]),
        helper.make_node("Add", ["p", "row"], ["s"]),
        helper.make_node("Tanh", ["s"], ["h1"]),
        helper.make_node("Neg", ["h1"], ["out"]),
    ]
    carried, row = _float("h", 1, 4), _float("row", 1, 4)
    yielded = [_float("h1", 1, 4), _float("out", 1, 4)]
    scan = helper.make_graph(cell, "body", [carried, row], yielded)
    flag = helper.make_tensor_value_info("go", TensorProto.BOOL, [])
    on = helper.make_tensor_value_info("on", TensorProto.BOOL, [])
    step = helper.make_tensor_value_info("step", TensorProto.INT64, [])
    rows = [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Gather", ["x", "step"], ["row"])]
    loop = helper.make_graph([*rows, *cell], "body", [step, flag, carried], [on, *yielded])
    count = [helper.make_node("Shape", ["x"], ["shape"], end=1), helper.make_node("Squeeze", ["shape"], ["n"])]
    recurrent = {"w": w[None], "h0": np.zeros((1, 2, 4), np.float32)}
    lengths = helper.make_tensor_value_info("lengths", TensorProto.INT32, [2])

    def rnn(lengths: str) -> list[Any]:
        return [helper.make_node("RNN", ["x", "w", "w", "", lengths, "h0"], ["y", "h"], hidden_size=4)]

    x = _float("x", "rows", 1, 4)
    return {
        "Scan": ([helper.make_node("Scan", ["h0", "x"], ["h", "y"], body=scan, num_scan_inputs=1)], weights, [x]),
        "Loop": ([*count, helper.make_node("Loop", ["n", "", "h0"], ["h", "y"], body=loop)], weights, [x]),
        "RNN": (rnn(""), recurrent, [_float("x", "rows", 2, 4)]),
        "sequences": (rnn("lengths"), recurrent, [_float("x", 6, 2, 4), lengths]),
        "open sequences": (rnn("lengths"), recurrent, [_float("x", "rows", 2, 4), lengths]),
    }


def _float(name: str, *shape: int | str) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


@pytest.mark.parametrize("name", list(_networks()))
def test_steps_that_a_call_does_not_ask_for_compute_nothing(name: str, mlc: CommandLine, tmp_path: Path) -> None:
    nodes, weights, inputs = _networks()[name]
    initial = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    results = [helper.make_tensor_value_info(each, TensorProto.FLOAT, None) for each in ("h", "y")]
    graph = helper.make_graph(nodes, "main", inputs, results, initial)
    opset = [helper.make_opsetid("", 18)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=9)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    shape = () if name == "sequences" else ("--shape", "rows=1..6")
    result = mlc("compile", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "g.mlir"), "--emit=mlir:graph", *shape)
    assert result.status == 0, result.err
    step = (tmp_path / "g.mlir").read_text().partition("graph.scan")[2]
    before, _, branch = step.partition("graph.if")
    assert "graph.compare lt" in before and "graph.matmul" not in before
    made, _, left_out = branch.partition("} else {")
    assert "graph.matmul" in made
    assert "graph.matmul" not in left_out and "graph.where" not in left_out
