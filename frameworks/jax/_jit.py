"""A function that compiles itself for what it is called with."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, overload

import jax

from mlc.compiler.background import Background, expect
from mlc.compiler.options import FRAMEWORK_OPTIONS
from mlc.frameworks._options import require_known
from mlc.frameworks.jax._buffers import array_types
from mlc.frameworks.jax._compiled import Compiled, TracedFunction, parameters_of
from mlc.runtime import Model
from mlc.support.errors import UserError

_jax: Any = jax
"""Of whose functions the package gives no whole types."""
_KNOWN = ("static_argnums", "static_argnames", "donate_argnums", "tiered", *FRAMEWORK_OPTIONS)


@overload
def jit(function: Callable[..., Any], **options: Any) -> Callable[..., Any]: ...


@overload
def jit(function: None = None, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...


def jit(
    function: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
    tiered: bool = False,
    **options: Any,
) -> Any:
    """A function that is compiled for the shapes and dtypes of each call when they are met first, as `jax.jit` does it.

    With `tiered`, calls run as `jax.jit` compiles them while another process makes the code, which `mlc.wait()` waits
    for; results of the two are equal to rounding.

    Inside of a transformation of JAX, such as `jax.grad` or `jax.vmap`, it is the function itself, and the
    transformation is what should be compiled: `mlc.jax.jit(jax.grad(f))`. Options are those of `mlc.compile`.

    Raises:
        UserError: an option does not exist; by a call, if the function does what mlc cannot do.
    """
    require_known(options, "mlc.jax.jit", _KNOWN)
    if function is None:
        chosen = {"static_argnums": static_argnums, "static_argnames": static_argnames}
        return functools.partial(jit, **chosen, donate_argnums=donate_argnums, tiered=tiered, **options)  # pyright: ignore
    static, names = _static(function, static_argnums, static_argnames)
    compiled: dict[Any, Compiled] = {}
    pending: dict[Any, tuple[TracedFunction, Background[Model]]] = {}
    lock = threading.Lock()
    original = _jax.jit(function, static_argnums=static, static_argnames=names, donate_argnums=donate_argnums)

    def compiled_for(key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], fixed: dict[str, Any]) -> Compiled | None:
        """The code for a call; None if it is still to come."""
        with lock:  # threads that come with the same shapes compile once
            if key in compiled:
                return compiled[key]
            if key not in pending:
                called = _with(function, fixed) if fixed else function
                given = {"static_argnums": [i for i in static if i < len(args)], "donate_argnums": donate_argnums}
                traced = TracedFunction.of(called, *args, **given, kwargs=kwargs, **options)
                if (model := traced.recalled() if tiered else traced.library()) is not None:
                    return compiled.setdefault(key, traced.compiled(model))
                expect()
                pending[key] = traced, Background(traced.library)
            traced, library = pending[key]
            return compiled.setdefault(key, traced.compiled(library.result())) if library.is_done else None

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        dynamic = tuple(a for i, a in enumerate(args) if i not in static) if static else args
        fixed = {name: kwargs.pop(name) for name in names if name in kwargs} if kwargs and names else {}
        leaves, tree = _jax.tree.flatten((dynamic, kwargs))
        arrays = array_types()
        key: Any = (tree, *[leaf.aval if type(leaf) in arrays else _kind(leaf) for leaf in leaves])
        if static or fixed:
            key = key, tuple(args[i] for i in static if i < len(args)), tuple(fixed.items())
            _require_hashable(key[1:])
        if (found := compiled.get(key)) is None:
            if any(isinstance(leaf, _jax.core.Tracer) for leaf in leaves):
                return original(*args, **kwargs, **fixed)
            found = compiled_for(key, args, kwargs, fixed)
        if found is None:
            return original(*args, **kwargs, **fixed)
        return found.on_leaves(leaves, fit=True)

    return call


def _static(
    function: Callable[..., Any], numbers: int | Sequence[int], names: str | Sequence[str]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The static arguments by number and by name: who is static is so however it is given."""
    found = [numbers] if isinstance(numbers, int) else list(numbers)
    named = [names] if isinstance(names, str) else list(names)
    parameters = parameters_of(function, ()) or []
    found = [len(parameters) + number if number < 0 else number for number in found]
    found += [parameters.index(name) for name in named if name in parameters]
    named += [parameters[number] for number in found if number < len(parameters)]
    return tuple(sorted(set(found))), tuple(dict.fromkeys(named))


def _with(function: Callable[..., Any], fixed: dict[str, Any]) -> Callable[..., Any]:
    """A function, some of whose arguments are known."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **fixed, **kwargs)

    return call


def _require_hashable(static: tuple[tuple[Any, ...], tuple[tuple[str, Any], ...]]) -> None:
    """Raises: UserError if a static argument cannot be looked up."""
    for value in (*static[0], *(value for _, value in static[1])):
        try:
            hash(value)
        except TypeError:
            kind = type(value).__name__
            raise UserError(
                f"found a {kind} as a static argument; required: a value that can be hashed, such as a number, a "
                "string or a tuple"
            ) from None


def _kind(leaf: Any) -> Any:
    """What code depends on: the type of an array, or that a leaf is a number of Python. A tracer is a kind of its own,
    for which nothing is compiled."""
    if isinstance(leaf, _jax.core.Tracer):
        return "tracer"
    if isinstance(leaf, jax.Array):
        return leaf.aval
    return type(leaf), getattr(leaf, "shape", ()), getattr(leaf, "dtype", None)
