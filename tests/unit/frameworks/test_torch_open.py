"""Inputs of any extent: one code for all of them, or for all up to a power of two."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from typing import Any

import pytest

from mlc.support.errors import UserError
from tests.unit.frameworks.eager import assert_same, backend, compilations, compiled, torch

nn, F = torch.nn, torch.nn.functional


class Attention(nn.Module):
    """Attention of one layer over [batch, seq, 8]."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.table, self.mixed, self.norm = nn.Embedding(64, 8), nn.Linear(8, 24), nn.LayerNorm(8)

    def forward(self, x: Any) -> Any:
        b, t, _ = x.shape
        x = x + self.table(torch.arange(t))
        q, k, v = (each.view(b, t, 2, 4).transpose(1, 2) for each in self.mixed(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.norm(x + y.transpose(1, 2).reshape(b, t, 8)), x[:, -1]


def test_lengths_without_a_bound() -> None:
    fast = compiled(lambda x: torch.softmax(x @ x.transpose(0, 1), -1) @ x, dynamic=True, options={"capacity": 16})
    with torch.no_grad():
        for length in (3, 5, 16, 9, 17, 31, 2):
            x = torch.randn(length, 4)
            assert_same(fast(x), torch.softmax(x @ x.T, -1) @ x, rtol=1e-5, atol=1e-5)
    assert compilations() == 2
    assert str(backend.report()).startswith("inference: 4 of 4 operators run natively, compiled 2 times")


@pytest.mark.slow
def test_batches_and_lengths() -> None:
    model = Attention().eval()
    fast = compiled(model, dynamic=True, options={"capacity": 64})
    with torch.no_grad():
        for batch, length in ((2, 3), (3, 7), (2, 64), (5, 13), (65, 2), (4, 31)):
            x = torch.randn(batch, length, 8)
            assert_same(fast(x), model(x), rtol=1e-4, atol=1e-5)
    assert compilations() == 2


@pytest.mark.slow
def test_marked_dims_have_their_bound() -> None:
    model = Attention().eval()
    fast = compiled(model, options={"capacity": 16})
    with torch.no_grad():
        for length in (3, 64, 7, 33, 12):
            x = torch.randn(2, length, 8)
            torch._dynamo.mark_dynamic(x, 1, min=2, max=64)
            assert_same(fast(x), model(x), rtol=1e-4, atol=1e-5)
    assert compilations() == 1


@pytest.mark.slow
def test_lengths_in_training() -> None:
    model = Attention()
    fast = compiled(model, dynamic=True, options={"capacity": 16})
    for length in (3, 17, 5):
        x, found = torch.randn(2, length, 8), list[Any]()
        for f in (fast, model):
            model.zero_grad()
            f(x)[0].square().sum().backward()
            found.append([p.grad.clone() for p in model.parameters()])
        assert_same(found[0], found[1], rtol=1e-3, atol=1e-4)


@pytest.mark.slow
def test_what_is_refused_is_compiled_for_each_size() -> None:
    fast = compiled(lambda x: (x @ x.transpose(0, 1)).cummax(1)[0], dynamic=True, options={"capacity": 16})
    with torch.no_grad():
        for length in (3, 5):
            x = torch.randn(length, 4)
            assert_same(fast(x), (x @ x.T).cummax(1)[0])
    assert "compiled 2 times, for each size by itself (" in str(backend.report())
    assert "aten.cummax: the extent of dim " in str(backend.report())


@pytest.mark.slow
def test_indices_are_checked_against_the_extent_of_the_call() -> None:
    fast = compiled(lambda x, at: x.index_select(0, at) @ x.transpose(0, 1), dynamic=True, options={"capacity": 16})
    with torch.no_grad():
        for length in (3, 5):
            x = torch.randn(length, 4)
            assert_same(fast(x, torch.tensor([length - 1, 0])), x[[length - 1, 0]] @ x.T, rtol=1e-5, atol=1e-5)
        with pytest.raises(IndexError):
            fast(x, torch.tensor([5, 0]))


def test_a_capacity_that_is_none() -> None:
    from mlc.frameworks.torch._build import backend_options

    with pytest.raises(UserError, match="option 'capacity' is 0; required: a whole number from 1 on"):
        backend_options({"capacity": 0})


@pytest.mark.slow
def test_programs_have_the_ranges_that_they_were_exported_for() -> None:
    model, seq = Attention().eval(), torch.export.Dim("seq", min=1, max=64)
    made = backend.compile(model, torch.randn(2, 5, 8), dynamic_shapes=({1: seq},), shapes={"x": (2, range(1, 65), 8)})
    for length in (1, 2, 13, 64):
        x = torch.randn(2, length, 8)
        for found, wanted in zip(made(x.numpy()), model(x), strict=True):
            torch.testing.assert_close(torch.from_numpy(found), wanted.detach(), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match=r"dim 1 of input 'x' is 65; the model was compiled for 's\d+' from 1 to 64"):
        made(torch.randn(2, 65, 8).numpy())


def test_flips_turn_round_what_is_data() -> None:
    class Flipped(nn.Module):
        def forward(self, x: Any) -> Any:
            return x.flip(0, 2), x.exp().flip(0)

    n, m = torch.export.Dim("n", min=1, max=20), torch.export.Dim("m", min=0, max=7)
    made = backend.compile(
        *(Flipped(), torch.randn(4, 3, 5)),
        dynamic_shapes=({0: n, 2: m},),
        shapes={"x": (range(1, 21), 3, range(8))},
    )
    for rows, columns in ((1, 1), (20, 7), (13, 0), (7, 5)):
        x = torch.randn(rows, 3, columns)
        for found, wanted in zip(made(x.numpy()), Flipped()(x), strict=True):
            torch.testing.assert_close(torch.from_numpy(found), wanted)


def test_ranges_that_a_program_cannot_have() -> None:
    one = torch.export.Dim("one", min=1, max=20)

    class Joined(nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return torch.cat([x, y])

    class Running(nn.Module):
        def forward(self, x: Any) -> Any:
            return x.cummax(0)[0]

    x, y = torch.randn(4, 3), torch.randn(9, 3)
    joined = torch.export.export(Joined(), (x, y), dynamic_shapes=({0: one}, {0: 2 * one + 1}))
    running = torch.export.export(Running(), (x,), dynamic_shapes=({0: one},))
    (name,) = (str(symbol) for symbol in running.range_constraints)
    with pytest.raises(UserError, match=r"dim 0 of input 'y' is 2\*s\d+ \+ 1, computed of 's\d+', which stays open"):
        backend.compile(joined, shapes={"x": (range(1, 21), 3)})
    with pytest.raises(UserError, match=r"aten\.cummax: the extent of dim 0 of an operand, tensor<20x3xf32> at most"):
        backend.compile(running, shapes={name: range(1, 21)})
    with pytest.raises(UserError, match=r"dim 0 of input 'x' is 1\.\.29; the model was exported for 1 to 20"):
        backend.compile(running, shapes={name: range(1, 30)})
    assert str(backend.compile(running)) == "<mlc model with open dims (x [?, 3])>"  # for each size by itself
