"""A function that compiles itself for what it is called with."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, overload

import jax

from mlc.frameworks.jax._compiled import Compiled, compile

_jax: Any = jax
"""Of whose functions the package gives no whole types."""


@overload
def jit(function: Callable[..., Any], **options: Any) -> Callable[..., Any]: ...


@overload
def jit(function: None = None, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...


def jit(
    function: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] = (),
    **options: Any,
) -> Any:
    """A function that is compiled for the shapes and dtypes of each call when they are met first, as `jax.jit` does it.

    Inside of a transformation of JAX, such as `jax.grad` or `jax.vmap`, it is the function itself, and the
    transformation is what should be compiled: `mlc.jax.jit(jax.grad(f))`. Options are those of `mlc.compile`.

    Raises:
        UserError: by a call, if the function does what mlc cannot do.
    """
    if function is None:
        return functools.partial(jit, static_argnums=static_argnums, donate_argnums=donate_argnums, **options)  # pyright: ignore[reportCallIssue]
    static = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
    compiled: dict[Any, Compiled] = {}
    lock = threading.Lock()
    original = _jax.jit(function, static_argnums=static)

    def compiled_for(key: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compiled:
        with lock:  # threads that come with the same shapes compile once
            if key not in compiled:
                compiled[key] = compile(
                    function, *args, static_argnums=static, donate_argnums=donate_argnums, kwargs=kwargs, **options
                )
            return compiled[key]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        dynamic = tuple(a for i, a in enumerate(args) if i not in static) if static else args
        leaves, tree = _jax.tree.flatten((dynamic, kwargs))
        key: Any = (tree, *map(_kind, leaves))
        if static:
            key = key, tuple(args[i] for i in static)
        if (found := compiled.get(key)) is None:
            if any(isinstance(leaf, _jax.core.Tracer) for leaf in leaves):
                return original(*args, **kwargs)
            found = compiled_for(key, args, kwargs)
        return found.on_leaves(leaves)

    return call


def _kind(leaf: Any) -> Any:
    """What code depends on: the type of an array, or that a leaf is a number of Python. A tracer is a kind of its own,
    for which nothing is compiled."""
    if isinstance(leaf, _jax.core.Tracer):
        return "tracer"
    if isinstance(leaf, jax.Array):
        return leaf.aval
    return type(leaf), getattr(leaf, "shape", ()), getattr(leaf, "dtype", None)
