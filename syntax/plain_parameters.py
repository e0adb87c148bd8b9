"""Types and attributes whose parameters are written as xDSL writes them: `!dialect.name<a, b>`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute, ParametrizedAttribute

from mlc.syntax.errors import Fault
from mlc.syntax.words import counted


def has_plain_parameters(definition: type[Attribute] | None) -> bool:
    """Whether xDSL's own parser reads the parameters of a class of attributes."""
    if definition is None or issubclass(definition, UnregisteredAttr):
        return False
    parse = getattr(definition, "parse_parameters", None)
    return getattr(parse, "__func__", None) is vars(ParametrizedAttribute)["parse_parameters"].__func__


def made_of(definition: type[ParametrizedAttribute], parameters: Sequence[Attribute]) -> Attribute:
    """The attribute with these parameters.

    Raises:
        Fault: there are more or fewer than it has.
        VerifyException: one of them does not fit.
    """
    names = [name for name, _ in definition.get_irdl_definition().parameters]
    if len(parameters) != len(names):
        has = f"{counted(len(names), 'parameter')} ({', '.join(names)})" if names else "no parameters"
        raise Fault(f"'{definition.name}' has {has}, got {len(parameters) or 'none'}")
    return definition.new(parameters)
