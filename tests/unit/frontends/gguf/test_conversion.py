"""From files of GGUF to graph ops: what models are refused, and in which words."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from xdsl.dialects.builtin import NameLoc, StringAttr
from xdsl.dialects.func import FuncOp

import mlc
from mlc.compiler.compilation import new_context, read_module
from mlc.dialects.graph import GraphOp
from mlc.dialects.loop import LIMITS, LimitsAttr
from mlc.frontends.gguf.language_model import plugin_models
from mlc.frontends.gguf.source import GgufModel
from mlc.frontends.gguf.to_graph.convert_gguf_to_graph import ConvertGgufToGraphPass
from mlc.frontends.onnx.to_graph.bind_inputs import bind
from mlc.nn.architectures.llama import Llama
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import PassManager
from mlc.support.additions import plugin_scope
from mlc.support.bindings import Bindings
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.functions import NAME, donated_to, marks_of, models_of
from mlc.support.locations import location_of
from mlc.tests.unit.frontends.gguf.files import ARRAY, F32, STRING, U32, gguf, metadatum, tensor, text

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tests.conftest import CommandLine

_WIDTH, _HIDDEN, _VOCABULARY = 32, 64, 8
_SHAPES = {
    "token_embd": (_VOCABULARY, _WIDTH),
    "output_norm": (_WIDTH,),
    "blk.0.attn_norm": (_WIDTH,),
    "blk.0.attn_q": (_WIDTH, _WIDTH),
    "blk.0.attn_k": (_WIDTH // 2, _WIDTH),
    "blk.0.attn_v": (_WIDTH // 2, _WIDTH),
    "blk.0.attn_output": (_WIDTH, _WIDTH),
    "blk.0.ffn_norm": (_WIDTH,),
    "blk.0.ffn_gate": (_HIDDEN, _WIDTH),
    "blk.0.ffn_up": (_HIDDEN, _WIDTH),
    "blk.0.ffn_down": (_WIDTH, _HIDDEN),
}
_NUMBERS = {
    "context_length": 64,
    "block_count": 1,
    "embedding_length": _WIDTH,
    "feed_forward_length": _HIDDEN,
    "attention.head_count": 4,
    "attention.head_count_kv": 2,
    "attention.layer_norm_rms_epsilon": 1e-5,
}


def _number(key: str, value: float | str | list[int]) -> bytes:
    match value:
        case float():
            return metadatum(key, F32, struct.pack("<f", value))
        case int():
            return metadatum(key, U32, struct.pack("<I", value))
        case str():
            return metadatum(key, STRING, text(value))
        case list():
            return metadatum(key, ARRAY, struct.pack(f"<IQ{len(value)}I", U32, len(value), *value))


def _model(
    numbers: dict[str, Any] | None = None,
    shapes: Mapping[str, tuple[int, ...] | None] | None = None,
    scale: float = 0.01,
) -> bytes:
    """A model of one layer, with other numbers or shapes; None is left out. Matrices are Q8_0 with this scale."""
    tensors, data = list[bytes](), bytearray()
    for name, shape in {**_SHAPES, **(shapes or {})}.items():
        if shape is None:
            continue
        data += bytes(-len(data) % 32)
        tensors.append(tensor(f"{name}.weight", shape[::-1], 8 if len(shape) == 2 else 0, len(data)))
        if len(shape) == 2:
            data += (struct.pack("<e", scale) + bytes(range(32))) * (shape[0] * shape[1] // 32)
        else:
            data += np.ones(shape, np.float32).tobytes()
    found = {**_NUMBERS, **(numbers or {})}
    metadata = [_number(f"llama.{key}", value) for key, value in found.items() if value is not None]
    return gguf([metadatum("general.architecture", STRING, text("llama")), *metadata], tensors, bytes(data))


@pytest.fixture
def converted(tmp_path: Path) -> Callable[[bytes], tuple[ModuleOp, CompilerContext]]:
    def convert(content: bytes) -> tuple[ModuleOp, CompilerContext]:
        path = tmp_path / "model.gguf"
        path.write_bytes(content)
        module = read_module(GgufModel("model.gguf", tmp_path, path), ctx := new_context(), Bindings())
        ConvertGgufToGraphPass().run(module, ctx)
        module.verify()
        return module, ctx

    return convert


Convert = Callable[[bytes], "tuple[ModuleOp, CompilerContext]"]


def test_weights_stay_short(converted: Convert) -> None:
    module, ctx = converted(_model())
    names = [op.name for op in module.walk()]
    assert names.count("graph.scaled_matmul") == 8 and "gguf.decode" not in names and not ctx.remarks


def test_ops_are_called_as_their_layers_are(converted: Convert) -> None:
    """By names that stand in the file; only tokens become rows before there is a layer."""
    module, _ = converted(_model())
    ops = [op for op in module.walk() if isinstance(op, GraphOp)]
    assert {str(location_of(op)) for op in ops} >= {"model.gguf: 'blk.0.attn_q.scaled_matmul'"}
    names = {op.location.desc.data: op.name for op in ops if isinstance(op.location, NameLoc)}
    assert all(name.rpartition(".")[2].startswith(kind.removeprefix("graph.")) for name, kind in names.items())
    layers = {name.rpartition(".")[0] for name in names}
    matrices = {"q", "k", "v", "output"}
    assert layers >= {"places", "token_embd", "rotary", "blk.0", "blk.0.attn", "blk.0.ffn", "output", "output_norm"}
    assert layers >= {f"blk.0.attn_{each}" for each in ("norm", *matrices)}
    assert layers >= {f"blk.0.ffn_{each}" for each in ("norm", "gate", "up", "down")}
    assert len([op for op in ops if not isinstance(op.location, NameLoc)]) == 1
    found = [op.location.desc.data for op in ops if isinstance(op.location, NameLoc)]
    assert {name.partition(".")[0] for name, times in Counter(found).items() if times > 1} == {"rotary"}, "q and k"


def test_caches_are_stored_short(tmp_path: Path) -> None:
    """Those that callers keep: as arguments, and as results in their memory."""
    (path := tmp_path / "model.gguf").write_bytes(_model())
    ctx = new_context()
    module = read_module(GgufModel(str(path), path.parent, path), ctx, Bindings())
    ConvertGgufToGraphPass(caches="f16").run(module, ctx)
    module.verify()
    (decode,) = models_of(module)
    assert [str(each.type) for each in decode.args[3:]] == ["tensor<2x8x64xf16>", "tensor<2x64x8xf16>"]
    assert [str(each) for each in decode.function_type.outputs][1:] == [
        "tensor<1x32xf32>",
        "tensor<2x8x64xf16>",
        "tensor<2x64x8xf16>",
    ]
    with pytest.raises(UserError, match="convert-gguf-to-graph: found caches 'i3'; required: f32 or f16"):
        ConvertGgufToGraphPass(caches="i3").run(module, ctx)


def test_several_sequences(tmp_path: Path) -> None:
    """Each has a count and caches, and results in the memory of these."""
    (path := tmp_path / "model.gguf").write_bytes(_model())
    bindings, ctx = Bindings(shapes={"tokens": (3, 1)}), new_context()
    module = read_module(GgufModel(str(path), path.parent, path).bound(bindings), ctx, bindings)
    bind(module, bindings, ctx)
    ConvertGgufToGraphPass(caches="f16").run(module, ctx)
    module.verify()
    (decode,) = models_of(module)
    own = ["tensor<i64>", "tensor<2x8x64xf16>", "tensor<2x64x8xf16>"]
    assert [str(each.type) for each in decode.args] == ["tensor<3x1xi64>", "tensor<3xi64>", *own * 3]
    assert [each.name_hint for each in decode.args][2:8] == [
        "count",
        "keys0",
        "values0",
        "s1_count",
        "s1_keys0",
        "s1_values0",
    ]
    results = [str(each) for each in decode.function_type.outputs]
    assert results == ["tensor<3x8xf32>", "tensor<3x32xf32>", *own[1:] * 3]
    marks = marks_of((), decode.res_attrs)[2:]
    assert [each[NAME] for each in marks[1:4]] == [
        StringAttr(f"new_{n}") for n in ("values0", "s1_keys0", "s1_values0")
    ]
    assert [donated_to(each) for each in marks] == [3, 4, 6, 7, 9, 10]


@pytest.mark.parametrize(
    "shape, words",
    [
        ((2, 3), "found 3 tokens of each of 2 sequences; required: one token of each of several, or several of one, "),
        ((0, 1), "found 0 for the dim 'batch'; required: at least 1"),
    ],
)
def test_wrong_sequences(shape: tuple[int, int], words: str, tmp_path: Path) -> None:
    (path := tmp_path / "model.gguf").write_bytes(_model())
    with pytest.raises(UserError, match=words):
        mlc.compile(path, shapes={"tokens": shape})


def test_weights_whose_scale_is_not_finite(converted: Convert) -> None:
    module, ctx = converted(_model(scale=float("inf")))
    assert "graph.scaled_matmul" not in [op.name for op in module.walk()]
    words = "'blk.0.attn_q.weight' becomes floats of 32 bits: a scale is not finite, or too small for its offset"
    assert words in [each.message for each in ctx.remarks]


@pytest.mark.parametrize(
    "numbers, words",
    [
        ({"context_length": None}, "the file has no 'llama.context_length' in its metadata, which its architecture"),
        ({"embedding_length": 0}, "'llama.embedding_length' is 0; required: a number from 1 to 16777216"),
        ({"embedding_length": "x"}, "'llama.embedding_length' is 'x'; required: a number from 1 to"),
        ({"block_count": 1 << 20}, "it says that it has 1048576 layers; required: at most its 11 tensors"),
        ({"block_count": 2}, "the file has no tensor 'blk.1.attn_q.weight', which its architecture needs"),
        ({"attention.head_count_kv": 3}, "'llama.attention.head_count_kv' is 3; required: a divisor of 4, the heads"),
        ({"attention.head_count_kv": [2, 2]}, "is 'a list'; required: a number from 1 to 16777216, or 1 of them"),
        ({"attention.layer_norm_rms_epsilon": float("nan")}, "is nan; required: a number from 0 on"),
        (
            {"rope.dimension_count": 64},
            "heads of 8 elements turn 32 pairs by frequencies of the base 10000.0",
        ),
        ({"rope.scaling.type": "yarn"}, "'rope.scaling.type' is 'yarn'; required: none or linear"),
        ({"attention.key_length": 1 << 24}, "tensor 'blk.0.attn_q.weight' has the shape .32, 32.; required: .67108864"),
    ],
    ids=str,
)
def test_wrong_numbers(converted: Convert, numbers: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        converted(_model(numbers))


@pytest.mark.parametrize(
    "shapes, words",
    [
        ({"token_embd": None}, "the file has no tensor 'token_embd.weight'"),
        ({"blk.0.ffn_norm": (64,)}, r"tensor 'blk.0.ffn_norm.weight' has the shape \[64\]; required: \[32\]"),
        ({"blk.0.ffn_up": (32, 64)}, r"tensor 'blk.0.ffn_up.weight' has the shape \[32, 64\]; required: \[64, 32\]"),
    ],
    ids=str,
)
def test_wrong_tensors(converted: Convert, shapes: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        converted(_model(shapes=shapes))


def test_numbers_for_each_layer(converted: Convert) -> None:
    converted(_model({"attention.head_count_kv": [2], "feed_forward_length": [_HIDDEN]}))


def test_mutated_models(converted: Convert) -> None:
    """Bits of the metadata and of the list of tensors are flipped: models are refused in words, or converted."""
    content, chance, refused = _model(), random.Random(1), 0
    end = content.index(bytes(range(32)))
    for _ in range(300):
        data = bytearray(content)
        for _ in range(chance.choice((1, 1, 3))):
            data[chance.randrange(end)] ^= 1 << chance.randrange(8)
        try:
            converted(bytes(data))
        except UserError:
            refused += 1
    assert 100 < refused < 300


def test_open_dims_and_none(tmp_path: Path) -> None:
    (path := tmp_path / "model.gguf").write_bytes(_model())
    with pytest.raises(UserError, match="found 0 for the dim 'n'; required: at least 1"):
        mlc.compile(path, shapes={"n": 0})
    with pytest.raises(UserError, match="found 0 for the dim 'context'; required: at least 1"):
        mlc.compile(path, shapes={"context": 0})


def test_an_architecture_of_a_plugin(converted: Convert) -> None:
    content = _model().replace(text("llama"), text("mine!")).replace(b"llama.", b"mine!.")

    class Mine(Llama):
        name = "mine!"

    with pytest.raises(UserError, match="its architecture is 'mine!'; required: one that mlc knows, gemma3, gpt2"):
        converted(content)
    with plugin_scope():
        plugin_models.add("mine!", lambda: Mine, "a test")
        assert any(op.name == "graph.scaled_matmul" for op in converted(content)[0].walk())
    with plugin_scope():
        plugin_models.add("mine!", lambda: "text", "a test")
        with pytest.raises(UserError, match="of a test is not a class that derives from LanguageModel"):
            converted(content)


def test_layers_share_kernels(mlc_opt: CommandLine, tmp_path: Path) -> None:
    """A model of five layers has the kernels of one of three; the first and the last layer may differ."""
    kernels: list[int] = []
    for layers in (3, 5):
        more = {f"blk.{i}.{name[6:]}": _SHAPES[name] for i in range(1, layers) for name in _SHAPES if "blk" in name}
        (path := tmp_path / f"{layers}.gguf").write_bytes(_model({"block_count": layers}, more))
        kernels.append(
            mlc_opt(str(path), "-O2", "--target=znver4", "--emit=mlir:tensor").out.count("func.func private")
        )
    assert kernels[0] == kernels[1] > 10


def test_text_of_a_model(mlc_opt: CommandLine, tmp_path: Path) -> None:
    """The text names the file, and lowers as the file does."""
    (path := tmp_path / "model.gguf").write_bytes(_model())
    (text := tmp_path / "model.mlir").write_text(mlc_opt(str(path)).out)
    assert "gguf.decode" in text.read_text()
    lowered = [mlc_opt(str(each), "--convert-gguf-to-graph") for each in (path, text)]
    assert lowered[0].status == 0 and lowered[0].out == lowered[1].out
    path.unlink()
    assert "model.gguf' not found" in mlc_opt(str(text), "--convert-gguf-to-graph").err


@pytest.mark.parametrize("n", [1, 16])
def test_attention_reads_the_filled_part_of_caches(n: int, tmp_path: Path) -> None:
    """Also that of a chunk, where each row has a mask of its own beside the one that all share."""
    (path := tmp_path / "model.gguf").write_bytes(_model())
    bindings, ctx = Bindings(shapes={"tokens": (1, n)}), new_context(target="x86-64-v4")
    module = read_module(GgufModel(str(path), path.parent, path).bound(bindings), ctx, bindings)
    bind(module, bindings, ctx)
    PassManager(ctx).run(module, default_passes(2, upto="tensor"))
    (attention,) = [op for op in module.walk() if isinstance(op, FuncOp) and op.sym_name.data.startswith("attention")]
    limits = attention.attributes[LIMITS]
    assert isinstance(limits, LimitsAttr)
    (ends,) = {(each.plus, each.multiple) for each in limits.data}
    assert ends == (n, 16) and len(limits.data) == 3, "scores, their softmax, and values"
