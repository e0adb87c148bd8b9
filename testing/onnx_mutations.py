"""Models of ONNX that somebody broke: each gets a clear error or converts, without a crash, a hang or much memory.

    python -m mlc.testing.onnx_mutations --count 20000 --seed 0

The models are those of `onnx.backend.test`, each changed in one to three places: nodes dropped, repeated or renamed,
edges turned around, types, dims, attributes, versions and bytes of weights replaced. What converts also has to verify
and, if its inputs are small, to be computed by the reference semantics or to be refused by them.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, cast

import numpy as np

from mlc.dialects.onnx.schemas import onnx_package
from mlc.support.errors import UserError
from mlc.testing.broken_inputs import command, tried
from mlc.testing.onnx_conformance import cases

SECONDS_A_MODEL = 20
"""The most time that a model may take."""
_MEMORY = 3 << 30
"""The most bytes of address space beyond those that are in use at the start."""

_NUMBERS = (-(2**63), -(2**31), -7, -1, 0, 1, 2, 3, 17, 1000, 2**20, 2**31 - 1, 2**40, 2**62)
_WORDS = ("", "NOSUCH", "constant", "x", "Ünicode", "a" * 300)


@dataclass(frozen=True)
class Mutant:
    """What became of a broken model: `converted`, `refused`, or else what went wrong."""

    number: int
    case: str
    changes: tuple[str, ...]
    outcome: str


def try_one(number: int, seed: int = 0) -> Mutant:
    """Make the model of a number, and take it as far as it goes."""
    rng = Random(seed * 1_000_003 + number)
    names = _names()
    name = names[rng.randrange(len(names))]
    model: Any = cast(Any, onnx_package()).ModelProto()
    model.CopyFrom(cases()[name].model)
    changes: list[str] = []
    for _ in range(rng.randint(1, 3)):
        change = rng.choice(_CHANGES)
        change(model, rng)
        changes.append(change.__name__.strip("_"))
    data = model.SerializeToString()
    if rng.random() < 0.1:
        data = _damaged(data, rng)
        changes.append("damaged")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(data)
        return Mutant(number, name, tuple(changes), _outcome(path))


def _names() -> list[str]:
    return [name for name, case in cases().items() if case.model is not None]


def _outcome(path: Path) -> str:
    def late(signal_number: int, frame: FrameType | None) -> None:
        del signal_number, frame
        raise TimeoutError(f"took more than {SECONDS_A_MODEL} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS_A_MODEL)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            _convert(path)
        return "converted"
    except UserError as e:
        return "refused" if str(e).strip() else "an error without words"
    except (Exception, MemoryError) as e:
        return f"{type(e).__name__}: {str(e)[:200]}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _convert(path: Path) -> None:
    from mlc.compiler.compilation import new_context
    from mlc.frontends.onnx.reader import read_onnx
    from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
    from mlc.syntax import verify_module

    ctx = new_context()
    module = read_onnx(path, ctx)
    verify_module(module)
    ConvertOnnxToGraphPass().run(module, ctx)
    verify_module(module)


# ---- changes, each of a model in place


def _nodes(model: Any) -> list[Any]:
    return list(model.graph.node)


def _drop_a_node(model: Any, rng: Random) -> None:
    if model.graph.node:
        del model.graph.node[rng.randrange(len(model.graph.node))]


def _repeat_a_node(model: Any, rng: Random) -> None:
    if model.graph.node:
        model.graph.node.add().CopyFrom(rng.choice(_nodes(model)))


def _rename_an_operator(model: Any, rng: Random) -> None:
    if model.graph.node:
        kinds = [node.op_type for node in model.graph.node]
        rng.choice(_nodes(model)).op_type = rng.choice(
            [*kinds, *_WORDS, "Conv", "Loop", "If", "Scan", "Reshape", "Cast"]
        )


def _move_to_a_domain(model: Any, rng: Random) -> None:
    if model.graph.node:
        rng.choice(_nodes(model)).domain = rng.choice([*_WORDS, "ai.onnx.ml", "com.microsoft", "ai.onnx"])


def _turn_an_edge(model: Any, rng: Random) -> None:
    """An input becomes another value of the graph, perhaps one that is computed later."""
    values = [v for node in model.graph.node for v in (*node.input, *node.output)] + [i.name for i in model.graph.input]
    node = rng.choice(_nodes(model)) if model.graph.node else None
    if node is not None and node.input and values:
        node.input[rng.randrange(len(node.input))] = rng.choice([*values, *_WORDS])


def _leave_out_an_input(model: Any, rng: Random) -> None:
    node = rng.choice(_nodes(model)) if model.graph.node else None
    if node is not None and node.input:
        if rng.random() < 0.5:
            node.input[rng.randrange(len(node.input))] = ""
        else:
            del node.input[rng.randrange(len(node.input)) :]


def _rename_an_output(model: Any, rng: Random) -> None:
    node = rng.choice(_nodes(model)) if model.graph.node else None
    if node is not None and node.output:
        names = [v for each in model.graph.node for v in each.output] + [i.name for i in model.graph.input]
        node.output[rng.randrange(len(node.output))] = rng.choice([*names, *_WORDS])


def _swap_a_type(model: Any, rng: Random) -> None:
    values = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    if values:
        rng.choice(values).type.tensor_type.elem_type = rng.choice([*range(24), 99])


def _change_a_dim(model: Any, rng: Random) -> None:
    values = [v for v in (*model.graph.input, *model.graph.output) if v.type.tensor_type.shape.dim]
    if values:
        dim = rng.choice(list(rng.choice(values).type.tensor_type.shape.dim))
        if rng.random() < 0.8:
            dim.dim_value = rng.choice(_NUMBERS)
        else:
            dim.dim_param = rng.choice(_WORDS)


def _change_a_rank(model: Any, rng: Random) -> None:
    values = list(model.graph.input)
    if values:
        shape = rng.choice(values).type.tensor_type.shape
        if shape.dim and rng.random() < 0.5:
            del shape.dim[-1]
        else:
            shape.dim.add().dim_value = rng.choice(_NUMBERS[3:8])


def _change_an_attribute(model: Any, rng: Random) -> None:
    attributes = [a for node in model.graph.node for a in node.attribute]
    if not attributes:
        return
    a = rng.choice(attributes)
    if a.ints and rng.random() < 0.8:
        at = rng.randrange(len(a.ints))
        if rng.random() < 0.3:
            del a.ints[at]
        else:
            a.ints[at] = rng.choice(_NUMBERS)
    elif rng.random() < 0.3:
        a.type = rng.randrange(0, 15)
    else:
        a.i, a.f, a.s = rng.choice(_NUMBERS), rng.choice([0.0, -1.0, 1e38, float("nan")]), b"\xff\xfe"


def _drop_an_attribute(model: Any, rng: Random) -> None:
    nodes = [node for node in model.graph.node if node.attribute]
    if nodes:
        node = rng.choice(nodes)
        del node.attribute[rng.randrange(len(node.attribute))]


def _rename_an_attribute(model: Any, rng: Random) -> None:
    attributes = [a for node in model.graph.node for a in node.attribute]
    if attributes:
        rng.choice(attributes).name = rng.choice([*_WORDS, *(a.name for a in attributes)])


def _change_a_version(model: Any, rng: Random) -> None:
    if model.opset_import:
        rng.choice(list(model.opset_import)).version = rng.choice([*range(26), 99, -1, 2**40])
    else:
        model.ir_version = rng.choice(_NUMBERS)


def _make_a_weight_of_an_input(model: Any, rng: Random) -> None:
    """An input gets data, of its own type and shape or of others."""
    inputs = [i for i in model.graph.input if i.type.HasField("tensor_type")]
    if inputs:
        of = rng.choice(inputs)
        tensor = model.graph.initializer.add(name=of.name, data_type=rng.choice([1, 7, of.type.tensor_type.elem_type]))
        tensor.dims.extend(rng.choice([(), (3,), (2, 2), (0,), (2**40,), (-1,)]))
        tensor.raw_data = bytes(rng.choice([0, 4, 8, 12, 16, 24, 32]))


def _put_a_weight_elsewhere(model: Any, rng: Random) -> None:
    if model.graph.initializer:
        tensor = rng.choice(list(model.graph.initializer))
        tensor.ClearField("raw_data")
        tensor.data_location = 1
        for key in ("location", "offset", "length"):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, rng.choice(["weights.bin", "../x", "0", "-1", str(2**62), "word"])


def _drop_an_output(model: Any, rng: Random) -> None:
    if model.graph.output:
        del model.graph.output[rng.randrange(len(model.graph.output))]


_CHANGES: Sequence[Callable[[Any, Random], None]] = (
    _drop_a_node,
    _repeat_a_node,
    _rename_an_operator,
    _move_to_a_domain,
    _turn_an_edge,
    _turn_an_edge,
    _leave_out_an_input,
    _rename_an_output,
    _swap_a_type,
    _swap_a_type,
    _change_a_dim,
    _change_a_dim,
    _change_a_rank,
    _change_an_attribute,
    _change_an_attribute,
    _drop_an_attribute,
    _rename_an_attribute,
    _change_a_version,
    _make_a_weight_of_an_input,
    _make_a_weight_of_an_input,
    _put_a_weight_elsewhere,
    _drop_an_output,
)


def _damaged(data: bytes, rng: Random) -> bytes:
    """Cut off, or with some bits turned."""
    if rng.random() < 0.3:
        return data[: rng.randrange(len(data) + 1)]
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


# ---- the command


def run(count: int, seed: int = 0, jobs: int = 1) -> Iterator[Mutant]:
    """The outcomes of `count` models, in order."""
    return tried(try_one, count, seed, jobs, _MEMORY)


if __name__ == "__main__":
    sys.exit(command("models of ONNX", try_one, ("converted", "refused"), _MEMORY))
