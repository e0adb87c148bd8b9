"""Products of short numbers, compiled for machines with other dot products, against NumPy; and quantised graphs.

The oracles are written for these tests: sums of integers in i64, and of quantised numbers in f64, number by number of a
kernel's window. No code of mlc computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import mlc
from mlc.support.dtypes import dtype_named
from mlc.tests.numeric.quantized_graphs import QuantizedGraph, random_quantized_graph

Array = NDArray[Any]
Run = Callable[..., list[Array]]

MACHINES = (
    *("native", "x86-64-v2", "haswell", "x86-64-v4", "skylake-avx512", "icelake-server", "sapphirerapids-amx"),
    *("neoverse-n1", "neoverse-v1", "cortex-a72"),
)
DTYPES: dict[str, np.dtype[Any]] = {
    "i8": np.dtype(np.int8),
    "ui8": np.dtype(np.uint8),
    "i16": np.dtype(np.int16),
    "ui16": np.dtype(np.uint16),
    "bf16": dtype_named("bfloat16"),
    "f16": dtype_named("float16"),
}
PAIRS = (("ui8", "i8"), ("i8", "i8"), ("ui8", "ui8"), ("i8", "ui8"))
GRAPHS_PER_MODULE = 5


class Products:
    """A module whose `main` multiplies matrices with constants, and what it has to give."""

    def __init__(self) -> None:
        self._arguments: list[str] = []
        self._lines: list[str] = []
        self._results: list[tuple[str, str]] = []
        self.inputs: list[Array] = []
        self.expected: list[Array] = []

    def add(self, lhs: Array, rhs: Array, kinds: tuple[str, str], result: str = "i32") -> None:
        """The product of an argument and a constant."""
        number = len(self.inputs)
        (m, k), n = lhs.shape, rhs.shape[1]
        types = f"tensor<{m}x{k}x{kinds[0]}>", f"tensor<{k}x{n}x{kinds[1]}>", f"tensor<{m}x{n}x{result}>"
        self._arguments.append(f"%x{number}: {types[0]}")
        self._lines.append(f'%w{number} = graph.constant dense<"0x{rhs.tobytes().hex()}"> : {types[1]}')
        self._lines.append(f"%y{number} = graph.matmul %x{number}, %w{number} : {types[0]}, {types[1]} -> {types[2]}")
        self._results.append((f"%y{number}", types[2]))
        self.inputs.append(lhs)
        if result == "i32":
            self.expected.append((lhs.astype(np.int64) @ rhs.astype(np.int64)).astype(np.int32))
        else:
            self.expected.append(lhs.astype(np.float64) @ rhs.astype(np.float64))

    def module(self) -> ModuleOp:
        """The module."""
        names, kinds = (", ".join(part) for part in zip(*self._results, strict=True))
        lines = "\n  ".join([*self._lines, f"return {names} : {kinds}"])
        text = f"func.func @main({', '.join(self._arguments)}) -> ({kinds}) {{\n  {lines}\n}}\n"
        return mlc.parse(text)

    def run(self, run_compiled: Run, target: str = "native", opt_level: int = 3, precision: str = "f32") -> list[Array]:
        """What `main` gives when it is compiled."""
        return run_compiled(self.module(), self.inputs, target, opt_level, precision)

    def check(self, found: Sequence[Array]) -> None:
        for number, (got, want) in enumerate(zip(found, self.expected, strict=True)):
            assert got.dtype == want.dtype, number
            np.testing.assert_array_equal(got, want, f"product {number}")


def _all_of(kind: str) -> Array:
    limits = np.iinfo(DTYPES[kind])
    return np.arange(limits.min, limits.max + 1).astype(DTYPES[kind])


def _random(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    limits = np.iinfo(DTYPES[kind])
    return rng.integers(limits.min, limits.max + 1, shape).astype(DTYPES[kind])


def _every_pair(lhs: str, rhs: str) -> tuple[Array, Array]:
    """Rows with each number at each place of a word, alone and beside others; columns with each number."""
    rng = np.random.default_rng(5)
    alone = np.zeros((4, 256, 8), DTYPES[lhs])
    for place in range(4):
        alone[place, :, place] = _all_of(lhs)
    rows = np.concatenate([alone.reshape(-1, 8), _random(lhs, (61, 8), rng)])
    columns = np.stack([np.roll(_all_of(rhs), 31 * place) for place in range(8)])
    return rows, columns


@pytest.mark.parametrize("target", MACHINES)
def test_every_pair_of_bytes(target: str, run_compiled: Run) -> None:
    products = Products()
    for kinds in PAIRS:
        products.add(*_every_pair(*kinds), kinds)
    products.check(products.run(run_compiled, target))


@pytest.mark.parametrize("target", ["x86-64-v2", "haswell", "skylake-avx512"])
def test_every_pair_of_bytes_that_stay_bytes(target: str, run_compiled: Run) -> None:
    """Words of bytes are taken apart where they are multiplied; elsewhere here they are stored in 16 bits."""
    products = Products()
    for kinds in PAIRS:
        products.add(*_every_pair(*kinds), kinds)
    products.check(products.run(run_compiled, target, precision="keep"))


def _pairs_of_weights(most: int) -> Array:
    """Columns of eight numbers of i8, pairs whose sizes add up to `most` in three places of a word."""
    first = np.repeat(np.arange(-most, most + 1), 3)
    second = (most - np.abs(first)) * np.tile([1, -1, 0], 2 * most + 1)
    fitting = (np.maximum(first, second) < 128) & (np.minimum(first, second) >= -128)
    pairs = np.stack([first[fitting], second[fitting]])
    return np.concatenate([pairs, np.roll(pairs, 7, 1), np.zeros_like(pairs), pairs[:, ::-1]]).astype(np.int8)


@pytest.mark.parametrize("target", ["x86-64-v2", "haswell", "skylake-avx512", "icelake-server", "neoverse-n1"])
@pytest.mark.parametrize("precision", ["f32", "keep"])
def test_sums_of_pairs_at_the_ends_of_sixteen_bits(target: str, precision: str, run_compiled: Run) -> None:
    """255 * 128 fits in 16 bits, 255 * 129 does not: weights up to either, with all numbers beside 0 and 255."""
    numbers = np.arange(256)
    rows = np.stack([np.roll(numbers, 37 * place) for place in range(8)], axis=1)
    ends = np.stack([np.where(np.arange(256) >> place & 1, 255, 0) for place in range(8)], axis=1)
    lhs, products = np.concatenate([rows, ends, np.where(ends, ends, rows)]).astype(np.uint8), Products()
    for most in (64, 127, 128, 129):
        products.add(lhs, _pairs_of_weights(most), ("ui8", "i8"))
        products.add(lhs.view(np.int8), _pairs_of_weights(most), ("i8", "i8"))
    products.check(products.run(run_compiled, target, precision=precision))


@pytest.mark.parametrize("target", ["native", "x86-64-v2", "haswell", "skylake-avx512", "neoverse-n1"])
@pytest.mark.parametrize("precision", ["f32", "keep"])
def test_sums_of_pairs_of_weights_without_a_sign(target: str, precision: str, run_compiled: Run) -> None:
    """-128 * 256 fits in 16 bits, -128 * 257 does not; nor does 127 * 510, whose weights look like -1 in memory."""
    numbers, products = np.arange(256).astype(np.uint8).view(np.int8), Products()
    rows = np.stack([np.roll(numbers, 37 * place) for place in range(8)], axis=1)
    ends = np.where(np.arange(256)[:, None] >> np.arange(8) & 1, 127, -128).astype(np.int8)
    for most in (255, 256, 257, 510):
        first = np.arange(max(0, most - 255), min(most, 255) + 1)
        pair = np.stack([first, most - first])
        columns = np.concatenate([pair, np.zeros_like(pair), pair[:, ::-1], pair]).astype(np.uint8)
        products.add(np.concatenate([rows, ends]), columns, ("i8", "ui8"))
    for least in (64, 128):
        far = np.random.default_rng(least).integers(0, least, (8, 40))
        columns = np.where(np.arange(40) % 2, 255 - far, far).astype(np.uint8)
        products.add(np.concatenate([rows, ends]), columns, ("i8", "ui8"))
    products.check(products.run(run_compiled, target, precision=precision))


@pytest.mark.parametrize("target", MACHINES)
def test_ends_of_sixteen_bits(target: str, run_compiled: Run) -> None:
    """Two products of -32768 * -32768 are 2^31, which wraps."""
    products = Products()
    for kinds in (("i16", "i16"), ("ui16", "i16"), ("ui16", "ui16"), ("i8", "i16")):
        limits = [np.iinfo(DTYPES[kind]) for kind in kinds]
        numbers = [np.array([i.min, i.min + 1, i.max, i.max - 1, 0, 1, i.max // 3]) for i in limits]
        rows = np.stack([np.roll(np.repeat(numbers[0], 3), place) for place in range(6)], axis=1)
        columns = np.stack([np.roll(np.repeat(numbers[1], 5), 2 * place) for place in range(6)])
        products.add(rows.astype(DTYPES[kinds[0]]), columns.astype(DTYPES[kinds[1]]), kinds)
        products.add(
            np.full((5, 64), limits[0].min, rows.dtype).astype(DTYPES[kinds[0]]), products_of(limits[1]), kinds
        )
    products.check(products.run(run_compiled, target))


def products_of(limits: np.iinfo[Any]) -> Array:
    """A constant whose columns are at one end of a type, or at the other, with other last rows."""
    columns = np.full((64, 33), limits.min, limits.dtype)
    columns[:, ::2] = limits.max
    columns[-1] = 1
    return columns


@pytest.mark.parametrize("target", ["native", "haswell", "x86-64-v2", "neoverse-n1", "neoverse-v1"])
def test_long_sums_of_the_largest_products(target: str, run_compiled: Run) -> None:
    """Up to 65,792 products of 255 and -128 fit; what is longer wraps."""
    products = Products()
    for k in (4096, 65792, 65796, 132004):
        for kinds in (("ui8", "i8"), ("ui8", "ui8")):
            lhs, rhs = (np.iinfo(DTYPES[kind]) for kind in kinds)
            columns = np.full((k, 5), rhs.min or rhs.max, rhs.dtype)
            columns[:, 1] = rhs.max
            products.add(np.full((2, k), lhs.max, lhs.dtype), columns, kinds)
    products.check(products.run(run_compiled, target))


def _shapes() -> Iterator[tuple[int, int, int]]:
    """Each extent from 1 to 33 for each dim, beside others."""
    for extent in range(1, 34):
        yield extent, (extent * 7) % 33 + 1, (extent * 16 + 5) % 33 + 1
        yield (extent * 5) % 33 + 1, 4 * extent, (extent * 10 + 3) % 33 + 1


@pytest.mark.sampled(6)
@pytest.mark.parametrize("part", range(6))
@pytest.mark.parametrize(
    ("target", "opt_level"), [("native", 3), ("haswell", 3), ("x86-64-v2", 2), ("neoverse-n1", 3), ("neoverse-v1", 3)]
)
def test_tails_of_every_dim(target: str, opt_level: int, part: int, run_compiled: Run) -> None:
    rng, products = np.random.default_rng(part), Products()
    for number, (m, k, n) in enumerate(list(_shapes())[part::6]):
        kinds = PAIRS[number % len(PAIRS)] if number % 5 else ("i16", "i16")
        products.add(_random(kinds[0], (m, k), rng), _random(kinds[1], (k, n), rng), kinds)
    products.check(products.run(run_compiled, target, opt_level))


@pytest.mark.parametrize("target", ["native", "neoverse-n1", "neoverse-v1"])
def test_levels_give_the_same_bits(target: str, run_compiled: Run) -> None:
    rng, products = np.random.default_rng(1), Products()
    for m, k, n in ((1, 64, 33), (7, 36, 16), (16, 20, 100)):
        for kinds in PAIRS:
            products.add(_random(kinds[0], (m, k), rng), _random(kinds[1], (k, n), rng), kinds)
    for opt_level in range(4):
        products.check(products.run(run_compiled, target, opt_level))


@pytest.mark.parametrize("target", [*MACHINES, "sapphirerapids"])
@pytest.mark.parametrize("kind", ["bf16", "f16"])
def test_sums_of_halves_are_of_f32(kind: str, target: str, run_compiled: Run) -> None:
    """Off by a rounding of f32 for each product, of the sum of their sizes."""
    rng, products = np.random.default_rng(7), Products()
    sizes: list[Array] = []
    for m, k, n in ((1, 8, 1), (5, 32, 33), (17, 34, 16), (3, 7, 5), (2, 1000, 18)):
        lhs, rhs = (rng.standard_normal(s).astype(DTYPES[kind]) for s in ((m, k), (k, n)))
        products.add(lhs, rhs, (kind, kind), "f32")
        sizes.append(k * np.abs(lhs.astype(np.float64)) @ np.abs(rhs.astype(np.float64)))
    for got, want, size in zip(products.run(run_compiled, target), products.expected, sizes, strict=True):
        assert got.dtype == np.float32
        assert (np.abs(got - want) <= 2.0**-24 * size).all()


@pytest.mark.sampled(15)
@pytest.mark.parametrize("part", range(200))
def test_random_quantized_graphs(part: int, run_compiled: Run) -> None:
    """MLC_THOROUGH=1 runs all 1,000 graphs."""
    graphs = [random_quantized_graph(GRAPHS_PER_MODULE * part + i) for i in range(GRAPHS_PER_MODULE)]
    _check_graphs(graphs, run_compiled, "native", 3)


@pytest.mark.parametrize("target", ["x86-64-v2", "haswell", "neoverse-n1", "neoverse-v1", "cortex-a72"])
def test_random_quantized_graphs_elsewhere(target: str, run_compiled: Run) -> None:
    _check_graphs([random_quantized_graph(seed) for seed in range(2000, 2010)], run_compiled, target, 3)


def _check_graphs(graphs: Sequence[QuantizedGraph], run_compiled: Run, target: str, opt_level: int) -> None:
    """Results are at most one step of the quantisation off; few are, next to the middle of two."""
    texts = [graph.text(f"_{chr(ord('a') + number)}") for number, graph in enumerate(graphs)]
    arguments, lines, results = (", ".join(t[0] for t in texts), "".join(t[1] for t in texts), [t[2] for t in texts])
    names, kinds = (", ".join(part) for part in zip(*results, strict=True))
    text = f"func.func @main({arguments}) -> ({kinds}) {{\n{lines}  return {names} : {kinds}\n}}\n"
    found = run_compiled(mlc.parse(text), [graph.input for graph in graphs], target, opt_level)
    off = count = 0
    for graph, got in zip(graphs, found, strict=True):
        apart = np.abs(got.astype(np.int64) - graph.expected())
        assert apart.max() <= 1, f"graph of seed {graph.seed}: off by {apart.max()} at {np.argwhere(apart > 1)[0]}"
        off, count = off + int((apart > 0).sum()), count + apart.size
    assert off <= max(2, count // 200), f"{off} of {count} results are off by one"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["native", "x86-64-v3"])
def test_results_do_not_depend_on_the_faster_type(target: str) -> None:
    """What is computed in f32 since that is estimated to be faster is at most one step off what integers give."""
    graphs = [random_quantized_graph(seed) for seed in range(4000, 4024)]
    texts = [graph.text(f"_{chr(ord('a') + number)}") for number, graph in enumerate(graphs)]
    arguments, lines, results = (", ".join(t[0] for t in texts), "".join(t[1] for t in texts), [t[2] for t in texts])
    names, kinds = (", ".join(part) for part in zip(*results, strict=True))
    text = f"func.func @main({arguments}) -> ({kinds}) {{\n{lines}  return {names} : {kinds}\n}}\n"
    try:
        models = [mlc.compile(text, target=target, precision=precision) for precision in ("f32", "keep")]
    except mlc.ArtifactError as e:
        pytest.skip(str(e))
    inputs = [graph.input for graph in graphs]
    chosen, kept = (model.run({i.name: x for i, x in zip(model.inputs, inputs, strict=True)}) for model in models)
    off = count = 0
    for graph, name in zip(graphs, chosen, strict=True):
        apart = np.abs(chosen[name].astype(np.int64) - kept[name].astype(np.int64))
        assert apart.max() <= 1, f"graph of seed {graph.seed}: off by {apart.max()}"
        off, count = off + int((apart > 0).sum()), count + apart.size
    assert off <= max(2, count // 200), f"{off} of {count} results are off by one"


@pytest.mark.parametrize("seed", range(3000, 3012))
def test_quantized_models_beside_onnx_runtime(seed: int, tmp_path: Path) -> None:
    """At most one step apart; ONNX Runtime may add in f32, or in integers."""
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    graph = random_quantized_graph(seed)
    path = tmp_path / "model.onnx"
    onnx.save(_onnx_model(graph), path)
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (wanted,) = session.run(None, {"x": graph.input})
    model = mlc.compile(path)
    found = np.asarray(model.run({"x": graph.input})["y"])
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert np.abs(found.astype(np.int64) - wanted.astype(np.int64)).max() <= 1


def _onnx_model(graph: QuantizedGraph) -> Any:
    """The same graph in the operators of ONNX, with scales of channels along an axis."""
    from onnx import TensorProto, helper, numpy_helper

    elements = {"i8": TensorProto.INT8, "ui8": TensorProto.UINT8}
    axis = 0 if graph.convolution else 1
    arrays = {
        "v": graph.weights,
        "sx": graph.scales[0],
        "sy": graph.scales[2],
        "zx": graph.zeros[0],
        "zy": graph.zeros[2],
    }
    scale, zero = graph.scales[1], graph.zeros[1]
    if scale.size > 1:
        scale, zero = scale.reshape(-1), np.full(scale.size, zero, zero.dtype)
    elif scale.ndim:
        scale = scale.reshape(())
    arrays |= {"sw": scale, "zw": zero}
    nodes = [helper.make_node("QuantizeLinear", ["x", "sx", "zx"], ["q"])] if graph.has_floats else []
    nodes.append(helper.make_node("DequantizeLinear", ["q" if nodes else "x", "sx", "zx"], ["a"]))
    nodes.append(helper.make_node("DequantizeLinear", ["v", "sw", "zw"], ["w"], axis=axis))
    if (window := graph.convolution) is None:
        nodes.append(helper.make_node("MatMul", ["a", "w"], ["p"]))
    else:
        options: dict[str, Any] = {"strides": window.strides, "pads": window.padding, "dilations": window.dilations}
        nodes.append(helper.make_node("Conv", ["a", "w"], ["p"], group=window.groups, **options))
    last = "p"
    if graph.bias is not None:
        arrays["b"] = graph.bias
        nodes.append(helper.make_node("Add", [last, "b"], ["t"]))
        last = "t"
    if graph.has_relu:
        nodes.append(helper.make_node("Relu", [last], ["r"]))
        last = "r"
    nodes.append(helper.make_node("QuantizeLinear", [last, "sy", "zy"], ["y"]))
    kind = TensorProto.FLOAT if graph.has_floats else elements[graph.kinds[0]]
    shape = graph.expected().shape
    made = helper.make_graph(
        nodes,
        "quantized",
        [helper.make_tensor_value_info("x", kind, graph.input.shape)],
        [helper.make_tensor_value_info("y", elements[graph.kinds[2]], shape)],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
