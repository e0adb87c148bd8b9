"""Networks that people know, exported from PyTorch with seeded random weights, for `python -m benchmarks.onnx_models`.

    pip install torch==2.13.0 torchvision transformers onnxscript
    python -m benchmarks.exports FOLDER                     all of them: 5 GB
    python -m benchmarks.exports FOLDER resnet50 bert_base  some
    python -m benchmarks.exports FOLDER --batch 8           for eight images, or texts, at a time

Shapes are bound: images are 3 x 224 x 224, texts 128 tokens, the cache of a decoder holds 128 tokens. What a
network starts with as zeros or ones is random here, too, so that all of it has an influence on the result.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

Network = tuple[Any, tuple[Any, ...]]
"""A module, and inputs."""

REQUIRED = "pip install torch==2.13.0 torchvision transformers onnxscript"
TOKENS = 128
_DECODED = 16
"""Tokens that the decoder of a pair is given."""
_FRAMES = 3000
"""Half a minute of sound, of which Whisper's encoder makes half as many."""
_VISION = (
    "resnet18",
    "resnet50",
    "mobilenet_v2",
    "mobilenet_v3_small",
    "mobilenet_v3_large",
    "efficientnet_b0",
    "vgg16",
    "convnext_tiny",
    "vit_b_16",
    "swin_t",
)
_MINILM = {"hidden_size": 384, "num_hidden_layers": 6, "intermediate_size": 1536}
_T5 = {"d_model": 512, "num_layers": 6, "num_decoder_layers": 6}
_LLAMA = {
    "hidden_size": 1024,
    "intermediate_size": 2816,
    "num_hidden_layers": 8,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "vocab_size": 8000,
}
_WHISPER_TINY = {
    "d_model": 384,
    **{
        f"{side}_{key}": number
        for side in ("encoder", "decoder")
        for key, number in {"layers": 4, "attention_heads": 6, "ffn_dim": 1536}.items()
    },
}


def networks(batch: int = 1) -> dict[str, Callable[[], Network]]:
    """What makes each network, by name; nothing is made yet. Inputs are for so many images, or texts, at a time.

    Raises:
        ImportError: a package is missing.
    """
    torch, hf, vision = _package("torch"), _package("transformers"), torchvision_package().models
    image = torch.randn(batch, 3, 224, 224)
    ids = torch.randint(0, 1000, (batch, TOKENS))
    text = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    few = ids[:, :_DECODED]
    hidden = "last_hidden_state"
    whisper = partial(_part_of_whisper, hf, hf.WhisperConfig(**_WHISPER_TINY))

    def classify(name: str) -> Network:
        return getattr(vision, name)(weights=None), (image,)

    def segment() -> Network:
        module = vision.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None)
        return _calling(module, {"x": image}, "out")

    def detect() -> Network:
        module = vision.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None)
        detector = _package("torch").nn.ModuleList([module.backbone, module.head])

        def heads(image: Any) -> tuple[Any, ...]:
            return tuple(module.head(list(module.backbone(image).values())).values())

        return _module(detector, heads), (torch.randn(batch, 3, 320, 320),)

    def t5() -> Network:
        return _calling(hf.T5Model(hf.T5Config(**_T5)), {"input_ids": ids, "decoder_input_ids": few}, hidden)

    def clip() -> Network:
        return _calling(hf.CLIPVisionModel(hf.CLIPConfig().vision_config), {"pixel_values": image}, "pooler_output")

    return {
        **{name: partial(classify, name) for name in _VISION},
        "deeplabv3": segment,
        "ssdlite": detect,
        "bert_base": lambda: _calling(hf.BertModel(hf.BertConfig()), text, hidden),
        "minilm": lambda: _calling(hf.BertModel(hf.BertConfig(**_MINILM)), text, hidden),
        "distilbert": lambda: _calling(hf.DistilBertModel(hf.DistilBertConfig()), text, hidden),
        "gpt2": lambda: _calling(hf.GPT2LMHeadModel(hf.GPT2Config(use_cache=False)), {"input_ids": ids}, "logits"),
        "gpt2_decode": lambda: _decoding(hf.GPT2LMHeadModel(hf.GPT2Config()), 12, (batch, 12, TOKENS, 64)),
        "llama_prefill": lambda: _calling(
            hf.LlamaForCausalLM(hf.LlamaConfig(**_LLAMA, use_cache=False)), {"input_ids": ids}, "logits"
        ),
        "llama_decode": lambda: _decoding(hf.LlamaForCausalLM(hf.LlamaConfig(**_LLAMA)), 8, (batch, 4, TOKENS, 64)),
        "t5": t5,
        "whisper_tiny_encoder": lambda: whisper("encoder", {"input_features": torch.randn(batch, 80, _FRAMES)}),
        "whisper_tiny_decoder": lambda: whisper(
            "decoder", {"input_ids": few, "encoder_hidden_states": torch.randn(batch, _FRAMES // 2, 384)}
        ),
        "clip_vision": clip,
    }


def _package(name: str) -> Any:
    """A package that is not a dependency of mlc, not even of its tests."""
    return importlib.import_module(name)


@cache
def torchvision_package() -> Any:
    """The package torchvision; that of PyPI may look for operators that a PyTorch for CPUs lacks."""
    try:
        return _package("torchvision")
    except RuntimeError:
        library = _package("torch").library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return _package("torchvision")


def _part_of_whisper(hf: Any, config: Any, part: str, inputs: dict[str, Any]) -> Network:
    config.use_cache = False
    return _calling(getattr(hf.WhisperModel(config), part), inputs, "last_hidden_state")


def _calling(module: Any, inputs: dict[str, Any], output: str) -> Network:
    """A module of one output of several, which is given its inputs by name."""

    def call(*values: Any) -> Any:
        return module(**dict(zip(inputs, values, strict=True)))[output]

    return _module(module, call), tuple(inputs.values())


def _decoding(module: Any, layers: int, cached: tuple[int, int, int, int]) -> Network:
    """One token after a cache of `TOKENS`, which is input and output: keys and values of that shape, by layer."""
    torch, caches = _package("torch"), _package("transformers.cache_utils")

    def call(token: Any, *past: Any) -> tuple[Any, ...]:
        cache = caches.DynamicCache(config=module.config)
        for layer in range(layers):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        position = torch.full((cached[0], 1), TOKENS)
        logits: Any = module(token, past_key_values=cache, use_cache=True, position_ids=position).logits
        return logits, *(each for layer in cache.layers for each in (layer.keys, layer.values))

    past = [torch.randn(*cached) for _ in range(2 * layers)]
    return _module(module, call), (torch.randint(0, 1000, (cached[0], 1)), *past)


def _module(inner: Any, call: Callable[..., Any]) -> Any:
    """A module around `inner` whose result is `call` of its inputs."""
    module = _package("torch").nn.Module()
    module.inner = inner
    kind = type("Calling", (type(module),), {"forward": lambda self, *inputs: call(*inputs)})  # pyright: ignore
    module.__class__ = kind
    return module


def randomized(network: Network) -> Network:
    """The network with weights such that all of its inputs count in its result.

    Weights that all are one number, such as a head of zeros, are random then, and batch norms know what passes them:
    else signals fade on their way through a deep network, until its result is the last bias. The module is in
    inference.
    """
    torch = _package("torch")
    module, inputs = network
    with torch.no_grad():
        for value in (*module.parameters(), *module.buffers()):
            if value.is_floating_point() and value.numel() > 1 and bool((value == value.flatten()[0]).all()):
                value += 0.1 * torch.randn_like(value)
        norms = [m for m in module.modules() if isinstance(m, torch.nn.BatchNorm2d)]
        for norm in norms:
            norm.momentum = 1.0
        if norms:
            module.train()(*(torch.cat([value, torch.randn_like(value)]) for value in inputs))
    return module.eval(), inputs


def export(make: Callable[[], Network], file: Path) -> tuple[Any, ...]:
    """Write a network as ONNX, with random weights that are always the same; returns its inputs."""
    torch = _package("torch")
    torch.manual_seed(0)
    module, inputs = randomized(make())
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, inputs, str(file), dynamo=True, verbose=False, external_data=False)
    return inputs


def main(words: Sequence[str] | None = None) -> int:
    """The command; 2 if a package or a network is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exports", description="networks of PyTorch as ONNX")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the files go")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which ones (all)")
    parser.add_argument("--batch", type=int, default=1, metavar="N", help="images, or texts, at a time (1)")
    arguments = parser.parse_args(words)
    if arguments.batch < 1:
        parser.error(f"--batch takes a positive number, got {arguments.batch}")
    try:
        known = networks(arguments.batch)
    except ImportError as e:
        print(f"{e}; {REQUIRED}", file=sys.stderr)
        return 2
    if unknown := [name for name in arguments.names if name not in known]:
        print(f"no network is called {', '.join(unknown)}; found {', '.join(known)}", file=sys.stderr)
        return 2
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or known:
        several = f"_batch{arguments.batch}" * (arguments.batch > 1)
        file = arguments.folder / f"{name}{several}.onnx"
        export(known[name], file)
        print(f"{file}: {file.stat().st_size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
