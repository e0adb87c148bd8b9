"""What is known of operators: which there are, since when, and what each takes.

The package `onnx` says so, and `contributed` of those that ONNX Runtime adds.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from mlc.dialects.onnx.contributed import contributed
from mlc.dialects.onnx.package import Message, Schema, onnx_package

DIALECT = "onnx"
"""The dialect, and the prefix of the names of its ops."""
_STANDARD = ("", "ai.onnx")
"""Both names of the domain of the standard operators."""


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
    """The schema of an operator in the newest version; None if nobody knows it."""
    versions = _history().get((domain, name))
    return versions[0] if versions else contributed().get((domain, name))


@cache
def newest_version(domain: str) -> int | None:
    """The newest version of a domain that the package knows; None if it does not know the domain."""
    known = cast(Any, onnx_package("onnx.defs")).C.schema_version_map().get(domain)
    return known[1] if known else None


@cache
def schema_at(domain: str, name: str, version: int) -> Schema | None:
    """The schema of an operator in a model that imports `version` of its domain; None if there is none."""
    versions = _history().get((domain, name), ())
    found = next((s for s in versions if s.since_version <= version), None)
    return found or contributed().get((domain, name))


def op_name(domain: str, name: str) -> str:
    """What an operator is called in IR: `onnx.Conv`, `onnx.com.microsoft.FusedMatMul`."""
    return f"{DIALECT}.{name}" if domain in _STANDARD else f"{DIALECT}.{domain}.{name}"


def standard_domain(domain: str) -> str:
    """The domain under one name."""
    return "" if domain in _STANDARD else domain


__all__ = [
    "DIALECT",
    "Message",
    "Schema",
    "domains",
    "newest_schema",
    "newest_version",
    "onnx_package",
    "op_name",
    "operators",
    "schema_at",
    "standard_domain",
]
