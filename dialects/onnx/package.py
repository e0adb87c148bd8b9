"""The package `onnx`, which describes operators and reads models."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

from mlc.support.errors import UserError

if TYPE_CHECKING:
    from types import ModuleType

Schema = Any
"""An `onnx.defs.OpSchema`, of which the package gives no usable types."""

Message = Any
"""A message of protobuf, whose classes have no usable types."""


@cache
def onnx_package(module: str = "onnx") -> ModuleType:
    """The package `onnx`, or a module of it.

    Raises:
        UserError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as e:
        raise UserError(f"models of ONNX need the package onnx ({e}); install it: pip install 'mlc[onnx]'") from None
