"""Models of PyTorch to measure: networks at inference, and steps of training."""

# PyTorch gives types that are not whole.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

Case = tuple[Callable[..., Any], tuple[Any, ...], bool]
"""A module or a function, its arguments, and whether gradients belong to what is measured."""


class Block(nn.Module):
    """A layer of a decoder: attention and two products, each after a norm."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads = heads

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """What the layer makes of `[batch, tokens, width]`."""
        batch, tokens, width = x.shape
        parts = self.qkv(self.first(x)).view(batch, tokens, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.down(F.gelu(self.up(self.second(x))))


class SmallGpt(nn.Module):
    """A decoder of four layers over 1,000 words."""

    def __init__(self, words: int = 1000, width: int = 128, layers: int = 4, tokens: int = 64) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(tokens, width)
        self.blocks = nn.Sequential(*(Block(width, 4) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Scores of the next words for `[batch, tokens]`."""
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def train_gpt() -> Case:
    """A step of a small decoder, without the optimiser."""
    torch.manual_seed(0)
    model = SmallGpt()
    words = torch.randint(0, 1000, (4, 65))

    def loss(words: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())

    return loss, (words,), True


def train_resnet18() -> Case:
    """A step of ResNet-18 on eight images of 64 x 64, without the optimiser."""
    from mlc.benchmarks.exports import torchvision_package

    torch.manual_seed(0)
    model = torchvision_package().models.resnet18(num_classes=10).train()

    def loss(images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(model(images), labels)

    return loss, (torch.randn(8, 3, 64, 64), torch.randint(0, 10, (8,))), True


def small_gpt() -> Case:
    """The small decoder at inference, which needs no package but torch."""
    torch.manual_seed(0)
    return SmallGpt().eval(), (torch.randint(0, 1000, (1, 64)),), False


OWN: dict[str, Callable[[], Case]] = {
    "small_gpt": small_gpt,
    "train_gpt": train_gpt,
    "train_resnet18": train_resnet18,
}
"""What is written here, by name; names of training start with `train`."""


def cases() -> dict[str, Callable[[], Case]]:
    """All cases by name; networks of torchvision and transformers, where these are installed, are those of
    `benchmarks.exports`."""
    from mlc.benchmarks.exports import networks, randomized

    def inference(make: Callable[[], Any]) -> Callable[[], Case]:
        def case() -> Case:
            module, inputs = randomized(make())
            return module, inputs, False

        return case

    try:
        known = networks()
    except ImportError:
        known = {}
    return {name: inference(make) for name, make in known.items()} | OWN
