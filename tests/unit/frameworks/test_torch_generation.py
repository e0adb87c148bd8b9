"""Models of language that write token by token, with caches of keys and values of a fixed size, beside eager torch."""

# The packages may be missing, so that their functions are of any type here.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from mlc.benchmarks.exports import torchvision_package
from tests.unit.frameworks.eager import assert_same, backend, compilations, compiled, torch

if find_spec("torchvision"):
    torchvision_package()
transformers: Any = pytest.importorskip("transformers")
pytestmark = pytest.mark.slow

_WORDS = 96
_ENDLESS = {"eos_token_id": None, "pad_token_id": 0, "bos_token_id": 0}


def _llama(**sizes: int) -> Any:
    given = {
        "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 64, **sizes,
    }  # fmt: skip
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=_WORDS, **_ENDLESS, **given)).eval()


def _gpt2() -> Any:
    config = transformers.GPT2Config(vocab_size=_WORDS, n_embd=32, n_layer=2, n_head=4, n_positions=64, **_ENDLESS)
    return transformers.GPT2LMHeadModel(config).eval()


def _t5() -> Any:
    config = transformers.T5Config(
        vocab_size=_WORDS, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0, **_ENDLESS
    )
    return transformers.T5ForConditionalGeneration(config).eval()


def _whisper() -> Any:
    config = transformers.WhisperConfig(
        vocab_size=_WORDS, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_source_positions=50,
        max_target_positions=64, num_mel_bins=8, decoder_start_token_id=1, suppress_tokens=None,
        begin_suppress_tokens=None, **_ENDLESS,
    )  # fmt: skip
    return transformers.WhisperForConditionalGeneration(config).eval()


def _written(step: Callable[..., Any], cache: Any, prompt: Any, count: int) -> tuple[Any, Any]:
    """The tokens that follow a prompt, the likeliest each time, and their scores."""
    tokens, scores, given = list[Any](), list[Any](), prompt
    with torch.no_grad():
        for _ in range(count):
            last = step(given, cache).logits[:, -1]
            given = last.argmax(-1, keepdim=True)
            scores.append(last.clone())
            tokens.append(given)
    return torch.cat(tokens, 1), torch.stack(scores)


@pytest.mark.parametrize("sizes", [{}, {"hidden_size": 512, "intermediate_size": 1376, "num_attention_heads": 8}])
def test_llama_with_a_static_cache(sizes: dict[str, int]) -> None:
    torch.manual_seed(0)
    model = _llama(**sizes)
    prompt = torch.randint(0, _WORDS, (1, 16))

    def written(run: Any) -> tuple[Any, Any]:
        cache = transformers.StaticCache(config=model.config, max_cache_len=64)
        return _written(lambda ids, cache: run(input_ids=ids, past_key_values=cache, use_cache=True), cache, prompt, 32)

    tokens, scores = written(model)
    fast = compiled(model)
    for _ in range(2):
        found, own = written(fast)
        assert_same(found, tokens)
        assert (own - scores).abs().max() <= 1e-4 * scores.abs().max()
    assert not backend.report().fallbacks
    assert compilations() == 2


@pytest.mark.parametrize("make", [_gpt2, _t5, _llama], ids=["gpt2", "t5", "llama"])
def test_generate_with_a_static_cache(make: Callable[[], Any]) -> None:
    torch.manual_seed(0)
    model, prompt = make(), torch.randint(1, _WORDS, (2, 8))
    how = {"max_new_tokens": 12, "do_sample": False, "return_dict_in_generate": True, "output_logits": True}
    expected = model.generate(prompt, **how)
    model.forward = compiled(model.forward)
    found = model.generate(prompt, cache_implementation="static", disable_compile=True, **how)
    assert_same(found.sequences, expected.sequences)
    ours, theirs = torch.stack(found.logits), torch.stack(expected.logits)
    assert (ours - theirs).abs().max() <= 1e-4 * theirs.abs().max()
    assert not backend.report().fallbacks
    assert compilations() <= 3


def test_decoder_of_whisper_with_static_caches() -> None:
    torch.manual_seed(0)
    model = _whisper()
    heard = model.get_encoder()(torch.randn(1, 8, 100))

    def written(run: Any) -> tuple[Any, Any]:
        caches = [transformers.StaticCache(config=model.config, max_cache_len=size) for size in (32, 50)]
        return _written(
            lambda ids, cache: run(encoder_outputs=heard, decoder_input_ids=ids, past_key_values=cache, use_cache=True),
            transformers.EncoderDecoderCache(*caches), torch.tensor([[1]]), 12,
        )  # fmt: skip

    tokens, scores = written(model)
    found, own = written(compiled(model))
    assert_same(found, tokens)
    assert (own - scores).abs().max() <= 1e-4 * scores.abs().max()
    assert not backend.report().fallbacks
    assert compilations() <= 3
