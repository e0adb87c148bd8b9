"""What LLVM's loop passes are told about a loop, on the branch back to its start."""

import re
from collections.abc import Mapping

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr, StringAttr, i32
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from mlc.dialects.kept_text import parse_body

_KEYS = (
    *("disableNonforced", "vectorize", "interleave", "unroll", "unrollAndJam", "licm", "distribute", "pipeline"),
    *("peeled", "unswitch", "mustProgress", "isVectorized", "startLoc", "endLoc", "parallelAccesses"),
)
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|->|[^"]').findall
_ENTRY = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*", re.DOTALL).fullmatch
_GROUP = re.compile(r"<(.*)>", re.DOTALL).fullmatch
_NUMBER = re.compile(r"(\d+)\s*:\s*i32").fullmatch


@irdl_attr_definition
class LoopAnnotationAttr(ParametrizedAttribute):
    """What LLVM is to do with a loop: whether it may vectorise it, how often it must unroll it, and the like.

    ```mlir
    llvm.func @wait(%again: i1) {
      llvm.br ^body
    ^body:
      llvm.cond_br %again, ^body, ^exit
          {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <count = 4 : i32>>}
    ^exit:
      llvm.return
    }
    ```

    An unroll count of 1 forbids unrolling. What is neither true, false nor an i32, such as the loops that follow, mlc
    keeps and does not tell LLVM.
    """

    name = "llvm.loop_annotation"
    facts: DictionaryAttr
    """By the names of upstream: `{unroll.count = 4 : i32, mustProgress = true}`."""
    others: StringAttr
    """What else the text says, as it is written."""

    def __init__(self, facts: Mapping[str, bool | int]):
        super().__init__(DictionaryAttr({name: _fact(value) for name, value in facts.items()}), StringAttr(""))

    def with_fact(self, name: str, value: bool | int) -> "LoopAnnotationAttr":
        """This, but for one fact."""
        return LoopAnnotationAttr.new([DictionaryAttr({**self.facts.data, name: _fact(value)}), self.others])

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        start = parser.pos
        facts: dict[str, Attribute] = {}
        others: list[str] = []
        body = parse_body(parser)
        for key, value in _entries(body):
            if key not in _KEYS:
                parser.raise_error(f"expected one of {', '.join(_KEYS)}, got '{key}'", start, start)
            group = _GROUP(value)
            said = {f"{key}.{field}": each for field, each in _entries(group[1])} if group else {key: value}
            found = {name: _read(each) for name, each in said.items()}
            if None in found.values():
                others.append(f"{key} = {value}")
            else:
                facts |= {name: fact for name, fact in found.items() if fact is not None}
        return [DictionaryAttr(facts), StringAttr(", ".join(others))]

    def print_parameters(self, printer: Printer) -> None:
        parts: list[str] = []
        groups: dict[str, list[str]] = {}
        for name, fact in self.facts.data.items():
            group, _, field = name.partition(".")
            if field:
                groups.setdefault(group, []).append(f"{field} = {fact}")
            else:
                parts.append(f"{name} = {fact}")
        in_groups = [f"{group} = <{', '.join(said)}>" for group, said in groups.items()]
        others = [self.others.data] if self.others.data else []
        printer.print_string("<" + ", ".join([*in_groups, *parts, *others]) + ">")


def _fact(value: bool | int) -> Attribute:
    return BoolAttr.from_bool(value) if isinstance(value, bool) else IntegerAttr(value, i32)


def _read(text: str) -> Attribute | None:
    """The fact that a text is; None if it is none."""
    if text in ("true", "false"):
        return _fact(text == "true")
    return _fact(int(number[1])) if (number := _NUMBER(text)) else None


def _entries(body: str) -> list[tuple[str, str]]:
    """The parts `key = value` of a list; commas inside of brackets and strings separate nothing."""
    parts, depth = [""], 0
    for token in _TOKENS(body):
        depth += (token in "<([{") - (token in ">)]}")
        if token == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    entries: list[tuple[str, str]] = []
    for part in parts:
        if found := _ENTRY(part):
            entries.append((found[1], found[2]))
        elif entries:  # a list of attributes has no brackets
            entries[-1] = entries[-1][0], f"{entries[-1][1]},{part}"
        elif part.strip():
            entries.append((part.strip(), ""))
    return entries
