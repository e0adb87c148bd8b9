"""A table that is also the matrix of a product is stored once, in panels, where few of its rows are read."""

from __future__ import annotations

import importlib
import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp

from mlc.analysis.loop_constants import resource_of
from mlc.compiler.compilation import new_context
from mlc.dialects.loop import ConstantOp
from mlc.pass_manager.default_passes import default_passes, passes_of
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.pipeline import default_steps
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.reference.interpreter import run_function
from mlc.support.context import CompilerContext
from mlc.syntax import parse_module
from mlc.targets.weights import with_digest

ROWS, COLUMNS = 700, 40
TABLE = np.random.default_rng(0).standard_normal((ROWS, COLUMNS)).astype(np.float32)
MODEL = f"""func.func @main(%i: tensor<COUNTxi64>, %x: tensor<8x{COLUMNS}xf32>) -> (RESULTS) {{
  %w = graph.constant dense_resource<w> : tensor<{ROWS}x{COLUMNS}xf32>
  %v = graph.constant dense_resource<OTHER> : tensor<{ROWS}x{COLUMNS}xf32>
  %rows = graph.gather %w, %i axis 0 : tensor<{ROWS}x{COLUMNS}xf32>, tensor<COUNTxi64> -> tensor<COUNTx{COLUMNS}xf32>
  %t = graph.transpose %v [1, 0] : tensor<{ROWS}x{COLUMNS}xf32> -> tensor<{COLUMNS}x{ROWS}xf32>
  %y = graph.matmul %x, %t : tensor<8x{COLUMNS}xf32>, tensor<{COLUMNS}x{ROWS}xf32> -> tensor<8x{ROWS}xf32>
  return RETURNED
}}"""
OUTPUTS = [("%rows", f"tensor<COUNTx{COLUMNS}xf32>"), ("%y", f"tensor<8x{ROWS}xf32>")]


def _lowered(
    other: NDArray[np.float32] | None = None, count: int = 8, more: str = ""
) -> tuple[ModuleOp, CompilerContext, list[str]]:
    """The loops, and the shapes of the large constants in them."""
    ctx = new_context(target="x86-64-v3")
    ctx.resources.define("w", TABLE)
    if other is not None:
        ctx.resources.define("v", other)
    outputs = OUTPUTS + [(more, f"tensor<{ROWS}x{COLUMNS}xf32>")] * bool(more)
    returned = f"{', '.join(n for n, _ in outputs)} : {', '.join(t for _, t in outputs)}"
    text = MODEL.replace("RESULTS", ", ".join(t for _, t in outputs)).replace("RETURNED", returned)
    text = text.replace("OTHER", "w" if other is None else "v").replace("COUNT", str(count))
    module = parse_module(text, "model.mlir", ctx)
    PassManager(ctx).run(module, default_passes(2, upto="loop"))
    constants = [op.value for op in module.walk() if isinstance(op, ConstantOp)]
    resources = dict.fromkeys(c for c in constants if isinstance(c, DenseResourceAttr))
    return (
        module,
        ctx,
        [str(r.type) for r in resources if ctx.resources.array(r.resource_handle.data).size >= TABLE.size],
    )


def _panels(shapes: list[str]) -> bool:
    """Whether there is one constant, of panels."""
    return len(shapes) == 1 and shapes[0].count("x") == 3


@pytest.mark.parametrize("name", ["one name", "two names"])
def test_rows_are_read_from_panels(name: str) -> None:
    module, ctx, shapes = _lowered(None if name == "one name" else TABLE.copy())
    assert _panels(shapes), shapes
    rng = np.random.default_rng(1)
    x = rng.standard_normal((8, COLUMNS)).astype(np.float32)
    places = np.array([0, ROWS - 1, -1, -ROWS, 23, 24, 696, 697])
    rows, y = run_function(module, "main", [places, x], ctx.resources)
    np.testing.assert_array_equal(rows, TABLE[places])
    np.testing.assert_allclose(y, x @ TABLE.T, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("shape", "transposed"), [((700, 40), True), ((200, 700), False)], ids=["rows in a panel", "rows in several panels"]
)
def test_one_row_is_read_by_vectors(shape: tuple[int, int], transposed: bool) -> None:
    """A place that is a scalar: lanes run along a row, which they can where all of it is in one panel."""
    ctx = new_context(target="x86-64-v3")
    data = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    ctx.resources.define("w", data)
    used = data.T if transposed else data
    row, table, matrix, given, result = (
        f"tensor<{'x'.join(map(str, s))}xf32>"
        for s in (shape[1:], shape, used.shape, (1, used.shape[0]), (1, used.shape[1]))
    )
    text = f"""func.func @main(%i: tensor<i64>, %x: {given}) -> ({row}, {result}) {{
      %w = graph.constant dense_resource<w> : {table}
      %row = graph.gather %w, %i axis 0 : {table}, tensor<i64> -> {row}
      {f"%m = graph.transpose %w [1, 0] : {table} -> {matrix}" if transposed else ""}
      %y = graph.matmul %x, {"%m" if transposed else "%w"} : {given}, {matrix} -> {result}
      return %row, %y : {row}, {result}
    }}"""
    module = parse_module(text, "model.mlir", ctx)
    PassManager(ctx).run(module, default_passes(2, upto="loop"))
    resources = {op.value for op in module.walk() if isinstance(op, ConstantOp)}
    assert len(resources) == (1 if transposed else 2)
    x = np.random.default_rng(1).standard_normal((1, used.shape[0])).astype(np.float32)
    for place in (0, 23, shape[0] - 1, -1):
        found, y = run_function(module, "main", [np.array(place), x], ctx.resources)
        np.testing.assert_array_equal(found, data[place])
        np.testing.assert_allclose(y, x @ used, rtol=1e-4, atol=1e-4)


def test_tables_that_differ_in_one_bit_stay_apart() -> None:
    other = TABLE.copy()
    other[-1, -1] = np.nextafter(other[-1, -1], 9, dtype=np.float32)
    assert len(_lowered(other)[2]) == 2


def test_zeros_of_other_signs_differ() -> None:
    TABLE[5, 7], other = 0.0, TABLE.copy()
    other[5, 7] = -0.0
    assert len(_lowered(other)[2]) == 2


def test_a_table_that_is_read_often_has_its_own_order() -> None:
    """Here more than a hundredth of what the product reads."""
    assert len(_lowered(count=100)[2]) == 2


def test_a_table_that_somebody_else_needs_stays() -> None:
    module, _, shapes = _lowered(more="%w")
    assert len(shapes) == 2
    assert re.search(rf"@gather\(%\w+: memref<{ROWS}x{COLUMNS}xf32>", str(module))


@pytest.mark.slow
def test_an_artifact_holds_a_tied_weight_once() -> None:
    torch: Any = pytest.importorskip("torch")
    compile_model: Any = importlib.import_module("mlc.torch").compile

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()  # pyright: ignore[reportUnknownMemberType]
            self.embed, self.head = torch.nn.Embedding(4000, 64), torch.nn.Linear(64, 4000, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, tokens: Any) -> Any:
            return self.head(torch.tanh(self.embed(tokens)))

    model = Model().eval()
    tokens = torch.arange(0, 4000, 400)
    library = compile_model(model, (tokens,))
    weight = model.embed.weight.detach().numpy()
    found = np.asarray(library(tokens.numpy()))
    np.testing.assert_allclose(found, np.tanh(weight[::400]) @ weight.T, rtol=1e-4, atol=1e-4)
    assert library.path.stat().st_size < 1.1 * weight.nbytes


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16], ids=["bf16", "f16"])
def test_rows_are_read_from_words(dtype: Any) -> None:
    """The product reads words of two short numbers, and the rows are read from the same bytes, number by number."""
    ctx = new_context(target="x86-64-v3")
    table = np.concatenate([TABLE, TABLE[::-1]]).astype(dtype)  # TABLE alone is so small that it may be there twice
    ctx.resources.define("w", table)
    short = "bf16" if dtype is ml_dtypes.bfloat16 else "f16"
    text = MODEL.replace("RESULTS", ", ".join(t for _, t in OUTPUTS)).replace("OTHER", "w")
    text = text.replace("RETURNED", f"%rows, %y : {', '.join(t for _, t in OUTPUTS)}")
    text = text.replace("COUNT", "8").replace("f32", short).replace(str(ROWS), str(len(table)))
    module = parse_module(text, "model.mlir", ctx)
    options = PipelineOptions(opt_level=2, precision="keep")
    PassManager(ctx).run(module, passes_of(default_steps(options, upto="loop"), options))
    names = {resource_of(op) for op in module.walk() if isinstance(op, ConstantOp)} - {""}
    arrays = [ctx.resources.array(name) for name in names]
    assert sorted(a.ndim for a in arrays) == [3, 4], "panels of words, and of numbers"
    assert len({with_digest(a)[1] for a in arrays}) == 1, "an artifact has one of both"
    x = np.random.default_rng(1).standard_normal((8, COLUMNS)).astype(dtype)
    places = np.array([0, len(table) - 1, -1, -len(table), 23, 24, 1391, 1392])
    rows, y = run_function(module, "main", [places, x], ctx.resources)
    np.testing.assert_array_equal(rows, table[places])
    wanted = x.astype(np.float32) @ table.T.astype(np.float32)
    np.testing.assert_allclose(y.astype(np.float32), wanted, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("change", [0, 1], ids=["the same but for a number", "one element differs"])
@pytest.mark.parametrize(
    ("group", "place", "rank"),
    [(32, "tensor<8xi64>", 4), (18, "tensor<i64>", 3)],
    ids=["words", "vectors of panels"],
)
def test_signed_rows_are_read_from_unsigned_panels(group: int, place: str, rank: int, change: int) -> None:
    """Products take bytes that count from the least one; what reads rows subtracts it."""
    rows, columns, more = 3000, 2 * group, 125
    rng = np.random.default_rng(0)
    table = rng.integers(-125, 125, (rows, columns), np.int8)
    unsigned = (table.astype(np.int16) + more).astype(np.uint8)
    unsigned[-1, -1] ^= change
    ctx = new_context(target="znver4")
    ctx.resources.define("w", table)
    ctx.resources.define("u", np.ascontiguousarray(unsigned.T))
    scale = rng.standard_normal((2, rows)).astype(np.float32)
    ctx.resources.define("s", scale)
    found = f"tensor<8x{columns}xi8>" if place == "tensor<8xi64>" else f"tensor<{columns}xi8>"
    y = f"tensor<1x{rows}xf32>"
    text = f"""func.func @main(%i: {place}, %x: tensor<1x{columns}xi8>, %t: tensor<1x2xf32>) -> ({found}, {y}) {{
      %w = graph.constant dense_resource<w> : tensor<{rows}x{columns}xi8>
      %u = graph.constant dense_resource<u> : tensor<{columns}x{rows}xui8>
      %s = graph.constant dense_resource<s> : tensor<2x{rows}xf32>
      %rows = graph.gather %w, %i axis 0 : tensor<{rows}x{columns}xi8>, {place} -> {found}
      %y = graph.scaled_matmul %x, %u, %s, %t : tensor<1x{columns}xi8>, tensor<{columns}x{rows}xui8>,
          tensor<2x{rows}xf32>, tensor<1x2xf32> -> {y}
      return %rows, %y : {found}, {y}
    }}"""
    module = parse_module(text, "model.mlir", ctx)
    PassManager(ctx).run(module, default_passes(2, upto="loop"))
    arrays = [
        ctx.resources.array(name)
        for name in dict.fromkeys(resource_of(op) for op in module.walk() if isinstance(op, ConstantOp))
        if name and ctx.resources.array(name).nbytes >= table.nbytes
    ]
    assert len({with_digest(a)[1] for a in arrays}) == 1 + change
    assert change or rank in [a.ndim for a in arrays]
    x = rng.integers(-127, 127, (1, columns), np.int8)
    t = np.ones((1, 2), np.float32)
    for at in (0, 23, rows - 1, -1):
        places = np.array(at) if place == "tensor<i64>" else np.array([at, 5, 6, 7, 8, 9, 10, 11])
        read, product = run_function(module, "main", [places, x, t], ctx.resources)
        np.testing.assert_array_equal(read, table[places])
        sums = (x.astype(np.int64).reshape(2, group)[:, None] @ unsigned.T.astype(np.int64).reshape(2, group, rows))[
            :, 0
        ]
        np.testing.assert_allclose(product[0], (sums * scale).sum(0), rtol=1e-5, atol=1e-2)
