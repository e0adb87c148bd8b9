"""`nn.TransformerEncoderLayer` and `nn.MultiheadAttention` in inference, where a whole layer is one operator."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_as_eager, backend, torch

nn = torch.nn
_hidden = torch.tensor([[False, False, True], [False, True, True]])
_later = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
_none_seen = torch.tensor([[True, True, True], [False, False, True]])


def _whole_layers() -> list[str]:
    """What the backend runs of such operators, none of which may stay in torch."""
    (graph,) = backend.report().graphs
    assert not graph.fallbacks
    return [graph.kind]


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"norm_first": True}, {"activation": "gelu"}])
@pytest.mark.parametrize("masks", [{}, {"src_key_padding_mask": _hidden}, {"src_mask": _later},
                                   {"src_mask": _later, "src_key_padding_mask": _hidden}])  # fmt: skip
def test_encoder_layers(options: dict[str, Any], masks: dict[str, Any]) -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options).eval()
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    assert_as_eager(lambda x: layer(x, **masks), torch.randn(2, 3, 8))
    assert _whole_layers() == ["inference"]


@pytest.mark.slow
def test_a_query_that_sees_nothing_is_nan() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    assert_as_eager(lambda x: layer(x, src_key_padding_mask=_none_seen), torch.randn(2, 3, 8))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"average_attn_weights": False}, {"need_weights": False},
                                     {"key_padding_mask": _hidden}, {"attn_mask": _later}])  # fmt: skip
def test_attention_with_weights(options: dict[str, Any]) -> None:
    layer = nn.MultiheadAttention(8, 4, batch_first=True).eval()
    assert_as_eager(lambda x: layer(x, x, x, **options), torch.randn(2, 3, 8))
    assert _whole_layers() == ["inference"]


@pytest.mark.slow
def test_halves() -> None:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval().bfloat16()
    x = torch.randn(2, 5, 16).bfloat16()
    with torch.no_grad():
        found = torch.compile(layer, backend="mlc")(x)
        torch.testing.assert_close(found.float(), layer.float()(x.float()), rtol=0.02, atol=0.05)
