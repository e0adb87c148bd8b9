"""Templates as programs of a file that is not trusted: in the sandbox of jinja2, with limits of time and memory.

Imported where jinja2 is known to be there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, cast

from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

MOST_STEPS = 1_000_000
"""How often loops of a template may go round, all together."""
MOST_MADE = 1 << 27
"""How many characters of texts, and elements of lists, operators and calls may make, all together."""
_LARGEST = 1 << 24
"""The largest number that is given to a call or a filter."""
_COUNTED, _JOINED, _SMALL = "counted steps", "joined texts", "small numbers"
"""Filters with names that templates cannot write."""
_REFUSED_METHODS = ("translate", "expandtabs", "format_map")
_REFUSED_FILTERS = ("format", "xmlattr", "urlize", "wordwrap", "random")
_WIDTH = re.compile(r"\d{6}")
"""What makes a format long."""


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Renders templates that cannot leave the sandbox, change what they are given, or take much; for one text each."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
        filters = cast("dict[str, Callable[..., Any]]", self.filters)
        for name in _REFUSED_FILTERS:
            del filters[name]
        own = {_COUNTED: self._counted, _JOINED: self._joined, _SMALL: _small}
        filters.update({**own, "replace": self._replace, "join": self._joined})
        del self.globals["lipsum"]
        self._steps = self._made = 0

    def bounded(self, source: str, **given: Any) -> str:
        """The text of a template.

        Raises:
            SecurityError: it tries what it may not, or takes too much; other errors of jinja2 and of Python, which its
                expressions raise.
        """
        found = _Bounding().visit(self.parse(source)).set_environment(self)
        return self._joined(self.from_string(found).generate(**given))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """The operators by which values grow."""
        if operator == "+" and isinstance(left, Sized):
            self._make(_size(left) + _size(right))
        elif operator == "*":
            self._make(_size(left) * _size(right) if isinstance(left, Sized) or isinstance(right, Sized) else 0)
            _require(isinstance(left, Sized) or abs(left) < 1 << 64, "it multiplies large numbers")
        elif operator == "**":
            _require(max(_size(left), _size(right)) <= 64, "it takes powers of large numbers")
        elif operator == "%" and isinstance(left, str):
            _require(not _WIDTH.search(left) and "*" not in left, "it formats long texts")
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, /, *given: Any, **named: Any) -> Any:
        """The methods by which texts grow."""
        if isinstance(text := getattr(obj, "__self__", None), str):
            name = obj.__name__
            _require(name not in _REFUSED_METHODS, f"it calls {name}")
            if name == "replace":
                return self._replace(text, *given)
            if name == "join":
                return self._joined(given[0], text)
        return super().call(context, obj, *given, **named)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """`str.format`."""
        found = super().wrap_str_format(value)
        _require(found is None or not _WIDTH.search(value.__self__), "it formats long texts")
        return found

    def _replace(self, value: object, old: object, new: object, count: int | None = None) -> str:
        """`str.replace`, and the filter of that name."""
        text = str(value)
        times = text.count(str(old)) if count is None else min(text.count(str(old)), count)
        self._make(len(text) + times * len(str(new)))
        return text.replace(str(old), str(new), -1 if count is None else count)

    def _joined(self, items: Iterable[Any], between: object = "", attribute: str | None = None) -> str:
        """`str.join`, and the filter `join`."""
        found, between = list[str](), str(between)
        for each in items:
            found.append(str(each if attribute is None else self.getitem(each, attribute)))
            self._make(len(found[-1]) + len(between))
        return between.join(found)

    def _make(self, size: float) -> None:
        self._made += size
        _require(self._made <= MOST_MADE, f"it makes more than {MOST_MADE} characters and elements")

    def _counted(self, items: Iterable[Any]) -> Iterator[Any]:
        for each in items:
            self._steps += 1
            _require(self._steps <= MOST_STEPS, f"its loops go round more than {MOST_STEPS} times")
            yield each


class _Bounding(NodeTransformer):
    """Puts limits around loops, texts that are joined by `~`, and numbers that are given to calls and filters."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # jinja2 calls it by the name of the class
        """Loops count their steps."""
        self.generic_visit(node)
        node.iter = _filtered(node.iter, _COUNTED)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:
        """Joined texts are measured."""
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), _JOINED)

    def visit_Call(self, node: nodes.Call) -> nodes.Call:
        """Calls get no large numbers."""
        self.generic_visit(node)
        _limit_arguments(node)
        return node

    def visit_Filter(self, node: nodes.Filter) -> nodes.Filter:
        """Filters get no large numbers."""
        self.generic_visit(node)
        _limit_arguments(node)
        return node


def _limit_arguments(node: nodes.Call | nodes.Filter) -> None:
    node.args = [_filtered(each, _SMALL) for each in node.args]
    for each in cast("list[nodes.Keyword]", node.kwargs):
        each.value = _filtered(each.value, _SMALL)


def _filtered(node: Any, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _small(value: Any) -> Any:
    _require(
        not isinstance(value, int | float) or abs(value) <= _LARGEST, f"it gives numbers above {_LARGEST} to calls"
    )
    return value


def _size(value: Any) -> float:
    return len(value) if isinstance(value, Sized) else abs(value)


def _require(is_so: bool, otherwise: str) -> None:
    """Raises: SecurityError if it is not."""
    if not is_so:
        raise SecurityError(otherwise)
