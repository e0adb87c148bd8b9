"""Typed random keys, as `jax.random.key` makes them: arrays with a dtype of their own around numbers.

JAX lowers a key to its numbers, a dim more of `ui32`. Here one becomes the other, where Python is left and entered.
"""

from __future__ import annotations

from typing import Any

import jax

_jax: Any = jax
"""Of whose functions the package gives no whole types."""


def is_key(dtype: Any) -> bool:
    """Whether a dtype is that of keys."""
    return bool(_jax.dtypes.issubdtype(dtype, _jax.dtypes.prng_key))


def numbers_of(array: Any) -> Any:
    """The numbers of keys; any other array as it is."""
    return _jax.random.key_data(array) if is_key(array.dtype) else array


def type_of_numbers(kind: Any) -> Any:
    """The shape and dtype of the numbers of keys, `ui32[..., 2]` for Threefry; any other type as it is."""
    return _jax.eval_shape(_jax.random.key_data, _type(kind)) if is_key(kind.dtype) else kind


def with_numbers(kind: Any, numbers: Any) -> Any:
    """Keys of the type `kind` with these numbers; if it is not a type of keys, the numbers."""
    return _jax.random.wrap_key_data(numbers, impl=_implementation(kind)) if is_key(kind.dtype) else numbers


def _implementation(kind: Any) -> Any:
    """Which generator keys of a type are for: JAX tells it of arrays only, so one is asked for in a trace."""
    found: list[Any] = []

    def ask(key: Any) -> None:
        found.append(_jax.random.key_impl(key))

    _jax.eval_shape(ask, _type(kind))
    return found[0]


def _type(kind: Any) -> Any:
    return _jax.ShapeDtypeStruct(kind.shape, kind.dtype)
