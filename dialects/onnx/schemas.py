"""What the package `onnx` says of operators: which there are, since when, and what each takes."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from mlc.support.errors import UserError

if TYPE_CHECKING:
    from types import ModuleType

Schema = Any
"""An `onnx.defs.OpSchema`, of which the package gives no usable types."""

Message = Any
"""A message of protobuf, whose classes have no usable types."""
DIALECT = "onnx"
"""The dialect, and the prefix of the names of its ops."""
_STANDARD = ("", "ai.onnx")
"""Both names of the domain of the standard operators."""


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


@cache
def _history() -> dict[tuple[str, str], list[Schema]]:
    """All schemas by domain and operator, the newest first."""
    result: dict[tuple[str, str], list[Schema]] = {}
    for schema in cast(Any, onnx_package("onnx.defs")).get_all_schemas_with_history():
        result.setdefault((schema.domain, schema.name), []).append(schema)
    for versions in result.values():
        versions.sort(key=lambda schema: -schema.since_version)
    return result


def operators() -> list[tuple[str, str]]:
    """The domain and the name of every operator that the package knows."""
    return list(_history())


def domains() -> set[str]:
    """The domains of these operators."""
    return {domain for domain, _ in _history()}


def newest_schema(domain: str, name: str) -> Schema | None:
    """The schema of an operator in the newest version; None if the package does not know it."""
    versions = _history().get((domain, name))
    return versions[0] if versions else None


@cache
def newest_version(domain: str) -> int | None:
    """The newest version of a domain that the package knows; None if it does not know the domain."""
    known = cast(Any, onnx_package("onnx.defs")).C.schema_version_map().get(domain)
    return known[1] if known else None


@cache
def schema_at(domain: str, name: str, version: int) -> Schema | None:
    """The schema of an operator in a model that imports `version` of its domain; None if there is none."""
    return next((s for s in _history().get((domain, name), ()) if s.since_version <= version), None)


def op_name(domain: str, name: str) -> str:
    """What an operator is called in IR: `onnx.Conv`, `onnx.com.microsoft.FusedMatMul`."""
    return f"{DIALECT}.{name}" if domain in _STANDARD else f"{DIALECT}.{domain}.{name}"


def standard_domain(domain: str) -> str:
    """The domain under one name."""
    return "" if domain in _STANDARD else domain
