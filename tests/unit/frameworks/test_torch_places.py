"""Results that are as long as data says: places of elements, masks, and what is computed of what they choose."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.support.errors import UserError
from tests.unit.frameworks.eager import backend, torch

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "nonzero": lambda x, m: x.nonzero(),
    "where": lambda x, m: torch.where(x > 0),
    "elements": lambda x, m: x[x > 0] * 2 + 1,
    "rows": lambda x, m: x[m],
    "columns": lambda x, m: x[:, m[:4]].T,
    "a mask of several dims": lambda x, m: x.reshape(5, 2, 2)[x.reshape(5, 2, 2)[:, :, 0] > 0],
    "two of one mask": lambda x, m: x[m] * x[m].exp(),
    "places and elements": lambda x, m: x[torch.where(x > 0)],
    "masked_select": lambda x, m: torch.masked_select(x, m.unsqueeze(1)),
    "sum": lambda x, m: x[m].sum(0),
    "mean": lambda x, m: (x[m].mean(0), x[m].mean(), x[x > 0].mean()),
    "any and all": lambda x, m: ((x[m] > 1).any(), (x[m] > -1).all(0)),
    "product": lambda x, m: x[m].relu() @ torch.ones(4, 2),
    "layers": lambda x, m: torch.nn.functional.layer_norm(x[m], (4,)).softmax(-1),
    "behind others": lambda x, m: torch.cat([x[:2], x[m]]),
    "joined": lambda x, m: x[m].reshape(-1),
    "put back": lambda x, m: torch.index_put(x, [m], x[m] * 2),
    "put back elements": lambda x, m: torch.index_put(x, [x > 0], x[x > 0] - 1),
    "put a known number": lambda x, m: torch.index_put(x, [m], torch.ones(4)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _FUNCTIONS)
def test_as_eager(name: str) -> None:
    """For some, for others, and for none."""
    function = _FUNCTIONS[name]
    x, mask = torch.linspace(-2, 3, 20).reshape(5, 4), torch.tensor([True, False, True, True, False])
    model = backend.compile(function, (x, mask))
    for values, kept in ((x, mask), (-x, ~mask), (-x.abs(), mask & False)):
        found: Any = model(values.numpy(), kept.numpy())
        leaves: list[Any] = torch.utils._pytree.tree_leaves(function(values, kept))
        ours: list[Any] = [found] if isinstance(found, np.ndarray) else list(found)
        assert len(ours) == len(leaves)
        for a, b in zip(ours, leaves, strict=True):
            assert a.shape == tuple(b.shape)
            np.testing.assert_allclose(a, b.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_of_open_rows(tmp_path: Path) -> None:
    """How many there are at most follows from the extents that are given."""
    rows = torch.export.Dim("rows", min=2, max=9)

    class Chosen(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x[x > 0], x.nonzero()

    program = torch.export.export(Chosen(), (torch.ones(3, 2),), dynamic_shapes=({0: rows},))
    torch.export.save(program, tmp_path / "chosen.pt2")
    for count in (2, 5):
        model = mlc.compile(tmp_path / "chosen.pt2", shapes={"x": (count, 2)})
        x = torch.linspace(-1, 1, 2 * count).reshape(count, 2)
        for a, b in zip(model(x.numpy()), Chosen()(x), strict=True):
            np.testing.assert_array_equal(a, b.numpy())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x[x > 0].sum() / x[x > 0].shape[0], "its argument 'other' depends on data"),
        (lambda x: x[x > 0][: x[x > 0].shape[0] - 1], "its argument 'end' depends on data"),
        (lambda x: x[x > 0].sort()[0], "the extent of dim 0 of an operand, tensor<6xf32> at most, depends on data"),
        (
            lambda x: torch.full_like(x[x > 0], 2),
            "extents of its result depend on data, and mlc does not know what they are",
        ),
        pytest.param(
            lambda x: x.repeat_interleave(x.abs().int()),
            "nothing says how long it is at most",
            marks=pytest.mark.skipif(torch.__version__ < "2.7", reason="torch cannot export it"),
        ),
    ],
)
def test_what_would_need_how_many_there_are(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        backend.compile(function, torch.linspace(-1, 2, 6))


@pytest.mark.slow
def test_an_assertion_of_how_many_there_are_is_no_fact() -> None:
    def function(x: Any) -> Any:
        y = x[x > 0]
        torch._check(y.shape[0] < 4)
        return y

    with pytest.raises(UserError, match="its argument 'self' depends on data"):
        backend.compile(function, torch.linspace(-1, 2, 6))
