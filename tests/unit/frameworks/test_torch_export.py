"""Compilation ahead of time: names, open dims, state, archives on command lines, and what is refused."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file  # pyright: ignore[reportUnknownVariableType]

import mlc
from mlc.support.errors import UserError
from tests.conftest import CommandLine
from tests.unit.frameworks.eager import backend, torch

nn = torch.nn


class Stateful(nn.Module):
    """A model with results in a tree, and with buffers that it changes."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(4))
        self.register_buffer("steps", torch.tensor(0))
        self.register_buffer("fixed", torch.ones(4))
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Any, *, scale: Any) -> Any:
        self.cache.add_(x.sum(0))
        self.steps += 1
        y = self.layer(x) * self.cache * scale + self.fixed
        return {"y": y, "parts": [y[0], (x,)], "rows": x.shape[0]}


def _names(tensors: Any) -> list[str]:
    return [t.name for t in tensors]


def _linear(**options: Any) -> Any:
    rows = torch.export.Dim("rows", min=2, max=9)
    model = nn.Linear(4, 3).eval()
    return model, backend.compile(model, torch.randn(2, 4), dynamic_shapes=({0: rows},), **options)


def _narrow(x: Any) -> Any:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ x.T
    return y.float()


def _checked(x: Any) -> Any:
    torch._check(x.shape[0] < 20)
    return x.to(torch.float64) * x.shape[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.to(torch.float16),
        lambda x: (x > 0.5).float() * x,
        lambda x: x.int() + x.long(),
        lambda x: x.half().double().to(torch.int8),
        lambda x: (x.double().pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt().to(x.dtype) * x,
        _narrow,
        _checked,
    ],
)
def test_what_an_export_asserts_of_types_and_extents(function: Callable[..., Any]) -> None:
    rows = torch.export.Dim("rows", min=2, max=9)
    for dims in (None, ({0: rows},)):
        x = torch.rand(3, 3) * 4
        found = backend.compile(function, x, dynamic_shapes=dims)(x.numpy())
        torch.testing.assert_close(torch.from_numpy(found), function(x))


@pytest.mark.slow
def test_names_and_state() -> None:
    model, x = Stateful(), torch.randn(2, 4)
    compiled = backend.compile(model, x, kwargs={"scale": torch.tensor(2.0)})
    assert _names(compiled.inputs) == ["x", "scale", "cache", "steps"]
    assert _names(compiled.outputs) == ["y", "parts.0", "parts.1.0", "cache.next", "steps.next"]
    state: dict[str, Any] = {"cache": np.zeros(4, np.float32), "steps": np.array(0)}
    for _ in range(3):
        found = compiled.run({"x": x.numpy(), "scale": np.float32(2), **state})
        state = {name: found[f"{name}.next"] for name in state}
        with torch.no_grad():
            expected = model(x, scale=torch.tensor(2.0))
        np.testing.assert_allclose(found["y"], expected["y"].numpy(), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(found["parts.1.0"], x.numpy())
    assert state["steps"] == 3
    np.testing.assert_allclose(state["cache"], model.cache.numpy(), rtol=1e-6)


@pytest.mark.slow
def test_functions_have_the_names_of_their_parameters() -> None:
    def product(left: Any, right: Any) -> Any:
        return left @ right

    compiled = backend.compile(product, (torch.randn(2, 3), torch.randn(3, 2)))
    assert _names(compiled.inputs) == ["left", "right"]
    assert _names(compiled.outputs) == ["output"]
    compiled = backend.compile(lambda xs: (xs[0] + xs[1]["k"], None), ([torch.ones(2), {"k": torch.ones(2)}],))
    assert _names(compiled.inputs) == ["xs_0", "xs_1_k"]
    np.testing.assert_array_equal(compiled(np.ones(2, np.float32), np.ones(2, np.float32)), [2, 2])


@pytest.mark.slow
def test_results_twice_and_inputs_as_results() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        return y, y, x, y.t()

    found = backend.compile(function, torch.ones(2, 3))(np.ones((2, 3), np.float32))
    assert [f.shape for f in found] == [(2, 3), (2, 3), (2, 3), (3, 2)]
    np.testing.assert_array_equal(backend.compile(lambda: torch.arange(4) * 2)(), [0, 2, 4, 6])


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(UserError, match=r"found the option 'thread'; mlc.torch.compile takes target, threads"):
        backend.compile(lambda x: x, torch.ones(2), thread=2)


@pytest.mark.slow
def test_loops_of_other_kinds_are_refused_by_the_name_of_their_operator() -> None:
    from torch._higher_order_ops.map import map

    mapped: Any = map

    def function(x: Any) -> Any:
        return mapped(lambda row: row.sin(), x)

    with pytest.raises(UserError, match=r"map_impl' is not an operator of ATen"):
        backend.compile(function, torch.rand(4, 2))


@pytest.mark.slow
def test_open_dims() -> None:
    model, compiled = _linear()
    assert repr(compiled) == "<mlc model with open dims (input [?, 4])>"
    for rows in (2, 5, 9):
        x = torch.randn(rows, 4)
        np.testing.assert_allclose(compiled(x.numpy()), model(x).detach().numpy(), rtol=1e-5, atol=1e-5)
    message = r"dim 0 of input 'input' is 10; the model was exported for 2 to 9; export it with other bounds"
    with pytest.raises(UserError, match=message):
        compiled(np.zeros((10, 4), np.float32))
    _, compiled = _linear(shapes={"input": (3, 4)})
    assert compiled.inputs[0].shape == (3, 4)


class Transformed(nn.Module):
    """A model of an operator that mlc lacks."""

    def forward(self, x: Any) -> Any:
        return torch.special.airy_ai(x)


def _data(x: Any) -> Any:
    return x if x.sum() > 0 else -x


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, torch.ones(2)), "found a model of type int; required: a torch.nn.Module, a function or an Exported"),
        ((_data, torch.ones(2)), "torch.export cannot make a graph of the model: Could not guard on data-dependent"),
        ((nn.Linear(2, 2),), "torch.export cannot make a graph of the model: missing a required argument: 'input'"),
        ((lambda x: torch.special.airy_ai(x), torch.ones(4)), "aten.special_airy_ai: mlc has no pattern"),
        ((Transformed(), torch.ones(4)), r"test_torch_export.py:\d+: error: aten.special_airy_ai: mlc has"),
        ((lambda x: x.unique(), torch.ones(4)), "aten._unique2: the shape of its result depends on data"),
        ((lambda x: x + torch.rand(2), torch.ones(2)), "aten.rand: it draws random numbers"),
        (
            (nn.Linear(2, 2, device="meta"), torch.ones(1, 2, device="meta")),
            "the tensor 'weight' of the model is on the device 'meta'; required: the CPU: give model.cpu()",
        ),
    ],
)
def test_what_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        backend.compile(*arguments)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"input": (30, 4)}, "dim 0 of input 'input' is 30; the model was exported for 2 to 9"),
        ({"input": (3, 5)}, r"input 'input' is input \[\?, 4\], which 3x5 does not fit"),
        ({"nothing": (3, 4)}, "nothing"),
    ],
)
def test_shapes_that_do_not_fit(shapes: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        _linear(shapes=shapes)


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., Path]:
    """`archive(model, *inputs, dynamic_shapes=…)`: what `torch.export.save` writes."""

    def written(model: Any, *inputs: Any, **named: Any) -> Path:
        path = tmp_path / "model.pt2"
        torch.export.save(torch.export.export(model, inputs, **named), path)
        return path

    return written


@pytest.mark.slow
def test_archives_are_models_of_all_commands(
    archive: Callable[..., Path], mlc: CommandLine, mlc_opt: CommandLine, tmp_path: Path
) -> None:
    model, x = nn.Sequential(nn.Linear(4, 5), nn.ReLU()).eval(), torch.randn(2, 4)
    path = archive(model, x)
    found = mlc("check", str(path))
    assert (found.status, found.err) == (0, "")
    assert "input input: tensor<2x4xf32>" in found.out
    assert "output output: tensor<2x5xf32>" in found.out
    assert "nothing stands in the way" in found.out
    assert "aten.relu" in mlc_opt(str(path)).out
    assert mlc("import", str(path), "-o", str(tmp_path / "model.mlir")).status == 0
    text = (tmp_path / "model.mlir").read_text()
    assert "graph.matmul" in text
    assert "aten." not in text
    save_file({"input": x.numpy()}, tmp_path / "x.safetensors")
    for file in (path, tmp_path / "model.mlir"):
        given = ["--inputs", str(tmp_path / "x.safetensors"), "--outputs", str(tmp_path / "y.safetensors")]
        found = mlc("run", str(file), *given)
        assert found.status == 0, found.err
        (y,) = load_file(tmp_path / "y.safetensors").values()
        np.testing.assert_allclose(y, model(x).detach().numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_archives_with_open_dims(archive: Callable[..., Path], mlc: CommandLine, tmp_path: Path) -> None:
    path = archive(nn.Linear(4, 3), torch.randn(2, 4), dynamic_shapes=({0: torch.export.Dim("rows", max=9)},))
    out = str(tmp_path / "model.so")
    found = mlc("compile", str(path), "-o", out)
    assert found.status != 0
    assert "the model leaves dims of its inputs open: 'input'" in found.err
    assert mlc("compile", str(path), "--shape", "input=3x4", "-o", out).status == 0
    found = mlc("compile", str(path), "--shape", "input=12x4", "-o", out)
    assert "dim 0 of input 'input' is 12; the model was exported for" in found.err


def test_archives_whose_operators_are_not_converted(archive: Callable[..., Path], mlc: CommandLine) -> None:
    found = mlc("check", str(archive(Transformed(), torch.randn(4))))
    assert found.status != 0
    assert "aten.special_airy_ai" in found.out + found.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is not a ZIP file; required: what torch.export.save(torch.export.export(model, inputs)"),
        (b"text", "cannot be read as an archive of torch.export: it is not a ZIP file"),
        (None, "not found"),
    ],
)
def test_files_that_are_no_archives(content: bytes | None, message: str, mlc: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    if content is not None:
        path.write_bytes(content)
    for command in (("check", str(path)), ("compile", str(path), "-o", str(tmp_path / "model.so"))):
        found = mlc(*command)
        assert found.status != 0
        assert message in found.err
        assert "Traceback" not in found.err


def test_archives_of_other_programs(mlc: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    torch.save({"weight": torch.ones(2)}, path)
    found = mlc("check", str(path))
    assert found.status != 0
    assert "cannot be read as an archive of torch.export" in found.err


def test_programs_in_hand() -> None:
    model, x = nn.Linear(4, 3).eval(), torch.randn(2, 4)
    program = torch.export.export(model, (x,))
    for compiled in (mlc.compile(program), backend.compile(program)):
        np.testing.assert_allclose(compiled(x.numpy()), model(x).detach().numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_weights_are_part_of_what_is_recalled() -> None:
    model, x = nn.Linear(4, 3).eval(), torch.randn(2, 4)
    for _ in range(2):
        compiled = backend.compile(model, x)
        np.testing.assert_allclose(compiled(x.numpy()), model(x).detach().numpy(), rtol=1e-5, atol=1e-5)
        model.weight.data[1, 2] += 1
