"""What the package `torch` says of operators: which overloads there are, and what each takes."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from mlc.support.errors import UserError
from mlc.support.torch_namespaces import ATEN, NAMESPACES

if TYPE_CHECKING:
    from types import ModuleType

_TENSORS = {"Tensor": "one", "Optional[Tensor]": "optional", "List[Tensor]": "list", "List[Optional[Tensor]]": "list"}
"""The types of arguments that are operands, as torch spells them."""


@dataclass(frozen=True)
class Argument:
    """One argument of an overload.

    Attributes:
        tensors: "one", "optional" or "list" where it is operands, "" where it is an attribute.
        type: its type as torch spells it.
        default: what it is if a call leaves it out; None also if it may not be left out.
        required: whether it may not be.
        by_name: whether calls have to name it.
    """

    name: str
    tensors: str
    type: str
    default: Any
    required: bool
    by_name: bool


@dataclass(frozen=True)
class OverloadSchema:
    """What an overload takes and gives.

    Attributes:
        results: how many results there are; None if that depends on the call.
    """

    text: str
    arguments: tuple[Argument, ...]
    results: int | None

    @property
    def operands(self) -> tuple[Argument, ...]:
        """The arguments that are operands."""
        return tuple(a for a in self.arguments if a.tensors)


_schemas: dict[str, OverloadSchema] = {}
"""Those that were asked for, by names in IR."""


@cache
def torch_package(module: str = "torch") -> ModuleType:
    """The package `torch`, or a module of it.

    Raises:
        UserError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as e:
        raise UserError(
            f"models of PyTorch need the package torch ({e}); install it: pip install 'mlc[torch]'"
        ) from None


@cache
def import_namespace(namespace: str) -> None:
    """Import the package whose operators are in a namespace, if it is there; one that fails has none."""
    with suppress(Exception):
        importlib.import_module(NAMESPACES[namespace].module)


def op_name(overload: Any) -> str:
    """What an `OpOverload` is called in IR: `aten.add.Tensor`, `aten.relu`."""
    return str(overload).removesuffix(".default")


def overload_named(name: str) -> Any:
    """The `OpOverload` by its name in IR; None if torch has none."""
    namespace, _, rest = name.partition(".")
    packet, _, overload = rest.partition(".")
    if namespace not in NAMESPACES or not packet.isidentifier():
        return None
    operators = getattr(cast(Any, torch_package()).ops, namespace)
    if namespace != ATEN and not hasattr(operators, packet):
        import_namespace(namespace)
    found = getattr(operators, packet, None)
    overload = overload or "default"
    return None if found is None or overload not in found.overloads() else getattr(found, overload)


def schema_of(name: str) -> OverloadSchema | None:
    """The schema of an op by its name in IR; None if torch has no such overload. A package may still add it."""
    if name not in _schemas and (overload := overload_named(name)) is not None:
        _schemas[name] = _read(overload._schema)
    return _schemas.get(name)


def known_overload(target: Any) -> tuple[str, OverloadSchema]:
    """The name in IR and the schema of what a node calls.

    Raises:
        UserError: it is not an operator of ATen, or torch has no schema of it.
    """
    if not isinstance(target, cast(Any, torch_package())._ops.OpOverload) or target.namespace not in NAMESPACES:
        named = getattr(target, "__name__", str(target))
        shown = f"{getattr(target, '__module__', '')}.{named}".removeprefix("_operator.")
        raise UserError(f"'{shown}' is not an operator of ATen")
    name = op_name(target)
    if (schema := schema_of(name)) is None:
        raise UserError(f"torch has no schema of '{name}'")
    return name, schema


def _read(schema: Any) -> OverloadSchema:
    arguments = tuple(_argument(a) for a in schema.arguments)
    kinds = [_TENSORS.get(str(r.type)) for r in schema.returns]
    return OverloadSchema(str(schema), arguments, len(kinds) if all(k == "one" for k in kinds) else None)


def with_numbers(name: str, schema: OverloadSchema, numbers: Sequence[str]) -> tuple[str, OverloadSchema]:
    """The overload, by its name in IR and with its schema, in which some arguments that are tensors are numbers.

    Torch takes numbers for tensors of no dims; there is an overload for most, else they are constants.
    """
    other = schema_of(name.replace(".Tensor", ".Scalar")) if numbers else None
    if other is None or any(a.tensors and a.name in numbers for a in other.arguments):
        return name, schema
    return name.replace(".Tensor", ".Scalar"), other


def tags_of(name: str) -> tuple[str, ...]:
    """What torch's tags say of an op, by its name in IR: "core", "nondeterministic_seeded" and others."""
    found = overload_named(name)
    return () if found is None else tuple(tag.name for tag in found.tags)


def _argument(argument: Any) -> Argument:
    kind = str(argument.type)
    required = not argument.has_default_value()
    return Argument(argument.name, _TENSORS.get(kind, ""), kind, argument.default_value, required, argument.kwarg_only)
