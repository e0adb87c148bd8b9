"""Random modules of torch with open dims, of what models are written of: [batch, seq, width], and integers."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional

WIDTH = 8
HEADS = 2
MOST_BATCH = 3
LEAST_SEQ = 4
MOST_SEQ = 13
EXTENTS = ((1, 4), (3, 13), (2, 4), (1, 7), (3, 5), (2, 12), (1, 13), (3, 8))
"""Extents of batch and seq: both ends, primes, one apart."""

Step = Callable[[Any, Any], Any]
"""From what is computed so far, [batch, seq, width], and the integers, [batch, seq], to what is next."""


class RandomModule(torch.nn.Module):
    """One model: floats `x` [batch, seq, 8] and integers `ids` [batch, seq] from 0 to 15, and one result."""

    def __init__(self, seed: int, dtype: Any) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self.numbers = torch.Generator().manual_seed(seed)
        self.kind = dtype
        steps = [self.rng.choice(STEPS)(self) for _ in range(3 + seed % 4)]
        self.steps: list[Step] = steps
        self.end: Step = self.rng.choice(ENDS)(self)

    def forward(self, x: Any, ids: Any) -> Any:
        """The result of all steps, with the values before some of them added."""
        before = x
        for number, step in enumerate(self.steps):
            found = step(x, ids)
            before, x = x, found + before if number % 2 else found
        return self.end(x, ids)

    def floats(self, *shape: int) -> Any:
        """A weight."""
        return torch.randn(shape, generator=self.numbers, dtype=self.kind) / 3


# ---- steps


def _linear(m: RandomModule) -> Step:
    w, bias = m.floats(WIDTH, WIDTH), m.floats(WIDTH)
    return lambda x, ids: F.linear(x, w, bias)


def _norm(m: RandomModule) -> Step:
    w, bias = m.floats(WIDTH), m.floats(WIDTH)
    return m.rng.choice([
        lambda x, ids: F.layer_norm(x, (WIDTH,), w, bias),
        lambda x, ids: F.rms_norm(x, (WIDTH,), w, 1e-6),
        lambda x, ids: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w,
    ])  # fmt: skip


def _activation(m: RandomModule) -> Step:
    function = m.rng.choice([torch.tanh, F.gelu, F.silu, F.relu, torch.sigmoid, torch.abs])
    return lambda x, ids: function(x)


def _attention(m: RandomModule) -> Step:
    ws = [m.floats(WIDTH, WIDTH) for _ in range(3)]
    kind = m.rng.choice(["plain", "causal", "mask", "bias", "written", "grouped"])

    def step(x: Any, ids: Any) -> Any:
        b, t, _ = x.shape
        q, k, v = ((x @ w).view(b, t, HEADS, -1).transpose(1, 2) for w in ws)
        seen = (ids > 3)[:, None, None, :] | torch.ones(t, t, dtype=torch.bool).tril()
        if kind == "written":
            scores = (q @ k.transpose(-1, -2) / 2.0).masked_fill(~seen, float("-inf"))
            y = torch.softmax(scores, -1) @ v
        elif kind == "grouped":
            y = F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], enable_gqa=True)
        else:
            mask = {"mask": seen, "bias": torch.where(seen, 0.0, -1e9).to(x.dtype)}.get(kind)
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=kind == "causal")
        return y.transpose(1, 2).reshape(b, t, WIDTH)

    return step


def _positions(m: RandomModule) -> Step:
    table = m.floats(MOST_SEQ, WIDTH)
    return m.rng.choice([
        lambda x, ids: x + F.embedding(torch.arange(x.shape[1]), table),
        lambda x, ids: x + table[: x.shape[1]],
        lambda x, ids: x + table[None, : ids.shape[1]].expand(x.shape[0], -1, -1),
        lambda x, ids: x * torch.arange(1, x.shape[1] + 1, dtype=x.dtype)[None, :, None] / x.shape[1],
    ])  # fmt: skip


def _embedded(m: RandomModule) -> Step:
    table = m.floats(16, WIDTH)
    return m.rng.choice([
        lambda x, ids: x + F.embedding(ids, table),
        lambda x, ids: x + table[ids],
        lambda x, ids: x + (ids[..., None] == torch.arange(16)).to(x.dtype) @ table,
    ])  # fmt: skip


def _reduced(m: RandomModule) -> Step:
    dim = m.rng.choice([0, 1, 2, -1])
    return m.rng.choice([
        lambda x, ids: x - x.mean(dim, keepdim=True),
        lambda x, ids: x - x.amax(dim, keepdim=True),
        lambda x, ids: x / (1 + x.abs().sum(dim, keepdim=True)),
        lambda x, ids: x * x.var(1, unbiased=False, keepdim=True),
        lambda x, ids: x + x.var(1, keepdim=True),
        lambda x, ids: x - x.min(),
        lambda x, ids: x - torch.logsumexp(x, dim, keepdim=True),
        lambda x, ids: F.log_softmax(x, dim),
        lambda x, ids: torch.softmax(x, dim),
        lambda x, ids: x / x.norm(dim=-1, keepdim=True).clamp(min=0.5),
        lambda x, ids: x - x.max(1, keepdim=True).values,
    ])  # fmt: skip


def _running(m: RandomModule) -> Step:
    return lambda x, ids: x.cumsum(1) / x.shape[1]


def _cut(m: RandomModule) -> Step:
    front = m.floats(1, 2, WIDTH)
    return m.rng.choice([
        lambda x, ids: x + x[:, 1:3].sum(1, keepdim=True),
        lambda x, ids: x + x[:, :-2].sum(1, keepdim=True),
        lambda x, ids: x - x[:, -1:],
        lambda x, ids: x + x[:, 0].unsqueeze(1),
        lambda x, ids: x + x[:, -1, :][:, None],
        lambda x, ids: torch.cat([front.expand(x.shape[0], -1, -1), x], 1)[:, 2:],
        lambda x, ids: torch.cat([front.expand(x.shape[0], -1, -1), x], 1)[:, : x.shape[1]],
        lambda x, ids: torch.cat([x, 2 * x], 1)[:, x.shape[1] :],
        lambda x, ids: torch.cat([x[:, 1:], x[:, :1]], 1),
        lambda x, ids: torch.cat([x, front.expand(x.shape[0], -1, -1), x], 1)[:, 2 : x.shape[1] + 2],
        lambda x, ids: torch.cat([x[..., 4:], -x[..., :4]], -1),
        lambda x, ids: torch.cat([x[..., 1::2], x[..., ::2]], -1),
        lambda x, ids: torch.stack([x, -x], 1).sum(1) + torch.stack([x, x * x], -1)[..., 1],
        lambda x, ids: sum(x.chunk(2, -1)[i].repeat(1, 1, 2) for i in range(2)),
    ])  # fmt: skip


def _shaped(m: RandomModule) -> Step:
    w = m.floats(WIDTH, WIDTH)
    return m.rng.choice([
        lambda x, ids: (x.reshape(-1, WIDTH) @ w).view(x.shape),
        lambda x, ids: x.reshape(x.shape[0], -1).tanh().view(x.shape[0], -1, WIDTH),
        lambda x, ids: x.reshape(-1).sigmoid().reshape(x.shape[0], x.shape[1], -1),
        lambda x, ids: x.transpose(0, 1).reshape(-1, WIDTH).relu().view(x.shape[1], x.shape[0], WIDTH).transpose(0, 1),
        lambda x, ids: x.permute(2, 1, 0).contiguous().permute(2, 1, 0) * 2,
        lambda x, ids: x.unflatten(-1, (HEADS, -1)).flatten(-2),
        lambda x, ids: x.transpose(1, 2).flatten(1).view(x.shape[0], WIDTH, -1).transpose(1, 2),
    ])  # fmt: skip


def _products(m: RandomModule) -> Step:
    w = m.floats(WIDTH, WIDTH, 3)
    return m.rng.choice([
        lambda x, ids: x @ torch.tanh(x.transpose(1, 2) @ x),
        lambda x, ids: torch.einsum("bsw,btw->bst", x, x).softmax(-1) @ x,
        lambda x, ids: F.conv1d(x.transpose(1, 2), w, padding=1).transpose(1, 2),
        lambda x, ids: F.max_pool2d(x.transpose(1, 2)[..., None], (3, 1), 1, (1, 0))[..., 0].transpose(1, 2),
        lambda x, ids: torch.baddbmm(x, x @ x.transpose(1, 2), x, beta=0.5, alpha=0.1),
    ])  # fmt: skip


def _chosen(m: RandomModule) -> Step:
    return m.rng.choice([
        lambda x, ids: x.masked_fill((ids > 7).unsqueeze(-1), 0.5),
        lambda x, ids: torch.where(ids[..., None] % 2 == 0, x, -x),
        lambda x, ids: x * (torch.arange(x.shape[1]) < ids[:, :1]).unsqueeze(-1),
        lambda x, ids: x + torch.full((x.shape[1], 1), 0.5, dtype=x.dtype) + x.new_zeros(x.shape),
        lambda x, ids: x.gather(1, (ids % x.shape[1]).unsqueeze(-1).expand(-1, -1, WIDTH)),
        lambda x, ids: x[torch.arange(x.shape[0])[:, None], ids % x.shape[1]],
        lambda x, ids: x[torch.arange(x.shape[0]), ids[:, 0] % x.shape[1] - x.shape[1]].unsqueeze(1) + x,
        lambda x, ids: x.index_select(1, torch.arange(x.shape[1]) // 2),
        lambda x, ids: x * ids.argmax(1)[:, None, None] + ids.float().mean().to(x.dtype),
        lambda x, ids: x + torch.ones_like(x).triu(1) * (ids.cumsum(1) % 5).unsqueeze(-1),
        lambda x, ids: x.clamp(-1.5, 1.5) + (ids == ids.max()).unsqueeze(-1),
    ])  # fmt: skip


STEPS: list[Callable[[RandomModule], Step]] = [
    _linear, _norm, _activation, _attention, _attention, _positions, _embedded, _reduced, _running, _cut, _cut, _shaped,
    _products, _chosen, _chosen,
]  # fmt: skip

# ---- ends


ENDS: list[Callable[[RandomModule], Step]] = [
    lambda m: lambda x, ids: x,
    lambda m: lambda x, ids: x.mean(0),
    lambda m: lambda x, ids: x[:, -1],
    lambda m: lambda x, ids: x.reshape(x.shape[0], -1),
    lambda m: lambda x, ids: x.reshape(-1, HEADS, WIDTH // HEADS),
    lambda m: lambda x, ids: x.transpose(1, 2),
    lambda m: lambda x, ids: torch.cat([x[:, 1:], x], 1),
    lambda m: lambda x, ids: (x * (ids > 2).unsqueeze(-1)).sum(1) / (ids > 2).sum(1, keepdim=True).clamp(min=1),
]  # fmt: skip


def inputs_for(seed: int, batch: int, seq: int, dtype: Any) -> tuple[Any, Any]:
    """Arguments of a call."""
    numbers = torch.Generator().manual_seed(seed * 1000 + batch * 100 + seq)
    x = torch.randn(batch, seq, WIDTH, generator=numbers, dtype=dtype)
    return x, torch.randint(0, 16, (batch, seq), generator=numbers)
