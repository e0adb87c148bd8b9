"""`mlc.jax`: pytrees in and out, what is compiled again, transformations, donated and static arguments, errors."""

# JAX gives types that are not whole.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false

from __future__ import annotations

import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.runtime import InputError
from mlc.support.errors import UserError

jax: Any = pytest.importorskip("jax")
import mlc  # noqa: E402
from mlc.frameworks import jax as mlc_jax  # noqa: E402
from tests.conftest import CommandLine  # noqa: E402

jnp: Any = jax.numpy


def _layer(params: dict[str, Any], x: Any) -> dict[str, Any]:
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return {"hidden": hidden, "total": (jnp.sum(hidden), [jnp.max(x)])}


def _arguments() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    params = {"w": rng.standard_normal((5, 3)).astype(np.float32), "b": np.ones(3, np.float32)}
    return jax.tree.map(jnp.asarray, params), jnp.asarray(rng.standard_normal((4, 5)), jnp.float32)


def _assert_close(found: Any, expected: Any) -> None:
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for one, two in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert isinstance(one, jax.Array) and one.dtype == two.dtype
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_pytrees_go_in_and_out() -> None:
    params, x = _arguments()
    _assert_close(mlc_jax.jit(_layer)(params, x), _layer(params, x))
    assert mlc.jax is mlc_jax


@pytest.mark.slow
def test_other_shapes_are_compiled_when_they_are_met() -> None:
    params, x = _arguments()
    f = mlc_jax.jit(_layer)
    for rows in (4, 2, 4, 1):
        _assert_close(f(params, x[:rows]), _layer(params, x[:rows]))


def test_names_are_those_of_parameters_and_keys() -> None:
    params, x = _arguments()
    model = mlc_jax.compile(_layer, params, x).model
    assert [t.name for t in model.inputs] == ["params.b", "params.w", "x"]
    assert [t.name for t in model.outputs] == ["hidden", "total.0", "total.1.0"]


def test_arrays_that_a_function_closes_over_are_constants() -> None:
    params, x = _arguments()
    compiled = mlc_jax.compile(partial(_layer, params), x)
    assert len(compiled.model.inputs) == 1
    _assert_close(compiled(x), _layer(params, x))


def test_an_artifact_needs_no_jax(tmp_path: Path) -> None:
    params, x = _arguments()
    mlc_jax.compile(partial(_layer, params), x).save(tmp_path / "layer.so")
    np.save(tmp_path / "x.npy", np.asarray(x))
    program = (
        "import sys, numpy as np, mlc; hidden, *_ = mlc.load('layer.so')(np.load('x.npy')); "
        "np.save('y.npy', hidden); assert 'jax' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), _layer(params, x)["hidden"], rtol=1e-5)


@pytest.mark.slow
def test_transformations_come_first() -> None:
    params, x = _arguments()

    def loss(params: dict[str, Any], x: Any) -> Any:
        return jnp.sum(_layer(params, x)["hidden"] ** 2)

    _assert_close(mlc_jax.jit(jax.grad(loss))(params, x), jax.grad(loss)(params, x))
    batched = jax.vmap(loss, in_axes=(None, 0))
    _assert_close(mlc_jax.jit(batched)(params, x[:, None]), batched(params, x[:, None]))
    # Inside of a transformation a compiled function is the function itself.
    _assert_close(jax.grad(mlc_jax.jit(loss))(params, x), jax.grad(loss)(params, x))
    _assert_close(jax.jit(mlc_jax.jit(loss))(params, x), loss(params, x))


@pytest.mark.slow
def test_static_and_keyword_arguments() -> None:
    @mlc_jax.jit(static_argnums=1)
    def power(x: Any, n: int, *, scale: Any) -> Any:
        return x**n * scale

    x = jnp.arange(4.0)
    for n in (2, 3, 2):
        _assert_close(power(x, n, scale=jnp.float32(2)), x**n * 2)


@pytest.mark.slow
def test_static_arguments_by_name() -> None:
    def power(x: Any, n: int, scale: Any = 1.0) -> Any:
        assert isinstance(n, int)
        return x**n * scale

    x = jnp.arange(4.0)
    for options in (
        {"static_argnames": "n"},
        {"static_argnames": ["n"]},
        {"static_argnums": 1},
        {"static_argnums": -2},
    ):
        f = mlc_jax.jit(power, **options)
        for n in (2, 3, 2):
            _assert_close(f(x, n), x**n)
            _assert_close(f(x, n=n), x**n)
            _assert_close(f(x, n, scale=jnp.float32(2)), x**n * 2)
            _assert_close(f(x, scale=jnp.float32(2), n=n), x**n * 2)
        _assert_close(jax.vmap(lambda x, f=f: f(x, n=2))(x), x**2)


def test_wrong_options_and_static_arguments_are_refused() -> None:
    x = jnp.ones(3)
    known = (
        "static_argnums, static_argnames, donate_argnums, tiered, target, threads, opt_level, accuracy, precision, cc"
    )
    with pytest.raises(UserError, match=f"found the option 'thread'; mlc.jax.jit takes {known}"):
        mlc_jax.jit(thread=2)
    with pytest.raises(
        UserError, match=r"found the option 'backend'; mlc.jax.compile takes target, threads, opt_level"
    ):
        mlc_jax.compile(lambda x: x, x, backend="cpu")
    with pytest.raises(UserError, match="found a list as a static argument; required: a value that can be hashed"):
        mlc_jax.jit(lambda x, n: x * n[0], static_argnums=1)(x, [3])
    with pytest.raises(UserError, match="found a dict as a static argument"):
        mlc_jax.jit(lambda x, n: x * n["a"], static_argnames="n")(x, n={"a": 3})


def test_donated_arrays_are_deleted() -> None:
    x, y = jnp.arange(6.0), jnp.ones(6)
    f = mlc_jax.jit(lambda x, y: x + y, donate_argnums=0)
    _assert_close(f(x, y), jnp.arange(6.0) + 1)
    assert x.is_deleted() and not y.is_deleted()


def _put(cache: Any, row: Any, at: Any) -> Any:
    return jax.lax.dynamic_update_slice(cache, row[None], (at, 0)), jnp.sum(cache[0])


@pytest.mark.slow
def test_a_donated_result_is_changed_in_its_memory() -> None:
    f = mlc_jax.jit(_put, donate_argnums=0)
    row, cache, expected = jnp.arange(400.0), jnp.ones((400, 400)), np.ones((400, 400))
    addresses = set[int]()
    for at in range(5):
        cache, total = f(cache, row, at)
        assert total == np.sum(expected[0])
        expected[at] = row
        addresses.add(cache.unsafe_buffer_pointer())
        assert np.array_equal(np.array(cache), expected)
    assert len(addresses) == 1


def test_a_donated_result_that_is_read_elsewhere() -> None:
    def both(cache: Any, row: Any) -> Any:
        changed = jax.lax.dynamic_update_slice(cache, row[None], (3, 0))
        return changed, changed - cache, cache[3]

    f, cache = mlc_jax.jit(both, donate_argnums=0), jnp.zeros((400, 400))
    for i in range(1, 4):
        cache, difference, old = f(cache, jnp.full(400, float(i)))
        assert float(difference.sum()) == 400 and float(old[0]) == i - 1 and float(cache[3, 0]) == i


def test_what_somebody_else_sees_is_not_changed() -> None:
    f, row = mlc_jax.jit(_put, donate_argnums=0), jnp.arange(400.0)
    given = np.ones((400, 400), np.float32)
    cache, _ = f(jax.dlpack.from_dlpack(given), row, 0)
    assert np.all(given == 1)
    view = np.asarray(cache)
    before = view.copy()
    cache, _ = f(cache, row + 1, 1)
    assert np.array_equal(view, before) and np.array_equal(cache[1], row + 1)
    twice = mlc_jax.jit(lambda x, y: (_put(x, row, 0)[0], y[0]), donate_argnums=0)
    expected = np.array(cache[0])
    _, first = twice(cache, cache)
    assert np.array_equal(first, expected)


@pytest.mark.slow
def test_numbers_and_arrays_of_numpy_are_taken() -> None:
    f = mlc_jax.jit(lambda x, n: x * n)
    _assert_close(f(np.arange(3, dtype=np.float32), 2.5), jnp.arange(3.0) * 2.5)
    _assert_close(f(jnp.arange(3.0)[::2], 2), jnp.arange(3.0)[::2] * 2)
    # Of 64 bits they are what JAX makes of them.
    assert f(np.arange(3.0), 2.5).dtype == jnp.float32
    _assert_close(f(np.arange(3.0), 2.5), jnp.arange(3.0) * 2.5)
    _assert_close(f(np.arange(3), np.int64(2)), jnp.arange(3) * 2)
    with jax.enable_x64(True):
        assert mlc_jax.jit(lambda x: x / 3)(np.arange(3.0)).dtype == jnp.float64


def test_large_results_are_arrays_of_jax() -> None:
    x = jnp.ones((300, 300))
    found = mlc_jax.jit(lambda x: (x * 2, jnp.sum(x)))(x)
    _assert_close(found, (x * 2, jnp.sum(x)))
    _assert_close(found[0] + 1, x * 2 + 1)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (7, 1)])
def test_shapes_without_elements_or_dims(shape: tuple[int, ...]) -> None:
    x = jnp.full(shape, -0.0)
    found = mlc_jax.jit(lambda x: (x * 1, jnp.sum(x), x + 1))(x)
    _assert_close(found, (x * 1, jnp.sum(x), x + 1))
    assert np.array_equal(np.signbit(found[0]), np.signbit(x))


@pytest.mark.slow
def test_random_bits_are_those_of_jax() -> None:
    def draw(seed: Any) -> Any:
        key = jax.random.key(seed)
        return jax.random.bits(key, (7,)), jax.random.uniform(key, (5, 3)), jax.random.permutation(key, 10)

    for one, two in zip(mlc_jax.jit(draw)(3), draw(3), strict=True):
        assert np.array_equal(one, two)


def _numbers(keys: Any) -> Any:
    return np.asarray(jax.random.key_data(keys))


@pytest.mark.slow
def test_keys_go_in_and_come_out() -> None:
    """Typed keys are arguments, results and constants, also in several dims."""
    key, closed_over = jax.random.key(3), jax.random.key(4)

    def draw(key: Any) -> Any:
        one, two = jax.random.split(key)
        keys = jax.random.split(one, (2, 3))
        return keys, two, jax.vmap(jax.random.bits)(keys[0]), jax.random.bits(closed_over, (4,))

    found, expected = mlc_jax.jit(draw)(key), draw(key)
    for one, two in zip(found[:2], expected[:2], strict=True):
        assert one.dtype == two.dtype and np.array_equal(_numbers(one), _numbers(two))
    for one, two in zip(found[2:], expected[2:], strict=True):
        assert np.array_equal(one, two)
    assert np.array_equal(mlc_jax.jit(lambda keys: keys[1])(found[0]).shape, (3,))


def test_what_is_no_key_is_refused() -> None:
    compiled = mlc_jax.compile(lambda key: jax.random.bits(key), jax.random.key(0))
    for wrong, described in (
        (jax.random.PRNGKey(0), r"uint32\[2\]"),
        (3, r"int64\[\]"),
        (np.zeros(2), r"float64\[2\]"),
    ):
        with pytest.raises(InputError, match=rf"argument 'key' is {described}; required: key<fry>\[\]"):
            compiled(wrong)


@pytest.mark.parametrize("first", [1, -2.5, True, np.float32(3), np.int32(-4), np.arange(8.0)[::-1]])
def test_arguments_that_are_no_arrays_of_jax(first: Any) -> None:
    x = jnp.arange(8, dtype=jnp.float32)

    def function(a: Any, b: Any) -> Any:
        return a + b, a

    for other in (x, x.astype(jnp.bfloat16)):
        found, expected = mlc_jax.jit(function)(first, other), jax.jit(function)(first, other)
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)


def test_an_array_of_numpy_at_an_odd_address() -> None:
    memory = np.zeros(33, np.uint8)
    odd = memory[1:].view(np.float32)
    odd[:] = np.arange(8)
    np.testing.assert_array_equal(mlc_jax.jit(lambda x: x * 2)(odd), np.arange(8) * 2)
    given = np.arange(8, dtype=np.float32)
    np.testing.assert_array_equal(mlc_jax.jit(lambda x: x * 2, donate_argnums=0)(given), np.arange(8) * 2)
    np.testing.assert_array_equal(given, np.arange(8))


def test_a_number_that_is_too_large() -> None:
    function = mlc_jax.jit(lambda n, x: x + n)
    function(1, jnp.ones(8, jnp.int32))
    with pytest.raises(InputError, match=r"argument 'n' is 1099511627776; required: int32"):
        function(1 << 40, jnp.ones(8, jnp.int32))


def test_threads_compile_once() -> None:
    x = jnp.ones(8)
    f = mlc_jax.jit(lambda x: x * 3)
    results: list[Any] = []
    workers = [threading.Thread(target=lambda: results.extend(f(x) for _ in range(20))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 80 and all(np.array_equal(r, x * 3) for r in results)


def test_wrong_arguments_are_named() -> None:
    params, x = _arguments()
    compiled = mlc_jax.compile(_layer, params, x)
    with pytest.raises(InputError, match=r"argument 'x' is float32\[2, 5\]; required: float32\[4, 5\]"):
        compiled(params, x[:2])
    with pytest.raises(InputError, match=r"argument 'params.b' is int32\[3\]; required: float32\[3\]"):
        compiled({**params, "b": jnp.ones(3, jnp.int32)}, x)
    with pytest.raises(InputError, match=r"found arguments PyTreeDef.*; required: PyTreeDef"):
        compiled(params)


def test_what_cannot_be_compiled_is_refused() -> None:
    def noisy(x: Any) -> Any:
        jax.debug.print("x = {}", x)
        return x

    def calls_back(x: Any) -> Any:
        return jax.pure_callback(lambda y: y, jax.ShapeDtypeStruct(x.shape, x.dtype), x) + 1

    with pytest.raises(UserError, match="it calls back into Python, which native code cannot do; required: operations"):
        mlc_jax.jit(calls_back)(jnp.ones(3))
    with pytest.raises(UserError, match=r"the function has side effects .*; required: one whose results are all"):
        mlc_jax.compile(noisy, jnp.ones(2))
    with pytest.raises(UserError, match="lapack"):
        mlc_jax.compile(jnp.linalg.eig, jnp.eye(3))


def test_arrays_of_numpy_are_taken_as_jax_takes_them() -> None:
    found = mlc_jax.jit(lambda n, x: (n + 1, x * 2))(np.arange(3), np.ones(2))
    assert [a.dtype for a in found] == [np.int32, np.float32]
    assert np.array_equal(found[0], [1, 2, 3]) and np.array_equal(found[1], [2, 2])


def test_complex_arrays_that_a_function_closes_over_are_constants() -> None:
    z = jnp.asarray([1 + 2j, 3 - 1j], jnp.complex64)
    assert np.array_equal(mlc_jax.jit(lambda x: x * z)(jnp.ones(2)), z)


def test_inverse_tangents_of_infinite_and_large_numbers() -> None:
    z = np.array([complex(0, np.inf), complex(0, -np.inf), complex(0, 2e38), complex(-3e38, 1), complex(-0.0, 0)], "c8")
    found = np.asarray(mlc_jax.jit(jnp.arctanh)(jnp.asarray(z)))
    np.testing.assert_allclose(found, np.arctanh(z.astype("c16")), rtol=1e-6, atol=1e-30)
    assert np.signbit(found[-1].real)


def _exported() -> Any:
    export: Any = pytest.importorskip("jax.export")

    def f(x: Any) -> Any:
        # Constants of regions stand in front of them in an artifact.
        last, rows = jax.lax.scan(lambda c, row: (c + row, c * row), jnp.zeros(3), x)
        return jnp.sort(last), rows

    return export.export(jax.jit(f))(jax.ShapeDtypeStruct((4, 3), np.float32))


@pytest.mark.slow
def test_what_is_exported_is_compiled(tmp_path: Path, mlc_opt: CommandLine) -> None:
    exported = _exported()
    (tmp_path / "f.mlir.bc").write_bytes(exported.mlir_module_serialized)
    (tmp_path / "f.mlir").write_text(str(exported.mlir_module()))
    x = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    for name in ("f.mlir.bc", "f.mlir"):
        found: Any = mlc.compile(tmp_path / name)(x)
        for one, two in zip(found, exported.call(x), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-6)
        shown = mlc_opt(str(tmp_path / name), "--convert-stablehlo-to-graph")
        assert "graph.scan 4 carry" in shown.out and "stablehlo" not in shown.out


def test_an_artifact_that_cannot_be_read(tmp_path: Path, mlc_opt: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    data = _exported().mlir_module_serialized
    (tmp_path / "f.bc").write_bytes(data[:200])
    assert (
        f"'{tmp_path}/f.bc' is a portable artifact of StableHLO that jaxlib cannot read"
        in mlc_opt(str(tmp_path / "f.bc")).err
    )
    monkeypatch.setitem(sys.modules, "jaxlib.mlir.ir", None)
    with pytest.raises(UserError) as caught:
        mlc.compile(tmp_path / "f.bc")
    assert 'which is read through jaxlib; jaxlib is not installed: pip install "mlc[jax]"' in str(caught.value)


def test_what_one_device_exchanges() -> None:
    from jax.sharding import Mesh, PartitionSpec

    def exchange(x: Any) -> Any:
        total = jax.lax.psum(x * 2, "d") + jax.lax.pmax(x, "d") + jax.lax.ppermute(x, "d", [(0, 0)])
        return total + jax.lax.all_gather(x, "d", tiled=True) + jax.lax.axis_index("d")

    mesh, rows = Mesh(np.array(jax.devices()[:1]), ("d",)), PartitionSpec("d")
    function = jax.shard_map(exchange, mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False)
    x = jnp.arange(8.0)
    np.testing.assert_array_equal(mlc.jax.jit(function)(x), function(x))
