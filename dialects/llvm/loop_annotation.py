"""What LLVM's loop passes are told about a loop, on the branch back to its start."""

import re

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, NoneAttr, StringAttr, i32
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
_DISABLED = re.compile(r"<\s*disable\s*=\s*(true|false)\s*>").fullmatch
_COUNT = re.compile(r"<\s*count\s*=\s*(\d+)\s*:\s*i32\s*>").fullmatch


@irdl_attr_definition
class LoopAnnotationAttr(ParametrizedAttribute):
    """Whether LLVM may vectorise a loop, and how often it must unroll it; mlc does nothing with the rest.

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

    An unroll count of 1 forbids unrolling.
    """

    name = "llvm.loop_annotation"
    vectorize_disable: BoolAttr | NoneAttr
    unroll_count: IntegerAttr | NoneAttr
    others: StringAttr
    """What else the text says, as it is written: mlc keeps it, and does not tell LLVM."""

    def __init__(self, *, vectorize_disable: bool = False, unroll_count: int | None = None):
        super().__init__(
            BoolAttr.from_bool(True) if vectorize_disable else NoneAttr(),
            NoneAttr() if unroll_count is None else IntegerAttr(unroll_count, i32),
            StringAttr(""),
        )

    def with_unroll_count(self, count: int) -> "LoopAnnotationAttr":
        """This, but for how often LLVM must unroll the loop."""
        return LoopAnnotationAttr.new([self.vectorize_disable, IntegerAttr(count, i32), self.others])

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        start = parser.pos
        disabled: Attribute = NoneAttr()
        count: Attribute = NoneAttr()
        others: list[str] = []
        body = parse_body(parser)
        for key, value in _entries(body):
            if (m := _DISABLED(value)) and key == "vectorize":
                disabled = BoolAttr.from_bool(True) if m[1] == "true" else NoneAttr()
            elif (m := _COUNT(value)) and key == "unroll":
                count = IntegerAttr(int(m[1]), i32)
            elif key in _KEYS:
                others.append(f"{key} = {value}")
            else:
                parser.raise_error(f"expected one of {', '.join(_KEYS)}, got '{key}'", start, start)
        return [disabled, count, StringAttr(", ".join(others))]

    def print_parameters(self, printer: Printer) -> None:
        parts: list[str] = []
        if not isinstance(self.vectorize_disable, NoneAttr):
            parts.append("vectorize = <disable = true>")
        if not isinstance(self.unroll_count, NoneAttr):
            parts.append(f"unroll = <count = {self.unroll_count}>")
        parts += [self.others.data] if self.others.data else []
        printer.print_string("<" + ", ".join(parts) + ">")


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
